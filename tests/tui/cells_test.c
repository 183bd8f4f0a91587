/* Clusters and columns: what is one character, how wide it is, what is shown for it. */
#include "support/check.h"

#include "base/control.h"
#include "base/utf8.h"
#include "tui/cells.h"

#include <locale.h>

static int use_utf8(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    return 0;
}

static int use_ascii(void **state)
{
    (void)state;
    assert_non_null(setlocale(LC_ALL, "C"));
    return 0;
}

/* The text is one cluster, shown like that. */
static void check_one(const char *text, const char *shown, int columns)
{
    struct cluster cluster;
    size_t at = 0;

    cells_next(str_of(text), &at, &cluster);
    assert_int_equal(at, strlen(text));
    CHECK_STR(((struct str){cluster.shown, cluster.shown_bytes}), shown);
    assert_int_equal(cluster.columns, columns);
    assert_int_equal(cells_before(str_of(text), at), 0);
}

static void letters_are_what_they_are(void **state)
{
    (void)state;
    check_one("a", "a", 1);
    check_one("ä", "ä", 1);
    check_one("日", "日", 2);
    check_one("한", "한", 2);
    check_one("\xc2\xa0", "\xc2\xa0", 1);
    check_one("e\xcc\x81", "e\xcc\x81", 1);                   /* with an acute */
    check_one("\u1112\u1161\u11ab", "\u1112\u1161\u11ab", 2); /* Hangul in three parts */
    check_one("\u0915\u094d", "\u0915\u094d", 1);             /* Devanagari with a virama */
}

static void an_emoji_is_shown_as_its_first_one(void **state)
{
    (void)state;
    check_one("😀", "😀", 2);
    check_one("👨\u200d👩\u200d👧\u200d👦", "👨", 2);
    check_one("👍🏽", "👍", 2);
    check_one("❤\ufe0f", "❤", 1);
    check_one("1\ufe0f\u20e3", "1", 1);
    check_one("🇩🇪", "🇩🇪", 2);
    check_one("🏴\U000e0067\U000e0062\U000e007f", "🏴", 2); /* the flag of a region */
}

static void what_a_terminal_obeys_is_shown_as_an_escape(void **state)
{
    (void)state;
    check_one("\033", "\\e", 2);
    check_one("\a", "\\x07", 4);
    check_one("\r", "\\r", 2);
    check_one("\x7f", "\\x7f", 4);
    check_one("\xc2\x9b", "\\x9b", 4);
    check_one("\u202e", "\\u202e", 6);
    check_one("\u200b", "\\u200b", 6);
    check_one("\U000e0041", "\\ue0041", 7);
    check_one("\xff", "\\xff", 4);
    check_one("\xc3", "\\xc3", 4);
}

static void line_breaks_and_tabs_are_one(void **state)
{
    (void)state;
    check_one("\n", "", 0);
    check_one("\r\n", "", 0);
    check_one("\t", " ", 1);
}

static void a_mark_alone_stands_on_a_circle(void **state)
{
    (void)state;
    check_one("\xcc\x81", "\u25cc\xcc\x81", 1);
}

/* Tags are letters that are not seen; behind a letter they would hide a text. */
static void hidden_text_is_shown(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(cells_clean(STR("a\U000e0068\U000e0069"), &arena), "a\\ue0068\\ue0069");
    arena_clear(&arena);
}

static void an_endless_cluster_is_cut(void **state)
{
    enum { MARKS = 100000 };
    static char text[1 + 2 * MARKS];
    size_t clusters = 0;

    (void)state;
    text[0] = 'e';
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 1 + 2 * i, "\xcc\x81", 2);
    for (size_t at = 0; at < sizeof(text); clusters++) {
        struct cluster cluster;

        cells_next((struct str){text, sizeof(text)}, &at, &cluster);
        assert_true(cluster.bytes.n <= 256);
        assert_true(cluster.shown_bytes <= 5 * 4);
        assert_int_equal(cluster.columns, 1);
    }
    assert_true(clusters < MARKS / 100);
}

static void steps_back_are_steps_forward(void **state)
{
    static const char text[] = "ab\r\ne\xcc\x81x 👨\u200d👩\u200d👧日本\xff\xc3(🇩🇪🇫🇷\t\n\n한국\u0600"
                               "1z";
    const struct str all = {text, sizeof(text) - 1};
    size_t places[64], count = 0;

    (void)state;
    for (size_t at = 0; at < all.n;) {
        struct cluster cluster;

        places[count++] = at;
        cells_next(all, &at, &cluster);
    }
    for (size_t at = all.n; count > 0; count--) {
        at = cells_before(all, at);
        assert_int_equal(at, places[count - 1]);
    }
    assert_int_equal(cells_before(all, 0), 0);
}

static void a_text_is_cleaned_and_counted(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(cells_clean(STR("a\tb\r\nc\nd\033[31m"), &arena), "a b c d\\e[31m");
    assert_int_equal(cells_count(STR("a\tb\r\nc\nd\033[31m")), 13);
    CHECK_STR(cells_clean(STR(""), &arena), "");
    assert_int_equal(cells_count(STR_NONE), 0);
    assert_int_equal(cells_count(STR("日本x")), 5);
    arena_clear(&arena);
}

static void a_text_is_cut_to_columns(void **state)
{
    static const struct {
        const char *text;
        int columns;
        const char *shown;
        int used;
    } cases[] = {
        {"hello", 5, "hello", 5},
        {"hello", 9, "hello", 5},
        {"hello", 4, "hel…", 4},
        {"hello", 1, "…", 1},
        {"hello", 0, "", 0},
        {"hello", -3, "", 0},
        {"日本語", 6, "日本語", 6},
        {"日本語", 5, "日本…", 5},
        {"日本語", 4, "日…", 3},
        {"a\nb", 3, "a b", 3},
        {"", 3, "", 0},
        {"\033x", 2, "…", 1},
    };
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int used = -1;

        CHECK_STR(cells_fit(str_of(cases[i].text), cases[i].columns, &arena, &used),
                  cases[i].shown);
        assert_int_equal(used, cases[i].used);
    }
    arena_clear(&arena);
}

static void without_utf8_all_is_ascii(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(cells_clean(STR("gr\xc3\xbc\xc3\x9f 日 │ \xe2\x80\xa6 \xff"), &arena),
              "gr?? ?? | ~ \\xff");
    assert_int_equal(cells_count(STR("日")), 2);
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(letters_are_what_they_are, use_utf8),
        cmocka_unit_test_setup(an_emoji_is_shown_as_its_first_one, use_utf8),
        cmocka_unit_test_setup(what_a_terminal_obeys_is_shown_as_an_escape, use_utf8),
        cmocka_unit_test_setup(line_breaks_and_tabs_are_one, use_utf8),
        cmocka_unit_test_setup(a_mark_alone_stands_on_a_circle, use_utf8),
        cmocka_unit_test_setup(hidden_text_is_shown, use_utf8),
        cmocka_unit_test_setup(an_endless_cluster_is_cut, use_utf8),
        cmocka_unit_test_setup(steps_back_are_steps_forward, use_utf8),
        cmocka_unit_test_setup(a_text_is_cleaned_and_counted, use_utf8),
        cmocka_unit_test_setup(a_text_is_cut_to_columns, use_utf8),
        cmocka_unit_test_setup(without_utf8_all_is_ascii, use_ascii),
    };

    return cmocka_run_group_tests_name("cells", tests, NULL, NULL);
}
