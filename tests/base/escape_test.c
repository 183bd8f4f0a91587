/* The inside of a JSON string: escapes both ways. */
#include "support/check.h"

#include "base/escape.h"

static void check_escape(struct str text, const char *want)
{
    struct buf buf;

    buf_init(&buf, 1000);
    escape_json(&buf, text);
    CHECK_STR(buf_str(&buf), want);
    buf_clear(&buf);
}

static void check_unescape(struct str inside, struct str want)
{
    struct buf buf;

    buf_init(&buf, 1000);
    unescape_json(&buf, inside);
    if (!str_eq(buf_str(&buf), want))
        fail_msg("\"%.*s\" gave \"%.*s\"", STR_ARG(inside), STR_ARG(buf_str(&buf)));
    buf_clear(&buf);
}

static void what_must_be_escaped_is(void **state)
{
    (void)state;
    check_escape(STR(""), "");
    check_escape(STR_NONE, "");
    check_escape(STR("plain"), "plain");
    check_escape(STR("\"q\""), "\\\"q\\\"");
    check_escape(STR("a\\b"), "a\\\\b");
    check_escape(STR("l1\nl2\r\tx"), "l1\\nl2\\r\\tx");
    check_escape(STR("\0\x01\x08\x0c\x1f\x20"), "\\u0000\\u0001\\u0008\\u000c\\u001f ");
    check_escape(STR("\x7f/\xc3\xa4"), "\x7f/\xc3\xa4");
}

static void every_escape_is_read(void **state)
{
    (void)state;
    check_unescape(STR(""), STR(""));
    check_unescape(STR_NONE, STR(""));
    check_unescape(STR("\\\"\\\\\\/\\b\\f\\n\\r\\t"), STR("\"\\/\b\f\n\r\t"));
    check_unescape(STR("\\u0041\\u00e4\\u20AC"), STR("A\xc3\xa4\xe2\x82\xac"));
    check_unescape(STR("x\\u0000y"), STR("x\0y"));
    check_unescape(STR("\\ud83c\\udf74!"), STR("\xf0\x9f\x8d\xb4!"));
    check_unescape(STR("\\\\n"), STR("\\n"));
    check_unescape(STR("\\\\u0041"), STR("\\u0041"));
}

static void a_lone_surrogate_is_a_replacement(void **state)
{
    (void)state;
    check_unescape(STR("\\ud83c"), STR("\xef\xbf\xbd"));
    check_unescape(STR("\\udf74x"), STR("\xef\xbf\xbdx"));
    check_unescape(STR("\\ud83c\\u0041"), STR("\xef\xbf\xbd"
                                              "A"));
    check_unescape(STR("\\ud83c\\ud83c\\udf74"), STR("\xef\xbf\xbd\xf0\x9f\x8d\xb4"));
    check_unescape(STR("\\ud83c\\n"), STR("\xef\xbf\xbd\n"));
}

static void what_is_no_escape_stays(void **state)
{
    (void)state;
    check_unescape(STR("\\"), STR("\\"));
    check_unescape(STR("a\\"), STR("a\\"));
    check_unescape(STR("\\x41"), STR("\\x41"));
    check_unescape(STR("\\u12"), STR("\\u12"));
    check_unescape(STR("\\u12g4"), STR("\\u12g4"));
    check_unescape(STR("\\u"), STR("\\u"));
    check_unescape(STR("\\\0n"), STR("\\\0n"));
}

static void text_comes_back(void **state)
{
    struct buf inside, back;
    uint32_t chance = 12345;

    (void)state;
    buf_init(&inside, 4096);
    buf_init(&back, 4096);
    for (int round = 0; round < 5000; round++) {
        static const char some[] = "\"\\/bfnrtu0dD8cC\n\t\0\x1f\x7f\xc3\xa4xyz";
        char text[64];
        size_t n = (size_t)round % sizeof(text);

        for (size_t i = 0; i < n; i++) {
            chance = chance * 1664525 + 1013904223;
            text[i] = some[(chance >> 16) % (sizeof(some) - 1)];
        }
        buf_reset(&inside);
        buf_reset(&back);
        escape_json(&inside, (struct str){text, n});
        for (size_t i = 0; i < inside.n; i++)
            assert_true((unsigned char)inside.p[i] >= 0x20);
        unescape_json(&back, buf_str(&inside));
        assert_true(str_eq(buf_str(&back), (struct str){text, n}));
    }
    buf_clear(&inside);
    buf_clear(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_be_escaped_is),
        cmocka_unit_test(every_escape_is_read),
        cmocka_unit_test(a_lone_surrogate_is_a_replacement),
        cmocka_unit_test(what_is_no_escape_stays),
        cmocka_unit_test(text_comes_back),
    };

    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
