/*
 * Several threads at once: two in directories of their own, two in one directory, and one that
 * collects what nobody names any more. Each session is in order afterwards.
 */
#include "files_tree.h"
#include "support/talk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ALONE = 2, TOGETHER = 2, WORKERS = ALONE + TOGETHER, ROUNDS = 80, POINTS = 60 };

struct hall {
    struct store *store;
    struct engine *engine;
    struct workspaces *workspaces;
    int64_t owner;
    atomic_bool over;
};

struct worker {
    struct hall *hall;
    int number;
    char session[ID_TEXT + 1];
    struct chance chance;
    struct arena arena;
    struct fault fault;
    struct address points[POINTS];
    struct files_map copies[POINTS]; /* of those who work alone */
    int count;
    int moved;
    char wrong[FAULT_MESSAGE_MAX + 400];
};

static bool is_alone(const struct worker *worker)
{
    return worker->number < ALONE;
}

static void goes_wrong(struct worker *worker, const char *what)
{
    if (!worker->wrong[0])
        snprintf(worker->wrong, sizeof(worker->wrong), "%s: %s", what, worker->fault.message);
}

static bool good(struct worker *worker, const char *what, enum fault_code code)
{
    if (code != FAULT_OK)
        goes_wrong(worker, what);
    return code == FAULT_OK;
}

/* Files that nobody else writes. */
static void write_some(struct worker *worker, const char *dir)
{
    for (int i = 0; i < 3; i++) {
        char path[300];
        FILE *file;

        snprintf(path, sizeof(path), "%s/file-%d-%d", dir, worker->number,
                 chance_below(&worker->chance, 8));
        if (chance_of(&worker->chance, 20)) {
            (void)unlink(path);
            continue;
        }
        file = fopen(path, "w");
        if (!file) {
            goes_wrong(worker, path);
            return;
        }
        fprintf(file, "%d", chance_below(&worker->chance, 1000000));
        fclose(file);
    }
}

static enum fault_code append(struct worker *worker, struct entry_spec *entry,
                              struct append_result *result)
{
    struct append_spec spec = {.owner = worker->hall->owner, .session = str_of(worker->session)};

    return engine_append(worker->hall->engine, &spec, entry, 1, &worker->arena, result,
                         &worker->fault);
}

/* Records what is in the directory; a collection that began meanwhile lets it begin again. */
static bool record(struct worker *worker, struct place *place, bool foreign)
{
    for (;;) {
        struct entry_spec entry = {.kind = ENTRY_MESSAGE, .role = ROLE_ASSISTANT};
        struct append_result result;
        enum fault_code code;
        bool changed;

        if (!good(worker, "look", place_look(place, -1, &entry, &changed, &worker->fault)))
            return false;
        if (foreign && !changed)
            return true;
        if (foreign)
            place_entry(&entry, true);
        code = append(worker, &entry, &result);
        if (code == FAULT_TREE_STALE)
            continue;
        if (!good(worker, "append", code))
            return false;
        if (changed)
            place_record(place, &entry);
        if (!foreign && worker->count < POINTS)
            worker->points[worker->count] = result.entries[0].at;
        return true;
    }
}

static void turn(struct worker *worker)
{
    struct place *place;

    if (worker->count == POINTS ||
        !good(worker, "take the directory",
              place_hold(worker->hall->workspaces, worker->hall->owner, str_of(worker->session),
                         60000, &place, &worker->fault)))
        return;
    if (record(worker, place, true)) {
        write_some(worker, place_dir(place));
        if (record(worker, place, false)) {
            if (is_alone(worker) && !map_scan(place_dir(place), &worker->copies[worker->count]))
                goes_wrong(worker, "scan");
            worker->count++;
        }
    }
    place_leave(place);
}

static enum fault_code move(struct worker *worker, enum move_act act, struct address at)
{
    struct move_spec spec = {
        .owner = worker->hall->owner,
        .session = str_of(worker->session),
        .act = act,
        .point = {.by = POINT_ADDRESS, .address = at, .side = SIDE_AFTER, .guard = GUARD_NONE}};
    struct files_report report;
    struct move_result result;

    return workspaces_move(worker->hall->workspaces, &spec, is_alone(worker), &worker->arena,
                           &result, &report, &worker->fault);
}

/* Back to a turn, and what is in the directory then. */
static void rewind_some(struct worker *worker)
{
    int to = worker->count ? chance_below(&worker->chance, worker->count) : -1;
    struct files_place live = {
        .owner = worker->hall->owner, .session = str_of(worker->session), .live = true};
    struct files_map found;
    enum fault_code code;

    if (to < 0)
        return;
    code = move(worker, MOVE_REWIND, worker->points[to]);
    if (code == FAULT_POINT_IS_HEAD || (code == FAULT_FILES_CONFLICT && !is_alone(worker)) ||
        (code == FAULT_WORKSPACE_BUSY && !is_alone(worker)))
        return;
    if (!good(worker, "rewind", code))
        return;
    worker->moved++;
    if (!is_alone(worker) ||
        !good(worker, "read",
              files_tree_read(worker->hall->workspaces, &live, &found, &worker->fault)))
        return;
    if (!map_same(&found, &worker->copies[to]))
        goes_wrong(worker, "other files than at the point");
    map_clear(&found);
}

static void undo_some(struct worker *worker)
{
    enum fault_code code = move(worker, MOVE_UNDO, ADDRESS_START);

    if (code != FAULT_NOTHING_TO_UNDO && code != FAULT_FILES_CONFLICT &&
        code != FAULT_WORKSPACE_BUSY)
        (void)good(worker, "undo", code);
}

static void *work(void *context)
{
    struct worker *worker = context;

    for (int i = 0; i < ROUNDS && !worker->wrong[0]; i++) {
        int what = chance_below(&worker->chance, 10);

        if (what < 5)
            turn(worker);
        else if (what < 8)
            rewind_some(worker);
        else
            undo_some(worker);
        arena_clear(&worker->arena);
    }
    return NULL;
}

static void *collect(void *context)
{
    struct hall *hall = context;
    struct timespec now, pause = {0, 20 * 1000 * 1000};

    while (!atomic_load(&hall->over)) {
        struct gc_spec spec = {0};
        struct gc_result result;
        struct fault fault;

        clock_gettime(CLOCK_REALTIME, &now);
        spec.now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
        if (store_gc(hall->store, &spec, NULL, NULL, &result, &fault) != FAULT_OK)
            return hall;
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static void session_make(struct talk *talk, struct worker *worker, const char *dir)
{
    struct create_spec spec = {
        .owner = talk->rig.owner, .title = STR("t"), .agent = STR("test/none")};
    struct session made;

    if (!is_alone(worker))
        spec.workspace = (struct workspace){WORKSPACE_ATTACHED, str_of(dir)};
    CHECK_OK(engine_create(worker->hall->engine, &spec, &talk->arena, &made, &talk->fault),
             &talk->fault);
    snprintf(worker->session, sizeof(worker->session), "%.*s", STR_ARG(made.id));
}

static void each_keeps_its_files(void **state)
{
    static struct worker workers[WORKERS];
    pthread_t threads[WORKERS], collector;
    struct workspaces_options options;
    char away[64];
    void *ended;
    struct hall hall = {0};
    struct talk talk;

    (void)state;
    talk_open(&talk, &rig_kinds[rig_kind_count - 1], 1);
    scratch_make(away, sizeof(away));
    hall.store = talk.rig.store;
    hall.owner = talk.rig.owner;
    hall.engine = engine_new(hall.store, NULL); /* the rig's chance is for one thread */
    options = (struct workspaces_options){.engine = hall.engine, .home = talk.rig.directory};
    CHECK_OK(workspaces_open(&options, &hall.workspaces, &talk.fault), &talk.fault);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.hall = &hall, .number = i, .chance = {(uint64_t)i + 1}};
        arena_init(&workers[i].arena);
        session_make(&talk, &workers[i], away);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    assert_int_equal(pthread_create(&collector, NULL, collect, &hall), 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&hall.over, true);
    pthread_join(collector, &ended);
    assert_null(ended);
    for (int i = 0; i < WORKERS; i++) {
        if (workers[i].wrong[0])
            fail_msg("worker %d: %s", i, workers[i].wrong);
        assert_true(workers[i].count > 3);
        assert_true(!is_alone(&workers[i]) || workers[i].moved > 1);
        for (int k = 0; k < POINTS; k++)
            map_clear(&workers[i].copies[k]);
        arena_clear(&workers[i].arena);
    }
    talk_verify(&talk);
    workspaces_close(hall.workspaces);
    engine_free(hall.engine);
    scratch_remove(away);
    talk_close(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_keeps_its_files)};

    return cmocka_run_group_tests_name("files_threads", tests, NULL, NULL);
}
