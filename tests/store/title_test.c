/* Titles of forks: taken apart, cut, and put together. */
#include "support/check.h"

#include "base/utf8.h"
#include "store/limits.h"
#include "store/title.h"

#include <stdlib.h>

static void check_parse(const char *text, const char *base, int64_t number)
{
    struct title title = title_parse(str_of(text));

    CHECK_STR(title.base, base);
    if (title.number != number)
        fail_msg("\"%s\" has number %lld", text, (long long)title.number);
}

static void a_suffix_is_taken_off(void **state)
{
    (void)state;
    check_parse("T (fork 7)", "T", 7);
    check_parse("T", "T", 0);
    check_parse("", "", 0);
    check_parse("A title (fork 12)", "A title", 12);
    check_parse("T (fork 0)", "T", 0);
    check_parse("T (fork 007)", "T", 7);
    check_parse("T (fork 999999999)", "T", TITLE_FORK_MAX);
}

static void blanks_before_the_suffix_belong_to_it(void **state)
{
    (void)state;
    check_parse("T   (fork 3)", "T", 3);
    check_parse("T(fork 3)", "T", 3);
    check_parse("  T (fork 3)", "  T", 3);
}

static void more_than_nine_digits_are_text(void **state)
{
    (void)state;
    check_parse("T (fork 1234567890)", "T (fork 1234567890)", 0);
    check_parse("T (fork 0000000001)", "T (fork 0000000001)", 0);
    check_parse("T (fork 99999999999999999999)", "T (fork 99999999999999999999)", 0);
}

static void anything_else_is_text(void **state)
{
    static const char *const texts[] = {
        "T (fork )",  "T (fork)",    "T (fork x)",  "T (fork 3) ",       "T (fork 3) more",
        "T (Fork 3)", "T (fork  3)", "T (fork 3",   "T fork 3)",         "T (fork -3)",
        "T [fork 3]", "T (fork 3 )", "T (fork\t3)", "(fork 2) in it",    ")",
        "3)",         "fork 3)",     "T (fork 1a)", "T (fork \xd9\xa3)",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check_parse(texts[i], texts[i], 0);
}

static void only_the_last_suffix_counts(void **state)
{
    (void)state;
    check_parse("T (fork 2) (fork 3)", "T (fork 2)", 3);
    check_parse("T (fork 2) b (fork 9)", "T (fork 2) b", 9);
}

static void a_title_may_be_only_a_suffix(void **state)
{
    struct arena arena;

    (void)state;
    check_parse("(fork 3)", "", 3);
    check_parse(" (fork 4)", "", 4);
    arena_init(&arena);
    CHECK_STR(title_make(title_fork_base(STR("(fork 3)")), 4, &arena), " (fork 4)");
    arena_clear(&arena);
}

static void a_title_is_put_together(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(title_make(STR("T"), 1, &arena), "T (fork 1)");
    CHECK_STR(title_make(STR("a b"), 120, &arena), "a b (fork 120)");
    CHECK_STR(title_make(STR("100%s"), TITLE_FORK_MAX, &arena), "100%s (fork 999999999)");
    for (int64_t n = 1; n <= TITLE_FORK_MAX; n *= 7) {
        struct title back = title_parse(title_make(STR("T (fork 2) x"), n, &arena));

        CHECK_STR(back.base, "T (fork 2) x");
        assert_int_equal(back.number, n);
    }
    arena_clear(&arena);
}

static void a_short_base_is_kept_whole(void **state)
{
    (void)state;
    CHECK_STR(title_fork_base(STR("T")), "T");
    CHECK_STR(title_fork_base(STR("T (fork 5)")), "T");
    CHECK_STR(title_fork_base(STR("")), "");
    CHECK_STR(title_fork_base(STR("T (fork 2) x")), "T (fork 2) x");
}

/* Titles of every length up to the limit, of 1-, 2- and 4-byte characters. */
static void a_long_base_is_cut_so_that_every_suffix_fits(void **state)
{
    static const char *const letters[] = {"x", "\xc3\xa4", "\xf0\x9f\x8d\xb4"};
    struct arena arena;
    char text[LIMIT_TITLE_BYTES + 1];

    (void)state;
    arena_init(&arena);
    for (size_t k = 0; k < 3; k++) {
        size_t step = strlen(letters[k]);

        for (size_t n = 0; n + step <= LIMIT_TITLE_BYTES; n += step) {
            struct str base, title;

            memcpy(text + n, letters[k], step);
            base = title_fork_base((struct str){text, n + step});
            title = title_make(base, TITLE_FORK_MAX, &arena);
            assert_true(title.n <= LIMIT_TITLE_BYTES);
            assert_true(utf8_valid(title));
            assert_true(str_starts((struct str){text, n + step}, base));
            /* no more is cut than must be */
            assert_true(base.n == n + step || title.n + step > LIMIT_TITLE_BYTES);
        }
    }
    arena_clear(&arena);
}

/* What was cut is the base of its own forks, so that a series does not start anew. */
static void a_cut_base_is_stable(void **state)
{
    struct arena arena;
    char text[LIMIT_TITLE_BYTES];
    struct str first, second;

    (void)state;
    arena_init(&arena);
    for (size_t blanks = 0; blanks < 40; blanks++) {
        memset(text, 'x', sizeof(text));
        memset(text + LIMIT_TITLE_BYTES - 40, ' ', blanks);
        first = title_fork_base((struct str){text, sizeof(text)});
        second = title_fork_base(title_make(first, 3, &arena));
        assert_true(str_eq(first, second));
    }
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suffix_is_taken_off),
        cmocka_unit_test(blanks_before_the_suffix_belong_to_it),
        cmocka_unit_test(more_than_nine_digits_are_text),
        cmocka_unit_test(anything_else_is_text),
        cmocka_unit_test(only_the_last_suffix_counts),
        cmocka_unit_test(a_title_may_be_only_a_suffix),
        cmocka_unit_test(a_title_is_put_together),
        cmocka_unit_test(a_short_base_is_kept_whole),
        cmocka_unit_test(a_long_base_is_cut_so_that_every_suffix_fits),
        cmocka_unit_test(a_cut_base_is_stable),
    };

    return cmocka_run_group_tests_name("title", tests, NULL, NULL);
}
