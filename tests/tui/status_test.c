/* Numbers as they are shown wherever tokens and costs are. */
#include "support/check.h"

#include "tui/status.h"

static void counts_are_short(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(status_count(0, &arena), "0");
    CHECK_STR(status_count(-5, &arena), "0");
    CHECK_STR(status_count(9999, &arena), "9999");
    CHECK_STR(status_count(10000, &arena), "10.0k");
    CHECK_STR(status_count(12549, &arena), "12.5k");
    CHECK_STR(status_count(999999, &arena), "999k");
    CHECK_STR(status_count(4500000, &arena), "4.5M");
    CHECK_STR(status_count(INT64_MAX, &arena), "9223P");
    arena_clear(&arena);
}

static void nothing_that_cost_is_shown_as_free(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    CHECK_STR(status_cost(0, &arena), "0");
    CHECK_STR(status_cost(1, &arena), "<0.0001");
    CHECK_STR(status_cost(50000, &arena), "0.0001");
    CHECK_STR(status_cost(9360000, &arena), "0.0094");
    CHECK_STR(status_cost(1250000000, &arena), "1.2500");
    CHECK_STR(status_cost(12345600000, &arena), "12.35");
    CHECK_STR(status_cost(1234567000000, &arena), "1235");
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_short),
        cmocka_unit_test(nothing_that_cost_is_shown_as_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
