/*
 * Threads put, name and record trees while gc runs again and again and keeps nothing that nobody
 * names: whatever was recorded is complete. All draw from the same few contents, so that objects
 * are let go by one thread while they are named by another.
 */
#include "support/plant.h"
#include "support/talk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { WORKERS = 4, SWEEPERS = 2, ROUNDS = 60, CONTENTS = 6, TRIES = 1000 };

static struct talk talk;
static struct engine *engine;
static atomic_int working, stale, removed;

struct worker {
    pthread_t thread;
    int number;
    struct chance chance;
    struct arena arena; /* of what is kept */
    struct plant plant;
    struct str session;
    unsigned char trees[ROUNDS][HASH_BYTES]; /* recorded in the session */
    int count;
    struct fault fault;
    enum fault_code code; /* the first that was not wanted */
};

static int setup(void **state)
{
    talk_open(&talk, *state, 1);
    engine = engine_new(talk.rig.store, NULL);
    working = WORKERS;
    stale = removed = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    engine_free(engine);
    talk_close(&talk);
    return 0;
}

static int64_t wall_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- workers ---- */

static enum fault_code some_file(struct worker *worker, struct str name, struct tree_entry *out)
{
    struct str content =
        arena_printf(worker->plant.arena, "content %d", chance_below(&worker->chance, CONTENTS));

    return plant_file(&worker->plant, name, content, out, &worker->fault);
}

/* Two files and a directory with a file: five objects at most. */
static enum fault_code some_tree(struct worker *worker, unsigned char hash[HASH_BYTES])
{
    struct tree_entry in, top[3], out;

    if (some_file(worker, STR("in"), &in) != FAULT_OK ||
        some_file(worker, STR("a"), &top[0]) != FAULT_OK ||
        plant_dir(&worker->plant, STR("b"), &in, 1, &top[1], &worker->fault) != FAULT_OK ||
        some_file(worker, STR("c"), &top[2]) != FAULT_OK ||
        plant_dir(&worker->plant, STR("top"), top, 3, &out, &worker->fault) != FAULT_OK)
        return fault_pass(&worker->fault);
    memcpy(hash, out.hash, HASH_BYTES);
    return FAULT_OK;
}

static enum fault_code record(struct worker *worker, const unsigned char hash[HASH_BYTES],
                              int64_t since_us)
{
    struct append_spec spec = {.owner = talk.rig.owner, .session = worker->session};
    struct entry_spec entry = {.kind = ENTRY_FILES,
                               .body = STR("{}"),
                               .tree = {(const char *)hash, HASH_BYTES},
                               .tree_since = since_us};
    struct append_result result;

    return engine_append(engine, &spec, &entry, 1, worker->plant.arena, &result, &worker->fault);
}

/* Names everything again for as long as gc comes in between. */
static enum fault_code plant_and_record(struct worker *worker)
{
    struct chance begin = worker->chance;
    unsigned char hash[HASH_BYTES];
    enum fault_code code = FAULT_TREE_STALE;

    for (int i = 0; code == FAULT_TREE_STALE && i < TRIES; i++) {
        int64_t since_us;

        worker->chance = begin;
        code = store_objects_since(talk.rig.store, &since_us, &worker->fault);
        if (code == FAULT_OK)
            code = some_tree(worker, hash);
        if (code == FAULT_OK)
            code = record(worker, hash, since_us);
        stale += code == FAULT_TREE_STALE;
    }
    if (code == FAULT_OK)
        memcpy(worker->trees[worker->count++], hash, HASH_BYTES);
    return code;
}

static enum fault_code change_session(struct worker *worker)
{
    struct create_spec create = {.owner = talk.rig.owner,
                                 .title = STR("files"),
                                 .agent = STR("ns/a"),
                                 .metadata = STR("{\"shared\":true}")};
    struct delete_spec gone = {.owner = talk.rig.owner, .session = worker->session};
    struct session session;
    enum fault_code code;

    if (worker->session.n) {
        code = engine_delete(engine, &gone, &worker->fault);
        if (code != FAULT_OK)
            return code;
    }
    code = engine_create(engine, &create, &worker->arena, &session, &worker->fault);
    if (code == FAULT_OK)
        worker->session = session.id;
    worker->count = 0;
    return code;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct arena arena;

    arena_init(&arena);
    plant_init(&worker->plant, talk.rig.store, &arena);
    for (int i = 0; i < ROUNDS && worker->code == FAULT_OK; i++) {
        if (i == 0 || chance_of(&worker->chance, 25))
            worker->code = change_session(worker);
        if (worker->code == FAULT_OK)
            worker->code = plant_and_record(worker);
        arena_clear(&arena);
    }
    plant_clear(&worker->plant);
    arena_clear(&arena);
    working--;
    return NULL;
}

/* ---- sweepers ---- */

struct sweeper {
    pthread_t thread;
    struct fault fault;
    enum fault_code code;
};

static void *sweep(void *context)
{
    const struct timespec pause = {.tv_nsec = 3 * 1000 * 1000};
    struct sweeper *sweeper = context;

    while (working && sweeper->code == FAULT_OK) {
        struct gc_spec spec = {.now_us = wall_us(), .keep_us = 0};
        struct gc_result result;

        sweeper->code = store_gc(talk.rig.store, &spec, NULL, NULL, &result, &sweeper->fault);
        if (sweeper->code == FAULT_OK)
            removed += (int)result.objects;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

/* ---- the test ---- */

static void check_code_of(enum fault_code code, const struct fault *fault)
{
    if (code != FAULT_OK)
        print_error("%s: %s\n", fault_name(code), fault->message);
    assert_int_equal(code, FAULT_OK);
}

static void check_trees(const struct worker *worker)
{
    struct plant plant;

    plant_init(&plant, talk.rig.store, &talk.arena);
    for (int i = 0; i < worker->count; i++)
        CHECK_OK(plant_check(&plant, worker->trees[i], &talk.fault), &talk.fault);
    plant_clear(&plant);
}

static void whatever_is_recorded_is_complete(void **state)
{
    static struct worker workers[WORKERS];
    struct sweeper sweepers[SWEEPERS] = {0};

    (void)state;
    memset(workers, 0, sizeof(workers));
    for (int i = 0; i < WORKERS; i++) {
        workers[i].number = i;
        workers[i].chance.state = (uint64_t)i + 1;
        arena_init(&workers[i].arena);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < SWEEPERS; i++)
        assert_int_equal(pthread_create(&sweepers[i].thread, NULL, sweep, &sweepers[i]), 0);
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < SWEEPERS; i++)
        assert_int_equal(pthread_join(sweepers[i].thread, NULL), 0);
    for (int i = 0; i < WORKERS; i++)
        check_code_of(workers[i].code, &workers[i].fault);
    for (int i = 0; i < SWEEPERS; i++)
        check_code_of(sweepers[i].code, &sweepers[i].fault);
    for (int i = 0; i < WORKERS; i++)
        check_trees(&workers[i]);
    talk_verify(&talk);
    print_message("# %d objects were removed, %d trees were stale\n", (int)removed, (int)stale);
    assert_true(removed > 0);
    for (int i = 0; i < WORKERS; i++)
        arena_clear(&workers[i].arena);
}

int main(void)
{
    struct CMUnitTest tests[4] = {0};
    size_t count = rig_kind_count < 4 ? rig_kind_count : 4;

    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){.name = rig_kinds[i].name,
                                       .test_func = whatever_is_recorded_is_complete,
                                       .setup_func = setup,
                                       .teardown_func = teardown,
                                       .initial_state = (void *)&rig_kinds[i]};
    return _cmocka_run_group_tests("sweep", tests, count, NULL, NULL);
}
