/* Markdown as it stands in a terminal. */
#include "laid.h"
#include "support/check.h"

#include "tui/entity.h"
#include "tui/markdown.h"

#include <locale.h>

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct laid lay(struct str text, int width)
{
    struct flow *flow = flow_new(&arena, width);

    markdown_lay(flow, text, look(TONE_TEXT));
    return flow_end(flow);
}

static void check(const char *text, int width, const char *want)
{
    assert_string_equal(laid_text(lay(str_of(text), width), width, &arena), want);
}

static void blocks_stand_apart(void **state)
{
    (void)state;
    check("", 40, "");
    check("one\ntwo", 40, "one two\n");
    check("one  \ntwo\\\nthree", 40, "one\ntwo\nthree\n");
    check("# Head\ntext\n## Next\nmore", 40, "Head\n\ntext\n\nNext\n\nmore\n");
    check("a\n\n\n\nb", 40, "a\n\nb\n");
    check("a\n\n---\n\nb", 10, "a\n\n──────────\n\nb\n");
    check("a <br> b<br/>c", 40, "a\nb\nc\n");
}

static void spans_have_their_looks(void **state)
{
    struct laid laid = lay(STR("# head\n\n*em* **strong** ~~gone~~ `code` ***both*** plain"), 60);

    (void)state;
    assert_string_equal(laid_text(laid, 60, &arena), "head\n\nem strong gone code both plain\n");
    CHECK_LOOK(laid, "head", TONE_HEADING, LOOK_BOLD);
    CHECK_LOOK(laid, "em", TONE_TEXT, LOOK_ITALIC);
    CHECK_LOOK(laid, "strong", TONE_TEXT, LOOK_BOLD);
    CHECK_LOOK(laid, "gone", TONE_TEXT, LOOK_STRIKE);
    CHECK_LOOK(laid, "code", TONE_CODE, 0);
    CHECK_LOOK(laid, "both", TONE_TEXT, LOOK_BOLD | LOOK_ITALIC);
    CHECK_LOOK(laid, "plain", TONE_TEXT, 0);
}

static void links_show_where_they_lead(void **state)
{
    struct laid laid = lay(STR("[here](https://a.example/x)"), 60);

    (void)state;
    CHECK_LOOK(laid, "here", TONE_LINK, LOOK_UNDERLINE);
    CHECK_LOOK(laid, "https", TONE_FAINT, 0);
    check("[here](https://a.example/x)", 60, "here (https://a.example/x)\n");
    check("https://a.example/x", 60, "https://a.example/x\n");
    check("<me@a.example> www.a.example", 60, "me@a.example www.a.example\n");
    check("[](https://a.example)", 60, "(https://a.example)\n");
    check("![a *cat*](c.png)", 60, "[image: a cat]\n");
    check("[a](x?b&amp;c)", 60, "a (x?b&c)\n");
}

static void entities_are_characters(void **state)
{
    (void)state;
    check("&lt;a&gt; &amp;amp; &#8212; &#x2014; &nosuch; &#0;", 60,
          "<a> &amp; — — &nosuch; \ufffd\n");
    check("&#27;[31m", 60, "\\e[31m\n");
    CHECK_STR(entity_text(STR("&"), &arena), "&");
    CHECK_STR(entity_text(STR("&#x110000;"), &arena), "\ufffd");
    CHECK_STR(entity_text(STR("&#xd800;"), &arena), "\ufffd");
}

static void lists_hang(void **state)
{
    (void)state;
    check("- one two three\n- four", 10, "• one two\n  three\n• four\n");
    check("- a\n  - b\n    - c\n- d", 20, "• a\n  ◦ b\n    • c\n• d\n");
    check("9. a\n10. b c d e f g h", 12, "9. a\n10. b c d e\n    f g h\n");
    check("3) a\n4) b", 20, "3) a\n4) b\n");
    check("- [ ] a\n- [x] b", 20, "☐ a\n☑ b\n");
    check("- a\n\n- b", 20, "• a\n\n• b\n");
    check("- a\n\n  more\n- b", 20, "• a\n\n  more\n\n• b\n");
    check("-\n- b", 20, "•\n• b\n");
    check("text:\n- a\n\nend", 20, "text:\n\n• a\n\nend\n");
    check("- a\n  ```\n  x\n  ```\n- b", 20, "• a\n  │ x\n• b\n");
}

static void quotes_have_a_bar(void **state)
{
    (void)state;
    check("> a\n> b\n\nc", 20, "│ a b\n\nc\n");
    check("> a\n>\n> > b", 20, "│ a\n│\n│ │ b\n");
    check("> - a\n>   b", 20, "│ • a b\n");
}

static void code_is_exact(void **state)
{
    struct laid laid = lay(STR("```c\nint x;\n\n\treturn;\n```\nend"), 20);

    (void)state;
    assert_string_equal(laid_text(laid, 20, &arena), "│ c\n│ int x;\n│\n│     return;\n\nend\n");
    CHECK_LOOK(laid, "int x;", TONE_CODE, 0);
    check("    a *b*\n", 20, "│ a *b*\n");
    check("```\n0123456789abc\n```", 12, "│ 0123456789\n│ abc\n");
}

static void tables_fit_their_width(void **state)
{
    static const char text[] =
        "| Name | N | What |\n|---|--:|:-:|\n| a | 10 | x |\n| long | 2 | a b c d e f |";

    (void)state;
    check(text, 60,
          "Name │  N │    What\n"
          "─────┼────┼────────────\n"
          "a    │ 10 │      x\n"
          "long │  2 │ a b c d e f\n");
    check(text, 20,
          "Name │  N │   What\n"
          "─────┼────┼─────────\n"
          "a    │ 10 │    x\n"
          "long │  2 │ a b c d\n"
          "     │    │   e f\n");
    check(text, 12,
          "• Name: a\n  N: 10\n  What: x\n"
          "• Name: long\n  N: 2\n  What: a b\n  c d e f\n");
    check("| a |\n|---|", 12, "a\n─\n");
    check("> | a | b |\n> |---|---|\n> | 1 | 2 |", 12, "│ a │ b\n│ ──┼──\n│ 1 │ 2\n");
    CHECK_LOOK(lay(str_of(text), 60), "Name", TONE_TEXT, LOOK_BOLD);
    CHECK_LOOK(lay(str_of(text), 60), "long", TONE_TEXT, 0);
}

static void html_is_text(void **state)
{
    (void)state;
    check("<div>\n*a*\n</div>\n\nb <b>c</b>", 40, "<div>\n*a*\n</div>\n\nb <b>c</b>\n");
}

static void without_utf8_it_is_ascii(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C"));
    check("- a\n\n> b\n\n| a | b |\n|---|---|\n| 1 | 2 |", 20,
          "* a\n\n| b\n\na | b\n--+--\n1 | 2\n");
}

/* Every beginning of a text that is still being said can be laid out. */
static void beginnings_are_laid_out(void **state)
{
    static const char text[] =
        "# Head\n\nSome **bold** and `code` [link](http://x)\n\n- a\n  1. b\n\n"
        "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n```c\nint x;\n```\n> q\n&amp; 日本 ~~s~~";

    (void)state;
    for (size_t n = 0; n < sizeof(text); n++)
        laid_text(lay((struct str){text, n}, 30), 30, &arena);
    check("a **bold", 30, "a **bold\n");
    check("```c\nint", 30, "│ c\n│ int\n");
    check("```c", 30, "│ c\n");
    check("```", 30, "│\n");
    check("| a | b |\n|--", 30, "| a | b | |--\n");
}

/* Nothing that can be written costs more than its length; with its square, the test would not end
 * in the time that a test has. */
static void hostile_texts_are_laid_out(void **state)
{
    static const char *const bits[] = {
        "> ",      "- ",       "1. ",
        "> - ",    "[",        "![",
        "[a](",    "*a_b ",    "`a``b",
        "<a ",     "<!--",     "&",
        "&a;",     "|",        "a|\n-|\n",
        "\t",      "(",        "- a\n\n",
        "~~a",     "http://",  "a@b.",
        "[a\n",    "```\n",    "\\",
        "- [ ] ",  "[a]: b\n", "e\xcc\x81",
        "👨\u200d", "\xff",     "# a\n",
        "***",     "<div>\n",  "| a | b |\n|---|---|\n",
    };
    enum { BYTES = 80 * 1000 };
    char *text = arena_alloc(&arena, BYTES);

    (void)state;
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        size_t n = strlen(bits[i]), at = 0;
        struct arena own;
        struct flow *flow;

        for (; at + n <= BYTES; at += n)
            memcpy(text + at, bits[i], n);
        arena_init(&own);
        flow = flow_new(&own, 80);
        markdown_lay(flow, (struct str){text, at}, look(TONE_TEXT));
        assert_true(flow_end(flow).count < BYTES);
        arena_clear(&own);
    }
}

/* A link that is named often does not make more of its address than the text has. */
static void addresses_do_not_multiply(void **state)
{
    enum { TIMES = 5000, ADDRESS = 250 };
    char *text = arena_alloc(&arena, 8 + ADDRESS + 4 * TIMES);
    size_t at = 0;
    struct laid laid;

    (void)state;
    memcpy(text, "[a]: ", 5);
    at = 5;
    memset(text + at, 'x', ADDRESS);
    at += ADDRESS;
    memcpy(text + at, "\n\n", 2);
    at += 2;
    for (int i = 0; i < TIMES; i++, at += 4)
        memcpy(text + at, "[a] ", 4);
    laid = lay((struct str){text, at}, 80);
    assert_true(strlen(laid_text(laid, 80, &arena)) < 4 * at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocks_stand_apart, begin, end),
        cmocka_unit_test_setup_teardown(spans_have_their_looks, begin, end),
        cmocka_unit_test_setup_teardown(links_show_where_they_lead, begin, end),
        cmocka_unit_test_setup_teardown(entities_are_characters, begin, end),
        cmocka_unit_test_setup_teardown(lists_hang, begin, end),
        cmocka_unit_test_setup_teardown(quotes_have_a_bar, begin, end),
        cmocka_unit_test_setup_teardown(code_is_exact, begin, end),
        cmocka_unit_test_setup_teardown(tables_fit_their_width, begin, end),
        cmocka_unit_test_setup_teardown(html_is_text, begin, end),
        cmocka_unit_test_setup_teardown(without_utf8_it_is_ascii, begin, end),
        cmocka_unit_test_setup_teardown(beginnings_are_laid_out, begin, end),
        cmocka_unit_test_setup_teardown(hostile_texts_are_laid_out, begin, end),
        cmocka_unit_test_setup_teardown(addresses_do_not_multiply, begin, end),
    };

    return cmocka_run_group_tests_name("markdown", tests, NULL, NULL);
}
