/*
 * Verify finds what was altered behind tine's back: each row of the table changes one thing in a
 * copy of a sound store, and verify must find it, say so, and change nothing itself.
 */
#include "support/talk.h"

#include "store/sqlite/sqlite_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *name, *sql;
} alterations[] = {
    /* what the hashes cover */
    {"body", "UPDATE entry SET body = CAST('{\"text\":\"m7\"}' AS BLOB) WHERE n = 2"},
    {"a blank behind a body", "UPDATE entry SET body = CAST(body || ' ' AS BLOB) WHERE n = 3"},
    {"body erased", "UPDATE entry SET body = NULL WHERE n = 2"},
    {"role", "UPDATE entry SET role = 2 WHERE n = 1 AND role = 1"},
    {"kind", "UPDATE entry SET kind = 1, role = 0 WHERE n = 1"},
    {"id of a client", "UPDATE entry SET id = CAST('other' AS BLOB) WHERE gen = 0"},
    {"drawn id", "UPDATE entry SET id = x'00112233445566778899aabbccddeeff' WHERE n = 1 AND s = 2"},
    {"time", "UPDATE entry SET at_us = at_us + 1 WHERE n = 2"},
    {"usage", "UPDATE entry SET ucost = ucost + 1 WHERE ucost IS NOT NULL"},
    {"usage taken away", "UPDATE entry SET uin = NULL, uout = NULL, ucost = NULL"},
    {"name of a turn", "UPDATE turn SET name = 'another'"},
    {"salt", "UPDATE entry SET salt = zeroblob(16) WHERE n = 1"},
    {"path hash", "UPDATE entry SET phash = zeroblob(32) WHERE n = 2"},
    {"all path hashes", "UPDATE entry SET phash = zeroblob(32)"},
    {"state", "UPDATE state SET delta = x'016b0232'"},
    {"whole state", "UPDATE state SET whole = x'016b0239' WHERE whole IS NOT NULL"},
    {"state without its row", "DELETE FROM state"},
    {"pinned place", "UPDATE entry SET ref_n = ref_n - 1 WHERE kind = 3"},
    {"kept state of a move", "UPDATE entry SET st_n = 1, st_s = 2 WHERE kind = 6"},
    /* facts */
    {"visible messages", "UPDATE entry SET vis = vis + 1 WHERE n = 3"},
    {"user messages", "UPDATE entry SET usr = usr + 1 WHERE n = 3"},
    {"tool messages", "UPDATE entry SET tol = tol + 1 WHERE n = 3"},
    {"flat messages", "UPDATE entry SET flat = flat + 1 WHERE n = 3"},
    {"flat user messages", "UPDATE entry SET flatu = flatu + 1 WHERE n = 3"},
    {"tokens so far", "UPDATE entry SET tin = tin + 1 WHERE n = 3"},
    {"cost so far", "UPDATE entry SET cost = cost + 1 WHERE n = 4"},
    {"spent so far", "UPDATE entry SET win = win + 1 WHERE n = 4"},
    {"open calls", "UPDATE entry SET open = open + 1 WHERE n = 3"},
    {"good place", "UPDATE entry SET good_n = 1 WHERE n = 3"},
    {"newest summary", "UPDATE entry SET sum_s = s, sum_n = 1 WHERE n = 3"},
    {"newest state", "UPDATE entry SET st_s = s, st_n = 1 WHERE n = 6"},
    {"calls", "UPDATE entry SET calls = 1 WHERE n = 2"},
    {"line of an act", "UPDATE entry SET n0 = n0 + 1 WHERE n = 3"},
    {"turn of an act", "UPDATE entry SET turn = NULL WHERE turn IS NOT NULL"},
    /* structure */
    {"an act in the middle", "DELETE FROM entry WHERE n = 2"},
    {"the last act of a line", "DELETE FROM entry WHERE s = 2 AND n = (SELECT max(n) FROM entry WHERE s = 2)"},
    {"origin of a line", "UPDATE line SET on_ = on_ - 1 WHERE on_ > 1"},
    {"depth of a line", "UPDATE line SET depth = depth + 1 WHERE n0 > 1"},
    {"jump of a line", "UPDATE line SET jn0 = n0, js = s, jdepth = depth WHERE depth > 0"},
    {"boundary of a line", "UPDATE line SET bn = bn - 1 WHERE bn > 1"},
    {"ordinals of a line", "UPDATE line SET vis0 = vis0 + 1 WHERE depth > 0"},
    {"a line", "DELETE FROM line WHERE depth > 0"},
    {"a move's row", "DELETE FROM move"},
    {"where a move goes", "UPDATE move SET to_n = to_n - 1 WHERE to_n > 1"},
    {"the top of undo", "UPDATE move SET utop = 0 WHERE act = 1"},
    {"the stack below undo", "UPDATE move SET unext = 1 WHERE act = 3"},
    {"base of a session", "UPDATE session SET base_n = base_n - 1 WHERE base_n > 1"},
    {"depth of a session", "UPDATE session SET depth = depth + 1 WHERE base_s IS NOT NULL"},
    {"jump of a session", "UPDATE session SET jump = s WHERE depth > 1"},
    {"family of a session", "UPDATE session SET fam = s WHERE base_s IS NOT NULL"},
    {"number of a title", "UPDATE session SET title_n = 7 WHERE state = 0 AND title_n = 0"},
    {"base of a title", "UPDATE session SET title_base = 'x' WHERE state = 0"},
    {"a pin", "DELETE FROM pin"},
    {"a pin too many", "INSERT INTO pin SELECT s, n, s, n + 1 FROM entry WHERE n = 1"},
    {"place of a record", "UPDATE record SET pn = 999 WHERE pn IS NOT NULL"},
    {"session of a record", "UPDATE record SET s = 999"},
    {"place of a label", "UPDATE label SET n = 999"},
    {"session of a label", "UPDATE label SET in_s = 999"},
    {"first act of a turn", "UPDATE turn SET n = n + 1"},
    {"session of a note", "UPDATE note SET s = 999 WHERE act = 1"},
    {"bytes of an object", "UPDATE object SET data = CAST('{\"x\":1}' AS BLOB)"},
    {"hash of an object", "UPDATE object SET hash = zeroblob(32)"},
    {"an object", "DELETE FROM object"},
};

static char directory[64], sound[128];

static void set_state(struct talk *t, struct str session, const char *key, const char *value)
{
    struct state_item item = {str_of(key), str_of(value)};
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}"), .state = {&item, 1}};

    talk_append(t, session, spec);
}

/* Something of everything, so that each alteration has a row to change. Sessions 1, 2, 3 … */
static void furnish(struct talk *t)
{
    const struct str keep[] = {STR("app:")};
    struct create_spec create = {.owner = t->rig.owner, .title = STR("sub"),
                                 .agent = STR("ns/a"), .metadata = STR("{\"a\":1}")};
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "with all parts");
    struct entry_spec reference = {.kind = ENTRY_SUBSESSION, .body = STR("{}")};
    struct record_spec record = {
        .owner = t->rig.owner, .id = STR("r"), .turn = STR("t1"), .body = STR("{}")};
    struct move_spec rewind = {.owner = t->rig.owner, .keep = keep, .keep_count = 1};
    struct move_result moved;
    struct session sub;
    struct str session, fork, deep, *m;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &sub, &t->fault), &t->fault);
    talk_say_many(t, sub.id, "s", 4);
    session = talk_create(t, "Title");
    m = talk_say_many(t, session, "m", 4);
    spec.id = STR("client-id");
    spec.turn_rule = TURN_NAMED;
    spec.turn = STR("t1");
    spec.has_usage = true;
    spec.usage = (struct usage){1, 2, 3};
    talk_append(t, session, spec);
    set_state(t, session, "k", "1");
    set_state(t, session, "app:x", "2");
    reference.ref_session = sub.id;
    talk_append(t, session, reference);
    record.session = session;
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    talk_label(t, session, m[1], "label");
    rewind.session = session;
    rewind.point = after_message(m[2]);
    CHECK_OK(engine_rewind(t->rig.engine, &rewind, &t->arena, &moved, &t->fault), &t->fault);
    talk_say_many(t, session, "n", 2);
    talk_undo(t, session);
    talk_redo(t, session);
    fork = talk_fork(t, session, after_index(3)).session.id;
    talk_say_many(t, fork, "f", 3);
    deep = talk_fork(t, fork, after_index(5)).session.id;
    talk_say_many(t, deep, "g", 3);
    talk_rewind(t, deep, before_index(1));
    talk_say(t, deep, ROLE_USER, "end");
}

static int setup(void **state)
{
    struct talk t;

    (void)state;
    scratch_make(directory, sizeof(directory));
    snprintf(sound, sizeof(sound), "%s/sound.db", directory);
    talk_open(&t, &rig_kinds[0], 1);
    furnish(&t);
    talk_verify(&t);
    CHECK_OK(store_backup(t.rig.store, sound, NULL, NULL, &t.fault), &t.fault);
    talk_close(&t);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char bytes[65536];
    size_t n;

    assert_non_null(in);
    assert_non_null(out);
    while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0)
        assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* Runs the statement without the guards of the schema; it must change something. */
static void alter(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys=OFF", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    if (sqlite3_changes(db) == 0)
        fail_msg("nothing was changed by %s", sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void count_problem(void *context, const char *message)
{
    int *count = context;

    assert_true(message[0] != '\0' && !strchr(message, '\n'));
    ++*count;
}

/* How many problems verify finds in the file; what it tells one by one must be as many. */
static int64_t problems(const char *path)
{
    struct sqlite_store_options options = {.path = path};
    struct verify_result first, second;
    struct store *store;
    struct fault fault;
    int told = 0, again = 0;

    CHECK_OK(sqlite_store_open(&options, &store, &fault), &fault);
    CHECK_OK(store_verify(store, count_problem, NULL, &told, &first, &fault), &fault);
    CHECK_OK(store_verify(store, count_problem, NULL, &again, &second, &fault), &fault);
    store_close(store);
    assert_int_equal(first.problems, told);
    assert_int_equal(first.problems, second.problems); /* it mended nothing */
    return first.problems;
}

static void a_sound_store_has_no_problems(void **state)
{
    (void)state;
    assert_int_equal(problems(sound), 0);
}

static void every_alteration_is_found(void **state)
{
    char path[128];
    int missed = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(alterations) / sizeof(alterations[0]); i++) {
        snprintf(path, sizeof(path), "%s/%zu.db", directory, i);
        copy_file(sound, path);
        alter(path, alterations[i].sql);
        if (problems(path) == 0) {
            print_error("not found: %s (%s)\n", alterations[i].name, alterations[i].sql);
            missed++;
        }
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_store_has_no_problems),
        cmocka_unit_test(every_alteration_is_found),
    };

    return cmocka_run_group_tests_name("verify", tests, setup, teardown);
}
