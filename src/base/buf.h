/* Bytes that grow up to a maximum. Append freely, look at `full` once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

#include <assert.h>

struct arena;

struct buf {
    char *p; /* NULL or NUL-terminated */
    size_t n, room, max;
    bool full; /* an append did not fit; nothing was added since */
};

void buf_init(struct buf *buf, size_t max);
void buf_clear(struct buf *buf); /* gives the memory back; keeps the maximum */
void buf_reset(struct buf *buf); /* empty again, memory kept */

/* Makes room for n more bytes and the NUL; false when the maximum forbids it. */
bool buf_grow(struct buf *buf, size_t n);

/* Grows by n bytes, for the caller to fill; NULL when they do not fit. */
static inline char *buf_extend(struct buf *buf, size_t n)
{
    char *p;

    if (buf->full || n >= buf->room - buf->n) /* room is never beyond the maximum and the NUL */
        if (!buf_grow(buf, n))
            return NULL;
    p = buf->p + buf->n;
    buf->n += n;
    p[n] = '\0';
    return p;
}

static inline void buf_add(struct buf *buf, const void *p, size_t n)
{
    char *to = buf_extend(buf, n);

    assert(p || n == 0);
    if (to && n)
        memcpy(to, p, n);
}

static inline void buf_add_str(struct buf *buf, struct str s)
{
    buf_add(buf, s.p, s.n);
}

static inline void buf_add_char(struct buf *buf, char c)
{
    char *to = buf_extend(buf, 1);

    if (to)
        *to = c;
}

void buf_add_text(struct buf *buf, const char *cstring);
void buf_add_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct str buf_str(const struct buf *buf); /* valid until the next change */

/* What is in it, as a copy in the arena; the buffer is cleared. */
struct str buf_take(struct buf *buf, struct arena *arena);

#endif
