/* Arrays on the heap that grow one item at a time. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/*
 * The array of `count` items, `bytes` each, with room for one more behind them: as it is while
 * there is, else made anew with twice the room. An array begins as NULL with room 0. Aborts when
 * memory is out.
 */
void *array_more(void *items, size_t count, size_t *room, size_t bytes);

#endif
