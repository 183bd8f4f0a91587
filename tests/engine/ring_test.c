/* The ring: it keeps the newest events and says from which number on. */
#include "support/check.h"

#include "engine/ring.h"

#include <stdlib.h>

static struct ring *ring_new(int64_t floor)
{
    struct ring *ring = calloc(1, sizeof(*ring));

    assert_non_null(ring);
    ring->floor = floor;
    return ring;
}

static void ring_free(struct ring *ring)
{
    ring_clear(ring);
    free(ring);
}

static void push(struct hub_list *list, int64_t e, int64_t owner, const char *session,
                 struct str message)
{
    struct hub_item item = {.e = e,
                            .owner = owner,
                            .type = "message.added",
                            .session = str_of(session),
                            .message = message};

    hub_list_push(list, hub_item_new(&item));
}

/* Adds events from one number to another, each with a message of so many bytes. */
static void add(struct ring *ring, int64_t from, int64_t to, size_t bytes)
{
    struct hub_list list;
    char *text = calloc(1, bytes + 1);

    assert_non_null(text);
    hub_list_init(&list);
    for (int64_t e = from; e <= to; e++)
        push(&list, e, 1, "s1", (struct str){text, bytes});
    ring_add(ring, &list);
    assert_null(list.first);
    assert_int_equal(list.count, 0);
    assert_int_equal(list.bytes, 0);
    free(text);
}

/* It holds the numbers above its floor up to `to`, in order. */
static void check_holds(const struct ring *ring, int64_t floor, int64_t to)
{
    assert_int_equal(ring->floor, floor);
    assert_int_equal(ring->count, to - floor);
    for (size_t i = 0; i < ring->count; i++)
        assert_int_equal(ring_item(ring, i)->e, floor + 1 + (int64_t)i);
}

static void what_is_added_is_kept_in_order(void **state)
{
    struct ring *ring = ring_new(7);

    (void)state;
    check_holds(ring, 7, 7);
    add(ring, 8, 10, 5);
    add(ring, 11, 11, 5);
    check_holds(ring, 7, 11);
    CHECK_STR(ring_item(ring, 0)->session, "s1");
    assert_int_equal(ring->bytes, 20);
    ring_free(ring);
}

static void the_oldest_make_room_by_number(void **state)
{
    struct ring *ring = ring_new(0);

    (void)state;
    add(ring, 1, RING_ITEMS, 1);
    check_holds(ring, 0, RING_ITEMS);
    add(ring, RING_ITEMS + 1, RING_ITEMS + 1, 1);
    check_holds(ring, 1, RING_ITEMS + 1);
    add(ring, RING_ITEMS + 2, 3 * RING_ITEMS + 5, 1); /* more than it holds, at once */
    check_holds(ring, 2 * RING_ITEMS + 5, 3 * RING_ITEMS + 5);
    assert_int_equal(ring->bytes, RING_ITEMS);
    ring_free(ring);
}

static void the_oldest_make_room_by_bytes(void **state)
{
    struct ring *ring = ring_new(0);

    (void)state;
    add(ring, 1, 4, RING_BYTES / 4);
    check_holds(ring, 0, 4);
    add(ring, 5, 5, 1);
    check_holds(ring, 1, 5);
    assert_int_equal(ring->bytes, RING_BYTES / 4 * 3 + 1);
    add(ring, 6, 6, RING_BYTES + 1); /* larger than all: it stands alone */
    check_holds(ring, 5, 6);
    add(ring, 7, 7, 0);
    check_holds(ring, 6, 7);
    ring_free(ring);
}

static void a_number_is_found_by_what_is_above(void **state)
{
    struct ring *ring = ring_new(10);

    (void)state;
    assert_int_equal(ring_above(ring, 10), 0);
    add(ring, 11, 13, 1);
    add(ring, 20, 20, 1); /* numbers that were not told are left out */
    assert_int_equal(ring_above(ring, 0), 0);
    assert_int_equal(ring_above(ring, 10), 0);
    assert_int_equal(ring_above(ring, 11), 1);
    assert_int_equal(ring_above(ring, 13), 3);
    assert_int_equal(ring_above(ring, 19), 3);
    assert_int_equal(ring_above(ring, 20), 4);
    assert_int_equal(ring_above(ring, INT64_MAX), 4);
    ring_free(ring);
}

static void a_cleared_ring_begins_where_it_ended(void **state)
{
    struct ring *ring = ring_new(0);

    (void)state;
    add(ring, 1, RING_ITEMS + 3, 2);
    ring_clear(ring);
    check_holds(ring, RING_ITEMS + 3, RING_ITEMS + 3);
    assert_int_equal(ring->bytes, 0);
    add(ring, RING_ITEMS + 4, RING_ITEMS + 6, 2);
    check_holds(ring, RING_ITEMS + 3, RING_ITEMS + 6);
    ring_free(ring);
}

static void what_a_deleted_session_did_is_forgotten(void **state)
{
    struct ring *ring = ring_new(0);
    struct hub_list list;

    (void)state;
    add(ring, 1, 4, 5);
    hub_list_init(&list);
    push(&list, 5, 1, "s2", STR("kept"));
    push(&list, 6, 2, "s1", STR("other"));
    push(&list, 7, 1, "s1", STR("gone"));
    list.first->next->next->deletes = true;
    ring_add(ring, &list);
    assert_int_equal(ring->count, 3);
    for (size_t i = 0; i < ring->count; i++)
        assert_int_equal(ring_item(ring, i)->e, 5 + (int64_t)i);
    assert_int_equal(ring->bytes, 4 + 5 + 4);
    assert_int_equal(ring->floor, 0);
    assert_int_equal(ring_above(ring, 0), 0);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_is_kept_in_order),
        cmocka_unit_test(the_oldest_make_room_by_number),
        cmocka_unit_test(the_oldest_make_room_by_bytes),
        cmocka_unit_test(a_number_is_found_by_what_is_above),
        cmocka_unit_test(a_cleared_ring_begins_where_it_ended),
        cmocka_unit_test(what_a_deleted_session_did_is_forgotten),
    };

    return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
