/* JSON from outside: what is taken, what is refused, and that bytes stay as they came. */
#include "json/json_in.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DEPTH = 8 };

static bool taken(struct str bytes)
{
    struct json_value value;
    struct fault fault;

    return json_read(bytes, DEPTH, "it", &value, &fault) == FAULT_OK;
}

static void accepts_json(void **state)
{
    static const char *const good[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-1.5e+10",
        "1E5",
        "\"\"",
        "\"a\\u00e9\\n\\/\"",
        "[]",
        "{}",
        " [ 1 , 2 ] ",
        "{\"a\":{\"b\":[null,true,\"x\"]}}",
        "\t\r\n1\n",
        "[[[[[[[[1]]]]]]]]",
        "\"\\ud83d\\ude00\"",
        "123456789012345678901234567890",
        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "\"\\u0000\"",
        "\"\x7f\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        if (!taken(str_of(good[i])))
            fail_msg("refused: %s", good[i]);
}

static void refuses_what_is_not_json(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "nul",
        "nulll",
        "NaN",
        "Infinity",
        "-Infinity",
        "-",
        "+1",
        "01",
        "-01",
        "1.",
        ".5",
        "1e",
        "1e+",
        "0x10",
        "--1",
        "1 2",
        "[1]x",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "}",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{1:2}",
        "'a'",
        "\"",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\x01\"",
        "/*c*/1",
        "//c\n1",
        "[[[[[[[[[1]]]]]]]]]",
        "\xef\xbb\xbf"
        "1",
        "\"\xc0\x80\"",
        "\"\xed\xa0\x80\"",
        "\"\xf5\x80\x80\x80\"",
        "\"\xc3\"",
        "True",
        "[1\f]",
        "[\v1]",
        "\xa0"
        "1",
        "[1}",
        "{\"a\":1]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (taken(str_of(bad[i])))
            fail_msg("taken: %s", bad[i]);
    assert_false(taken((struct str){"\"a\0b\"", 5}));
    assert_false(taken((struct str){"1\0", 2}));
}

static void says_what_and_where(void **state)
{
    struct json_value value;
    struct fault fault;

    (void)state;
    assert_int_equal(json_read(STR("{\"a\":tru}"), DEPTH, "metadata", &value, &fault),
                     FAULT_INVALID);
    assert_string_equal(fault.message,
                        "metadata is not valid JSON: unexpected character at byte 5");
    assert_int_equal(json_read(STR("[1] [2]"), DEPTH, "it", &value, &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "it is not valid JSON: something follows its end at byte 4");
    assert_int_equal(json_read(STR("\"ab\xff\""), DEPTH, "it", &value, &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "it is not valid UTF-8 at byte 3");
}

static struct json_value read_one(const char *text)
{
    struct json_value value;
    struct fault fault;

    assert_int_equal(json_read(str_of(text), 64, "it", &value, &fault), FAULT_OK);
    return value;
}

static void assert_str(struct str s, const char *expected)
{
    if (!str_eq(s, str_of(expected)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), expected);
}

static void walks_raw_bytes(void **state)
{
    struct json_value value =
        read_one(" {\"a\" : 9007199254740993 , \"b\\n\":[ 1,{\"x\":\"}\\\"]\"} ] ,\"c\":\"\"} ");
    struct json_walk walk, inner;

    (void)state;
    assert_int_equal(value.type, JSON_OBJECT);
    json_walk_begin(&walk, &value);
    assert_true(json_walk_next(&walk));
    assert_str(walk.key, "a");
    assert_str(walk.value.raw, "9007199254740993");
    assert_true(json_walk_next(&walk));
    assert_str(walk.key, "b\\n");
    assert_str(walk.value.raw, "[ 1,{\"x\":\"}\\\"]\"} ]");
    json_walk_begin(&inner, &walk.value);
    assert_true(json_walk_next(&inner));
    assert_str(inner.value.raw, "1");
    assert_true(json_walk_next(&inner));
    assert_str(inner.value.raw, "{\"x\":\"}\\\"]\"}");
    assert_false(json_walk_next(&inner));
    assert_true(json_walk_next(&walk));
    assert_str(walk.value.raw, "\"\"");
    assert_false(json_walk_next(&walk));
}

static void walks_empty_ones(void **state)
{
    static const char *const empty[] = {"{}", "[]", "{ }", "[\n]"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct json_value value = read_one(empty[i]);
        struct json_walk walk;

        json_walk_begin(&walk, &value);
        assert_false(json_walk_next(&walk));
    }
}

static enum fault_code members(const char *text, struct fault *fault)
{
    struct json_member m[] = {JSON_MUST("title", JSON_STRING), JSON_MAY("count", JSON_NUMBER)};
    struct json_value value = read_one(text);

    return json_members(&value, NULL, m, 2, fault);
}

static void names_wrong_members(void **state)
{
    struct fault fault;

    (void)state;
    assert_int_equal(members("{\"title\":\"a\"}", &fault), FAULT_OK);
    assert_int_equal(members("{\"t\\u0069tle\":\"a\",\"count\":1}", &fault), FAULT_OK);
    assert_int_equal(members("{\"tilte\":\"a\"}", &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "unknown member \"tilte\"");
    assert_int_equal(members("{}", &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "member \"title\" is missing");
    assert_int_equal(members("{\"title\":\"a\",\"title\":\"b\"}", &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "member \"title\" stands twice");
    assert_int_equal(members("{\"title\":\"a\",\"t\\u0069tle\":\"b\"}", &fault), FAULT_INVALID);
    assert_int_equal(members("{\"title\":1}", &fault), FAULT_INVALID);
    assert_string_equal(fault.message, "member \"title\" must be a string");
    assert_int_equal(members("[]", &fault), FAULT_INVALID);
}

static bool int_of(const char *text, int64_t min, int64_t max, int64_t *out)
{
    struct json_value value = read_one(text);

    return json_int(&value, min, max, out);
}

static void reads_integers(void **state)
{
    int64_t n;

    (void)state;
    assert_true(int_of("9223372036854775807", INT64_MIN, INT64_MAX, &n));
    assert_true(n == INT64_MAX);
    assert_true(int_of("-9223372036854775808", INT64_MIN, INT64_MAX, &n));
    assert_true(n == INT64_MIN);
    assert_true(int_of("-0", -1, 1, &n));
    assert_true(n == 0);
    assert_false(int_of("9223372036854775808", INT64_MIN, INT64_MAX, &n));
    assert_false(int_of("-9223372036854775809", INT64_MIN, INT64_MAX, &n));
    assert_false(int_of("1.0", INT64_MIN, INT64_MAX, &n));
    assert_false(int_of("1e2", INT64_MIN, INT64_MAX, &n));
    assert_false(int_of("\"1\"", INT64_MIN, INT64_MAX, &n));
    assert_false(int_of("7", 0, 6, &n));
    assert_false(int_of("-7", 0, 6, &n));
}

static void reads_costs(void **state)
{
    static const struct {
        const char *text;
        int64_t nano;
    } costs[] = {
        {"0", 0},
        {"0.0", 0},
        {"1", 1000000000},
        {"0.00396", 3960000},
        {"0.000000001", 1},
        {"12.345678901", 12345678901},
        {"1e-9", 1},
        {"2.5E-3", 2500000},
        {"5e-10", 1},
        {"4.9e-10", 0},
        {"0.0000000014", 1},
        {"0.0000000015", 2},
        {"0.30000000000000004", 300000000},
        {"1e2", 100000000000},
        {"0.5e1", 5000000000},
        {"0e999999999", 0},
        {"1e-999999999", 0},
        {"9223372036.854775806", 9223372036854775806},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        struct json_value value = read_one(costs[i].text);
        int64_t nano = -1;

        assert_true(json_cost(&value, &nano));
        if (nano != costs[i].nano)
            fail_msg("%s became %lld", costs[i].text, (long long)nano);
    }
}

static void refuses_costs(void **state)
{
    static const char *const bad[] = {"-1", "-0.1", "1e400", "9223372036.854775808", "1e10"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct json_value value = read_one(bad[i]);
        int64_t nano;

        if (json_cost(&value, &nano))
            fail_msg("taken: %s", bad[i]);
    }
}

static void reads_text_and_hex(void **state)
{
    struct json_value value = read_one("\"a\\u00e9\\ud83d\\ude00\\\"\"");
    struct arena arena;
    struct str out;

    (void)state;
    arena_init(&arena);
    assert_str(json_text(&value, &arena), "a\xc3\xa9\xf0\x9f\x98\x80\"");
    value = read_one("\"plain\"");
    assert_ptr_equal(json_text(&value, &arena).p, value.raw.p + 1);
    value = read_one("\"00fFa1\"");
    assert_true(json_hex(&value, &arena, &out));
    assert_int_equal(out.n, 3);
    assert_memory_equal(out.p, "\x00\xff\xa1", 3);
    value = read_one("\"abc\"");
    assert_false(json_hex(&value, &arena, &out));
    value = read_one("\"ag\"");
    assert_false(json_hex(&value, &arena, &out));
    arena_clear(&arena);
}

/* A second opinion: whatever we take, json-c takes too, and sees the same number of members. */
static void agrees_with_json_c(void **state)
{
    static const char pieces[][8] = {"{",     "}",       "[", "]",      ",",    ":",
                                     "\"a\"", "\"\\n\"", "1", "-2.5e3", "true", "null",
                                     " ",     "\"",      "0", "\\",     "x",    "\xc3\xa9"};
    size_t both = 0;
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 200000; round++) {
        char text[64];
        size_t n = 0;

        for (int i = 0; i < 9; i++) {
            const char *piece = pieces[(seed = seed * 1103515245 + 12345) / 65536 % 18];

            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
            if (seed / 7 % 5 == 0)
                break;
        }
        if (taken((struct str){text, n})) {
            struct json_tokener *tokener = json_tokener_new_ex(32);
            struct json_object *object;

            text[n] = '\0';
            object = json_tokener_parse_ex(tokener, text, (int)n + 1);
            if (json_tokener_get_error(tokener) != json_tokener_success)
                fail_msg("json-c refuses: %s", text);
            json_object_put(object);
            json_tokener_free(tokener);
            both++;
        }
    }
    assert_true(both > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_json),        cmocka_unit_test(refuses_what_is_not_json),
        cmocka_unit_test(says_what_and_where), cmocka_unit_test(walks_raw_bytes),
        cmocka_unit_test(walks_empty_ones),    cmocka_unit_test(names_wrong_members),
        cmocka_unit_test(reads_integers),      cmocka_unit_test(reads_costs),
        cmocka_unit_test(refuses_costs),       cmocka_unit_test(reads_text_and_hex),
        cmocka_unit_test(agrees_with_json_c),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
