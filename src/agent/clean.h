/* Makes valid UTF-8 of bytes that come in pieces: what is no character becomes U+FFFD. */
#ifndef AGENT_CLEAN_H
#define AGENT_CLEAN_H

#include "base/arena.h"
#include "base/buf.h"

/* The beginning of a character whose rest has not come yet. */
struct clean {
    char held[4];
    size_t n;
};

/* Adds what is complete to `out`. */
void clean_add(struct clean *clean, struct str bytes, struct buf *out);

/* Nothing more comes. */
void clean_end(struct clean *clean, struct buf *out);

/* All at once, with room for at most `max` bytes. */
struct str clean_text(struct str bytes, size_t max, struct arena *arena);

#endif
