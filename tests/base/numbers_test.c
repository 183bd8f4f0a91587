/* A list of numbers: in the order they came, then sorted and each once. */
#include "support/check.h"

#include "base/numbers.h"

static void numbers_stand_as_they_came(void **state)
{
    struct numbers numbers = {0};

    (void)state;
    for (int64_t i = 0; i < 3000; i++)
        numbers_add(&numbers, i % 7);
    assert_int_equal(numbers.count, 3000);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(numbers.items[i], i % 7);
    numbers_clear(&numbers);
}

static void sorted_they_ascend_and_are_there_once(void **state)
{
    static const int64_t mixed[] = {5, INT64_MAX, 5, -3, 0, INT64_MIN, 0, 5};
    static const int64_t sorted[] = {INT64_MIN, -3, 0, 5, INT64_MAX};
    struct numbers numbers = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(mixed) / sizeof(*mixed); i++)
        numbers_add(&numbers, mixed[i]);
    numbers_sort(&numbers);
    assert_int_equal(numbers.count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(numbers.items[i], sorted[i]);
        assert_true(numbers_have(&numbers, sorted[i]));
    }
    assert_false(numbers_have(&numbers, 4));
    assert_false(numbers_have(&numbers, INT64_MAX - 1));
    numbers_clear(&numbers);
}

static void one_without_any_may_be_asked(void **state)
{
    struct numbers numbers = {0};

    (void)state;
    numbers_sort(&numbers);
    assert_false(numbers_have(&numbers, 0));
    numbers_clear(&numbers);
    numbers_clear(&numbers);
    assert_int_equal(numbers.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_as_they_came),
        cmocka_unit_test(sorted_they_ascend_and_are_there_once),
        cmocka_unit_test(one_without_any_may_be_asked),
    };

    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
