/* What is looked for while words are being typed. */
#include "support/check.h"

#include "tui/typed.h"

static void check(const char *typed, size_t max, const char *want)
{
    struct arena arena;
    struct str words;

    arena_init(&arena);
    words = typed_words(str_of(typed), max, &arena);
    CHECK_STR(words, want);
    assert_int_equal(strlen(words.p), words.n);
    arena_clear(&arena);
}

static void the_last_word_may_be_a_start(void **state)
{
    (void)state;
    check("night tra", 100, "night tra*");
    check("train", 100, "train*");
    check("  train", 100, "train*");
    check("two_words9", 100, "two_words9*");
    check("\xe6\x97\xa5", 100, "\xe6\x97\xa5*"); /* three bytes */
}

static void a_short_start_is_a_word(void **state)
{
    (void)state;
    check("", 100, "");
    check("  ", 100, "");
    check("no", 100, "no");
    check("night tr", 100, "night tr");
}

static void what_is_ended_is_a_word(void **state)
{
    (void)state;
    check("train ", 100, "train ");
    check("train*", 100, "train*");
    check("train.", 100, "train.");
    check("\"night train\"", 100, "\"night train\"");
}

static void quotes_are_closed(void **state)
{
    (void)state;
    check("\"night tra", 100, "\"night tra\"");
    check("a \"b\" \"", 100, "a \"b\" \"\"");
}

static void a_long_question_is_cut(void **state)
{
    (void)state;
    check("abcdefgh", 6, "abcde*");
    check("abcd\xc3\xa4", 6, "abcd*"); /* not in the middle of a letter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_word_may_be_a_start), cmocka_unit_test(a_short_start_is_a_word),
        cmocka_unit_test(what_is_ended_is_a_word),      cmocka_unit_test(quotes_are_closed),
        cmocka_unit_test(a_long_question_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
