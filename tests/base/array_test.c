/* Arrays on the heap: they grow with what is in them. */
#include "support/check.h"

#include "base/array.h"

#include <stdlib.h>

static void an_array_grows_with_all_that_is_in_it(void **state)
{
    int64_t *items = NULL;
    size_t room = 0, grown = 0;

    (void)state;
    for (size_t count = 0; count < 10000; count++) {
        size_t before = room;

        items = array_more(items, count, &room, sizeof(*items));
        assert_true(room > count);
        grown += room != before;
        for (size_t i = count; i < room; i++)
            items[i] = -1; /* all of the room is there */
        items[count] = (int64_t)count;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_in_range(grown, 2, 20); /* it doubles */
    assert_ptr_equal(array_more(items, room - 1, &room, sizeof(*items)), items);
    free(items);
}

static void ask_for_too_many(void)
{
    size_t room = SIZE_MAX / 16;

    (void)!array_more(NULL, room, &room, 16);
}

static void a_size_that_does_not_fit_aborts(void **state)
{
    (void)state;
    check_aborts(ask_for_too_many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_with_all_that_is_in_it),
        cmocka_unit_test(a_size_that_does_not_fit_aborts),
    };

    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
