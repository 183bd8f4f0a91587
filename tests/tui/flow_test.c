/* Lines of a given width: where they are broken, and what stands before them. */
#include "laid.h"
#include "support/check.h"

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

static void check_flow(struct flow *flow, int width, const char *want)
{
    assert_string_equal(laid_text(flow_end(flow), width, &arena), want);
}

static void check_text(const char *text, int width, const char *want)
{
    struct flow *flow = flow_new(&arena, width);

    flow_text(flow, str_of(text), look(TONE_TEXT));
    check_flow(flow, width, want);
}

static void check_exact(const char *text, int width, const char *want)
{
    struct flow *flow = flow_new(&arena, width);

    flow_exact(flow, str_of(text), look(TONE_CODE));
    check_flow(flow, width, want);
}

static void words_are_wrapped(void **state)
{
    (void)state;
    check_text("", 10, "");
    check_text("one", 10, "one\n");
    check_text("one two three", 10, "one two\nthree\n");
    check_text("one two three", 7, "one two\nthree\n");
    check_text("one two   three", 8, "one two\nthree\n");
    check_text("one two   ", 7, "one two\n");
    check_text("one two   \nthree", 7, "one two\nthree\n");
    check_text("  in", 10, "  in\n");
    check_text("a  b", 10, "a  b\n");
    check_text("a\tb", 10, "a   b\n");
}

static void line_breaks_stay(void **state)
{
    (void)state;
    check_text("a\nb", 10, "a\nb\n");
    check_text("a\r\n\r\nb\n", 10, "a\n\nb\n");
    check_text("\n\na", 10, "\n\na\n");
}

static void long_words_are_broken(void **state)
{
    (void)state;
    check_text("abcdefghij", 4, "abcd\nefgh\nij\n");
    check_text("x abcdefghij", 4, "x\nabcd\nefgh\nij\n");
    check_text("   abcdef", 4, "   a\nbcde\nf\n");
    check_text("e\xcc\x81"
               "e\xcc\x81"
               "e\xcc\x81",
               2,
               "e\xcc\x81"
               "e\xcc\x81\ne\xcc\x81\n");
}

static void wide_characters_are_not_split(void **state)
{
    (void)state;
    check_text("日本語", 5, "日本\n語\n");
    check_text("日本語", 1, "?\n?\n?\n");
    check_text("go日本語", 5, "go日\n本語\n");
    check_text("日本。語", 4, "日\n本。\n語\n"); /* a full stop does not begin a line */
    check_text("\033", 1, "?\n");
}

static void blanks_of_code_stay(void **state)
{
    (void)state;
    check_exact("  a  b", 10, "  a  b\n");
    check_exact("\ta\tb", 12, "    a   b\n");
    check_exact("abcdef", 4, "abcd\nef\n");
    check_exact("ab cd ef", 4, "ab c\nd ef\n");
    check_exact("ab\n\ncd\n", 4, "ab\n\ncd\n");
    check_exact("abcd    \nx", 4, "abcd\nx\n"); /* blanks that are not seen make no line */
}

static void looks_stay_with_their_text(void **state)
{
    struct flow *flow = flow_new(&arena, 12);
    struct laid laid;

    (void)state;
    flow_text(flow, STR("plain bo"), look(TONE_TEXT));
    flow_text(flow, STR("ld"), look_with(TONE_TEXT, LOOK_BOLD));
    flow_text(flow, STR(" next word"), look(TONE_LINK));
    laid = flow_end(flow);
    assert_string_equal(laid_text(laid, 12, &arena), "plain bold\nnext word\n");
    assert_int_equal(laid.lines[0].count, 2);
    CHECK_LOOK(laid, "plain bo", TONE_TEXT, 0);
    CHECK_LOOK(laid, "ld", TONE_TEXT, LOOK_BOLD);
    CHECK_LOOK(laid, "next word", TONE_LINK, 0);
}

/* A word in two looks is one word. */
static void a_word_of_two_looks_is_not_torn(void **state)
{
    struct flow *flow = flow_new(&arena, 8);

    (void)state;
    flow_text(flow, STR("one tw"), look(TONE_TEXT));
    flow_text(flow, STR("ooo"), look(TONE_LINK));
    check_flow(flow, 8, "one\ntwooo\n");
}

static void prefixes_stand_before_lines(void **state)
{
    struct flow *flow = flow_new(&arena, 20);

    (void)state;
    flow_push(flow, STR("| "), STR("| "), look(TONE_FAINT));
    flow_text(flow, STR("above"), look(TONE_TEXT));
    flow_blank(flow);
    flow_push(flow, STR("10. "), STR(""), look(TONE_FAINT));
    assert_int_equal(flow_room(flow), 14);
    flow_text(flow, STR("an item that goes on"), look(TONE_TEXT));
    flow_pop(flow);
    flow_push(flow, STR("* "), STR("  "), look(TONE_FAINT)); /* nothing stands in it */
    flow_pop(flow);
    flow_text(flow, STR("below"), look(TONE_TEXT));
    flow_pop(flow);
    flow_text(flow, STR("outside"), look(TONE_TEXT));
    check_flow(flow, 20, "| above\n|\n| 10. an item that\n|     goes on\n| *\n| below\noutside\n");
}

/* A blank line does not use the bullet up. */
static void a_bullet_waits_for_its_text(void **state)
{
    struct flow *flow = flow_new(&arena, 20);

    (void)state;
    flow_text(flow, STR("a"), look(TONE_TEXT));
    flow_push(flow, STR("* "), STR("  "), look(TONE_FAINT));
    flow_blank(flow);
    flow_text(flow, STR("b"), look(TONE_TEXT));
    flow_pop(flow);
    check_flow(flow, 20, "a\n\n* b\n");
}

static void prefixes_leave_room(void **state)
{
    struct flow *flow = flow_new(&arena, 20);

    (void)state;
    for (int i = 0; i < 100; i++)
        flow_push(flow, STR("| "), STR("| "), look(TONE_FAINT));
    assert_int_equal(flow_room(flow), 8);
    flow_text(flow, STR("123456789"), look(TONE_TEXT));
    for (int i = 0; i < 100; i++)
        flow_pop(flow);
    assert_int_equal(flow_room(flow), 20);
    check_flow(flow, 20, "| | | | | | 12345678\n| | | | | | 9\n");
}

static void breaks_and_blanks(void **state)
{
    struct flow *flow = flow_new(&arena, 20);

    (void)state;
    flow_blank(flow); /* nothing above: none */
    flow_break(flow);
    flow_text(flow, STR("a"), look(TONE_TEXT));
    flow_break(flow);
    flow_break(flow);
    flow_text(flow, STR(" "), look(TONE_TEXT));
    flow_break(flow);
    flow_text(flow, STR("b"), look(TONE_TEXT));
    flow_blank(flow);
    flow_blank(flow);
    flow_text(flow, STR("c"), look(TONE_TEXT));
    check_flow(flow, 20, "a\nb\n\nc\n");
}

static void lines_are_cut_in(void **state)
{
    struct flow *inner = flow_new(&arena, 6), *flow = flow_new(&arena, 20);

    (void)state;
    flow_text(inner, STR("one two\n\nthree"), look(TONE_GOOD));
    flow_text(flow, STR("above"), look(TONE_TEXT));
    flow_push(flow, STR("> "), STR("| "), look(TONE_FAINT));
    flow_lines(flow, flow_end(inner));
    flow_pop(flow);
    check_flow(flow, 20, "above\n> one\n| two\n|\n| three\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_wrapped, begin, end),
        cmocka_unit_test_setup_teardown(line_breaks_stay, begin, end),
        cmocka_unit_test_setup_teardown(long_words_are_broken, begin, end),
        cmocka_unit_test_setup_teardown(wide_characters_are_not_split, begin, end),
        cmocka_unit_test_setup_teardown(blanks_of_code_stay, begin, end),
        cmocka_unit_test_setup_teardown(looks_stay_with_their_text, begin, end),
        cmocka_unit_test_setup_teardown(a_word_of_two_looks_is_not_torn, begin, end),
        cmocka_unit_test_setup_teardown(prefixes_stand_before_lines, begin, end),
        cmocka_unit_test_setup_teardown(a_bullet_waits_for_its_text, begin, end),
        cmocka_unit_test_setup_teardown(prefixes_leave_room, begin, end),
        cmocka_unit_test_setup_teardown(breaks_and_blanks, begin, end),
        cmocka_unit_test_setup_teardown(lines_are_cut_in, begin, end),
    };

    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
