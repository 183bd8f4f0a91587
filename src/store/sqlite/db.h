/* One connection to the database file, with every query prepared. Used by one thread at a time. */
#ifndef STORE_SQLITE_DB_H
#define STORE_SQLITE_DB_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/hash.h"
#include "sqlite_queries.h"
#include "store/address.h"

#include <sqlite3.h>

enum query {
#define QUERY(name, sql) Q_##name,
    SQLITE_QUERIES(QUERY)
#undef QUERY
        QUERY_COUNT
};

/* How many living sessions an owner has: counted at most a minute ago, and kept up since. */
struct session_count {
    int64_t owner, count, at_us;
};

enum { SESSION_COUNTS = 16 };

struct db {
    sqlite3 *handle;
    sqlite3_stmt *queries[QUERY_COUNT];
    unsigned char used[QUERY_COUNT]; /* stepped since the last db_rest */
    struct hasher *hasher;
    int busy_ms;
    int64_t e; /* within a write: the newest number given out */
    struct session_count counts[SESSION_COUNTS];
};

/* A value for a parameter of a query. */
struct arg {
    enum { ARG_NULL, ARG_INT, ARG_TEXT, ARG_BLOB } kind;
    int64_t i;
    struct str s;
};

static inline struct arg arg_int(int64_t i)
{
    return (struct arg){ARG_INT, i, STR_NONE};
}

/* NULL when s has no bytes and no place (p == NULL). */
static inline struct arg arg_text(struct str s)
{
    return (struct arg){s.p ? ARG_TEXT : ARG_NULL, 0, s};
}

static inline struct arg arg_blob(struct str s)
{
    return (struct arg){s.p ? ARG_BLOB : ARG_NULL, 0, s};
}

static inline struct arg arg_bytes(const void *p, size_t n)
{
    return arg_blob((struct str){p, n});
}

static inline struct arg arg_null(void)
{
    return (struct arg){ARG_NULL, 0, STR_NONE};
}

/* The two columns of an address; both NULL for ADDRESS_START. */
static inline struct arg arg_s(struct address at)
{
    return at.s ? arg_int(at.s) : arg_null();
}

static inline struct arg arg_n(struct address at)
{
    return at.s ? arg_int(at.n) : arg_null();
}

/* An array of arguments and its length, for the functions below. */
#define ARGS(...)                      \
    (const struct arg[]){__VA_ARGS__}, \
        sizeof((const struct arg[]){__VA_ARGS__}) / sizeof(struct arg)

/* Opens an existing file, or creates one when asked; NULL: in memory. No query is prepared yet. */
FAULT_CHECK enum fault_code db_open(struct db *db, const char *path, bool create, int busy_ms,
                                    struct fault *fault);
/* Makes an empty file that only its owner can read, unless it is there already or path is NULL. */
void db_make_private(const char *path);

FAULT_CHECK enum fault_code db_prepare(struct db *db, struct fault *fault);
void db_close(struct db *db); /* also a half-open one */

/* The one place where SQLite's codes become faults. `doing` says what was tried. */
enum fault_code db_fault(sqlite3 *handle, int code, const char *doing, struct fault *fault);

/* Runs statements that are no prepared query: transactions and pragmas. */
FAULT_CHECK enum fault_code db_exec(struct db *db, const char *sql, struct fault *fault);

/* The query, bound and ready to be stepped. Strings must live until it is reset. */
sqlite3_stmt *db_query(struct db *db, enum query query, const struct arg *args, size_t count);

/* *row: there is a row to look at; else the query is finished and reset. */
FAULT_CHECK enum fault_code db_step(struct db *db, sqlite3_stmt *statement, bool *row,
                                    struct fault *fault);

/* Runs a query that gives no rows. */
FAULT_CHECK enum fault_code db_run(struct db *db, enum query query, const struct arg *args,
                                   size_t count, struct fault *fault);

/* Runs a query that gives one integer; `out` keeps its value when there is no row or a NULL. */
FAULT_CHECK enum fault_code db_int(struct db *db, enum query query, const struct arg *args,
                                   size_t count, int64_t *out, struct fault *fault);

/* Resets every query that was stepped, so that no snapshot stays open. */
void db_rest(struct db *db);

/* Columns of the current row. Strings live until the query is stepped or reset. */
struct str column_str(sqlite3_stmt *statement, int column);
struct str column_dup(sqlite3_stmt *statement, int column, struct arena *arena);
struct address column_address(sqlite3_stmt *statement, int column); /* two columns: s, n */

#endif
