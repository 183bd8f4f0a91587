/* The writer lane: groups, and what happens to a group when one of its pieces goes wrong. */
#include "support/check.h"
#include "support/rig.h"

#include "store/sqlite/lane.h"
#include "store/sqlite/schema.h"

#include <pthread.h>
#include <stdio.h>

enum { CALLERS = 24 };

/* What a piece does: name an owner, and perhaps something bad besides. */
enum kind { GOOD, REFUSED, WRITES_THEN_FAILS, FILLS_THE_DISK };

struct caller {
    struct bench *bench;
    enum kind kind;
    char name[32];
    int runs;
    enum fault_code code;
    struct fault fault;
    pthread_t thread;
};

/* A lane on a database; while `guard` is held, work piles up behind the first piece. */
struct bench {
    char directory[64], path[96];
    struct db db;
    pthread_mutex_t guard;
    struct lane *lane;
    struct caller callers[CALLERS];
};

static void bench_open(struct bench *bench)
{
    struct fault fault;

    scratch_make(bench->directory, sizeof(bench->directory));
    snprintf(bench->path, sizeof(bench->path), "%s/tine.db", bench->directory);
    CHECK_OK(db_open(&bench->db, bench->path, true, 1000, &fault), &fault);
    CHECK_OK(db_exec(&bench->db, "PRAGMA journal_mode=WAL", &fault), &fault);
    CHECK_OK(
        schema_migrate(&bench->db, bench->path, schema_migrations, schema_migration_count, &fault),
        &fault);
    CHECK_OK(db_prepare(&bench->db, &fault), &fault);
    pthread_mutex_init(&bench->guard, NULL);
    bench->lane = lane_new(&bench->db, 0, &bench->guard);
}

static void bench_close(struct bench *bench)
{
    lane_free(bench->lane);
    db_close(&bench->db);
    pthread_mutex_destroy(&bench->guard);
    scratch_remove(bench->directory);
}

static enum fault_code work(struct db *db, void *context, struct fault *fault)
{
    struct caller *caller = context;
    char filler[200 * 1024];

    caller->runs++;
    if (caller->kind == REFUSED)
        return fault_set(fault, FAULT_INVALID, "no");
    if (db_run(db, Q_OWNER_INSERT, ARGS(arg_text(str_of(caller->name))), fault) != FAULT_OK)
        return fault->code;
    if (caller->kind == WRITES_THEN_FAILS)
        return fault_set(fault, FAULT_INTERNAL, "it went wrong half way");
    if (caller->kind == FILLS_THE_DISK) {
        memset(filler, caller->name[0], sizeof(filler));
        return db_run(db, Q_OBJECT_INSERT,
                      ARGS(arg_text(str_of(caller->name)), arg_int(1), arg_int(1), arg_int(1),
                           arg_bytes(filler, sizeof(filler))),
                      fault);
    }
    return FAULT_OK;
}

static void *call(void *context)
{
    struct caller *caller = context;

    caller->code = lane_run(caller->bench->lane, work, caller, 10, &caller->fault);
    return NULL;
}

/* All at once, so that they stand in a few groups; every fifth piece is of the kind given. */
static void run_all(struct bench *bench, enum kind kind)
{
    pthread_mutex_lock(&bench->guard);
    for (int i = 0; i < CALLERS; i++) {
        struct caller *caller = &bench->callers[i];

        *caller = (struct caller){.bench = bench, .kind = i % 5 == 2 ? kind : GOOD};
        snprintf(caller->name, sizeof(caller->name), "owner %d", i);
        assert_int_equal(pthread_create(&caller->thread, NULL, call, caller), 0);
    }
    pthread_mutex_unlock(&bench->guard);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(bench->callers[i].thread, NULL);
}

/* Is it in the file, as another connection sees it? */
static bool stored(struct bench *bench, const char *name)
{
    struct fault fault;
    struct db other;
    int64_t owner = 0;

    CHECK_OK(db_open(&other, bench->path, false, 1000, &fault), &fault);
    CHECK_OK(db_prepare(&other, &fault), &fault);
    CHECK_OK(db_int(&other, Q_OWNER_NAMED, ARGS(arg_text(str_of(name))), &owner, &fault), &fault);
    db_close(&other);
    return owner != 0;
}

static void expect(struct bench *bench, enum fault_code bad)
{
    for (int i = 0; i < CALLERS; i++) {
        struct caller *caller = &bench->callers[i];

        assert_int_equal(caller->code, caller->kind == GOOD ? FAULT_OK : bad);
        assert_int_equal(stored(bench, caller->name), caller->code == FAULT_OK);
        assert_in_range(caller->runs, 1, 2);
    }
}

static void a_group_is_committed_together(void **context)
{
    struct bench bench;

    (void)context;
    bench_open(&bench);
    run_all(&bench, GOOD);
    expect(&bench, FAULT_OK);
    bench_close(&bench);
}

static void a_refused_piece_leaves_the_others_alone(void **context)
{
    struct bench bench;

    (void)context;
    bench_open(&bench);
    run_all(&bench, REFUSED);
    expect(&bench, FAULT_INVALID);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(bench.callers[i].runs, 1);
    bench_close(&bench);
}

static void half_a_piece_is_taken_back(void **context)
{
    struct bench bench;
    int again = 0;

    (void)context;
    bench_open(&bench);
    run_all(&bench, WRITES_THEN_FAILS);
    expect(&bench, FAULT_INTERNAL);
    for (int i = 0; i < CALLERS; i++)
        again += bench.callers[i].runs == 2;
    assert_true(again > 0); /* else no group was formed, and nothing was shown */
    bench_close(&bench);
}

static void a_full_disk_takes_nobody_else_along(void **context)
{
    struct fault fault;
    struct bench bench;

    (void)context;
    bench_open(&bench);
    CHECK_OK(db_exec(&bench.db, "PRAGMA max_page_count=60", &fault), &fault);
    run_all(&bench, FILLS_THE_DISK);
    expect(&bench, FAULT_FULL);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_committed_together),
        cmocka_unit_test(a_refused_piece_leaves_the_others_alone),
        cmocka_unit_test(half_a_piece_is_taken_back),
        cmocka_unit_test(a_full_disk_takes_nobody_else_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
