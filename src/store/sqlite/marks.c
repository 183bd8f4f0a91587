#include "store/sqlite/marks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

void marks_clear(struct marks *marks)
{
    free(marks->bits);
    *marks = (struct marks){0};
}

bool marks_have(const struct marks *marks, int64_t number)
{
    size_t byte = (size_t)number / 8;

    assert(number >= 0);
    return byte < marks->room && marks->bits[byte] >> (number % 8) & 1;
}

static void grow(struct marks *marks, size_t needed)
{
    size_t room = marks->room ? marks->room : FIRST_ROOM;

    while (room < needed)
        room *= 2;
    marks->bits = realloc(marks->bits, room);
    if (!marks->bits)
        abort();
    memset(marks->bits + marks->room, 0, room - marks->room);
    marks->room = room;
}

bool marks_add(struct marks *marks, int64_t number)
{
    size_t byte = (size_t)number / 8;

    if (marks_have(marks, number))
        return false;
    if (byte >= marks->room)
        grow(marks, byte + 1);
    marks->bits[byte] = (unsigned char)(marks->bits[byte] | 1U << (number % 8));
    return true;
}
