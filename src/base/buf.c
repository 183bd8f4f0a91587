#include "base/buf.h"

#include "base/arena.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *buf, size_t max)
{
    assert(max < SIZE_MAX / 2);
    *buf = (struct buf){.max = max};
}

void buf_clear(struct buf *buf)
{
    free(buf->p);
    buf_init(buf, buf->max);
}

void buf_reset(struct buf *buf)
{
    buf->n = 0;
    buf->full = false;
    if (buf->p)
        buf->p[0] = '\0';
}

bool buf_grow(struct buf *buf, size_t n)
{
    size_t room = buf->room;
    char *p;

    if (buf->full || n > buf->max - buf->n) {
        buf->full = true;
        return false;
    }
    if (buf->n + n < room)
        return true;
    if (room < 64)
        room = 64;
    while (room <= buf->n + n)
        room *= 2;
    if (room > buf->max + 1)
        room = buf->max + 1; /* so that what fits the room fits the maximum */
    p = realloc(buf->p, room);
    if (!p)
        abort();
    buf->p = p;
    buf->room = room;
    return true;
}

void buf_add_text(struct buf *buf, const char *cstring)
{
    buf_add(buf, cstring, strlen(cstring));
}

void buf_add_format(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0)
        abort();
    if (buf_grow(buf, (size_t)n)) {
        vsnprintf(buf->p + buf->n, (size_t)n + 1, format, again);
        buf->n += (size_t)n;
    }
    va_end(again);
}

struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->p ? buf->p : "", buf->n};
}

struct str buf_take(struct buf *buf, struct arena *arena)
{
    struct str taken = arena_dup(arena, buf_str(buf));

    buf_clear(buf);
    return taken;
}
