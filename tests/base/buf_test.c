/* Bytes that grow up to a maximum, and remember when they could not. */
#include "support/check.h"

#include "base/buf.h"

static void appends_join_up(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1000);
    CHECK_STR(buf_str(&buf), "");
    assert_non_null(buf_str(&buf).p);
    buf_add(&buf, "ab", 2);
    buf_add_char(&buf, 'c');
    buf_add_text(&buf, "de");
    buf_add_str(&buf, STR("fg"));
    buf_add_str(&buf, STR_NONE);
    buf_add_format(&buf, "%d-%s", 12, "x");
    assert_string_equal(buf.p, "abcdefg12-x");
    assert_int_equal(buf.n, 11);
    assert_false(buf.full);
    buf_clear(&buf);
}

static void it_grows_over_many_doublings(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 1 << 20);
    for (int i = 0; i < 100000; i++) {
        buf_add_char(&buf, (char)('a' + i % 26));
        assert_int_equal(buf.p[buf.n], '\0');
    }
    assert_int_equal(buf.n, 100000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(buf.p[i], 'a' + i % 26);
    buf_clear(&buf);
}

static void the_maximum_fits_and_no_byte_more(void **state)
{
    struct buf buf;

    (void)state;
    for (size_t max = 0; max < 200; max++) {
        buf_init(&buf, max);
        for (size_t i = 0; i < max; i++)
            buf_add_char(&buf, 'x');
        assert_int_equal(buf.n, max);
        assert_false(buf.full);
        buf_add(&buf, "", 0);
        assert_false(buf.full);
        buf_add_char(&buf, 'y');
        assert_int_equal(buf.n, max);
        assert_true(buf.full);
        buf_clear(&buf);
    }
}

static void nothing_is_added_after_the_first_miss(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 5);
    buf_add_text(&buf, "abc");
    buf_add_text(&buf, "def"); /* does not fit, not even in part */
    assert_true(buf.full);
    buf_add_char(&buf, 'x'); /* would fit */
    buf_add_format(&buf, "%d", 1);
    CHECK_STR(buf_str(&buf), "abc");
    assert_true(buf.full);
    buf_clear(&buf);
}

static void a_format_obeys_the_maximum(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 5);
    buf_add_format(&buf, "%s", "12345");
    CHECK_STR(buf_str(&buf), "12345");
    assert_false(buf.full);
    buf_reset(&buf);
    buf_add_format(&buf, "%s", "123456");
    CHECK_STR(buf_str(&buf), "");
    assert_true(buf.full);
    buf_clear(&buf);
}

static void reset_keeps_the_memory(void **state)
{
    struct buf buf;
    char *before;

    (void)state;
    buf_init(&buf, 100);
    buf_reset(&buf); /* of an empty one */
    buf_add_text(&buf, "some text");
    before = buf.p;
    buf_reset(&buf);
    CHECK_STR(buf_str(&buf), "");
    assert_ptr_equal(buf.p, before);
    assert_string_equal(buf.p, "");
    buf_add_text(&buf, "other");
    assert_string_equal(buf.p, "other");
    buf_clear(&buf);
}

static void clear_keeps_the_maximum(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 3);
    buf_add_text(&buf, "abcd");
    assert_true(buf.full);
    buf_clear(&buf);
    assert_null(buf.p);
    assert_false(buf.full);
    buf_add_text(&buf, "abc");
    assert_false(buf.full);
    buf_add_text(&buf, "d");
    assert_true(buf.full);
    buf_clear(&buf);
}

static void bytes_may_be_nul(void **state)
{
    struct buf buf;

    (void)state;
    buf_init(&buf, 10);
    buf_add(&buf, "a\0b", 3);
    assert_int_equal(buf.n, 3);
    assert_memory_equal(buf.p, "a\0b", 4);
    buf_clear(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends_join_up),
        cmocka_unit_test(it_grows_over_many_doublings),
        cmocka_unit_test(the_maximum_fits_and_no_byte_more),
        cmocka_unit_test(nothing_is_added_after_the_first_miss),
        cmocka_unit_test(a_format_obeys_the_maximum),
        cmocka_unit_test(reset_keeps_the_memory),
        cmocka_unit_test(clear_keeps_the_maximum),
        cmocka_unit_test(bytes_may_be_nul),
    };

    return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
