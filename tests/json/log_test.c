/* Exports: every item comes back as it was, and what was cut or changed is noticed. */
#include "dialect/native/log_in.h"
#include "dialect/native/log_out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct buf file;
static struct fault fault;

static int setup(void **state)
{
    (void)state;
    buf_init(&file, 64 << 20);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    buf_clear(&file);
    return 0;
}

static enum fault_code into_file(void *context, struct str bytes, struct fault *f)
{
    (void)f;
    buf_add_str(context, bytes);
    return FAULT_OK;
}

static const char hash[] = "0123456789abcdef0123456789abcdef"; /* 32 bytes */

static struct log_item act(const char *body)
{
    return (struct log_item){.kind = LOG_ACT,
                             .act = {.at = {1, 1},
                                     .kind = ENTRY_MESSAGE,
                                     .role = ROLE_USER,
                                     .id = STR("m1"),
                                     .at_us = 5,
                                     .salt = {hash, 16},
                                     .hash = {hash, 32},
                                     .body = str_of(body)}};
}

enum { SESSIONS = 4 }; /* given before the items, so that they can refer to them */

static void write_items(const struct log_item *items, size_t count)
{
    struct log_out out;

    log_out_init(&out, into_file, &file);
    assert_int_equal(log_out_begin(&out, STR("local"), 7, &fault), FAULT_OK);
    for (int64_t s = 1; s <= SESSIONS; s++)
        assert_int_equal(
            log_out_item(&out,
                         &(struct log_item){.kind = LOG_SESSION,
                                            .session = {.s = s, .family = 1, .id = STR("s")}},
                         &fault),
            FAULT_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(log_out_item(&out, &items[i], &fault), FAULT_OK);
    assert_int_equal(log_out_end(&out, &fault), FAULT_OK);
    log_out_clear(&out);
}

/* Opens what write_items wrote, behind its sessions. */
static void open_items(struct log_in *in)
{
    struct log_item item;
    bool end;

    log_in_init_memory(in, buf_str(&file));
    for (int64_t s = 1; s <= SESSIONS; s++) {
        assert_int_equal(log_in_next(in, &item, &end, &fault), FAULT_OK);
        assert_int_equal(item.kind, LOG_SESSION);
        assert_int_equal(item.session.s, s);
        assert_int_equal(item.session.family, 1);
    }
}

/* Reads bytes to their end; the code of the first fault. */
static enum fault_code read_all(struct str bytes)
{
    struct log_in in;
    struct log_item item;
    bool end = false;
    enum fault_code code = FAULT_OK;

    log_in_init_memory(&in, bytes);
    while (!code && !end)
        code = log_in_next(&in, &item, &end, &fault);
    log_in_clear(&in);
    return code;
}

static void assert_same(struct str a, struct str b)
{
    if (!str_eq(a, b))
        fail_msg("\"%.*s\" is not \"%.*s\"", STR_ARG(a), STR_ARG(b));
}

static void assert_act(const struct log_act *a, const struct log_act *b)
{
    assert_true(address_eq(a->at, b->at) && address_eq(a->ref, b->ref) && address_eq(a->to, b->to));
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->flags, b->flags);
    assert_same(a->id, b->id);
    assert_int_equal(a->id_is_drawn, b->id_is_drawn);
    assert_same(a->turn, b->turn);
    assert_int_equal(a->at_us, b->at_us);
    assert_int_equal(a->has_usage, b->has_usage);
    assert_memory_equal(&a->usage, &b->usage, sizeof(a->usage));
    assert_int_equal(a->calls, b->calls);
    assert_int_equal(a->results, b->results);
    assert_int_equal(a->state.p == NULL, b->state.p == NULL);
    assert_same(a->state, b->state);
    assert_same(a->tree, b->tree);
    assert_int_equal(a->move, b->move);
    assert_int_equal(a->scope, b->scope);
    assert_same(a->salt, b->salt);
    assert_same(a->content, b->content);
    assert_same(a->hash, b->hash);
    assert_same(a->spans, b->spans);
    assert_int_equal(a->erased, b->erased);
    assert_same(a->body, b->body);
}

static void acts_come_back(void **state)
{
    struct log_item items[5] = {act("{\"parts\":[]}"), act("{}"), act(""), act("1"), act("{}")};
    struct log_in in;
    bool end;

    (void)state;
    items[1].act = (struct log_act){.at = {3, 9},
                                    .kind = ENTRY_MOVE,
                                    .id_is_drawn = true,
                                    .id = STR("0190a0a0-0000-7000-8000-000000000001"),
                                    .at_us = 99,
                                    .move = MOVE_UNDO,
                                    .scope = SCOPE_FILES,
                                    .to = {2, 4},
                                    .salt = {hash, 16},
                                    .hash = {hash, 32}};
    items[2].act = (struct log_act){.at = {3, 10},
                                    .kind = ENTRY_EVENT,
                                    .flags = 3,
                                    .id = STR("x:y"),
                                    .turn = STR("t \"1\""),
                                    .has_usage = true,
                                    .usage = {1, 2, 3},
                                    .content = {hash, 32},
                                    .hash = {hash, 32},
                                    .erased = true,
                                    .calls = 2,
                                    .results = 1};
    items[3].act.state = (struct str){"\0\xff\n", 3};
    items[3].act.tree = (struct str){hash, 32};
    items[3].act.spans = (struct str){"\1\0\0\0\2\0\0\0", 8};
    items[3].act.ref = (struct address){1, 1};
    items[4].act.state = STR("");
    write_items(items, 5);
    open_items(&in);
    for (size_t i = 0; i < 5; i++) {
        struct log_item item;

        assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
        assert_false(end);
        assert_int_equal(item.kind, LOG_ACT);
        assert_act(&item.act, &items[i].act);
    }
    assert_int_equal(log_in_next(&in, &(struct log_item){0}, &end, &fault), FAULT_OK);
    assert_true(end);
    assert_int_equal(in.items, SESSIONS + 5);
    log_in_clear(&in);
}

static void bodies_come_back_byte_for_byte(void **state)
{
    static const char *const bodies[] = {
        "{\"a\":12345678901234567890}",
        "{ \"a\" : 1.10 }",
        " {\"a\":1} ",
        "{\"a\":\n1}",
        "{}\n",
        "{\"\\u00e9\":\"\\ud800\"}",
        "{\"a\":1,\"a\":2}",
        "\t[1]",
        "\"plain\"",
        "{\"a\":\r1}",
        "null",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct log_item item = act(bodies[i]);
        struct log_in in;
        bool end;

        buf_reset(&file);
        write_items(&item, 1);
        open_items(&in);
        if (log_in_next(&in, &item, &end, &fault))
            fail_msg("%s: %s", bodies[i], fault.message);
        assert_same(item.act.body, str_of(bodies[i]));
        log_in_clear(&in);
    }
}

static void other_items_come_back(void **state)
{
    struct log_item items[6] = {
        {.kind = LOG_SESSION,
         .session = {.s = 9,
                     .family = 1,
                     .state = SESSION_DELETED,
                     .id = STR("a"),
                     .title = STR("T \"x\""),
                     .agent = STR("n/a"),
                     .metadata = STR("{\"k\":\n1}"),
                     .limits = STR("{}"),
                     .home = STR("a2a"),
                     .settings = STR("{\"a2a\":\n{}}"),
                     .base = {2, 3},
                     .base_version = 7,
                     .parent_s = 2,
                     .archived = true,
                     .parent = {true, STR("p"), STR("pt"), STR("m"), SIDE_AFTER, true},
                     .created_us = 10,
                     .touched_us = 11}},
        {.kind = LOG_NOTE,
         .note = {.s = 4,
                  .note = {.act = NOTE_RENAMED,
                           .at_us = 13,
                           .message = STR("m"),
                           .was = STR("old"),
                           .now = STR("new")}}},
        {.kind = LOG_RECORD,
         .record = {.s = 4,
                    .version = 2,
                    .kind = -3,
                    .id = STR("r"),
                    .turn = STR("t"),
                    .place = {4, 1},
                    .at_us = 14,
                    .body = STR("[1,\n2]")}},
        {.kind = LOG_LABEL, .label = {.in_s = 4, .at = {4, 1}, .text = STR("l\xc3\xa9")}},
        {.kind = LOG_NOTE,
         .note = {.s = 4,
                  .note = {.act = NOTE_TURN_ENDED,
                           .at_us = 15,
                           .message = STR("a turn's name is no id"),
                           .was = STR("why"),
                           .now = STR("failed")}}},
        {.kind = LOG_OBJECT,
         .object = {.hash = {1, 2, 0xff}, .kind = OBJECT_PIECES, .size = 64, .data = {hash, 31}}},
    };
    struct log_item item;
    struct log_in in;
    bool end;

    (void)state;
    write_items(items, 6);
    open_items(&in);
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.session.s, 5); /* the fifth in the file */
    assert_int_equal(item.session.family, 1);
    assert_int_equal(item.session.state, SESSION_DELETED);
    assert_same(item.session.title, items[0].session.title);
    assert_same(item.session.metadata, items[0].session.metadata);
    assert_same(item.session.limits, items[0].session.limits);
    assert_same(item.session.home, STR("a2a"));
    assert_same(item.session.settings, items[0].session.settings);
    assert_true(address_eq(item.session.base, items[0].session.base));
    assert_int_equal(item.session.base_version, 7);
    assert_int_equal(item.session.parent_s, 2);
    assert_true(item.session.archived && item.session.parent.known && item.session.parent.deleted);
    assert_same(item.session.parent.message, STR("m"));
    assert_int_equal(item.session.parent.side, SIDE_AFTER);
    assert_int_equal(item.session.touched_us, 11);
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.note.note.act, NOTE_RENAMED);
    assert_same(item.note.note.was, STR("old"));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.record.kind, -3);
    assert_same(item.record.body, STR("[1,\n2]"));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_same(item.label.text, STR("l\xc3\xa9"));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.note.note.act, NOTE_TURN_ENDED);
    assert_same(item.note.note.message, STR("a turn's name is no id"));
    assert_same(item.note.note.was, STR("why"));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.kind, LOG_OBJECT);
    assert_int_equal(item.object.kind, OBJECT_PIECES);
    assert_int_equal(item.object.size, 64);
    assert_memory_equal(item.object.hash, items[5].object.hash, HASH_BYTES);
    assert_same(item.object.data, items[5].object.data);
    log_in_clear(&in);
}

/* Sessions are numbered as they come; what refers to one that is not there is a fault. */
static void sessions_are_numbered(void **state)
{
    struct log_item items[3] = {act("{}"), act("{}"), act("{}")};
    struct log_item item;
    struct log_in in;
    struct log_out out;
    bool end;

    (void)state;
    items[0] =
        (struct log_item){.kind = LOG_SESSION, .session = {.s = 70, .family = 3, .id = STR("a")}};
    items[1] = (struct log_item){.kind = LOG_SESSION,
                                 .session = {.s = 90,
                                             .family = 3,
                                             .parent_s = 70,
                                             .parent = {.known = true},
                                             .base = {70, 2},
                                             .id = STR("b")}};
    items[2].act.at = (struct address){90, 1};
    items[2].act.flags = ENTRY_ADOPTED;
    items[2].act.ref = (struct address){55, 5}; /* gone */
    write_items(items, 3);
    open_items(&in);
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.session.s, SESSIONS + 1);
    assert_int_equal(item.session.family, SESSIONS + 1);
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_int_equal(item.session.s, SESSIONS + 2);
    assert_int_equal(item.session.family, SESSIONS + 1);
    assert_int_equal(item.session.parent_s, SESSIONS + 1);
    assert_true(address_eq(item.session.base, (struct address){SESSIONS + 1, 2}));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_true(address_eq(item.act.at, (struct address){SESSIONS + 2, 1}));
    assert_true(address_eq(item.act.ref, ADDRESS_START));
    log_in_clear(&in);
    log_out_init(&out, into_file, &file);
    assert_int_equal(log_out_item(&out, &items[2], &fault), FAULT_CORRUPT);
    log_out_clear(&out);
}

/* Cut anywhere, with one byte changed anywhere, or with something behind its end: always refused.
 */
static void damage_is_noticed(void **state)
{
    struct log_item items[2] = {act("{\"a\":1}"), act("{\"b\":\n2}")};
    struct buf copy;

    (void)state;
    write_items(items, 2);
    assert_int_equal(read_all(buf_str(&file)), FAULT_OK);
    buf_init(&copy, 1 << 20);
    for (size_t i = 0; i + 1 < file.n; i++)
        if (read_all((struct str){file.p, i}) == FAULT_OK)
            fail_msg("cut after %zu bytes and taken", i);
    for (size_t i = 0; i < file.n; i++) {
        buf_reset(&copy);
        buf_add(&copy, file.p, file.n);
        copy.p[i] ^= 1;
        if (read_all(buf_str(&copy)) == FAULT_OK)
            fail_msg("byte %zu changed and taken", i);
    }
    buf_reset(&copy);
    buf_add(&copy, file.p, file.n);
    buf_add_text(&copy, "\n");
    assert_int_equal(read_all(buf_str(&copy)), FAULT_INVALID);
    buf_clear(&copy);
}

static void faults_name_the_line(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1: this is not an export of tine"},
        {"hello\n", "line 1: this is not an export of tine"},
        {"{\"tine_export\":2,\"owner\":\"a\",\"at_us\":1}\n",
         "line 1: exports of version 2 are not known to this tine"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n", "line 2: the export is cut off here"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{}\n",
         "line 2: a line has exactly one item"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{\"thing\":{}}\n",
         "line 2: unknown member \"thing\""},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{\"label\":{\"in\":1,\"at\":[1,0],"
         "\"text\":\"a\"}}\n",
         "line 2: member \"at\" in label is out of range"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{\"note\":{\"s\":0,\"act\":"
         "\"created\",\"at_us\":1}}\n",
         "line 2: member \"s\" in note is out of range"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{\"session\":{\"s\":1,\"id\":\"a b\","
         "\"created_us\":1,\"touched_us\":1}}\n",
         "line 2: member \"id\" in session has a character that no id has"},
        {"{\"tine_export\":1,\"owner\":\"a\",\"at_us\":1}\n{\"end\":{\"items\":1,\"sha256\":\"\"}}"
         "\n",
         "line 2: the end speaks of 1 items, 0 were there"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_not_equal(read_all(str_of(cases[i].text)), FAULT_OK);
        assert_string_equal(fault.message, cases[i].message);
    }
}

static void reads_from_a_file(void **state)
{
    struct log_item items[1] = {act("{\"a\":1}")};
    FILE *stream = tmpfile();
    struct log_item item;
    struct log_in in;
    bool end;

    (void)state;
    assert_non_null(stream);
    write_items(items, 1);
    assert_int_equal(fwrite(file.p, 1, file.n, stream), file.n);
    rewind(stream);
    log_in_init_file(&in, stream);
    for (int i = 0; i <= SESSIONS; i++)
        assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_same(item.act.body, STR("{\"a\":1}"));
    assert_int_equal(log_in_next(&in, &item, &end, &fault), FAULT_OK);
    assert_true(end);
    log_in_clear(&in);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(acts_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(bodies_come_back_byte_for_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(other_items_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(sessions_are_numbered, setup, teardown),
        cmocka_unit_test_setup_teardown(damage_is_noticed, setup, teardown),
        cmocka_unit_test_setup_teardown(faults_name_the_line, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_from_a_file, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
