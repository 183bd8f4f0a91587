#include "engine/ring.h"

#include <stdlib.h>

struct hub_item *ring_item(const struct ring *ring, size_t i)
{
    return ring->items[(ring->first + i) % RING_ITEMS];
}

static void drop_oldest(struct ring *ring)
{
    struct hub_item *item = ring_item(ring, 0);

    ring->first = (ring->first + 1) % RING_ITEMS;
    ring->count--;
    ring->bytes -= item->bytes;
    ring->floor = item->e;
    free(item);
}

void ring_clear(struct ring *ring)
{
    while (ring->count)
        drop_oldest(ring);
}

/* What a session did is gone with it, as it is from the store. */
static void forget_session(struct ring *ring, const struct hub_item *gone)
{
    size_t kept = 0;

    for (size_t i = 0; i < ring->count; i++) {
        struct hub_item *item = ring_item(ring, i);

        if (item->owner == gone->owner && str_eq(item->session, gone->session)) {
            ring->bytes -= item->bytes;
            free(item);
        } else {
            ring->items[(ring->first + kept++) % RING_ITEMS] = item;
        }
    }
    ring->count = kept;
}

void ring_add(struct ring *ring, struct hub_list *found)
{
    while (found->first) {
        struct hub_item *item = hub_list_pop(found);

        if (item->deletes)
            forget_session(ring, item);
        while (ring->count == RING_ITEMS || (ring->count && ring->bytes + item->bytes > RING_BYTES))
            drop_oldest(ring);
        ring->items[(ring->first + ring->count++) % RING_ITEMS] = item;
        ring->bytes += item->bytes;
    }
}

size_t ring_above(const struct ring *ring, int64_t e)
{
    size_t i = ring->count; /* most who ask are near the end */

    while (i && ring_item(ring, i - 1)->e > e)
        i--;
    return i;
}
