/* Bytes that grow up to a maximum. Append freely, look at `full` once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/str.h"

struct buf {
    char *p; /* NULL or NUL-terminated */
    size_t n, room, max;
    bool full; /* an append did not fit; nothing was added since */
};

void buf_init(struct buf *buf, size_t max);
void buf_clear(struct buf *buf); /* gives the memory back; keeps the maximum */
void buf_reset(struct buf *buf); /* empty again, memory kept */

void buf_add(struct buf *buf, const void *p, size_t n);
void buf_add_str(struct buf *buf, struct str s);
void buf_add_text(struct buf *buf, const char *cstring);
void buf_add_char(struct buf *buf, char c);
void buf_add_format(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct str buf_str(const struct buf *buf); /* valid until the next change */

#endif
