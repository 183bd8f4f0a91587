/* UUID version 7: fields, text, and ranges of starts. */
#include "support/check.h"

#include "base/id.h"

static const unsigned char ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
static const unsigned char some[8] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77};

static struct str text_of(const struct id *id, char text[ID_TEXT + 1])
{
    id_format(id, text);
    return str_of(text);
}

static void the_fields_stand_where_rfc_9562_has_them(void **state)
{
    char text[ID_TEXT + 1];
    struct id id;

    (void)state;
    id = id_make(0x0123456789ab, 0xcde, some);
    CHECK_STR(text_of(&id, text), "01234567-89ab-7cde-8011-223344556677");
    id = id_make(0, 0, some);
    CHECK_STR(text_of(&id, text), "00000000-0000-7000-8011-223344556677");
    id = id_make(0xffffffffffff, 0xfff, ones);
    CHECK_STR(text_of(&id, text), "ffffffff-ffff-7fff-bfff-ffffffffffff");
    id = id_make(1, 0x1000, some); /* a counter that is too large does not spill over */
    CHECK_STR(text_of(&id, text), "00000000-0001-7000-8011-223344556677");
}

static void bytes_and_text_sort_by_time_then_counter(void **state)
{
    static const struct {
        int64_t ms;
        unsigned counter;
    } rising[] = {{0, 0},   {0, 1},          {1, 0},           {1, 0xfff},         {255, 3},
                  {256, 0}, {0xffffffff, 9}, {0x100000000, 0}, {0xffffffffffff, 0}};
    char a[ID_TEXT + 1], b[ID_TEXT + 1];

    (void)state;
    for (size_t i = 1; i < sizeof(rising) / sizeof(rising[0]); i++) {
        struct id low = id_make(rising[i - 1].ms, rising[i - 1].counter, ones);
        struct id high = id_make(rising[i].ms, rising[i].counter, some);

        assert_true(memcmp(low.b, high.b, ID_BYTES) < 0);
        id_format(&low, a);
        id_format(&high, b);
        assert_true(strcmp(a, b) < 0);
    }
}

static void text_is_read_back(void **state)
{
    char text[ID_TEXT + 1];
    struct id id, back;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        unsigned char random[8];

        for (int k = 0; k < 8; k++)
            random[k] = (unsigned char)(i * 37 + k * 101);
        id = id_make((int64_t)i * 7919 * 104729, (unsigned)i, random);
        assert_true(id_parse(text_of(&id, text), &back));
        assert_memory_equal(id.b, back.b, ID_BYTES);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "0",
        "01234567-89ab-7cde-8011-22334455667",   /* too short */
        "01234567-89ab-7cde-8011-2233445566770", /* too long */
        "01234567-89AB-7cde-8011-223344556677",  /* upper case */
        "01234567-89ab-7cde-8011-22334455667g",
        "01234567089ab-7cde-8011-223344556677", /* a digit for a hyphen */
        "0123456-789ab-7cde-8011-223344556677", /* a hyphen out of place */
        "01234567-89ab-7cde-8011-2233445566 7",
        "{1234567-89ab-7cde-8011-22334455667}",
        "0123456789ab7cde8011223344556677",
    };
    struct id id;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(id_parse(str_of(bad[i]), &id));
    assert_false(id_parse(STR_NONE, &id));
    /* as long as an id, but with a NUL in it */
    assert_false(id_parse(STR("01234567-89ab-7cde-8011-2233445566\0"
                              "7"),
                          &id));
}

static bool in_range(const struct id *first, const struct id *id, const struct id *last)
{
    return memcmp(first->b, id->b, ID_BYTES) <= 0 && memcmp(id->b, last->b, ID_BYTES) <= 0;
}

/* For every length of start: ids are in the range exactly when their text starts so. */
static void a_range_holds_what_starts_so(void **state)
{
    char text[ID_TEXT + 1], other_text[ID_TEXT + 1];
    struct id id = id_make(0x0123456789ab, 0xcde, some), first, last;

    (void)state;
    id_format(&id, text);
    for (size_t n = 1; n <= ID_TEXT; n++) {
        struct str start = {text, n};

        assert_true(id_range(start, &first, &last));
        assert_true(in_range(&first, &id, &last));
        for (size_t bit = 0; bit < 8 * ID_BYTES; bit++) {
            struct id other = id;

            other.b[bit / 8] = (unsigned char)(other.b[bit / 8] ^ (0x80 >> bit % 8));
            id_format(&other, other_text);
            assert_int_equal(in_range(&first, &other, &last),
                             str_starts(str_of(other_text), start));
        }
        id_format(&first, other_text);
        assert_true(str_starts(str_of(other_text), start));
        id_format(&last, other_text);
        assert_true(str_starts(str_of(other_text), start));
    }
    assert_memory_equal(first.b, last.b, ID_BYTES); /* of a whole id */
}

static void starts_that_no_id_has_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "g",
                                      "A",
                                      "-",
                                      "01234567-89ab-7cde-8011-2233445566770",
                                      "012345678",
                                      "01234567-89ab7",
                                      " 0",
                                      "0123-"};
    struct id first, last;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(id_range(str_of(bad[i]), &first, &last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fields_stand_where_rfc_9562_has_them),
        cmocka_unit_test(bytes_and_text_sort_by_time_then_counter),
        cmocka_unit_test(text_is_read_back),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(a_range_holds_what_starts_so),
        cmocka_unit_test(starts_that_no_id_has_are_refused),
    };

    return cmocka_run_group_tests_name("id", tests, NULL, NULL);
}
