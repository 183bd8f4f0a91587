/* Memory of one request: zeroed, aligned, valid until it is cleared. */
#include "support/check.h"

#include "base/arena.h"

#include <stdlib.h>

static void memory_is_zeroed_and_aligned(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (int round = 0; round < 2; round++) {
        for (size_t n = 0; n < 3000; n += 7) {
            unsigned char *p = arena_alloc(&arena, n);

            assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(p[i], 0);
            memset(p, 0xa5, n); /* dirt for the next round */
        }
        arena_clear(&arena);
    }
}

static void pieces_do_not_overlap(void **state)
{
    enum { COUNT = 400 };
    unsigned char *pieces[COUNT];
    size_t sizes[COUNT];
    struct arena arena;

    (void)state;
    arena_init(&arena);
    for (size_t i = 0; i < COUNT; i++) {
        /* small ones, now and then one that is larger than a block, or than a quarter of it */
        sizes[i] = i % 50 == 0 ? 100000 : i % 20 == 3 ? 5000 : i % 97;
        pieces[i] = arena_alloc(&arena, sizes[i]);
        memset(pieces[i], (int)(i % 251), sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i % 251);
    arena_clear(&arena);
}

static void a_copy_has_a_nul_behind_it(void **state)
{
    struct arena arena;
    struct str copy, empty;
    char source[] = "abcdef";

    (void)state;
    arena_init(&arena);
    copy = arena_dup(&arena, (struct str){source, 3});
    source[0] = 'x';
    assert_int_equal(copy.n, 3);
    assert_string_equal(copy.p, "abc");
    empty = arena_dup(&arena, STR_NONE);
    assert_int_equal(empty.n, 0);
    assert_string_equal(empty.p, "");
    arena_clear(&arena);
}

static void a_format_of_any_length_fits(void **state)
{
    struct arena arena;
    struct str text;

    (void)state;
    arena_init(&arena);
    text = arena_printf(&arena, "%d and %s", 7, "eight");
    CHECK_STR(text, "7 and eight");
    assert_int_equal(text.p[text.n], '\0');
    text = arena_printf(&arena, "%050000d", 1);
    assert_int_equal(text.n, 50000);
    assert_int_equal(text.p[49999], '1');
    assert_int_equal(text.p[0], '0');
    arena_clear(&arena);
}

static void an_array_has_room_for_all(void **state)
{
    struct arena arena;
    int64_t *numbers;

    (void)state;
    arena_init(&arena);
    numbers = arena_array(&arena, 10000, sizeof(*numbers));
    for (int i = 0; i < 10000; i++)
        numbers[i] = i;
    assert_int_equal(numbers[9999], 9999);
    assert_non_null(arena_array(&arena, 0, sizeof(*numbers)));
    arena_clear(&arena);
}

static void an_array_grows_with_all_that_is_in_it(void **state)
{
    struct arena arena;
    int64_t *items = NULL;
    size_t room = 0, grown = 0;

    (void)state;
    arena_init(&arena);
    for (size_t count = 0; count < 10000; count++) {
        int64_t *more = arena_more(&arena, items, count, &room, sizeof(*items));

        assert_true(room > count);
        grown += more != items;
        items = more;
        for (size_t i = count; i < room; i++)
            items[i] = -1; /* all of the room is there */
        items[count] = (int64_t)count;
    }
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(items[i], i);
    assert_in_range(grown, 2, 20); /* it doubles */
    assert_ptr_equal(arena_more(&arena, items, room - 1, &room, sizeof(*items)), items);
    arena_clear(&arena);
}

static void ask_for_too_many(void)
{
    struct arena arena;

    arena_init(&arena);
    arena_array(&arena, SIZE_MAX / 4, 8);
}

static void ask_for_too_much(void)
{
    struct arena arena;

    arena_init(&arena);
    (void)!arena_alloc(&arena, SIZE_MAX - 3);
}

static void sizes_that_do_not_fit_abort(void **state)
{
    (void)state;
    check_aborts(ask_for_too_many);
    check_aborts(ask_for_too_much);
}

static void a_cleared_arena_is_used_again(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena);
    arena_clear(&arena);
    arena_clear(&arena);
    assert_non_null(arena_alloc(&arena, 40000));
    arena_clear(&arena);
    assert_null(arena.blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(a_copy_has_a_nul_behind_it),
        cmocka_unit_test(a_format_of_any_length_fits),
        cmocka_unit_test(an_array_has_room_for_all),
        cmocka_unit_test(an_array_grows_with_all_that_is_in_it),
        cmocka_unit_test(sizes_that_do_not_fit_abort),
        cmocka_unit_test(a_cleared_arena_is_used_again),
    };

    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
