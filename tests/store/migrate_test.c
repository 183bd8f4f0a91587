/* From an older schema to the present: all or nothing, with a copy of the old file beside it. */
#include "support/check.h"
#include "support/rig.h"

#include "store/sqlite/schema.h"

#include <stdio.h>
#include <unistd.h>

static const struct migration steps[] = {
    {1, "CREATE TABLE a(x); INSERT INTO a VALUES(1)"},
    {2, "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1"},
    {3, "CREATE TABLE b AS SELECT y AS z FROM a"},
};

static const struct migration broken[] = {
    {1, "CREATE TABLE a(x); INSERT INTO a VALUES(1)"},
    {2, "UPDATE a SET x = 7; SELECT no_such_function()"},
};

static int64_t ask(struct db *db, const char *sql)
{
    sqlite3_stmt *q = NULL;
    int64_t out = -1;

    assert_int_equal(sqlite3_prepare_v2(db->handle, sql, -1, &q, NULL), SQLITE_OK);
    if (sqlite3_step(q) == SQLITE_ROW)
        out = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return out;
}

struct place {
    char directory[64], path[192], copy[256];
};

static void place_make(struct place *place)
{
    scratch_make(place->directory, sizeof(place->directory));
    snprintf(place->path, sizeof(place->path), "%s/tine.db", place->directory);
}

static void migrate(struct place *place, const struct migration *list, size_t count, struct db *db)
{
    struct fault fault;

    CHECK_OK(db_open(db, place->path, true, 100, &fault), &fault);
    CHECK_OK(schema_migrate(db, place->path, list, count, &fault), &fault);
}

static void an_older_file_is_copied_then_migrated(void **context)
{
    struct place place;
    struct db db;

    (void)context;
    place_make(&place);
    migrate(&place, steps, 1, &db);
    assert_int_equal(ask(&db, "PRAGMA user_version"), 1);
    db_close(&db);
    snprintf(place.copy, sizeof(place.copy), "%s.before-v1", place.path);
    assert_int_not_equal(access(place.copy, F_OK), 0); /* there was nothing to keep */

    migrate(&place, steps, 3, &db);
    assert_int_equal(ask(&db, "PRAGMA user_version"), 3);
    assert_int_equal(ask(&db, "SELECT y FROM a"), 2);
    assert_int_equal(ask(&db, "SELECT z FROM b"), 2);
    db_close(&db);
    snprintf(place.copy, sizeof(place.copy), "%s.before-v3", place.path);
    memcpy(place.path, place.copy, sizeof(place.path));
    migrate(&place, steps, 1, &db); /* the copy is a whole file of version 1 */
    assert_int_equal(ask(&db, "SELECT x FROM a"), 1);
    assert_int_equal(ask(&db, "SELECT count(*) FROM pragma_table_info('a')"), 1);
    db_close(&db);
    scratch_remove(place.directory);
}

static void a_migration_that_fails_changes_nothing(void **context)
{
    struct fault fault;
    struct place place;
    struct db db;

    (void)context;
    place_make(&place);
    migrate(&place, broken, 1, &db);
    assert_int_not_equal(schema_migrate(&db, place.path, broken, 2, &fault), FAULT_OK);
    assert_int_equal(sqlite3_get_autocommit(db.handle), 1);
    assert_int_equal(ask(&db, "PRAGMA user_version"), 1);
    assert_int_equal(ask(&db, "SELECT x FROM a"), 1);
    db_close(&db);
    scratch_remove(place.directory);
}

static void a_newer_version_is_refused(void **context)
{
    struct fault fault;
    struct place place;
    struct db db;

    (void)context;
    place_make(&place);
    migrate(&place, steps, 3, &db);
    CHECK_FAULT(schema_migrate(&db, place.path, steps, 2, &fault), FAULT_SCHEMA, &fault);
    assert_non_null(strstr(fault.message, "version 3"));
    assert_int_equal(ask(&db, "PRAGMA user_version"), 3);
    db_close(&db);
    scratch_remove(place.directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_file_is_copied_then_migrated),
        cmocka_unit_test(a_migration_that_fails_changes_nothing),
        cmocka_unit_test(a_newer_version_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
