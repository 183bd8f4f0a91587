/* UTF-8: what is valid, where it may be cut, and single characters both ways. */
#include "support/check.h"

#include "base/utf8.h"

static void valid_text_is_taken(void **state)
{
    (void)state;
    assert_true(utf8_valid(STR("")));
    assert_true(utf8_valid(STR_NONE));
    assert_true(utf8_valid(STR("plain")));
    assert_true(utf8_valid(STR("a\0b")));
    assert_true(utf8_valid(STR("gr\xc3\xbc\xc3\x9f")));
    assert_true(utf8_valid(STR("\xe2\x82\xac \xf0\x9f\x8d\xb4")));
    assert_true(utf8_valid(STR("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80")));
    assert_true(utf8_valid(STR("\xf4\x8f\xbf\xbf")));         /* U+10FFFF */
    assert_true(utf8_valid(STR("\xed\x9f\xbf\xee\x80\x80"))); /* around the surrogates */
}

static void bad_bytes_are_refused(void **state)
{
    const struct str bad[] = {
        STR("\x80"), /* goes on, but nothing began */
        STR("\xbf"),
        STR("a\xc3"), /* cut off */
        STR("\xe2\x82"),
        STR("\xf0\x9f\x8d"),
        STR("\xc3("), /* does not go on */
        STR("\xe2(\xa1"),
        STR("\xc0\x80"), /* longer than need be */
        STR("\xc1\xbf"),
        STR("\xe0\x9f\xbf"),
        STR("\xf0\x8f\xbf\xbf"),
        STR("\xed\xa0\x80"), /* surrogates */
        STR("\xed\xbf\xbf"),
        STR("\xf4\x90\x80\x80"), /* above U+10FFFF */
        STR("\xf5\x80\x80\x80"),
        STR("\xf8\x88\x80\x80\x80"), /* five bytes */
        STR("\xfe"),
        STR("\xff"),
        STR("good, then \xff"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(utf8_valid(bad[i]));
}

static void a_cut_falls_between_characters(void **state)
{
    const struct str text = STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x8d\xb4z");
    static const size_t kept[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};

    (void)state;
    assert_int_equal(text.n, 11);
    for (size_t max = 0; max < sizeof(kept) / sizeof(kept[0]); max++) {
        struct str cut = utf8_cut(text, max);

        assert_ptr_equal(cut.p, text.p);
        assert_int_equal(cut.n, kept[max]);
    }
}

static void every_character_goes_both_ways(void **state)
{
    (void)state;
    for (uint32_t point = 0; point <= 0x10ffff; point++) {
        char bytes[4];
        size_t at = 0, n;

        if (point >= 0xd800 && point <= 0xdfff)
            continue;
        n = utf8_encode(point, bytes);
        if (n != (point < 0x80      ? 1U
                  : point < 0x800   ? 2U
                  : point < 0x10000 ? 3U
                                    : 4U) ||
            !utf8_valid((struct str){bytes, n}) ||
            utf8_next((struct str){bytes, n}, &at) != point || at != n)
            fail_msg("U+%04X", (unsigned)point);
    }
}

static void a_bad_byte_is_one_replacement(void **state)
{
    const struct str text = STR("a\xff\xe2\x82z\xc3");
    static const uint32_t points[] = {'a', 0xfffd, 0xfffd, 0xfffd, 'z', 0xfffd};
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        assert_int_equal(utf8_next(text, &at), points[i]);
    assert_int_equal(at, text.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_text_is_taken),
        cmocka_unit_test(bad_bytes_are_refused),
        cmocka_unit_test(a_cut_falls_between_characters),
        cmocka_unit_test(every_character_goes_both_ways),
        cmocka_unit_test(a_bad_byte_is_one_replacement),
    };

    return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
