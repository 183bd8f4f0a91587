/* The first and the last of what a command prints; what lies between is only counted. */
#ifndef WORKSPACE_ENDS_H
#define WORKSPACE_ENDS_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdint.h>

struct ends {
    struct buf first;
    char *last; /* a ring */
    size_t last_room, last_at;
    int64_t all; /* bytes */
};

void ends_init(struct ends *ends, size_t max); /* at most `max` bytes are kept */
void ends_clear(struct ends *ends);
void ends_add(struct ends *ends, const char *p, size_t n);

/* What was kept, with a line that says what is left out. */
struct str ends_text(const struct ends *ends, struct arena *arena);

#endif
