/*
 * Many threads on one store: nothing is lost, nothing is given out twice, and every read is of one
 * moment. Threads write down what they find; the test looks at it after they have ended, because
 * an expectation may fail only in the thread of the test.
 */
#include "support/talk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* A talk with the clock and chance of the system, which any thread may use. */
static struct talk talk;
static struct engine *engine;
static pthread_barrier_t barrier;

struct worker {
    pthread_t thread;
    int number;
    struct str session; /* the one it works on */
    struct arena arena;
    struct fault fault;
    enum fault_code code; /* the first that was not wanted */
    int64_t done;
    char found[256]; /* what was wrong; empty: nothing */
    char title[64];
    bool repeated;
};

static int setup(void **state)
{
    talk_open(&talk, *state, 1);
    engine = engine_new(talk.rig.store, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    engine_free(engine);
    talk_close(&talk);
    return 0;
}

static void run_all(struct worker *workers, int count, void *(*work)(void *))
{
    assert_int_equal(pthread_barrier_init(&barrier, NULL, (unsigned)count), 0);
    for (int i = 0; i < count; i++) {
        workers[i].number = i;
        arena_init(&workers[i].arena);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < count; i++) {
        if (workers[i].code != FAULT_OK)
            print_error("thread %d: %s: %s\n", i, fault_name(workers[i].code),
                        workers[i].fault.message);
        assert_int_equal(workers[i].code, FAULT_OK);
        assert_string_equal(workers[i].found, "");
    }
}

static void clear_all(struct worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        arena_clear(&workers[i].arena);
}

/* Appends one message and says its id; the worker's code tells whether it worked. */
static struct str say(struct worker *worker, struct str session, struct str body, struct str expect)
{
    struct append_spec spec = {.owner = talk.rig.owner, .session = session, .expect_head = expect};
    struct span span = {9, (uint32_t)body.n - 11};
    struct entry_spec entry = {
        .kind = ENTRY_MESSAGE, .role = ROLE_USER, .body = body, .spans = &span, .span_count = 1};
    struct append_result result;

    worker->code = engine_append(engine, &spec, &entry, 1, &worker->arena, &result, &worker->fault);
    return worker->code == FAULT_OK ? result.entries[0].id : STR_NONE;
}

static struct str text(struct worker *worker, const char *word, int n)
{
    return arena_printf(&worker->arena, "{\"text\":\"%s%d of%d\"}", word, n, worker->number);
}

/* ---- titles ---- */

static void *fork_once(void *context)
{
    struct worker *worker = context;
    struct fork_spec spec = {.owner = talk.rig.owner, .session = worker->session};
    struct fork_result result;

    pthread_barrier_wait(&barrier);
    worker->code = engine_fork(engine, &spec, &worker->arena, &result, &worker->fault);
    if (worker->code == FAULT_OK)
        snprintf(worker->title, sizeof(worker->title), "%.*s", STR_ARG(result.session.title));
    return NULL;
}

static void forks_at_once_have_an_unbroken_series_of_titles(void **state)
{
    enum { THREADS = 64 };
    struct worker workers[THREADS] = {0};
    bool seen[THREADS + 1] = {0};
    struct str session = talk_create(&talk, "Plan");

    (void)state;
    talk_say_many(&talk, session, "m", 3);
    for (int i = 0; i < THREADS; i++)
        workers[i].session = session;
    run_all(workers, THREADS, fork_once);
    for (int i = 0; i < THREADS; i++) {
        int number = 0;

        assert_int_equal(sscanf(workers[i].title, "Plan (fork %d)", &number), 1);
        assert_true(number >= 1 && number <= THREADS);
        assert_false(seen[number]);
        seen[number] = true;
    }
    assert_int_equal(talk_session(&talk, session).children, THREADS);
    assert_int_equal(talk_counts(&talk).sessions, THREADS + 1);
    talk_verify(&talk);
    clear_all(workers, THREADS);
}

/* ---- writing and reading ---- */

enum { WRITERS = 8, READERS = 3, APPENDS = 100 };

static struct str shared;

/* Half of them on the shared session, the others each on its own. */
static void write_messages(struct worker *worker)
{
    for (int i = 0; i < APPENDS && worker->code == FAULT_OK; i++) {
        struct str session = i % 2 ? shared : worker->session;
        struct gathered hits = {.arena = &worker->arena};
        struct search_spec search = {.owner = talk.rig.owner, .limit = 10};

        say(worker, session, text(worker, "word", i), STR_NONE);
        worker->done++;
        if (i % 20 || worker->code != FAULT_OK)
            continue;
        /* what was acknowledged is found */
        search.words = arena_printf(&worker->arena, "word%d of%d", i, worker->number);
        worker->code =
            store_search(talk.rig.store, &search, gather_hit, &hits, NULL, &worker->fault);
        if (worker->code == FAULT_OK && hits.count != 1)
            snprintf(worker->found, sizeof(worker->found), "\"%.*s\" was found %zu times",
                     STR_ARG(search.words), hits.count);
    }
}

/* A history is a list without gaps, and never shorter than the one before. */
static void read_messages(struct worker *worker)
{
    int64_t before = 0;

    for (int i = 0; i < APPENDS && worker->code == FAULT_OK && !*worker->found; i++) {
        struct history_spec spec = {
            .owner = talk.rig.owner, .session = shared, .at = {.by = POINT_END}};
        struct gathered got = {.arena = &worker->arena};
        struct history_info info;
        struct session session;

        worker->code =
            store_history(talk.rig.store, &spec, gather_entry, &got, &info, &worker->fault);
        if (worker->code == FAULT_OK)
            worker->code = store_session_get(talk.rig.store, talk.rig.owner, shared, false,
                                             &worker->arena, &session, &worker->fault);
        if (worker->code != FAULT_OK)
            return;
        for (size_t k = 0; k < got.count; k++)
            if (got.entries[k].index != (int64_t)k)
                snprintf(worker->found, sizeof(worker->found), "message %zu has index %lld", k,
                         (long long)got.entries[k].index);
        if ((int64_t)got.count < before || info.total != (int64_t)got.count ||
            session.messages < info.total)
            snprintf(worker->found, sizeof(worker->found),
                     "%zu messages after %lld, of %lld, then %lld", got.count, (long long)before,
                     (long long)info.total, (long long)session.messages);
        before = (int64_t)got.count;
        arena_clear(&worker->arena);
    }
}

static void *write_or_read(void *context)
{
    struct worker *worker = context;

    pthread_barrier_wait(&barrier);
    if (worker->number < WRITERS)
        write_messages(worker);
    else
        read_messages(worker);
    return NULL;
}

/* The messages of each writer, in the order in which they were acknowledged, and all of them. */
static void check_shared(struct str session, int each)
{
    struct gathered got = talk_history(&talk, session, false);
    int next[WRITERS];

    for (int i = 0; i < WRITERS; i++)
        next[i] = 1;
    assert_int_equal(got.count, WRITERS * each);
    for (size_t i = 0; i < got.count; i++) {
        int n = -1, of = -1;

        assert_int_equal(sscanf(got.entries[i].body.p, "{\"text\":\"word%d of%d", &n, &of), 2);
        assert_int_equal(n, next[of]);
        next[of] += 2;
    }
}

static void threads_append_while_others_read_and_search(void **state)
{
    struct worker workers[WRITERS + READERS] = {0};

    (void)state;
    shared = talk_create(&talk, "shared");
    for (int i = 0; i < WRITERS; i++)
        workers[i].session = talk_create(&talk, "own");
    run_all(workers, WRITERS + READERS, write_or_read);
    check_shared(shared, APPENDS / 2);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(workers[i].done, APPENDS);
        assert_int_equal(talk_session(&talk, workers[i].session).messages, APPENDS / 2);
    }
    assert_int_equal(talk_counts(&talk).entries, WRITERS * APPENDS);
    talk_verify(&talk);
    clear_all(workers, WRITERS + READERS);
}

/* ---- expectations ---- */

/* Each message says after which one it was meant to come. */
static void *append_expecting(void *context)
{
    struct worker *worker = context;

    pthread_barrier_wait(&barrier);
    while (worker->done < 15 && worker->code == FAULT_OK) {
        struct session now;

        worker->code = store_session_get(talk.rig.store, talk.rig.owner, shared, false,
                                         &worker->arena, &now, &worker->fault);
        if (worker->code != FAULT_OK)
            break;
        say(worker, shared, arena_printf(&worker->arena, "{\"text\":\"%.*s\"}", STR_ARG(now.head)),
            now.head);
        if (worker->code == FAULT_OK)
            worker->done++;
        else if (worker->code == FAULT_HEAD_MOVED)
            worker->code = FAULT_OK; /* another one was faster: again */
    }
    return NULL;
}

static void expectations_hold_under_threads(void **state)
{
    enum { THREADS = 8 };
    struct worker workers[THREADS] = {0};
    struct gathered got;
    const char *before = "";

    (void)state;
    shared = talk_create(&talk, "shared");
    run_all(workers, THREADS, append_expecting);
    got = talk_history(&talk, shared, false);
    assert_int_equal(got.count, THREADS * 15);
    for (size_t i = 0; i < got.count; i++) {
        CHECK_STR(got.entries[i].body, arena_printf(&talk.arena, "{\"text\":\"%s\"}", before).p);
        before = got.entries[i].id.p;
    }
    talk_verify(&talk);
    clear_all(workers, THREADS);
}

static void *append_same(void *context)
{
    struct worker *worker = context;
    struct append_spec spec = {.owner = talk.rig.owner, .session = shared};
    struct entry_spec entry = {
        .kind = ENTRY_MESSAGE, .role = ROLE_USER, .id = STR("the-same"), .body = STR("{}")};
    struct append_result result;

    pthread_barrier_wait(&barrier);
    worker->code = engine_append(engine, &spec, &entry, 1, &worker->arena, &result, &worker->fault);
    if (worker->code == FAULT_OK)
        worker->repeated = result.repeated;
    return NULL;
}

static void the_same_message_from_many_is_stored_once(void **state)
{
    enum { THREADS = 16 };
    struct worker workers[THREADS] = {0};
    int stored = 0;

    (void)state;
    shared = talk_create(&talk, "shared");
    run_all(workers, THREADS, append_same);
    for (int i = 0; i < THREADS; i++)
        stored += !workers[i].repeated;
    assert_int_equal(stored, 1);
    assert_int_equal(talk_history(&talk, shared, true).count, 1);
    clear_all(workers, THREADS);
}

/* ---- forking, moving and deleting at once ---- */

static void *fork_and_delete(void *context)
{
    struct worker *worker = context;

    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 12 && worker->code == FAULT_OK; i++) {
        struct fork_spec fork = {.owner = talk.rig.owner, .session = shared};
        struct move_spec rewind = {.owner = talk.rig.owner};
        struct delete_spec gone = {.owner = talk.rig.owner};
        struct fork_result made;
        struct move_result moved;

        fork.point = after_index((i * 7 + worker->number) % 20);
        worker->code = engine_fork(engine, &fork, &worker->arena, &made, &worker->fault);
        if (worker->code != FAULT_OK)
            break;
        say(worker, made.session.id, text(worker, "fork", i), STR_NONE);
        rewind.session = gone.session = made.session.id;
        rewind.point = at_start();
        if (worker->code == FAULT_OK)
            worker->code = engine_rewind(engine, &rewind, &worker->arena, &moved, &worker->fault);
        if (worker->code == FAULT_OK)
            worker->code = engine_undo(engine, &rewind, &worker->arena, &moved, &worker->fault);
        if (worker->code == FAULT_OK && moved.session.messages != (i * 7 + worker->number) % 20 + 2)
            snprintf(worker->found, sizeof(worker->found), "%lld messages",
                     (long long)moved.session.messages);
        if (worker->code == FAULT_OK)
            worker->code = engine_delete(engine, &gone, &worker->fault);
        worker->done++;
    }
    return NULL;
}

static void forks_come_and_go_under_threads(void **state)
{
    enum { THREADS = 8 };
    struct worker workers[THREADS] = {0};

    (void)state;
    shared = talk_create(&talk, "shared");
    talk_say_many(&talk, shared, "m", 20);
    run_all(workers, THREADS, fork_and_delete);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(workers[i].done, 12);
    assert_int_equal(talk_counts(&talk).sessions, 1);
    assert_int_equal(talk_counts(&talk).deleted, 0);
    assert_int_equal(talk_counts(&talk).entries, 20);
    assert_int_equal(talk_counts(&talk).reaps, 0);
    talk_verify(&talk);
    clear_all(workers, THREADS);
}

/* ---- turns ---- */

static void *begin_turn(void *context)
{
    struct worker *worker = context;
    struct str turn = arena_printf(&worker->arena, "turn %d", worker->number);
    struct append_spec spec = {
        .owner = talk.rig.owner,
        .session = shared,
        .run = {.act = RUN_BEGIN, .turn = turn, .state = RUN_RUNNING, .holder = STR("me")}};
    struct entry_spec entry = {.kind = ENTRY_MESSAGE,
                               .role = ROLE_USER,
                               .turn_rule = TURN_NAMED,
                               .turn = turn,
                               .body = STR("{}")};
    struct append_result result;

    pthread_barrier_wait(&barrier);
    worker->code = engine_append(engine, &spec, &entry, 1, &worker->arena, &result, &worker->fault);
    worker->done = worker->code == FAULT_OK;
    if (worker->code == FAULT_TURN_RUNNING)
        worker->code = FAULT_OK;
    return NULL;
}

static void of_turns_that_begin_at_once_one_does(void **state)
{
    enum { THREADS = 8 };

    (void)state;
    for (int round = 0; round < 5; round++) {
        struct worker workers[THREADS] = {0};
        int64_t begun = 0;

        shared = talk_create(&talk, "shared");
        run_all(workers, THREADS, begin_turn);
        for (int i = 0; i < THREADS; i++)
            begun += workers[i].done;
        assert_int_equal(begun, 1);
        assert_int_equal(talk_history(&talk, shared, true).count, 1);
        clear_all(workers, THREADS);
    }
    talk_verify(&talk);
}

/* ---- once ---- */

static struct str render_session(void *context, struct arena *arena)
{
    const struct session *made = context;

    return arena_dup(arena, made->id);
}

static void *create_once(void *context)
{
    struct worker *worker = context;
    struct session made = {0};
    struct once once = {
        .owner = talk.rig.owner, .key = STR("the key"), .render = render_session, .context = &made};
    struct create_spec spec = {
        .owner = talk.rig.owner, .title = STR("T"), .agent = STR("ns/a"), .once = &once};

    pthread_barrier_wait(&barrier);
    worker->code = engine_create(engine, &spec, &worker->arena, &made, &worker->fault);
    worker->repeated = once.repeated;
    if (worker->code == FAULT_OK)
        snprintf(worker->title, sizeof(worker->title), "%.*s", STR_ARG(once.answer));
    return NULL;
}

static void one_key_from_many_is_one_act(void **state)
{
    enum { THREADS = 16 };
    struct worker workers[THREADS] = {0};
    int done = 0;

    (void)state;
    run_all(workers, THREADS, create_once);
    for (int i = 0; i < THREADS; i++) {
        done += !workers[i].repeated;
        assert_string_equal(workers[i].title, workers[0].title);
    }
    assert_int_equal(done, 1);
    assert_int_equal(talk_counts(&talk).sessions, 1);
    assert_int_equal(talk_counts(&talk).answers, 1);
    talk_session(&talk, str_of(workers[0].title));
    clear_all(workers, THREADS);
}

/* ---- events ---- */

enum { TELLERS = 8, TOLD = 40 };

static atomic_int telling;

struct heard {
    struct worker *worker;
    int64_t last;
};

/* Numbers have no gaps here, so each must be the next one. */
static enum fault_code hear(void *context, const struct event *event, struct fault *fault)
{
    struct heard *heard = context;

    (void)fault;
    if (event->item.e != heard->last + 1 && !*heard->worker->found)
        snprintf(heard->worker->found, sizeof(heard->worker->found), "%lld came after %lld",
                 (long long)event->item.e, (long long)heard->last);
    heard->last = event->item.e;
    heard->worker->done++;
    return FAULT_OK;
}

static void listen_to_all(struct worker *worker)
{
    struct heard heard = {.worker = worker};
    bool end = false;

    while (worker->code == FAULT_OK && !end) {
        struct event_spec spec = {.owner = OWNER_ANY, .after = heard.last, .limit = 25};
        struct event_info info;

        end = atomic_load(&telling) == 0; /* looked at before reading */
        worker->code = store_events(talk.rig.store, &spec, hear, &heard, &info, &worker->fault);
        end = end && worker->code == FAULT_OK && !info.more;
    }
}

static void *tell_or_listen(void *context)
{
    struct worker *worker = context;

    pthread_barrier_wait(&barrier);
    if (worker->number >= TELLERS) {
        listen_to_all(worker);
        return NULL;
    }
    for (int i = 0; i < TOLD && worker->code == FAULT_OK; i++) {
        struct str title = arena_printf(&worker->arena, "title %d", i);
        struct update_spec spec = {
            .owner = talk.rig.owner, .session = worker->session, .title = &title};
        struct session out;

        if (i % 2)
            say(worker, i % 4 == 1 ? shared : worker->session, text(worker, "word", i), STR_NONE);
        else
            worker->code = engine_update(engine, &spec, &worker->arena, &out, &worker->fault);
    }
    atomic_fetch_sub(&telling, 1);
    return NULL;
}

static void every_event_is_heard_once_and_in_order(void **state)
{
    enum { LISTENERS = 3 };
    struct worker workers[TELLERS + LISTENERS] = {0};

    (void)state;
    atomic_store(&telling, TELLERS);
    shared = talk_create(&talk, "shared");
    for (int i = 0; i < TELLERS; i++)
        workers[i].session = talk_create(&talk, "own");
    run_all(workers, TELLERS + LISTENERS, tell_or_listen);
    for (int i = 0; i < LISTENERS; i++)
        assert_int_equal(workers[TELLERS + i].done, 1 + TELLERS + TELLERS * TOLD);
    clear_all(workers, TELLERS + LISTENERS);
}

static void note_problem(void *context, const char *message)
{
    struct worker *worker = context;

    snprintf(worker->found, sizeof(worker->found), "verify: %s", message);
}

/* Verify, backup and export read one moment while others write. */
static void *write_or_inspect(void *context)
{
    struct worker *worker = context;
    char path[128];

    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 30 && worker->code == FAULT_OK && !*worker->found; i++) {
        struct gathered items = {.arena = &worker->arena};
        struct verify_result result = {0};

        if (worker->number < 4) {
            say(worker, shared, text(worker, "word", i), STR_NONE);
        } else if (worker->number == 4 && i < 10) {
            worker->code =
                store_verify(talk.rig.store, note_problem, NULL, worker, &result, &worker->fault);
        } else if (worker->number == 5 && i < 5) {
            snprintf(path, sizeof(path), "%s/backup%d.db", talk.rig.directory, i);
            worker->code = store_backup(talk.rig.store, path, NULL, NULL, &worker->fault);
        } else if (worker->number == 6) {
            worker->code = store_export(talk.rig.store, talk.rig.owner, STR_NONE, gather_item,
                                        &items, &worker->fault);
            arena_clear(&worker->arena);
        }
    }
    return NULL;
}

static void the_house_is_inspected_while_others_write(void **state)
{
    struct worker workers[7] = {0};

    (void)state;
    shared = talk_create(&talk, "shared");
    run_all(workers, 7, write_or_inspect);
    assert_int_equal(talk_session(&talk, shared).messages, 4 * 30);
    talk_verify(&talk);
    clear_all(workers, 7);
}

int main(void)
{
    static void (*const tests[])(void **) = {
        forks_at_once_have_an_unbroken_series_of_titles,
        threads_append_while_others_read_and_search,
        expectations_hold_under_threads,
        the_same_message_from_many_is_stored_once,
        forks_come_and_go_under_threads,
        of_turns_that_begin_at_once_one_does,
        one_key_from_many_is_one_act,
        every_event_is_heard_once_and_in_order,
        the_house_is_inspected_while_others_write,
    };
    static const char *const names[] = {"titles",
                                        "append_read_search",
                                        "expectations",
                                        "same_message",
                                        "forks_come_and_go",
                                        "turns",
                                        "once",
                                        "events",
                                        "house"};
    enum { COUNT = sizeof(tests) / sizeof(tests[0]), KINDS_MAX = 8 };
    struct CMUnitTest all[COUNT * KINDS_MAX] = {0};
    char texts[COUNT * KINDS_MAX][64];
    size_t n = 0;

    for (size_t k = 0; k < rig_kind_count; k++)
        for (size_t i = 0; i < COUNT; i++, n++) {
            snprintf(texts[n], sizeof(texts[n]), "%s: %s", rig_kinds[k].name, names[i]);
            all[n] = (struct CMUnitTest){texts[n], tests[i], setup, teardown,
                                         (void *)(uintptr_t)&rig_kinds[k]};
        }
    return _cmocka_run_group_tests("concurrency", all, n, NULL, NULL);
}
