/* Memory of one request: many small allocations, given back together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/str.h"

struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used;                /* of the newest block */
};

void arena_init(struct arena *arena);
void arena_clear(struct arena *arena); /* gives everything back; the arena may be used again */

/* Zeroed and aligned for any type. Aborts when memory is out. */
void *arena_alloc(struct arena *arena, size_t bytes) __attribute__((malloc));

/* Room for `count` things of `bytes` each; aborts when the product does not fit. */
void *arena_array(struct arena *arena, size_t count, size_t bytes);

/*
 * The array of `count` items, `bytes` each, with room for one more behind them: as it is while
 * there is, else a copy with twice the room. An array begins as NULL with room 0.
 */
void *arena_more(struct arena *arena, void *items, size_t count, size_t *room, size_t bytes);

struct str arena_dup(struct arena *arena, struct str s); /* with a NUL behind the view */
struct str arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
