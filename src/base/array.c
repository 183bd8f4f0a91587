#include "base/array.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

void *array_more(void *items, size_t count, size_t *room, size_t bytes)
{
    if (count < *room)
        return items;
    *room = *room ? 2 * *room : FIRST_ROOM;
    items = reallocarray(items, *room, bytes);
    if (!items)
        abort();
    return items;
}
