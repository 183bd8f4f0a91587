#include "store/sqlite/db.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name, *sql;
} texts[QUERY_COUNT] = {
#define QUERY(name, sql) {#name, sql},
    SQLITE_QUERIES(QUERY)
#undef QUERY
};

enum fault_code db_fault(sqlite3 *handle, int code, const char *doing, struct fault *fault)
{
    const char *reason = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);

    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fault_set(fault, FAULT_BUSY,
                         "the database is busy: another process holds it; try again (%s)", doing);
    case SQLITE_FULL:
        return fault_set(fault, FAULT_FULL, "the disk is full (%s)", doing);
    case SQLITE_CORRUPT:
        return fault_set(fault, FAULT_CORRUPT, "the database is damaged: %s (%s)", reason, doing);
    case SQLITE_NOTADB:
        return fault_set(fault, FAULT_SCHEMA, "the file is not a tine database (%s)", doing);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_IOERR:
        return fault_set(fault, FAULT_IO, "%s failed: %s", doing, reason);
    case SQLITE_INTERRUPT:
        return fault_set(fault, FAULT_BUSY, "%s was interrupted", doing);
    case SQLITE_TOOBIG:
        return fault_set(fault, FAULT_TOO_LARGE, "%s failed: %s", doing, reason);
    default:
        return fault_set(fault, FAULT_INTERNAL, "%s failed: %s (%d)", doing, reason, code);
    }
}

/*
 * Waits a little longer each time, with a share of chance so that processes that wait for one file
 * do not march in step.
 */
static int wait_busy(void *context, int tries)
{
    const struct db *db = context;
    static const int steps_us[] = {200, 500, 1000, 2000, 3000, 5000};
    static const int step_count = (int)(sizeof(steps_us) / sizeof(*steps_us));
    int64_t waited_us = 0;
    struct timespec pause = {0};
    unsigned chance;
    int step;

    for (int i = 0; i < tries; i++) {
        waited_us += steps_us[i < step_count ? i : step_count - 1];
        if (waited_us > (int64_t)db->busy_ms * 1000)
            return 0;
    }
    step = steps_us[tries < step_count ? tries : step_count - 1];
    sqlite3_randomness((int)sizeof(chance), &chance);
    pause.tv_nsec = (step / 2 + (int)(chance % (unsigned)step)) * 1000L;
    nanosleep(&pause, NULL);
    return 1;
}

/* Conversations are nobody else's to read; the files beside it get the same mode. */
void db_make_private(const char *path)
{
    int fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd >= 0)
        close(fd);
}

enum fault_code db_open(struct db *db, const char *path, bool create, int busy_ms,
                        struct fault *fault)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int code;

    *db = (struct db){.busy_ms = busy_ms};
    if (create)
        db_make_private(path);
    if (create)
        flags |= SQLITE_OPEN_CREATE;
    if (!path)
        flags |= SQLITE_OPEN_MEMORY;
    code = sqlite3_open_v2(path ? path : ":memory:", &db->handle, flags, NULL);
    if (code != SQLITE_OK) {
        char doing[300];

        snprintf(doing, sizeof(doing), "opening %s", path ? path : "a database in memory");
        return db_fault(db->handle, code, doing, fault);
    }
    sqlite3_busy_handler(db->handle, wait_busy, db);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    db->hasher = hasher_new();
    return FAULT_OK;
}

enum fault_code db_prepare(struct db *db, struct fault *fault)
{
    for (int i = 0; i < QUERY_COUNT; i++) {
        int code = sqlite3_prepare_v3(db->handle, texts[i].sql, -1, SQLITE_PREPARE_PERSISTENT,
                                      &db->queries[i], NULL);

        if (code != SQLITE_OK) {
            char doing[100];

            snprintf(doing, sizeof(doing), "preparing %s", texts[i].name);
            return db_fault(db->handle, code, doing, fault);
        }
    }
    return FAULT_OK;
}

void db_close(struct db *db)
{
    for (int i = 0; i < QUERY_COUNT; i++)
        sqlite3_finalize(db->queries[i]);
    sqlite3_close(db->handle);
    hasher_free(db->hasher);
    *db = (struct db){0};
}

enum fault_code db_exec(struct db *db, const char *sql, struct fault *fault)
{
    int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);

    if (code != SQLITE_OK) {
        char doing[60];

        snprintf(doing, sizeof(doing), "%.50s", sql);
        return db_fault(db->handle, code, doing, fault);
    }
    return FAULT_OK;
}

static int bind(sqlite3_stmt *statement, int place, const struct arg *arg)
{
    switch (arg->kind) {
    case ARG_INT:
        return sqlite3_bind_int64(statement, place, arg->i);
    case ARG_TEXT:
        return sqlite3_bind_text64(statement, place, arg->s.p, arg->s.n, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case ARG_BLOB:
        return sqlite3_bind_blob64(statement, place, arg->s.p, arg->s.n, SQLITE_STATIC);
    case ARG_NULL:
        break;
    }
    return sqlite3_bind_null(statement, place);
}

sqlite3_stmt *db_query(struct db *db, enum query query, const struct arg *args, size_t count)
{
    sqlite3_stmt *statement = db->queries[query];

    assert(sqlite3_bind_parameter_count(statement) == (int)count);
    if (db->used[query])
        sqlite3_reset(statement);
    db->used[query] = 1;
    for (size_t i = 0; i < count; i++) {
        int code = bind(statement, (int)i + 1, &args[i]);

        assert(code == SQLITE_OK);
        (void)code;
    }
    return statement;
}

enum fault_code db_step(struct db *db, sqlite3_stmt *statement, bool *row, struct fault *fault)
{
    int code = sqlite3_step(statement);

    *row = code == SQLITE_ROW;
    if (*row)
        return FAULT_OK;
    if (code != SQLITE_DONE) {
        char doing[80];

        snprintf(doing, sizeof(doing), "%.70s", sqlite3_sql(statement));
        db_fault(db->handle, code, doing, fault);
        sqlite3_reset(statement);
        return fault_pass(fault);
    }
    sqlite3_reset(statement);
    return FAULT_OK;
}

enum fault_code db_run(struct db *db, enum query query, const struct arg *args, size_t count,
                       struct fault *fault)
{
    bool row;
    enum fault_code code = db_step(db, db_query(db, query, args, count), &row, fault);

    assert(code != FAULT_OK || !row);
    return code;
}

enum fault_code db_int(struct db *db, enum query query, const struct arg *args, size_t count,
                       int64_t *out, struct fault *fault)
{
    sqlite3_stmt *statement = db_query(db, query, args, count);
    bool row;
    enum fault_code code = db_step(db, statement, &row, fault);

    if (code == FAULT_OK && row) {
        if (sqlite3_column_type(statement, 0) != SQLITE_NULL)
            *out = sqlite3_column_int64(statement, 0);
        sqlite3_reset(statement);
    }
    return code;
}

void db_rest(struct db *db)
{
    for (int i = 0; i < QUERY_COUNT; i++) {
        if (!db->used[i])
            continue;
        sqlite3_reset(db->queries[i]);
        db->used[i] = 0;
    }
}

struct str column_str(sqlite3_stmt *statement, int column)
{
    const void *p;

    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return STR_NONE;
    p = sqlite3_column_blob(statement, column);
    return (struct str){p ? p : "", (size_t)sqlite3_column_bytes(statement, column)};
}

struct str column_dup(sqlite3_stmt *statement, int column, struct arena *arena)
{
    struct str s = column_str(statement, column);

    return s.p ? arena_dup(arena, s) : s;
}

struct address column_address(sqlite3_stmt *statement, int column)
{
    return (struct address){sqlite3_column_int64(statement, column),
                            sqlite3_column_int64(statement, column + 1)};
}
