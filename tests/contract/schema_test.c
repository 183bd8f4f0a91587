/* Files that are not a store of this tine: refused, and left byte for byte as they were. */
#include "support/talk.h"

#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[64], path[128];
static struct fault fault;

static int setup(void **state)
{
    (void)state;
    scratch_make(directory, sizeof(directory));
    snprintf(path, sizeof(path), "%s/tine.db", directory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static enum fault_code open_with(int busy_ms, struct store **out)
{
    struct sqlite_store_options options = {.path = path, .busy_ms = busy_ms};

    return sqlite_store_open(&options, out, &fault);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void write_file(const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* The bytes and the time of the file; the caller frees. */
static char *read_file(size_t *n, struct timespec *changed)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    char *bytes;

    assert_non_null(file);
    assert_int_equal(stat(path, &info), 0);
    *n = (size_t)info.st_size;
    *changed = info.st_mtim;
    bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

/* A store with something in it, closed. */
static void make_store(void)
{
    struct create_spec spec = {.title = STR("T"), .agent = STR("ns/a")};
    struct engine *engine;
    struct session session;
    struct arena arena;
    struct store *store;

    arena_init(&arena);
    CHECK_OK(open_with(0, &store), &fault);
    engine = engine_new(store, NULL);
    CHECK_OK(store_owner(store, STR("o"), &spec.owner, &fault), &fault);
    CHECK_OK(engine_create(engine, &spec, &arena, &session, &fault), &fault);
    engine_free(engine);
    store_close(store);
    arena_clear(&arena);
}

static void check_refused(enum fault_code code)
{
    struct store *store = NULL;
    struct timespec was, is;
    size_t n, m;
    char *before = read_file(&n, &was), *after;

    CHECK_FAULT(open_with(100, &store), code, &fault);
    assert_null(store);
    after = read_file(&m, &is);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    assert_memory_equal(&was, &is, sizeof(was));
    free(before);
    free(after);
}

static void a_newer_schema_is_refused(void **state)
{
    (void)state;
    make_store();
    run_sql("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE; PRAGMA user_version=99");
    check_refused(FAULT_SCHEMA);
    assert_non_null(strstr(fault.message, "99"));
    run_sql("PRAGMA user_version=1000000");
    check_refused(FAULT_SCHEMA);
}

/* Also when it was left open in the way that tine leaves it, with a write-ahead log. */
static void a_newer_schema_in_a_log_is_refused(void **state)
{
    (void)state;
    make_store();
    run_sql("PRAGMA user_version=99");
    check_refused(FAULT_SCHEMA);
}

static void another_programs_file_is_refused(void **state)
{
    (void)state;
    run_sql("CREATE TABLE things(a, b); INSERT INTO things VALUES(1, 'x')");
    check_refused(FAULT_SCHEMA);
    run_sql("PRAGMA user_version=1"); /* as high as tine's own */
    check_refused(FAULT_SCHEMA);
    run_sql("PRAGMA application_id=252006673"); /* somebody's */
    check_refused(FAULT_SCHEMA);
    run_sql("CREATE TABLE session(s); CREATE TABLE entry(e)"); /* even with such names */
    check_refused(FAULT_SCHEMA);
}

static void a_file_that_is_no_database_is_refused(void **state)
{
    static const char text[] = "This is a letter, and not a database at all.\n";
    char noise[20000];

    (void)state;
    write_file(text, sizeof(text) - 1);
    check_refused(FAULT_SCHEMA);
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (char)(i * 7919 >> 3);
    write_file(noise, sizeof(noise));
    check_refused(FAULT_SCHEMA);
}

static void an_empty_file_becomes_a_store(void **state)
{
    struct store *store;
    struct store_counts counts;

    (void)state;
    write_file("", 0);
    CHECK_OK(open_with(0, &store), &fault);
    CHECK_OK(store_count(store, &counts, &fault), &fault);
    assert_int_equal(counts.sessions, 0);
    store_close(store);
}

static void a_missing_directory_is_named(void **state)
{
    struct store *store = NULL;

    (void)state;
    snprintf(path, sizeof(path), "%s/no/such/place.db", directory);
    CHECK_FAULT(open_with(0, &store), FAULT_IO, &fault);
    assert_non_null(strstr(fault.message, "place.db"));
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Another connection that holds the write lock. */
static sqlite3 *lock_file(void)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

static void a_locked_file_is_waited_for_and_then_busy(void **state)
{
    struct create_spec spec = {.title = STR("T"), .agent = STR("ns/a")};
    struct engine *engine;
    struct session session;
    struct arena arena;
    struct store *store;
    sqlite3 *other;
    int64_t started, waited;

    (void)state;
    make_store();
    arena_init(&arena);
    CHECK_OK(open_with(400, &store), &fault);
    CHECK_OK(store_owner(store, STR("o"), &spec.owner, &fault), &fault);
    engine = engine_new(store, NULL);
    other = lock_file();
    started = now_ms();
    CHECK_FAULT(engine_create(engine, &spec, &arena, &session, &fault), FAULT_BUSY, &fault);
    waited = now_ms() - started;
    assert_true(waited >= 350 && waited < 5000);
    assert_true(fault_retryable(fault.code));
    /* reading goes on, and writing too when the lock is gone */
    CHECK_OK(store_session_list(store, &(struct list_spec){.owner = spec.owner}, gather_session,
                                &(struct gathered){.arena = &arena}, &fault),
             &fault);
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    CHECK_OK(engine_create(engine, &spec, &arena, &session, &fault), &fault);
    sqlite3_close(other);
    engine_free(engine);
    store_close(store);
    arena_clear(&arena);
}

static void a_lock_that_is_given_up_in_time_is_no_fault(void **state)
{
    struct create_spec spec = {.title = STR("T"), .agent = STR("ns/a")};
    struct engine *engine;
    struct session session;
    struct arena arena;
    struct store *store;
    int ready[2];
    pid_t child;
    char byte;

    (void)state;
    make_store();
    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sqlite3 *db;

        if (sqlite3_open(path, &db) != SQLITE_OK ||
            sqlite3_busy_timeout(db, 10000) != SQLITE_OK || /* the other may be opening it */
            sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
            write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(300000);
        _exit(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK);
    }
    close(ready[1]);
    arena_init(&arena);
    CHECK_OK(open_with(10000, &store), &fault);
    CHECK_OK(store_owner(store, STR("o"), &spec.owner, &fault), &fault);
    engine = engine_new(store, NULL);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    CHECK_OK(engine_create(engine, &spec, &arena, &session, &fault), &fault);
    engine_free(engine);
    store_close(store);
    arena_clear(&arena);
    close(ready[0]);
}

/* What later versions added goes, so that a file of the first is left. */
static const char to_version_1[] =
    "DROP TABLE run; DROP TABLE once; DROP TABLE token; DROP TABLE agent;"
    "DROP INDEX session_id; DROP INDEX session_recent; DROP INDEX note_deleted;"
    "DROP TABLE files; DROP TABLE merge; DROP TABLE intent; DROP TABLE touch;"
    "DROP INDEX session_settings; DROP INDEX record_anywhere; ALTER TABLE session DROP COLUMN home;"
    "ALTER TABLE session DROP COLUMN settings; ALTER TABLE session DROP COLUMN mode;"
    " ALTER TABLE session DROP COLUMN dir;"
    "DELETE FROM meta WHERE key IN ('owners', 'notes', 'cleared', 'gc'); PRAGMA user_version=1";

/* The schema of a file, with the names in order. */
static char *schema_of(sqlite3 *db)
{
    sqlite3_stmt *q;
    char *text;

    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT group_concat(name || ': ' || sql, char(10)) FROM"
                                        " (SELECT name, sql FROM sqlite_schema ORDER BY name)",
                                        -1, &q, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    text = strdup((const char *)sqlite3_column_text(q, 0));
    assert_non_null(text);
    sqlite3_finalize(q);
    return text;
}

static char *schema_in(const char *file)
{
    sqlite3 *db;
    char *text;

    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    text = schema_of(db);
    sqlite3_close(db);
    return text;
}

static char *schema_of_version_1(void)
{
    sqlite3 *db;
    char *text;

    assert_int_equal(schema_migrations[0].version, 1);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, schema_migrations[0].sql, NULL, NULL, NULL), SQLITE_OK);
    text = schema_of(db);
    sqlite3_close(db);
    return text;
}

static void a_file_of_the_first_version_keeps_its_data(void **state)
{
    char copy[160], *before, *want, *fresh;
    const char *texts;
    struct talk t;
    struct str session, fork, gone;
    struct session was, is;
    struct store_counts counts;

    (void)state;
    talk_open(&t, &rig_kinds[1], 1);
    snprintf(path, sizeof(path), "%s/tine.db", t.rig.directory);
    snprintf(copy, sizeof(copy), "%s.before-v%d", path,
             schema_migrations[schema_migration_count - 1].version);
    fresh = schema_in(path);
    session = talk_create(&t, "T");
    talk_say_many(&t, session, "m", 20);
    fork = talk_fork(&t, session, after_index(9)).session.id;
    talk_say(&t, fork, ROLE_USER, "f");
    talk_rewind(&t, session, before_index(5));
    gone = talk_create(&t, "gone");
    talk_delete(&t, gone);
    was = talk_session(&t, session);
    texts = talk_texts(&t, fork);
    counts = talk_counts(&t);
    store_close(t.rig.store);
    run_sql(to_version_1);
    before = schema_in(path);
    want = schema_of_version_1();
    assert_string_equal(before, want); /* it is one indeed */
    free(before);
    free(want);
    CHECK_OK(t.rig.kind->open(t.rig.directory, &t.rig.store, &t.fault), &t.fault);
    engine_free(t.rig.engine);
    t.rig.engine = engine_new(t.rig.store, NULL);
    before = schema_in(path); /* as a new one has it */
    assert_string_equal(before, fresh);
    free(before);
    free(fresh);
    assert_int_equal(access(copy, F_OK), 0);
    is = talk_session(&t, session);
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    assert_int_equal(is.turn_state, RUN_STATE_NONE);
    CHECK_STR(is.home, "");
    CHECK_STR(is.settings, "{}");
    assert_int_equal(is.moved_n, 21);
    assert_string_equal(talk_texts(&t, fork), texts);
    assert_int_equal(talk_counts(&t).entries, counts.entries);
    assert_int_equal(talk_counts(&t).notes, counts.notes);
    talk_verify(&t);
    talk_say(&t, fork, ROLE_USER, "g");
    talk_verify(&t);
    talk_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_newer_schema_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_newer_schema_in_a_log_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(another_programs_file_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_no_database_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(an_empty_file_becomes_a_store, setup, teardown),
        cmocka_unit_test_setup_teardown(a_missing_directory_is_named, setup, teardown),
        cmocka_unit_test(a_file_of_the_first_version_keeps_its_data),
        cmocka_unit_test_setup_teardown(a_locked_file_is_waited_for_and_then_busy, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lock_that_is_given_up_in_time_is_no_fault, setup,
                                        teardown),
    };

    return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
