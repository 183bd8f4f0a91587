/* The reaper: who deletes does not wait for the clearing away, and nothing is left in the end. */
#include "engine/reaper.h"

#include "support/talk.h"

#include <pthread.h>
#include <stdlib.h>

enum { BATCHES = 40, BATCH = 250, THREADS = 4, EACH = 8 };

static struct str big_session(struct talk *t)
{
    struct str session = talk_create(t, "Big");
    struct entry_spec specs[BATCH];

    for (int i = 0; i < BATCHES; i++) {
        for (int j = 0; j < BATCH; j++)
            specs[j] = talk_message(t, ROLE_USER, "words to be found");
        talk_batch(t, session, specs, BATCH);
    }
    return session;
}

static int64_t left(struct talk *t)
{
    struct store_counts counts = talk_counts(t);

    return counts.sessions + counts.deleted + counts.entries + counts.lines + counts.reaps;
}

static struct reaper *reaper_begin(struct talk *t)
{
    struct reaper *reaper = reaper_new(t->rig.store);

    engine_use_reaper(t->rig.engine, reaper);
    return reaper;
}

static void reaper_end(struct talk *t, struct reaper *reaper, bool finish)
{
    engine_use_reaper(t->rig.engine, NULL);
    reaper_free(reaper, finish);
}

static void a_delete_does_not_wait(void **state)
{
    struct talk t;
    struct reaper *reaper;
    struct str session;

    (void)state;
    talk_open(&t, &rig_kinds[0], 1);
    session = big_session(&t);
    reaper = reaper_begin(&t);
    talk_delete(&t, session);
    assert_true(talk_counts(&t).entries > 0);
    reaper_end(&t, reaper, true);
    assert_int_equal(left(&t), 0);
    assert_int_equal(talk_search(&t, "words").count, 0);
    talk_verify(&t);
    talk_close(&t);
}

/* As when the process ends in the middle of it: the next one does the rest. */
static void the_next_one_goes_on(void **state)
{
    struct talk t;
    struct reaper *reaper;
    struct str session;

    (void)state;
    talk_open(&t, &rig_kinds[0], 2);
    session = big_session(&t);
    reaper = reaper_begin(&t);
    talk_delete(&t, session);
    reaper_end(&t, reaper, false);
    assert_int_equal(talk_counts(&t).reaps, 1);
    assert_true(talk_counts(&t).entries > 0);
    talk_verify(&t);
    reaper = reaper_begin(&t);
    reaper_wake(reaper);
    reaper_end(&t, reaper, true);
    assert_int_equal(left(&t), 0);
    talk_verify(&t);
    talk_close(&t);
}

static void a_purge_is_done_when_it_returns(void **state)
{
    struct talk t;
    struct reaper *reaper;
    struct delete_spec spec;

    (void)state;
    talk_open(&t, &rig_kinds[0], 3);
    reaper = reaper_begin(&t);
    spec = (struct delete_spec){
        .owner = t.rig.owner, .session = talk_create(&t, "Secret"), .purge = true};
    talk_say_many(&t, spec.session, "secret", 30);
    CHECK_OK(engine_delete(t.rig.engine, &spec, &t.fault), &t.fault);
    assert_int_equal(left(&t), 0);
    reaper_end(&t, reaper, false);
    talk_close(&t);
}

struct deleter {
    struct talk *t;
    struct str sessions[EACH];
    enum fault_code code;
    struct fault fault;
};

static void *delete_all(void *context)
{
    struct deleter *self = context;

    for (int i = 0; i < EACH && !self->code; i++) {
        struct delete_spec spec = {.owner = self->t->rig.owner, .session = self->sessions[i]};

        self->code = engine_delete(self->t->rig.engine, &spec, &self->fault);
    }
    return NULL;
}

static void many_delete_at_once(void **state)
{
    struct deleter deleters[THREADS] = {{0}};
    pthread_t threads[THREADS];
    struct reaper *reaper;
    struct talk t;

    (void)state;
    talk_open(&t, &rig_kinds[0], 4);
    reaper = reaper_begin(&t);
    for (int i = 0; i < THREADS; i++) {
        deleters[i].t = &t;
        for (int j = 0; j < EACH; j++) {
            deleters[i].sessions[j] = talk_create(&t, "One of many");
            talk_say_many(&t, deleters[i].sessions[j], "m", 5);
        }
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, delete_all, &deleters[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_OK(deleters[i].code, &deleters[i].fault);
    }
    reaper_end(&t, reaper, true);
    assert_int_equal(left(&t), 0);
    talk_close(&t);
}

static void one_that_was_never_woken(void **state)
{
    struct talk t;

    (void)state;
    talk_open(&t, &rig_kinds[0], 5);
    reaper_free(reaper_new(t.rig.store), true);
    reaper_free(NULL, false);
    talk_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delete_does_not_wait),          cmocka_unit_test(the_next_one_goes_on),
        cmocka_unit_test(a_purge_is_done_when_it_returns), cmocka_unit_test(many_delete_at_once),
        cmocka_unit_test(one_that_was_never_woken),
    };

    return cmocka_run_group_tests_name("reaper", tests, NULL, NULL);
}
