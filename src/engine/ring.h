/*
 * The newest events, in their order; the oldest make room for new ones. It holds all that were
 * added with numbers above its floor, but of a session that was deleted only the deletion.
 */
#ifndef ENGINE_RING_H
#define ENGINE_RING_H

#include "engine/hub_item.h"

enum { RING_ITEMS = 1024, RING_BYTES = 8 * 1024 * 1024 };

struct ring {
    struct hub_item *items[RING_ITEMS]; /* round: `count` from `first` on */
    size_t first, count, bytes;
    int64_t floor; /* set by who begins with an empty ring; then the last number that fell out */
};

/* Adds all of the list, whose numbers only grow, and leaves it empty. */
void ring_add(struct ring *ring, struct hub_list *found);

/* Forgets everything; the floor is the last number there was. */
void ring_clear(struct ring *ring);

/* The i-th from the oldest. */
struct hub_item *ring_item(const struct ring *ring, size_t i);

/* The place of the first event above a number; `count` when there is none. */
size_t ring_above(const struct ring *ring, int64_t e);

#endif
