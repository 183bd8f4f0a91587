/* Replies of the server, good ones and others, as structs. */
#include "support/check.h"

#include "base/buf.h"
#include "client/reply.h"

#include <stdlib.h>

struct tried {
    struct arena arena;
    struct tine_error error;
    struct tine_result result;
    bool done;
};

static struct tried *try_read(const char *json, enum reply_shape shape)
{
    struct tried *tried = calloc(1, sizeof(*tried));
    struct reader reader;

    assert_non_null(tried);
    arena_init(&tried->arena);
    reader = (struct reader){.arena = &tried->arena, .error = &tried->error};
    tried->done = reply_read(&reader, str_of(json), shape, &tried->result);
    return tried;
}

static void tried_free(struct tried *tried)
{
    arena_clear(&tried->arena);
    free(tried);
}

static void a_session_is_read(void **state)
{
    static const char json[] =
        "{\"id\":\"s1\",\"title\":\"A \\\"b\\\" "
        "\\u00e9\",\"agent\":\"tine/shell\",\"user\":\"local\","
        "\"parent\":{\"session\":\"s0\",\"message\":null,\"side\":\"before\",\"title\":\"Old\","
        "\"index\":3,"
        "\"deleted\":true},\"head\":\"m2\",\"messages\":5,\"turn\":{\"id\":\"t1\",\"state\":"
        "\"running\"},"
        "\"usage\":{\"input_tokens\":9007199254740993,\"output_tokens\":2,\"cost\":0.000000001,"
        "\"inherited\":{\"input_tokens\":1,\"output_tokens\":2,\"cost\":1.5},\"spent\":{\"cost\":2}"
        "},"
        "\"state\":{\"k\":12345678901234567890},\"metadata\":{ \"a\" : 1 },\"limits\":{},"
        "\"workspace\":{\"dir\":null,\"mode\":\"own\"},\"children\":2,\"archived\":true,"
        "\"created_at\":\"2024-02-29T12:34:56.789Z\",\"updated_at\":\"1970-01-01T00:00:00Z\","
        "\"something\":{\"new\":[]}}";
    struct tried *t = try_read(json, REPLY_SESSION);
    const struct tine_session *s = t->result.session;

    (void)state;
    assert_true(t->done);
    assert_string_equal(s->id, "s1");
    assert_string_equal(s->title, "A \"b\" \xc3\xa9");
    assert_string_equal(s->parent->session, "s0");
    assert_null(s->parent->message);
    assert_int_equal(s->parent->index, 3);
    assert_true(s->parent->deleted);
    assert_string_equal(s->turn, "t1");
    assert_string_equal(s->turn_state, "running");
    assert_true(s->usage.input_tokens == INT64_C(9007199254740993));
    assert_int_equal(s->usage.cost_nano, 1);
    assert_int_equal(s->inherited.cost_nano, 1500000000);
    assert_int_equal(s->spent.cost_nano, 2000000000);
    assert_string_equal(s->state, "{\"k\":12345678901234567890}");
    assert_string_equal(s->metadata, "{ \"a\" : 1 }");
    assert_null(s->workspace_dir);
    assert_string_equal(s->workspace_mode, "own");
    assert_true(s->created_ms == INT64_C(1709210096789));
    assert_int_equal(s->updated_ms, 0);
    assert_string_equal(s->json, json);
    tried_free(t);
}

static void messages_are_read(void **state)
{
    struct tried *t = try_read(
        "{\"messages\":[{\"id\":\"m1\",\"index\":0,\"role\":\"assistant\",\"turn\":\"t\",\"parts\":"
        "["
        "{\"type\":\"text\",\"text\":\"a\\u0000b\"},"
        "{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"bash\",\"arguments\":{\"n\":1e400}},"
        "{\"type\":\"tool_result\",\"call\":\"c\",\"output\":{\"x\":1},\"error\":true},"
        "{\"type\":\"file\",\"name\":\"f\",\"media_type\":\"a/b\",\"uri\":\"u\"},"
        "{\"type\":\"brand_new\",\"text\":7}],"
        "\"usage\":{\"input_tokens\":1,\"output_tokens\":2,\"cost\":0},\"settled\":true},"
        "{\"id\":\"m2\",\"index\":null,\"kind\":\"move\",\"move\":\"rewind\","
        "\"to\":{\"session\":\"s\",\"message\":\"m1\"},\"messages\":4,\"role\":null,\"usage\":null}"
        "],"
        "\"next\":\"abc\"}",
        REPLY_MEMBERS);
    const struct tine_message *m = t->result.messages;

    (void)state;
    assert_true(t->done);
    assert_int_equal(t->result.message_count, 2);
    assert_int_equal(m[0].part_count, 5);
    assert_int_equal(m[0].parts[0].text_bytes, 3);
    assert_memory_equal(m[0].parts[0].text, "a\0b", 4);
    assert_string_equal(m[0].parts[1].arguments, "{\"n\":1e400}");
    assert_string_equal(m[0].parts[2].text, "{\"x\":1}");
    assert_true(m[0].parts[2].error);
    assert_string_equal(m[0].parts[3].uri, "u");
    assert_string_equal(m[0].parts[4].text, "7");
    assert_true(m[0].has_usage && m[0].settled && !m[1].has_usage);
    assert_string_equal(m[0].kind, "message");
    assert_int_equal(m[1].index, -1);
    assert_string_equal(m[1].move, "rewind");
    assert_string_equal(m[1].to_message, "m1");
    assert_int_equal(m[1].to_index, 4);
    assert_null(m[1].role);
    assert_string_equal(t->result.next, "abc");
    tried_free(t);
}

static void other_replies_are_read(void **state)
{
    struct tried *t = try_read(
        "{\"session\":{\"id\":\"s\"},\"point\":{\"message\":\"m\",\"side\":\"before\",\"index\":3,"
        "\"snapped\":true},\"rewind\":{\"id\":null,\"act\":\"adopt\",\"from\":\"a\",\"to\":null,"
        "\"dropped\":1,\"kept\":2,\"added\":3},\"excluded\":{\"id\":\"x\"},\"files\":{\"restored\":"
        "[]},"
        "\"hits\":[{\"session\":\"s\",\"title\":\"t\",\"message\":null,\"snippet\":\"abc\","
        "\"matches\":[[0,1],[2,3]]}],\"entries\":[{\"event\":9,\"act\":\"renamed\",\"message\":"
        "null,"
        "\"was\":\"a\",\"now\":\"b\"},{\"event\":10,\"act\":\"message\",\"entry\":{\"id\":\"m\"}}],"
        "\"labels\":[{\"label\":\"l\",\"message\":\"m\",\"index\":null,\"inherited\":true}],"
        "\"agents\":[{\"id\":\"a/"
        "b\",\"namespace\":\"a\",\"name\":\"b\",\"kind\":\"shell\",\"model\":null,"
        "\"default\":true}],\"turn\":{\"id\":\"t\",\"state\":\"failed\",\"reason\":\"why\"},"
        "\"repeated\":true,\"root\":\"r\"}",
        REPLY_MEMBERS);
    const struct tine_result *r = &t->result;

    (void)state;
    assert_true(t->done);
    assert_string_equal(r->session->id, "s");
    assert_true(r->point->snapped && r->point->index == 3);
    assert_string_equal(r->move->act, "adopt");
    assert_int_equal(r->move->added, 3);
    assert_null(r->move->id);
    assert_string_equal(r->excluded->id, "x");
    assert_int_equal(r->hits[0].match_count, 2);
    assert_int_equal(r->hits[0].matches[1][1], 3);
    assert_string_equal(r->entries[0].now, "b");
    assert_null(r->entries[0].message);
    assert_string_equal(r->entries[1].message->id, "m");
    assert_int_equal(r->labels[0].index, -1);
    assert_true(r->agents[0].is_default);
    assert_null(r->agents[0].model);
    assert_string_equal(r->turn_state, "failed");
    assert_string_equal(r->reason, "why");
    assert_true(r->repeated);
    assert_string_equal(r->root, "r");
    tried_free(t);
}

static void a_tree_is_read(void **state)
{
    struct tried *t = try_read(
        "{\"root\":\"a\",\"sessions\":[{\"id\":\"a\",\"parent\":null,\"point\":null,\"index\":0},"
        "{\"id\":\"b\",\"parent\":\"a\",\"point\":{\"message\":\"m\",\"side\":\"after\"},\"index\":"
        "2,"
        "\"own_messages\":4,\"current\":true,\"labels\":[{\"label\":\"l\",\"message\":\"m\"}],"
        "\"rewound\":[{\"index\":1,\"messages\":2,\"first\":{\"id\":\"m9\"}}]}]}",
        REPLY_MEMBERS);
    const struct tine_session *b;

    (void)state;
    assert_true(t->done);
    assert_null(t->result.sessions[0].parent);
    b = &t->result.sessions[1];
    assert_string_equal(b->parent->session, "a");
    assert_string_equal(b->parent->message, "m");
    assert_int_equal(b->parent->index, 2);
    assert_int_equal(b->own_messages, 4);
    assert_true(b->current);
    assert_string_equal(b->labels[0].label, "l");
    assert_string_equal(b->rewound[0].first->id, "m9");
    tried_free(t);
}

static void events_are_read(void **state)
{
    struct arena arena;
    struct tine_error error;
    struct reader reader = {.arena = &arena, .error = &error};
    struct tine_event delta = {0}, end = {0}, added = {0};

    (void)state;
    arena_init(&arena);
    assert_true(
        reply_event(&reader,
                    STR("{\"session\":\"s\",\"turn\":\"t\",\"step\":1,\"kind\":\"output\","
                        "\"call\":{\"id\":\"c\",\"name\":\"bash\"},\"offset\":5,\"text\":\"x\"}"),
                    &delta));
    assert_string_equal(delta.text, "x");
    assert_string_equal(delta.kind, "output");
    assert_string_equal(delta.call_name, "bash");
    assert_string_equal(delta.turn, "t");
    assert_int_equal(delta.offset, 5);
    assert_true(reply_event(&reader,
                            STR("{\"session\":\"s\",\"turn\":{\"id\":\"t\",\"state\":\"failed\","
                                "\"reason\":\"no\"}}"),
                            &end));
    assert_string_equal(end.turn, "t");
    assert_string_equal(end.turn_state, "failed");
    assert_string_equal(end.reason, "no");
    assert_true(reply_event(&reader, STR("{\"message\":{\"id\":\"m\",\"large\":true}}"), &added));
    assert_true(added.message->large);
    assert_false(reply_event(&reader, STR("[]"), &added));
    assert_string_equal(error.code, "protocol");
    arena_clear(&arena);
}

static void nonsense_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",
        "nonsense",
        "[]",
        "{\"messages\":{}}",
        "{\"messages\":[1]}",
        "{\"messages\":[{\"id\":7}]}",
        "{\"messages\":[{\"parts\":{}}]}",
        "{\"messages\":[{\"index\":1.5}]}",
        "{\"messages\":[{\"created_at\":\"yesterday\"}]}",
        "{\"messages\":[{\"created_at\":\"2024-13-01T00:00:00Z\"}]}",
        "{\"sessions\":[{\"usage\":[]}]}",
        "{\"sessions\":[{\"usage\":{\"cost\":-1}}]}",
        "{\"sessions\":[{\"parent\":[]}]}",
        "{\"sessions\":[{\"rewound\":[{}]}]}",
        "{\"session\":\"s\"}",
        "{\"hits\":[{\"matches\":[[1]]}]}",
        "{\"hits\":[{\"matches\":[[3,1]]}]}",
        "{\"next\":5}",
        "{\"session\":{\"turn\":7}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct tried *t = try_read(wrong[i], REPLY_MEMBERS);

        if (t->done)
            fail_msg("this was taken: %s", wrong[i]);
        assert_string_equal(t->error.code, "protocol");
        assert_int_equal(t->error.status, 0);
        assert_true(t->error.detail[0] != '\0');
        tried_free(t);
    }
}

static void too_many_things_are_refused(void **state)
{
    struct tried *t;
    struct buf text;

    (void)state;
    buf_init(&text, 10 * 1024 * 1024);
    buf_add_text(&text, "{\"messages\":[{}");
    for (int i = 0; i < REPLY_ITEMS; i++)
        buf_add_text(&text, ",{}");
    buf_add_text(&text, "]}");
    t = try_read(buf_str(&text).p, REPLY_MEMBERS);
    assert_false(t->done);
    assert_string_equal(t->error.code, "reply_too_large");
    tried_free(t);
    buf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_is_read),
        cmocka_unit_test(messages_are_read),
        cmocka_unit_test(other_replies_are_read),
        cmocka_unit_test(a_tree_is_read),
        cmocka_unit_test(events_are_read),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(too_many_things_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
