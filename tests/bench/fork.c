/* What a fork costs: whatever the length of the history, against copying it, and in bytes. */
#include "disk.h"
#include "plain.h"
#include "rig.h"
#include "versus.h"

#include <stdio.h>

enum {
    ROUNDS = 200,
    COPIES = 3,
    COPY_ROUNDS = 50, /* forks, and fsyncs, for each copy */
    BYTE_FORKS = 2000
};

struct forking {
    struct rig *rig;
    struct str id[VERSUS_SIDES];
    struct point_spec point[VERSUS_SIDES];
};

static void fork_once(void *context, enum versus_side side)
{
    struct forking *forking = context;
    struct arena arena;

    arena_init(&arena);
    rig_fork(forking->rig, forking->id[side], STR_NONE, forking->point[side], &arena);
    arena_clear(&arena);
}

static void measure_length(struct bench *bench, struct rig *rig)
{
    struct forking forking = {.rig = rig, .id = {BIG, SMALL}};
    struct timing times[VERSUS_SIDES];

    versus_run(fork_once, &forking, ROUNDS, times);
    versus_report(bench,
                  (struct table_row){.what = "fork of 100,000 messages against 10",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.5},
                  times);
    for (int side = 0; side < VERSUS_SIDES; side++)
        forking.point[side] = (struct point_spec){
            .by = POINT_INDEX,
            .side = SIDE_BEFORE,
            .ordinal = (side == VERSUS_MEASURED ? BIG_MESSAGES : SMALL_MESSAGES) / 2,
        };
    versus_run(fork_once, &forking, ROUNDS, times);
    versus_report(bench,
                  (struct table_row){.what = "fork in the middle of 100,000 messages against 10",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.5},
                  times);
}

/* A table like entry, with its unique (s, n) and nothing else beside the rows. */
static sqlite3_stmt *copy_prepare(sqlite3 *db)
{
    sqlite3_stmt *columns, *copy;
    char *sql;

    plain_run(db, "CREATE TABLE copied AS SELECT * FROM entry WHERE 0;"
                  "CREATE UNIQUE INDEX copied_place ON copied(s, n)");
    columns = plain_prepare(db, "SELECT group_concat(CASE name WHEN 's' THEN '?2' ELSE name END)"
                                " FROM pragma_table_info('entry')");
    if (sqlite3_step(columns) != SQLITE_ROW)
        bench_fail("the columns of table entry cannot be read");
    sql = sqlite3_mprintf("INSERT INTO copied SELECT %s FROM entry WHERE s = ?1 ORDER BY n",
                          (const char *)sqlite3_column_text(columns, 0));
    copy = plain_prepare(db, sql);
    sqlite3_free(sql);
    sqlite3_finalize(columns);
    return copy;
}

/* One copy, with its commit; bringing the log into the file is left out, in favour of the copy. */
static void copy_once(sqlite3 *db, sqlite3_stmt *copy, int64_t s, int number, struct timing *timing)
{
    int64_t start = timing_now_ns();

    plain_run(db, "BEGIN IMMEDIATE");
    sqlite3_bind_int64(copy, 1, s);
    sqlite3_bind_int64(copy, 2, number);
    plain_step(db, copy);
    if (sqlite3_changes(db) != BIG_MESSAGES)
        bench_fail("%d rows were copied", sqlite3_changes(db));
    plain_run(db, "COMMIT");
    timing_since(timing, start);
    plain_checkpoint(db);
}

static void measure_copy(struct bench *bench, struct rig *rig)
{
    struct forking forking = {.rig = rig, .id = {BIG, BIG}};
    struct timing times[VERSUS_SIDES], fsyncs;
    sqlite3 *db = plain_open(rig->path);
    sqlite3_stmt *copy = copy_prepare(db);
    int64_t s = plain_int(db, "SELECT s FROM session WHERE id = 'big'");

    bench_say("copying the rows of that session %d times", COPIES);
    plain_run(db, "PRAGMA wal_autocheckpoint=0");
    timing_init(&times[VERSUS_MEASURED]);
    timing_init(&times[VERSUS_BASELINE]);
    timing_init(&fsyncs);
    for (int i = 0; i < COPIES; i++) {
        for (int j = 0; j < COPY_ROUNDS; j++) {
            int64_t start = timing_now_ns();

            fork_once(&forking, VERSUS_MEASURED);
            timing_since(&times[VERSUS_MEASURED], start);
        }
        disk_fsync(bench, COPY_ROUNDS, &fsyncs);
        copy_once(db, copy, s, i, &times[VERSUS_BASELINE]);
        disk_settle();
    }
    versus_report(bench,
                  (struct table_row){.what = "fork of 100,000 messages against copying them",
                                     .inverse = true,
                                     .bar = BAR_AT_LEAST,
                                     .limit = 500},
                  times);
    disk_report(bench, &fsyncs);
    sqlite3_finalize(copy);
    plain_run(db, "DROP TABLE copied");
    plain_checkpoint(db);
    sqlite3_close(db);
}

static void measure_bytes(struct bench *bench, struct rig *rig)
{
    struct forking forking = {.rig = rig, .id = {STR("busy"), STR("quiet")}};
    struct timing times[VERSUS_SIDES];
    sqlite3 *db = plain_open(rig->path);
    int64_t before;

    bench_say("making %d forks", BYTE_FORKS);
    for (int side = 0; side < VERSUS_SIDES; side++) {
        rig_create(rig, forking.id[side]);
        rig_fill(rig, forking.id[side], SMALL_MESSAGES, BIG_BYTES);
    }
    plain_checkpoint(db);
    before = plain_bytes(db);
    for (int i = 0; i < BYTE_FORKS; i++)
        fork_once(&forking, VERSUS_MEASURED);
    plain_checkpoint(db);
    table_add(&bench->table,
              &(struct table_row){.what = "bytes that a fork adds to the file",
                                  .unit = UNIT_BYTES,
                                  .measured = (double)(plain_bytes(db) - before) / BYTE_FORKS,
                                  .bar = BAR_AT_MOST,
                                  .limit = 1024,
                                  .note = "of 2,000 forks, small metadata"});
    sqlite3_close(db);
    versus_run(fork_once, &forking, ROUNDS, times);
    versus_report(bench,
                  (struct table_row){.what = "fork of what has 2,000 forks against one with few"},
                  times);
}

void bench_fork(struct bench *bench)
{
    struct rig rig;

    rig_open_big(&rig, bench);
    measure_length(bench, &rig);
    measure_copy(bench, &rig);
    rig_close(&rig);
    rig_open(&rig, bench, "bytes", 0);
    measure_bytes(bench, &rig);
    rig_remove(&rig);
}
