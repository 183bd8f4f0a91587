/* Every query of the store is an index search, but for those that look at everything on purpose. */
#include "support/check.h"

#include "store/sqlite/db.h"
#include "store/sqlite/schema.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *sql;
} queries[] = {
#define QUERY(name, sql) {#name, sql},
    SQLITE_QUERIES(QUERY)
#undef QUERY
};

/* Maintenance: verify, gc, counts, exports, a user who goes; and lists that give everything. */
static const char *const scans[] = {
    "ACT_ROWS",
    "COUNTS",
    "OBJECT_SCAN",
    "VERIFY_SESSIONS",
    "VERIFY_ORPHANS",
    "VERIFY_DESK",
    "VERIFY_RUNS",
    "VERIFY_GAPS",
    "GC_NOTES",
    "GC_NOTE_FLOOR",
    "SWEEP_TREES",
    "SWEEP_JSON",
    "SWEEP_OLD",
    "VERIFY_FILES",
    "VERIFY_INTENTS",
    "EXPORT_OWNER",
    "EXPORT_ALL",
    "LOOSE_FIRST",
    "REAP_ALL", /* the rows of reap are few, and the first is taken */
    "OWNER_NEEDED",
    "OWNER_LIST",
    "AGENT_LIST",
    "INTENT_LIST",          /* those that are going on, when a server starts */
    "RUN_ACTIVE",           /* of the index of those that are active */
    "SESSION_ANY_BY_END",   /* part of a name, typed by the operator */
    "SESSION_ANY_BY_TITLE", /* likewise */
};

static const char *const tables[] = {
    "session", "entry",  "line", "move", "state", "turn",  "record", "note",  "pin",    "label",
    "owner",   "object", "run",  "once", "token", "agent", "files",  "merge", "intent", "touch",
};

static bool may_scan(const char *name)
{
    for (size_t i = 0; i < sizeof(scans) / sizeof(*scans); i++)
        if (strcmp(scans[i], name) == 0)
            return true;
    return false;
}

/* "SCAN entry", "SCAN x" for an alias; but not of a constant row or of what a query made itself. */
static bool scans_table(const char *step)
{
    char name[64];

    if (sscanf(step, "SCAN %63s", name) != 1)
        return false;
    if (strlen(name) == 1)
        return true;
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        if (strcmp(tables[i], name) == 0)
            return true;
    return false;
}

static void every_query_is_a_search(void **context)
{
    struct fault fault;
    struct db db;
    size_t looked_at = 0;

    (void)context;
    CHECK_OK(db_open(&db, NULL, true, 100, &fault), &fault);
    CHECK_OK(schema_migrate(&db, NULL, schema_migrations, schema_migration_count, &fault), &fault);
    for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
        char sql[8192];
        sqlite3_stmt *plan = NULL;

        snprintf(sql, sizeof(sql), "EXPLAIN QUERY PLAN %s", queries[i].sql);
        assert_int_equal(sqlite3_prepare_v2(db.handle, sql, -1, &plan, NULL), SQLITE_OK);
        while (sqlite3_step(plan) == SQLITE_ROW) {
            const char *step = (const char *)sqlite3_column_text(plan, 3);

            looked_at++;
            if (scans_table(step) && !may_scan(queries[i].name))
                fail_msg("%s: %s", queries[i].name, step);
            if (strstr(step, "AUTOMATIC"))
                fail_msg("%s needs an index: %s", queries[i].name, step);
        }
        sqlite3_finalize(plan);
    }
    assert_true(looked_at > 100);
    db_close(&db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_query_is_a_search)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
