/*
 * Verify finds what was altered behind tine's back. In a sound store every value of every row is
 * changed, one at a time, and every row is taken away; each time verify must find it, and it mends
 * nothing. What only speaks for itself, and so cannot be found wrong, is listed below.
 */
#include "support/grove.h"
#include "support/plant.h"
#include "support/talk.h"

#include "store/sqlite/sqlite_store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Tables of which a row may be missing: nothing else says that it was ever there. */
static const char *const free_tables[] = {"label", "meta", "note",  "owner", "reap",   "record",
                                          "run",   "once", "token", "agent", "intent", "touch"};

/* Values that nothing else in the store depends on, and in which rows that is so. */
static const struct {
    const char *column, *where;
} free_values[] = {
    /* names, times and texts that stand for themselves */
    {"session.id", "1"},
    {"session.owner", "1"},
    {"session.agent", "1"},
    {"session.home", "1"},
    {"session.archived", "1"},
    {"session.state", "1"},
    {"session.created_us", "1"},
    {"session.touched_us", "1"},
    {"session.base_v", "1"},
    {"session.dir", "1"},
    {"session.parent_s", "1"},
    {"session.parent_id", "1"},
    {"session.parent_title", "1"},
    {"session.parent_msg", "1"},
    {"session.parent_side", "1"},
    {"session.fam", "base_s IS NULL"}, /* a fork at the start has nothing else to show for it */
    {"owner.name", "1"},
    {"meta.key", "1"},
    {"meta.value", "1"},
    {"object.born_us", "1"},
    {"state.hops", "1"}, /* only say when the next whole copy is due */
    {"state.since", "1"},
    {"state.whole_size", "1"},
    /* a move is on no path, so no hash covers its id, its time and its salt */
    {"entry.head", "kind = 6"},
    {"entry.salt", "kind = 6"},
    {"entry.e", "1"}, /* found only when it breaks the order */
    {"move.scope", "act NOT IN (2, 3)"},
    {"move.act", "act = 3"}, /* a redo of all there was looks like an adoption */
    /* beside the tree: another place, session or version is as good */
    {"label.in_s", "1"},
    {"label.s", "1"},
    {"label.n", "1"},
    {"label.text", "1"},
    {"record.r", "1"},
    {"record.s", "1"},
    {"record.v", "1"},
    {"record.kind", "1"},
    {"record.rec", "1"},
    {"record.turn", "1"},
    {"record.pn", "1"},
    {"record.at_us", "1"},
    {"record.body", "1"},
    {"note.e", "1"},
    {"note.owner", "1"},
    {"note.s", "1"},
    {"note.act", "1"},
    {"note.at_us", "1"},
    {"note.msg", "1"},
    {"note.was", "1"},
    {"note.now", "1"},
    {"run.turn", "1"},
    {"run.state", "1"}, /* found only when it has ended and the state says it has not */
    {"run.reason", "1"},
    {"run.holder", "1"},
    {"run.started_us", "1"},
    {"run.ended_us", "ended_us IS NOT NULL"},
    {"run.draft", "1"},
    {"once.key", "1"},
    {"once.request", "1"},
    {"once.at_us", "1"},
    {"once.answer", "1"},
    {"token.hash", "1"},
    {"token.label", "1"},
    {"token.created_us", "1"},
    {"agent.name", "1"},
    {"agent.body", "1"},
    {"agent.at_us", "1"},
    {"intent.i", "1"},
    {"intent.s", "1"},
    {"intent.dir", "1"},
    {"intent.dev", "1"},
    {"intent.ino", "1"},
    {"intent.body", "1"},
    {"intent.at_us", "1"},
    {"touch.o", "1"},
    {"touch.at_us", "1"},
};

static char directory[64], sound[128], work[128];

static void set_state(struct talk *t, struct str session, const char *key, const char *value)
{
    struct state_item item = {str_of(key), str_of(value)};
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}"), .state = {&item, 1}};

    talk_append(t, session, spec);
}

static struct str render_nothing(void *context, struct arena *arena)
{
    (void)context, (void)arena;
    return STR("{}");
}

/* Turns that run and have ended, an answer that is kept, a token and an agent. */
static void furnish_desk(struct talk *t)
{
    struct once once = {.owner = t->rig.owner, .key = STR("key"), .render = render_nothing};
    struct append_spec spec = {.owner = t->rig.owner, .once = &once};
    struct user_spec user = {.name = STR("tester"), .label = STR("mine"), .at_us = 1};
    struct agent_row agent = {STR("ns/b"), STR("{}"), 1};
    struct append_result result;
    int64_t owner;

    for (int i = 0; i < 2; i++) {
        struct entry_spec entry = talk_message(t, ROLE_USER, "run");

        spec.session = talk_create(t, "run");
        spec.run = (struct run_step){
            .act = RUN_BEGIN, .turn = STR("r"), .state = RUN_RUNNING, .holder = STR("h")};
        CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
                 &t->fault);
        spec.once = NULL;
    }
    spec.run = (struct run_step){
        .act = RUN_END, .turn = STR("r"), .state = RUN_FAILED, .reason = STR("why")};
    CHECK_OK(engine_append(t->rig.engine, &spec, NULL, 0, &t->arena, &result, &t->fault),
             &t->fault);
    CHECK_OK(store_user_add(t->rig.store, &user, &owner, &t->fault), &t->fault);
    CHECK_OK(store_agent_put(t->rig.store, &agent, true, NULL, NULL, &t->fault), &t->fault);
}

static struct entry_spec bringing(struct grove *grove, struct entry_spec spec, int which)
{
    spec.tree = (struct str){(const char *)grove->trees[which], HASH_BYTES};
    return spec;
}

/* A tree of everything that a tree is made of: directories in one another, a file in pieces. */
static void furnish_tree(struct talk *t)
{
    struct entry_spec spec = {.kind = ENTRY_FILES, .body = STR("{}")};
    struct str big = {arena_alloc(&t->arena, OBJECT_PIECE_BYTES + 10), OBJECT_PIECE_BYTES + 10};
    struct tree_entry in, top[2], out;
    struct plant plant;

    plant_init(&plant, t->rig.store, &t->arena);
    CHECK_OK(plant_file(&plant, STR("in"), STR("deep"), &in, &t->fault), &t->fault);
    CHECK_OK(plant_dir(&plant, STR("a"), &in, 1, &top[0], &t->fault), &t->fault);
    CHECK_OK(plant_file(&plant, STR("b"), big, &top[1], &t->fault), &t->fault);
    CHECK_OK(plant_dir(&plant, STR("top"), top, 2, &out, &t->fault), &t->fault);
    plant_clear(&plant);
    spec.tree = (struct str){(const char *)out.hash, HASH_BYTES};
    talk_append(t, talk_create(t, "tree"), spec);
}

/* Entries with files, a merge, moves of files, one that is going on, a directory. */
static void furnish_files(struct talk *t)
{
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "files"), told = spec;
    struct entry_spec found = {.kind = ENTRY_FILES, .flags = ENTRY_FOREIGN, .body = STR("{}")};
    struct merge_spec merge = {.owner = t->rig.owner, .entry = &told};
    struct workspace_spec place = {.owner = t->rig.owner,
                                   .workspace = {WORKSPACE_ATTACHED, STR("/here")}};
    struct intent_spec intent = {.owner = t->rig.owner,
                                 .dir = STR("/here"),
                                 .body = STR("{}"),
                                 .drawn.b = {1},
                                 .at_us = t->rig.now_us + 1000000};
    struct move_spec rewind = {
        .owner = t->rig.owner, .scope = SCOPE_FILES, .point = after_index(0)};
    struct str session = talk_create(t, "files");
    struct merge_result merged;
    struct move_result moved;
    struct session out;
    struct address head;
    struct grove grove;
    int64_t number;

    grove_plant(&grove, t->rig.store);
    talk_append(t, session, bringing(&grove, spec, 1));
    merge.from = talk_fork(t, session, at_end()).session.id;
    talk_append(t, merge.from, bringing(&grove, spec, 2));
    talk_append(t, session, bringing(&grove, found, 3));
    merge.session = rewind.session = place.session = session;
    told.role = ROLE_SYSTEM;
    merge.files.tree = grove_tree(&grove, t->rig.store, 4);
    CHECK_OK(engine_merge(t->rig.engine, &merge, &t->arena, &merged, &t->fault), &t->fault);
    CHECK_OK(engine_rewind(t->rig.engine, &rewind, &t->arena, &moved, &t->fault), &t->fault);
    talk_undo(t, session);
    talk_redo(t, session);
    CHECK_OK(store_workspace_set(t->rig.store, &place, &t->arena, &out, &t->fault), &t->fault);
    intent.session = session;
    intent.at = out.head_at;
    intent.from = grove_tree(&grove, t->rig.store, 5);
    memcpy(intent.to, grove.trees[2], HASH_BYTES);
    CHECK_OK(store_intent_begin(t->rig.store, &intent, &number, &head, &t->fault), &t->fault);
}

/* Something of everything, so that each alteration has a row to change. Sessions 1, 2, 3 … */
static void furnish(struct talk *t)
{
    const struct str keep[] = {STR("app:")};
    struct create_spec create = {.owner = t->rig.owner,
                                 .title = STR("sub"),
                                 .agent = STR("ns/a"),
                                 .metadata = STR("{\"a\":1}"),
                                 .home = STR("ash"),
                                 .settings = STR("{\"a\":1}")};
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
    furnish_files(t);
    furnish_tree(t);
    furnish_desk(t); /* last, so that no session stands behind those of its turns */
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

static int setup(void **state)
{
    struct talk t;

    (void)state;
    scratch_make(directory, sizeof(directory));
    snprintf(sound, sizeof(sound), "%s/sound.db", directory);
    snprintf(work, sizeof(work), "%s/work.db", directory);
    talk_open(&t, &rig_kinds[0], 1);
    furnish(&t);
    talk_verify(&t);
    CHECK_OK(store_backup(t.rig.store, sound, NULL, NULL, &t.fault), &t.fault);
    talk_close(&t);
    copy_file(sound, work);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

/* ---- altering ---- */

struct bench {
    struct store *store;
    sqlite3 *db; /* the same file, behind the store's back; beside it, as `sound`, how it was */
    struct arena arena;
    struct fault fault;
    int tried, missed;
};

static void run_sql(struct bench *bench, const char *sql)
{
    char *message = NULL;

    if (sqlite3_exec(bench->db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static void bench_open(struct bench *bench)
{
    struct sqlite_store_options options = {.path = work};

    *bench = (struct bench){0};
    arena_init(&bench->arena);
    CHECK_OK(sqlite_store_open(&options, &bench->store, &bench->fault), &bench->fault);
    assert_int_equal(sqlite3_open(work, &bench->db), SQLITE_OK);
    run_sql(bench, "PRAGMA foreign_keys=OFF; PRAGMA synchronous=OFF");
    run_sql(bench, arena_printf(&bench->arena, "ATTACH '%s' AS sound", sound).p);
}

static void bench_close(struct bench *bench)
{
    assert_int_equal(sqlite3_close(bench->db), SQLITE_OK);
    store_close(bench->store);
    arena_clear(&bench->arena);
}

/* All values of the first column that a query gives. */
static const char **query(struct bench *bench, const char *sql, size_t *count)
{
    const char **values = arena_array(&bench->arena, 1000, sizeof(*values));
    sqlite3_stmt *q;

    *count = 0;
    if (sqlite3_prepare_v2(bench->db, sql, -1, &q, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(bench->db));
    while (sqlite3_step(q) == SQLITE_ROW && *count < 1000)
        values[(*count)++] =
            arena_dup(&bench->arena, str_of((const char *)sqlite3_column_text(q, 0))).p;
    sqlite3_finalize(q);
    return values;
}

static void count_problem(void *context, const char *message)
{
    int64_t *count = context;

    assert_true(message[0] != '\0' && !strchr(message, '\n'));
    ++*count;
}

/* How many problems verify finds; what it tells one by one must be as many. */
static int64_t problems(struct bench *bench)
{
    struct verify_result result;
    int64_t told = 0;

    CHECK_OK(store_verify(bench->store, count_problem, NULL, &told, &result, &bench->fault),
             &bench->fault);
    assert_int_equal(result.problems, told);
    return told;
}

/* Does this to the table, unless the schema itself forbids it; verify must find it. */
static void alter(struct bench *bench, const char *table, const char *sql)
{
    if (sqlite3_exec(bench->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        assert_int_equal(sqlite3_errcode(bench->db) & 0xff, SQLITE_CONSTRAINT);
        return;
    }
    assert_int_equal(sqlite3_changes(bench->db), 1);
    bench->tried++;
    if (problems(bench) == 0) {
        print_error("not found: %s\n", sql);
        bench->missed++;
    }
    run_sql(bench, arena_printf(&bench->arena,
                                "BEGIN; DELETE FROM main.%s;"
                                "INSERT INTO main.%s SELECT * FROM sound.%s; COMMIT",
                                table, table, table)
                       .p);
}

static bool is_in(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

/* Conditions that name one row each, by the primary key; those to be passed over are left out. */
static const char **rows_of(struct bench *bench, const char *table, const char *but, size_t *count)
{
    size_t keys;
    const char **key = query(
        bench,
        arena_printf(&bench->arena,
                     "SELECT name FROM pragma_table_info('%s') WHERE pk > 0 ORDER BY pk", table)
            .p,
        &keys);
    const char *words = "''";

    assert_true(keys > 0);
    for (size_t i = 0; i < keys; i++)
        words = arena_printf(&bench->arena, "%s || '%s%s = ' || quote(%s)", words, i ? " AND " : "",
                             key[i], key[i])
                    .p;
    return query(
        bench,
        arena_printf(&bench->arena, "SELECT %s FROM main.%s WHERE NOT (%s)", words, table, but).p,
        count);
}

/* Values to put in the place of one: another number, a longer text, bytes of which one is another.
 */
static const char **others_of(struct bench *bench, const char *table, const char *column,
                              const char *row, size_t *count)
{
    static const char form[] =
        "WITH v(x) AS (SELECT %s FROM main.%s WHERE %s),"
        " places(i) AS (SELECT 1 UNION SELECT (length(x) + 1) / 2 FROM v"
        "               UNION SELECT length(x) FROM v)"
        "SELECT DISTINCT CASE typeof(x)"
        " WHEN 'integer' THEN quote(x + 1)"
        " WHEN 'text' THEN quote(x || 'x')"
        " ELSE 'x''' || hex(substr(x, 1, i - 1))"
        "      || CASE hex(substr(x, i, 1)) WHEN '41' THEN '42' ELSE '41' END"
        "      || hex(substr(x, i + 1)) || '''' END "
        "FROM v, places WHERE x IS NOT NULL AND i > 0";

    return query(bench, arena_printf(&bench->arena, form, column, table, row).p, count);
}

/* The rows in which the value is free. */
static const char *free_where(struct bench *bench, const char *table, const char *column)
{
    const char *name = arena_printf(&bench->arena, "%s.%s", table, column).p;

    for (size_t i = 0; i < sizeof(free_values) / sizeof(free_values[0]); i++)
        if (strcmp(free_values[i].column, name) == 0)
            return free_values[i].where;
    return "0";
}

static void alter_values(struct bench *bench, const char *table, const char *column)
{
    size_t rows, others;
    const char **row = rows_of(bench, table, free_where(bench, table, column), &rows);

    for (size_t i = 0; i < rows; i++) {
        const char **other = others_of(bench, table, column, row[i], &others);

        for (size_t k = 0; k < others; k++)
            alter(bench, table,
                  arena_printf(&bench->arena, "UPDATE main.%s SET %s = %s WHERE %s", table, column,
                               other[k], row[i])
                      .p);
    }
}

static void take_rows_away(struct bench *bench, const char *table)
{
    size_t rows;
    const char **row = rows_of(bench, table, "0", &rows);

    for (size_t i = 0; i < rows; i++)
        alter(bench, table,
              arena_printf(&bench->arena, "DELETE FROM main.%s WHERE %s", table, row[i]).p);
}

static const char **tables(struct bench *bench, size_t *count)
{
    return query(
        bench,
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
        count);
}

/* ---- the tests ---- */

static void a_sound_store_has_no_problems(void **state)
{
    struct bench bench;

    (void)state;
    bench_open(&bench);
    assert_int_equal(problems(&bench), 0);
    bench_close(&bench);
}

static void a_changed_value_is_found(void **state)
{
    struct bench bench;
    size_t count, columns;
    const char **table;

    (void)state;
    bench_open(&bench);
    table = tables(&bench, &count);
    for (size_t i = 0; i < count; i++) {
        const char **column = query(
            &bench,
            arena_printf(&bench.arena, "SELECT name FROM pragma_table_info('%s')", table[i]).p,
            &columns);

        for (size_t k = 0; k < columns; k++)
            alter_values(&bench, table[i], column[k]);
    }
    printf("# %d values were changed\n", bench.tried);
    assert_true(bench.tried > 300);
    assert_int_equal(bench.missed, 0);
    assert_int_equal(problems(&bench), 0); /* all was put right again */
    bench_close(&bench);
}

static void a_missing_row_is_found(void **state)
{
    struct bench bench;
    size_t count;
    const char **table;

    (void)state;
    bench_open(&bench);
    table = tables(&bench, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_in(free_tables, sizeof(free_tables) / sizeof(free_tables[0]), table[i]))
            take_rows_away(&bench, table[i]);
    printf("# %d rows were taken away\n", bench.tried);
    assert_true(bench.tried > 50);
    assert_int_equal(bench.missed, 0);
    assert_int_equal(problems(&bench), 0);
    bench_close(&bench);
}

/* Verify only looks: the file is the same before and after. */
static void verify_changes_nothing(void **state)
{
    struct bench bench;
    int64_t first;

    (void)state;
    bench_open(&bench);
    run_sql(&bench, "DELETE FROM main.line WHERE depth > 0");
    first = problems(&bench);
    assert_true(first > 0);
    assert_int_equal(problems(&bench), first);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_store_has_no_problems),
        cmocka_unit_test(a_changed_value_is_found),
        cmocka_unit_test(a_missing_row_is_found),
        cmocka_unit_test(verify_changes_nothing),
    };

    return cmocka_run_group_tests_name("verify", tests, setup, teardown);
}
