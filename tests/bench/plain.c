#include "plain.h"

#include "bench.h"

static void fail(sqlite3 *db, const char *sql) __attribute__((noreturn));

static void fail(sqlite3 *db, const char *sql)
{
    bench_fail("sqlite: %s: %s", sql, sqlite3_errmsg(db));
}

void plain_run(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail(db, sql);
}

sqlite3 *plain_open(const char *path)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK)
        fail(db, path);
    sqlite3_busy_timeout(db, 10 * 1000);
    plain_run(db, "PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
                  "PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8000;"
                  "PRAGMA wal_autocheckpoint=2000");
    return db;
}

sqlite3_stmt *plain_prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail(db, sql);
    return statement;
}

void plain_step(sqlite3 *db, sqlite3_stmt *statement)
{
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail(db, sqlite3_sql(statement));
    sqlite3_reset(statement);
}

int64_t plain_int(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = plain_prepare(db, sql);
    int64_t found;

    if (sqlite3_step(statement) != SQLITE_ROW)
        fail(db, sql);
    found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return found;
}

void plain_checkpoint(sqlite3 *db)
{
    plain_run(db, "PRAGMA wal_checkpoint(RESTART)");
}

int64_t plain_bytes(sqlite3 *db)
{
    return plain_int(db, "PRAGMA page_count") * plain_int(db, "PRAGMA page_size");
}
