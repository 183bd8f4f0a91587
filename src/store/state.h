/* Key/value state of a conversation: deltas, and folding them. Pure functions, the same for every
 * store. */
#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/fault.h"

struct state_item {
    struct str key;
    struct str value; /* JSON text, kept as it came; p == NULL: the key is removed */
};

/* Items in ascending order of key, each key once. */
struct state {
    struct state_item *items;
    size_t count;
};

/* Sorts by key; of equal keys the last one given stays. Works in place. */
void state_sort(struct state *state);

/* The bytes that stand in the store and in the content hash. */
void state_encode(const struct state *state, struct buf *out);

/* Reads such bytes; strings point into them. FAULT_CORRUPT when they are none. */
FAULT_CHECK enum fault_code state_decode(struct str bytes, struct arena *arena, struct state *out,
                                         struct fault *fault);

/* `before` with `delta` laid over it; removed keys are gone. Strings are borrowed from both. */
struct state state_fold(const struct state *before, const struct state *delta, struct arena *arena);

/*
 * What must be added to `target` so that the keys which start with one of `prefixes` are as in
 * `now`: the part of the state that a rewind does not move.
 */
struct state state_keep(const struct state *now, const struct state *target,
                        const struct str *prefixes, size_t prefix_count, struct arena *arena);

#endif
