/* The first and the last of an output, whatever the pieces it came in. */
#include "workspace/ends.h"

#include "support/check.h"

#include <stdio.h>

/* The digits 0 to 9 again and again, `n` of them, added `step` at a time. */
static struct str kept(size_t max, size_t n, size_t step, struct arena *arena)
{
    struct ends ends;
    struct str text;

    ends_init(&ends, max);
    for (size_t at = 0; at < n; at += step) {
        char piece[64];
        size_t some = n - at < step ? n - at : step;

        for (size_t i = 0; i < some; i++)
            piece[i] = (char)('0' + (at + i) % 10);
        ends_add(&ends, piece, some);
    }
    assert_int_equal(ends.all, n);
    text = ends_text(&ends, arena);
    ends_clear(&ends);
    return text;
}

static void keeps_first_and_last(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t step = 1; step <= 64; step++) {
        CHECK_STR(kept(10, 0, step, &arena), "");
        CHECK_STR(kept(10, 5, step, &arena), "01234");
        CHECK_STR(kept(10, 9, step, &arena), "012345678");
        CHECK_STR(kept(10, 10, step, &arena), "0123456789");
        CHECK_STR(kept(10, 11, step, &arena), "01234\n… 1 bytes are left out here …\n67890");
        CHECK_STR(kept(10, 123, step, &arena), "01234\n… 113 bytes are left out here …\n89012");
    }
    arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_first_and_last)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
