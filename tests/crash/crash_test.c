/*
 * Several processes work on one database file and are killed at any moment. What they had been
 * told was stored must be there, whole, and the file must be in order.
 *
 * The program is its own worker: `crash_test worker <file> <log> <run> <operations>`. A worker
 * writes a line to its log after each operation that was acknowledged:
 *     create <session>
 *     fork <session>
 *     say <session> <message> <place in the worker's own count>
 *     batch <session> <first message> <last message>
 *     move <session> <id of the move>
 *     deleting <session>, before it is tried, and deleted <session>
 * A line is written in one piece, so a kill leaves whole lines; the operation at hand when it
 * comes may or may not be stored, but never half of it.
 */
#include "support/talk.h"

#include "store/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WORKERS = 4,
    KILLS = 200,
    KILLS_BETWEEN_LOOKS = 25,
    LOGS = 100, /* that are read whole at the end */
    SECONDS_MAX = 400,
    FOREVER = 1000000000,
    EXIT_FAULT = 3
};

static const struct str shared = {"shared", 6};

/* ---- the worker ---- */

struct worker {
    struct store *store;
    struct engine *engine;
    struct chance chance;
    struct arena arena;
    struct fault fault;
    int64_t owner;
    int log, run;
    int said; /* to the shared session */
    char own[ID_TEXT + 1];
};

static void acknowledge(struct worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void acknowledge(struct worker *worker, const char *format, ...)
{
    char line[256];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (write(worker->log, line, (size_t)n) != n)
        _exit(EXIT_FAULT);
}

/* True when it worked. A busy file and an impossible move are part of the game; the rest is not. */
static bool worked(struct worker *worker, const char *what, enum fault_code code)
{
    if (code == FAULT_OK)
        return true;
    if (code == FAULT_BUSY || code == FAULT_NOTHING_TO_UNDO || code == FAULT_POINT_IS_HEAD ||
        code == FAULT_POINT_INVALID)
        return false;
    acknowledge(worker, "fault %s: %s: %s\n", what, fault_name(code), worker->fault.message);
    _exit(EXIT_FAULT);
}

static void create_own(struct worker *worker)
{
    struct create_spec spec = {
        .owner = worker->owner, .title = STR("own"), .agent = STR("test/crash")};
    struct session made;

    worker->own[0] = '\0';
    if (!worked(worker, "create",
                engine_create(worker->engine, &spec, &worker->arena, &made, &worker->fault)))
        return;
    snprintf(worker->own, sizeof(worker->own), "%.*s", STR_ARG(made.id));
    acknowledge(worker, "create %s\n", worker->own);
}

static void append(struct worker *worker, struct str session, int count)
{
    struct append_spec spec = {.owner = worker->owner, .session = session};
    struct entry_spec entries[12];
    struct append_result result;
    bool to_shared = str_eq(session, shared);
    int tag = chance_below(&worker->chance, 1000000000);

    for (int i = 0; i < count; i++)
        entries[i] = (struct entry_spec){
            .kind = ENTRY_MESSAGE,
            .role = ROLE_USER,
            .turn_rule = TURN_JOIN,
            .body = to_shared ? arena_printf(&worker->arena, "{\"run\":%d,\"said\":%d}",
                                             worker->run, worker->said)
                              : arena_printf(&worker->arena, "{\"tag\":%d,\"of\":%d}", tag, count)};
    if (!worked(worker, "append",
                engine_append(worker->engine, &spec, entries, (size_t)count, &worker->arena,
                              &result, &worker->fault)))
        return;
    if (count == 1)
        acknowledge(worker, "say %.*s %.*s %d\n", STR_ARG(session), STR_ARG(result.entries[0].id),
                    to_shared ? worker->said : -1);
    else
        acknowledge(worker, "batch %.*s %.*s %.*s\n", STR_ARG(session),
                    STR_ARG(result.entries[0].id), STR_ARG(result.entries[count - 1].id));
    worker->said += to_shared;
}

static void fork_some(struct worker *worker)
{
    struct fork_spec spec = {.owner = worker->owner, .point = at_end()};
    struct fork_result made;

    spec.session = chance_of(&worker->chance, 50) ? shared : str_of(worker->own);
    if (!worked(worker, "fork",
                engine_fork(worker->engine, &spec, &worker->arena, &made, &worker->fault)))
        return;
    acknowledge(worker, "fork %.*s\n", STR_ARG(made.session.id));
    if (chance_of(&worker->chance, 30))
        snprintf(worker->own, sizeof(worker->own), "%.*s", STR_ARG(made.session.id));
}

static void move(struct worker *worker, bool undo)
{
    struct move_spec spec = {.owner = worker->owner, .session = str_of(worker->own)};
    struct move_result moved;
    enum fault_code code;

    spec.point = before_index(-1 - chance_below(&worker->chance, 5));
    code = undo ? engine_undo(worker->engine, &spec, &worker->arena, &moved, &worker->fault)
                : engine_rewind(worker->engine, &spec, &worker->arena, &moved, &worker->fault);
    if (worked(worker, undo ? "undo" : "rewind", code))
        acknowledge(worker, "move %s %.*s\n", worker->own, STR_ARG(moved.id));
}

static void delete_own(struct worker *worker)
{
    struct delete_spec spec = {.owner = worker->owner, .session = str_of(worker->own)};

    acknowledge(worker, "deleting %s\n", worker->own);
    if (worked(worker, "delete", engine_delete(worker->engine, &spec, &worker->fault)))
        acknowledge(worker, "deleted %s\n", worker->own);
    worker->own[0] = '\0';
}

static void work(struct worker *worker)
{
    int what = chance_below(&worker->chance, 100);

    if (!worker->own[0])
        create_own(worker);
    else if (what < 35)
        append(worker, shared, 1);
    else if (what < 55)
        append(worker, str_of(worker->own), 1);
    else if (what < 70)
        append(worker, str_of(worker->own), 2 + chance_below(&worker->chance, 10));
    else if (what < 80)
        fork_some(worker);
    else if (what < 97)
        move(worker, what >= 90);
    else if (what < 99)
        delete_own(worker);
    else
        create_own(worker);
    arena_clear(&worker->arena);
}

static int worker_main(char **argv)
{
    struct sqlite_store_options options = {.path = argv[2], .busy_ms = 20000};
    struct worker worker = {.run = (int)strtol(argv[4], NULL, 10)};
    long operations = strtol(argv[5], NULL, 10);

    worker.chance.state = (uint64_t)worker.run * 7919;
    worker.log = open(argv[3], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    arena_init(&worker.arena);
    if (!worked(&worker, "open", sqlite_store_open(&options, &worker.store, &worker.fault)) ||
        !worked(&worker, "owner",
                store_owner(worker.store, STR("tester"), &worker.owner, &worker.fault)))
        return EXIT_FAULT;
    worker.engine = engine_new(worker.store, NULL);
    for (long i = 0; i < operations; i++)
        work(&worker);
    engine_free(worker.engine);
    store_close(worker.store);
    close(worker.log);
    arena_clear(&worker.arena);
    return 0;
}

/* ---- what was acknowledged ---- */

struct said {
    char session[ID_TEXT + 1], first[ID_TEXT + 1], last[ID_TEXT + 1];
    int place; /* in the shared session: the worker's own count */
    int run;
    bool deleting, deleted;
};

struct scene {
    struct talk talk; /* to look at the file with; not open while processes are killed */
    char directory[64], path[128];
    pid_t workers[WORKERS * 2];
    int runs[WORKERS * 2];
    int next_run;
    struct said *said;
    size_t count, looked; /* all, and those that were looked for already */
};

static void scene_open(struct scene *scene)
{
    *scene = (struct scene){0};
    scratch_make(scene->directory, sizeof(scene->directory));
    snprintf(scene->path, sizeof(scene->path), "%s/tine.db", scene->directory);
}

static void scene_close(struct scene *scene)
{
    free(scene->said);
    scratch_remove(scene->directory);
}

static void look_begin(struct scene *scene)
{
    struct sqlite_store_options options = {.path = scene->path, .busy_ms = 20000};
    struct talk *talk = &scene->talk;

    arena_init(&talk->arena);
    CHECK_OK(sqlite_store_open(&options, &talk->rig.store, &talk->fault), &talk->fault);
    CHECK_OK(store_owner(talk->rig.store, STR("tester"), &talk->rig.owner, &talk->fault),
             &talk->fault);
}

static void look_end(struct scene *scene)
{
    store_close(scene->talk.rig.store);
    arena_clear(&scene->talk.arena);
}

static void make_shared(struct scene *scene)
{
    struct create_spec spec = {.title = STR("shared"), .agent = STR("test/crash"), .id = shared};
    struct talk *talk = &scene->talk;
    struct session made;
    struct engine *engine;

    look_begin(scene);
    spec.owner = talk->rig.owner;
    engine = engine_new(talk->rig.store, NULL);
    CHECK_OK(engine_create(engine, &spec, &talk->arena, &made, &talk->fault), &talk->fault);
    engine_free(engine);
    look_end(scene);
}

static void start(struct scene *scene, int slot, int operations)
{
    char log[160], run[16], count[16];
    int number = scene->next_run++;
    pid_t child;

    snprintf(log, sizeof(log), "%s/log.%d", scene->directory, number);
    snprintf(run, sizeof(run), "%d", number);
    snprintf(count, sizeof(count), "%d", operations);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "crash_test", "worker", scene->path, log, run, count, (char *)NULL);
        _exit(127);
    }
    scene->workers[slot] = child;
    scene->runs[slot] = number;
}

static void keep_line(struct scene *scene, int run, const char *line)
{
    struct said said = {.run = run, .place = -1};

    if (strncmp(line, "fault ", 6) == 0)
        fail_msg("run %d: %s", run, line);
    if (sscanf(line, "say %36s %36s %d", said.session, said.first, &said.place) != 3 &&
        sscanf(line, "batch %36s %36s %36s", said.session, said.first, said.last) != 3 &&
        sscanf(line, "move %36s %36s", said.session, said.first) != 2 &&
        sscanf(line, "create %36s", said.session) != 1 &&
        sscanf(line, "fork %36s", said.session) != 1 &&
        !(said.deleting = sscanf(line, "deleting %36s", said.session) == 1) &&
        !(said.deleted = sscanf(line, "deleted %36s", said.session) == 1))
        fail_msg("run %d wrote \"%s\"", run, line);
    if (scene->count % 1024 == 0)
        scene->said = realloc(scene->said, (scene->count + 1024) * sizeof(*scene->said));
    assert_non_null(scene->said);
    scene->said[scene->count++] = said;
}

/* Reads the log of a run that has ended. */
static void collect(struct scene *scene, int run)
{
    char log[160], line[256];
    FILE *file;

    snprintf(log, sizeof(log), "%s/log.%d", scene->directory, run);
    file = fopen(log, "r");
    if (!file)
        return; /* killed before it began */
    while (fgets(line, sizeof(line), file)) {
        assert_non_null(strchr(line, '\n'));
        line[strcspn(line, "\n")] = '\0';
        keep_line(scene, run, line);
    }
    fclose(file);
}

/* Ends a worker with the signal and takes in what it had written down. */
static void stop(struct scene *scene, int slot, int signal)
{
    int status;

    if (signal)
        kill(scene->workers[slot], signal);
    assert_int_equal(waitpid(scene->workers[slot], &status, 0), scene->workers[slot]);
    collect(scene, scene->runs[slot]);
    if (WIFSIGNALED(status))
        assert_int_equal(WTERMSIG(status), SIGKILL);
    else
        assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- looking ---- */

static int by_session(const void *a, const void *b)
{
    return strcmp(((const struct said *)a)->session, ((const struct said *)b)->session);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool known(const char **ids, size_t count, const char *id)
{
    return !*id || bsearch(&id, ids, count, sizeof(*ids), by_text);
}

/*
 * All that was acknowledged for one session: said[0 … count). It is looked for in what the session
 * wrote itself; what all forks share is not read once for each of them.
 */
static void look_at_session(struct scene *scene, const struct said *said, size_t count)
{
    struct talk *talk = &scene->talk;
    struct gathered own = talk_journal(talk, str_of(said->session));
    const char **ids = arena_array(&talk->arena, own.count, sizeof(*ids));
    size_t known_count = 0;

    for (size_t i = 0; i < own.count; i++)
        if (own.journal[i].entry)
            ids[known_count++] = own.journal[i].entry->id.p;
    if (known_count)
        qsort(ids, known_count, sizeof(*ids), by_text);
    for (size_t i = 0; i < count; i++)
        if (!known(ids, known_count, said[i].first) || !known(ids, known_count, said[i].last))
            fail_msg("session \"%s\" lacks \"%s\" of run %d, which was acknowledged", said->session,
                     said[i].first, said[i].run);
}

/* Looks for everything that was acknowledged since the last look; `all`: since the beginning. */
static void look(struct scene *scene, bool all)
{
    size_t from = all ? 0 : scene->looked, i = from;

    look_begin(scene);
    if (scene->count > from)
        qsort(scene->said + from, scene->count - from, sizeof(*scene->said), by_session);
    while (i < scene->count) {
        size_t k = i;
        bool deleting = false, deleted = false;
        struct session session;
        enum fault_code code;

        for (; k < scene->count && by_session(&scene->said[i], &scene->said[k]) == 0; k++) {
            deleting |= scene->said[k].deleting;
            deleted |= scene->said[k].deleted;
        }
        code = store_session_get(scene->talk.rig.store, scene->talk.rig.owner,
                                 str_of(scene->said[i].session), false, &scene->talk.arena,
                                 &session, &scene->talk.fault);
        if (deleted || (deleting && code != FAULT_OK)) {
            CHECK_FAULT(code, FAULT_SESSION_NOT_FOUND, &scene->talk.fault);
        } else {
            CHECK_OK(code, &scene->talk.fault);
            look_at_session(scene, &scene->said[i], k - i);
        }
        arena_clear(&scene->talk.arena);
        i = k;
    }
    scene->looked = scene->count;
    look_end(scene);
}

/* In the shared session each run counted 0, 1, 2 …: nothing is missing or twice, one may be more.
 */
static void look_at_shared(struct scene *scene)
{
    struct gathered got = talk_history(&scene->talk, shared, false);
    int *next = calloc((size_t)scene->next_run, sizeof(*next));
    int *acknowledged = calloc((size_t)scene->next_run, sizeof(*acknowledged));

    assert_non_null(next);
    assert_non_null(acknowledged);
    for (size_t i = 0; i < got.count; i++) {
        int run = -1, said = -1;

        assert_int_equal(sscanf(got.entries[i].body.p, "{\"run\":%d,\"said\":%d}", &run, &said), 2);
        assert_true(run >= 0 && run < scene->next_run);
        assert_int_equal(said, next[run]);
        assert_int_equal(got.entries[i].index, i);
        next[run]++;
    }
    for (size_t i = 0; i < scene->count; i++)
        acknowledged[scene->said[i].run] += scene->said[i].place >= 0;
    for (int run = 0; run < scene->next_run; run++)
        assert_in_range(next[run], acknowledged[run], acknowledged[run] + 1);
    free(next);
    free(acknowledged);
}

/* Is it of a batch? Which, and how many are there? */
static bool of_batch(const struct journal_item *item, int *tag, int *of)
{
    return item->entry && item->entry->kind != ENTRY_MOVE && item->entry->body.p &&
           sscanf(item->entry->body.p, "{\"tag\":%d,\"of\":%d}", tag, of) == 2;
}

/* Entries of one batch stand one behind the other and are as many as it had. */
static void look_at_batches(struct scene *scene, struct str session)
{
    struct gathered own = talk_journal(&scene->talk, session);

    for (size_t i = 0; i < own.count;) {
        int tag, of, other, other_of;
        size_t k = i + 1;

        if (!of_batch(&own.journal[i], &tag, &of)) {
            i++;
            continue;
        }
        while (k < own.count && of_batch(&own.journal[k], &other, &other_of) && other == tag)
            k++;
        assert_int_equal(k - i, of);
        i = k;
    }
}

/* The whole log, with what it stands on: its messages and those that were taken back. */
static void look_at_log(struct scene *scene, const struct session *session)
{
    struct gathered raw = talk_raw(&scene->talk, session->id);

    assert_true(raw.count >= (size_t)session->messages);
}

static void look_at_sessions(struct scene *scene)
{
    struct list_spec spec = {.owner = scene->talk.rig.owner, .archived = -1};
    struct arena arena;
    struct gathered all = {.arena = &arena};

    arena_init(&arena);
    CHECK_OK(
        store_session_list(scene->talk.rig.store, &spec, gather_session, &all, &scene->talk.fault),
        &scene->talk.fault);
    for (size_t i = 0; i < all.count; i++) {
        look_at_batches(scene, all.sessions[i].id);
        if (i % (all.count / LOGS + 1) == 0)
            look_at_log(scene, &all.sessions[i]);
        arena_clear(&scene->talk.arena);
    }
    arena_clear(&arena);
}

static void check_file(struct scene *scene)
{
    sqlite3 *db;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_open(scene->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* What a kill had left half cleared away is finished, and takes nothing else with it. */
static void clear_away(struct scene *scene)
{
    struct talk *talk = &scene->talk;
    struct gc_spec spec = {.now_us = (int64_t)time(NULL) * 1000000};
    struct gc_result result;

    CHECK_OK(store_gc(talk->rig.store, &spec, NULL, NULL, &result, &talk->fault), &talk->fault);
    assert_int_equal(talk_counts(talk).reaps, 0);
    talk_verify(talk);
}

static void look_at_everything(struct scene *scene)
{
    look(scene, true);
    look_begin(scene);
    look_at_shared(scene);
    look_at_sessions(scene);
    talk_verify(&scene->talk);
    clear_away(scene);
    look_end(scene);
    look(scene, true);
    check_file(scene);
}

/* ---- the tests ---- */

static void pause_ms(int ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&time, NULL);
}

static void what_was_acknowledged_survives_any_kill(void **state)
{
    struct chance chance = {(uint64_t)time(NULL)};
    struct scene scene;
    time_t started = time(NULL);
    int kills = 0, next_look = KILLS_BETWEEN_LOOKS;

    (void)state;
    printf("# chance %llu\n", (unsigned long long)chance.state);
    fflush(stdout);
    scene_open(&scene);
    make_shared(&scene);
    for (int i = 0; i < WORKERS; i++)
        start(&scene, i, FOREVER);
    while (kills < KILLS) {
        bool all = chance_of(&chance, 25);
        int one = chance_below(&chance, WORKERS);

        assert_true(time(NULL) - started < SECONDS_MAX);
        pause_ms(20 + chance_below(&chance, 300));
        for (int i = 0; i < WORKERS; i++)
            if (all || i == one) {
                stop(&scene, i, SIGKILL);
                kills++;
            }
        if (kills >= next_look) {
            look(&scene, false); /* while the others go on, if there are any */
            next_look = kills + KILLS_BETWEEN_LOOKS;
        }
        for (int i = 0; i < WORKERS; i++)
            if (all || i == one)
                start(&scene, i, FOREVER);
    }
    for (int i = 0; i < WORKERS; i++)
        stop(&scene, i, SIGKILL);
    printf("# %d kills, %zu operations acknowledged\n", kills, scene.count);
    assert_true(scene.count > 1000); /* else too little was going on when they were killed */
    look_at_everything(&scene);
    scene_close(&scene);
}

/* Also on a file that none of them finds: one makes it, the others wait. */
static void several_processes_lose_nothing(void **state)
{
    enum { OPERATIONS = 150 };
    struct scene scene;

    (void)state;
    scene_open(&scene);
    make_shared(&scene);
    for (int i = 0; i < WORKERS * 2; i++)
        start(&scene, i, OPERATIONS);
    for (int i = 0; i < WORKERS * 2; i++)
        stop(&scene, i, 0);
    assert_true(scene.count > WORKERS * 2 * OPERATIONS / 2);
    look_at_everything(&scene);
    scene_close(&scene);
}

static void many_can_make_the_file_at_once(void **state)
{
    struct store_counts counts;
    struct scene scene;

    (void)state;
    for (int round = 0; round < 5; round++) {
        scene_open(&scene);
        for (int i = 0; i < WORKERS * 2; i++)
            start(&scene, i, 1); /* one operation: it makes its own session */
        for (int i = 0; i < WORKERS * 2; i++)
            stop(&scene, i, 0);
        assert_int_equal(scene.count, WORKERS * 2);
        look(&scene, true);
        look_begin(&scene);
        CHECK_OK(store_count(scene.talk.rig.store, &counts, &scene.talk.fault), &scene.talk.fault);
        assert_int_equal(counts.sessions, WORKERS * 2);
        look_end(&scene);
        scene_close(&scene);
    }
}

/* Killed while the file is being made: the next one makes it, or finds it made. */
static void a_kill_while_the_file_is_made(void **state)
{
    struct chance chance = {(uint64_t)time(NULL)};
    struct scene scene;

    (void)state;
    for (int round = 0; round < 30; round++) {
        scene_open(&scene);
        start(&scene, 0, FOREVER);
        pause_ms(chance_below(&chance, 40));
        stop(&scene, 0, SIGKILL);
        start(&scene, 0, 1);
        stop(&scene, 0, 0);
        assert_true(scene.count >= 1);
        look(&scene, true);
        check_file(&scene);
        scene_close(&scene);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_can_make_the_file_at_once),
        cmocka_unit_test(a_kill_while_the_file_is_made),
        cmocka_unit_test(several_processes_lose_nothing),
        cmocka_unit_test(what_was_acknowledged_survives_any_kill),
    };

    if (argc == 6 && strcmp(argv[1], "worker") == 0)
        return worker_main(argv);
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
