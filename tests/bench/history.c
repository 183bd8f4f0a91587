/* Reading a whole history, of one line or of many, against a bare scan of the same bytes. */
#include "plain.h"
#include "rig.h"
#include "versus.h"

#include <stdio.h>

enum { MESSAGES = 10 * 1000, BYTES = 1024, ROUNDS = 25 };

static const int line_counts[] = {1, 10, 100};

struct scanning {
    struct rig *rig;
    struct str id;
    sqlite3 *db;
    sqlite3_stmt *insert, *select;
    int64_t s, n; /* in the bare table */
};

/* A session of that many lines: forks of forks, each with its part of the messages. */
static void lines_make(struct rig *rig, int lines, struct str id)
{
    struct arena arena;
    char name[2][32];

    arena_init(&arena);
    for (int i = 0; i < lines; i++) {
        struct str part = id;

        snprintf(name[i % 2], sizeof(name[0]), "%.*s-%d", STR_ARG(id), i);
        if (i < lines - 1)
            part = str_of(name[i % 2]);
        if (i == 0)
            rig_create(rig, part);
        else
            rig_fork(rig, str_of(name[(i - 1) % 2]), part, (struct point_spec){.by = POINT_END},
                     &arena);
        rig_fill(rig, part, (size_t)(MESSAGES / lines), BYTES);
    }
    arena_clear(&arena);
}

static enum fault_code body_copy(void *context, const struct entry *entry, struct fault *fault)
{
    struct scanning *scanning = context;

    (void)fault;
    sqlite3_bind_int64(scanning->insert, 1, scanning->s);
    sqlite3_bind_int64(scanning->insert, 2, ++scanning->n);
    sqlite3_bind_blob64(scanning->insert, 3, entry->body.p, entry->body.n, SQLITE_STATIC);
    plain_step(scanning->db, scanning->insert);
    return FAULT_OK;
}

/* The same bodies in the same order into the bare table. */
static void bodies_copy(struct scanning *scanning)
{
    struct history_spec spec = {.owner = scanning->rig->owner, .session = scanning->id};
    struct fault fault;

    plain_run(scanning->db, "BEGIN");
    bench_must(store_history(scanning->rig->store, &spec, body_copy, scanning, NULL, &fault),
               &fault);
    plain_run(scanning->db, "COMMIT");
    if (scanning->n != MESSAGES)
        bench_fail("the history has %lld messages", (long long)scanning->n);
}

static int64_t bare_read(struct scanning *scanning)
{
    int64_t messages = 0;
    unsigned sum = 0;

    sqlite3_bind_int64(scanning->select, 1, scanning->s);
    sqlite3_bind_int64(scanning->select, 2, 1);
    sqlite3_bind_int64(scanning->select, 3, MESSAGES);
    while (sqlite3_step(scanning->select) == SQLITE_ROW) {
        const void *body = sqlite3_column_blob(scanning->select, 2);

        sum += body_touch(body, (size_t)sqlite3_column_bytes(scanning->select, 2));
        messages++;
    }
    sqlite3_reset(scanning->select);
    return sum ? messages : 0;
}

static void read_once(void *context, enum versus_side side)
{
    struct scanning *scanning = context;
    int64_t messages =
        side == VERSUS_MEASURED ? rig_read(scanning->rig, scanning->id, 0) : bare_read(scanning);

    if (messages != MESSAGES)
        bench_fail("%lld messages were read", (long long)messages);
}

static void measure(struct bench *bench, struct scanning *scanning, int lines)
{
    struct timing times[VERSUS_SIDES];
    char what[80], id[16], note[80];

    snprintf(id, sizeof(id), "lines%d", lines);
    scanning->id = str_of(id);
    scanning->s = lines;
    scanning->n = 0;
    lines_make(scanning->rig, lines, scanning->id);
    bodies_copy(scanning);
    versus_run(read_once, scanning, ROUNDS, times);
    snprintf(what, sizeof(what), "whole history, %d line%s, against a bare scan", lines,
             lines > 1 ? "s" : "");
    snprintf(note, sizeof(note), "%.0f messages/s against %.0f",
             MESSAGES * 1e9 / timing_typical(&times[VERSUS_MEASURED]),
             MESSAGES * 1e9 / timing_typical(&times[VERSUS_BASELINE]));
    versus_report(
        bench,
        (struct table_row){
            .what = what, .inverse = true, .bar = BAR_AT_LEAST, .limit = 0.5, .note = note},
        times);
}

void bench_history(struct bench *bench)
{
    struct scanning scanning = {0};
    char path[sizeof(bench->directory) + 16];
    struct rig rig;

    rig_open(&rig, bench, "history", 0);
    snprintf(path, sizeof(path), "%s/bare.db", bench->directory);
    scanning.rig = &rig;
    scanning.db = plain_open(path);
    plain_run(scanning.db,
              "CREATE TABLE bare(s INT NOT NULL, n INT NOT NULL, body BLOB, UNIQUE(s, n))");
    scanning.insert = plain_prepare(scanning.db, "INSERT INTO bare VALUES(?1, ?2, ?3)");
    scanning.select =
        plain_prepare(scanning.db, "SELECT s, n, body FROM bare"
                                   " WHERE s = ?1 AND n BETWEEN ?2 AND ?3 ORDER BY n");
    for (size_t i = 0; i < sizeof(line_counts) / sizeof(*line_counts); i++)
        measure(bench, &scanning, line_counts[i]);
    sqlite3_finalize(scanning.insert);
    sqlite3_finalize(scanning.select);
    sqlite3_close(scanning.db);
    rig_remove(&rig);
}
