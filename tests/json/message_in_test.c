/* Messages of the native API: what becomes of them, and what is refused. */
#include "message/message_in.h"

#include "base/escape.h"
#include "store/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;
static struct fault fault;
static struct message_batch batch;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct entry_spec *read_one(const char *text)
{
    if (message_read(str_of(text), &arena, &batch, &fault))
        fail_msg("refused: %s", fault.message);
    assert_int_equal(batch.count, 1);
    return batch.entries;
}

static void assert_str(struct str s, const char *expected)
{
    if (!str_eq(s, str_of(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), expected);
}

static struct str span_of(const struct entry_spec *entry, size_t i)
{
    assert_true(i < entry->span_count);
    assert_true(entry->spans[i].from + entry->spans[i].length <= entry->body.n);
    return (struct str){entry->body.p + entry->spans[i].from, entry->spans[i].length};
}

static void takes_text(void **state)
{
    const struct entry_spec *entry = read_one("{\"text\":\"a \\\"b\\\" \\u00e9\"}");

    (void)state;
    assert_str(entry->body, "{\"parts\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\" \\u00e9\"}]}");
    assert_int_equal(entry->span_count, 1);
    assert_str(span_of(entry, 0), "a \\\"b\\\" \\u00e9");
    assert_int_equal(entry->role, ROLE_USER);
    assert_int_equal(entry->turn_rule, TURN_NEW);
    assert_int_equal(batch.run, RUN_NOT_SAID);
}

static void keeps_parts_byte_for_byte(void **state)
{
    static const char parts[] =
        "[ {\"type\" : \"text\",\"text\":\"hi\"},\n "
        "{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"n\","
        "\"arguments\":{\"big\":12345678901234567890,\"f\":1.10}},{\"type\":\"tool_result\","
        "\"call\":\"c\","
        "\"output\":\"out\",\"error\":false} "
        ",{\"type\":\"tool_result\",\"call\":\"d\",\"output\":[1]}, "
        "{\"type\":\"file\",\"name\":\"f\",\"media_type\":\"m\",\"uri\":\"u\"},"
        "{\"type\":\"data\",\"data\":{}},{\"type\":\"reasoning\",\"text\":\"r\"}]";
    struct str json = arena_printf(
        &arena, "{\"metadata\":{\"k\": 1.0},\"parts\":%s,\"role\":\"assistant\",\"id\":\"m1\"}",
        parts);
    const struct entry_spec *entry = read_one(json.p);
    struct str expected = arena_printf(&arena, "{\"parts\":%s,\"metadata\":{\"k\": 1.0}}", parts);

    (void)state;
    assert_str(entry->body, expected.p);
    assert_str(entry->id, "m1");
    assert_int_equal(entry->calls, 1);
    assert_int_equal(entry->results, 2);
    assert_int_equal(entry->span_count, 2);
    assert_str(span_of(entry, 0), "hi");
    assert_str(span_of(entry, 1), "out");
    assert_int_equal(entry->turn_rule, TURN_JOIN);
}

static void reads_what_stands_beside(void **state)
{
    const struct entry_spec *entry =
        read_one("{\"text\":\"x\",\"turn\":\"t1\",\"run\":false,\"usage\":{\"input_tokens\":3,"
                 "\"cost\":0.00396},\"state\":{\"b\":{\"x\":1},\"a\":null}}");

    (void)state;
    assert_int_equal(entry->turn_rule, TURN_NAMED);
    assert_str(entry->turn, "t1");
    assert_int_equal(batch.run, RUN_NO);
    assert_true(entry->has_usage);
    assert_int_equal(entry->usage.input, 3);
    assert_int_equal(entry->usage.output, 0);
    assert_int_equal(entry->usage.cost, 3960000);
    assert_int_equal(entry->state.count, 2);
    assert_str(entry->state.items[0].key, "a");
    assert_null(entry->state.items[0].value.p);
    assert_str(entry->state.items[1].value, "{\"x\":1}");
}

static void takes_batches(void **state)
{
    (void)state;
    assert_int_equal(message_read(STR("{\"messages\":[{\"text\":\"a\"},{\"role\":\"system\","
                                      "\"text\":\"b\"}],\"run\":true}"),
                                  &arena, &batch, &fault),
                     FAULT_OK);
    assert_int_equal(batch.count, 2);
    assert_int_equal(batch.run, RUN_YES);
    assert_int_equal(batch.entries[1].role, ROLE_SYSTEM);
    assert_int_equal(batch.entries[1].turn_rule, TURN_NONE);
}

static void makes_a_message_of_text(void **state)
{
    struct entry_spec entry = message_of_text(ROLE_TOOL, STR("a\n\"\x01"), &arena);
    struct buf text;

    (void)state;
    assert_str(entry.body, "{\"parts\":[{\"type\":\"text\",\"text\":\"a\\n\\\"\\u0001\"}]}");
    buf_init(&text, 64);
    unescape_json(&text, span_of(&entry, 0));
    assert_str(buf_str(&text), "a\n\"\x01");
    buf_clear(&text);
    entry = message_of_text(ROLE_USER, STR(""), &arena);
    assert_int_equal(entry.span_count, 0);
}

static void refuses(void **state)
{
    static const struct {
        const char *json, *message;
    } cases[] = {
        {"{}", "one of \"text\" and \"parts\" must be given"},
        {"{\"text\":\"a\",\"parts\":[]}", "one of \"text\" and \"parts\" must be given, not both"},
        {"{\"parts\":[]}", "parts is empty"},
        {"{\"tetx\":\"a\"}", "unknown member \"tetx\""},
        {"{\"text\":1}", "member \"text\" must be a string"},
        {"{\"text\":\"a\",\"role\":\"boss\"}",
         "role must be \"user\", \"assistant\", \"tool\" or \"system\""},
        {"{\"text\":\"a\",\"id\":\"\"}", "id is empty"},
        {"{\"text\":\"a\",\"metadata\":[]}", "member \"metadata\" must be an object"},
        {"{\"parts\":[{\"type\":\"txt\"}]}", "parts[0] has the unknown type \"txt\""},
        {"{\"parts\":[{\"text\":\"a\"}]}", "parts[0] must be an object with a \"type\""},
        {"{\"parts\":[7]}", "parts[0] must be an object with a \"type\""},
        {"{\"parts\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\"}]}",
         "member \"text\" is missing in parts[1]"},
        {"{\"parts\":[{\"type\":\"text\",\"text\":\"a\",\"x\":1}]}",
         "unknown member \"x\" in parts[0]"},
        {"{\"parts\":[{\"type\":\"file\",\"name\":\"a\",\"media_type\":\"b\"}]}",
         "parts[0] needs either \"bytes\" or \"uri\""},
        {"{\"text\":\"a\",\"usage\":{\"cost\":-1}}",
         "\"cost\" in usage must be a number from 0 to 1e6"},
        {"{\"text\":\"a\",\"usage\":{\"cost\":1000000.000000001}}",
         "\"cost\" in usage must be a number from 0 to 1e6"},
        {"{\"text\":\"a\",\"usage\":{\"input_tokens\":9223372036854775807}}",
         "\"input_tokens\" and \"output_tokens\" in usage must be whole numbers from 0 to 1e12"},
        {"{\"text\":\"a\",\"state\":{\"k\":1,\"\\u006b\":2}}", "key \"k\" stands twice in state"},
        {"{\"messages\":[]}", "messages is empty"},
        {"{\"messages\":[{\"text\":\"a\"},{\"text\":2}]}",
         "member \"text\" in messages[1] must be a string"},
        {"{\"messages\":[{\"text\":\"a\",\"run\":true}]}", "unknown member \"run\" in messages[0]"},
        {"{\"messages\":[{\"parts\":[{\"type\":\"data\",\"data\":1}]}]}",
         "member \"data\" in messages[0].parts[0] must be an object"},
        {"[]", "it must be an object"},
        {"{\"text\":\"a\"", "the message is not valid JSON: a comma or } is expected at byte 11"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(message_read(str_of(cases[i].json), &arena, &batch, &fault),
                         FAULT_INVALID);
        assert_string_equal(fault.message, cases[i].message);
    }
}

static void takes_what_a_send_says(void **state)
{
    static const struct {
        const char *json, *message;
    } refused[] = {
        {"{\"text\":\"a\",\"busy\":\"x\"}", "\"busy\" must be \"refuse\" or \"wait\""},
        {"{\"text\":\"a\",\"expect_head\":1}", "member \"expect_head\" must be a string"},
        {"{\"messages\":[{\"text\":\"a\",\"busy\":\"wait\"}]}",
         "unknown member \"busy\" in messages[0]"},
    };

    (void)state;
    assert_int_equal(
        message_send_read(STR("{\"text\":\"a\",\"expect_head\":\"m1\"}"), &arena, &batch, &fault),
        FAULT_OK);
    assert_str(batch.expect_head, "m1");
    assert_true(batch.single && !batch.wait);
    assert_int_equal(message_send_read(STR("{\"messages\":[{\"text\":\"a\"}],\"busy\":\"wait\","
                                           "\"expect_head\":\"\",\"run\":true}"),
                                       &arena, &batch, &fault),
                     FAULT_OK);
    assert_true(!batch.single && batch.wait && batch.run == RUN_YES && batch.expect_head.p);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_equal(message_send_read(str_of(refused[i].json), &arena, &batch, &fault),
                         FAULT_INVALID);
        assert_string_equal(fault.message, refused[i].message);
    }
    assert_int_equal(
        message_read(STR("{\"text\":\"a\",\"busy\":\"wait\"}"), &arena, &batch, &fault),
        FAULT_INVALID);
    assert_string_equal(fault.message, "unknown member \"busy\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_text, setup, teardown),
        cmocka_unit_test_setup_teardown(keeps_parts_byte_for_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_what_stands_beside, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_batches, setup, teardown),
        cmocka_unit_test_setup_teardown(makes_a_message_of_text, setup, teardown),
        cmocka_unit_test_setup_teardown(takes_what_a_send_says, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
