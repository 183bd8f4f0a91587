#include "tui/act_key.h"

#include "base/hex.h"

#include <stdlib.h>
#include <sys/random.h>

enum { KEY_BYTES = 16 };

const char *act_key(struct arena *arena)
{
    unsigned char bytes[KEY_BYTES];
    char *text = arena_alloc(arena, 2 * KEY_BYTES + 1);

    if (getrandom(bytes, sizeof(bytes), 0) != KEY_BYTES)
        abort(); /* the kernel has always that many */
    hex_write(bytes, sizeof(bytes), text);
    return text;
}
