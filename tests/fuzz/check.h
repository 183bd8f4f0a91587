/* What every target that writes JSON holds of it. */
#ifndef FUZZ_CHECK_H
#define FUZZ_CHECK_H

#include "base/buf.h"
#include "json/json_in.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECK_DEPTH = 400, CHECK_BYTES = 64 * 1024 * 1024 };

/* The text is one JSON value and nothing else; its bytes, checked. */
static inline struct json_value check_json(struct str text)
{
    struct json_value value;
    struct fault fault;

    if (json_read(text, CHECK_DEPTH, "what was written", &value, &fault) != FAULT_OK) {
        fprintf(stderr, "%s\n%.*s\n", fault.message, STR_ARG(text));
        abort();
    }
    return value;
}

/* The same of what stands in the buffer, which is given back. */
static inline struct json_value check_buf(struct buf *buf, struct arena *arena)
{
    struct str copy;

    assert(!buf->full);
    copy = arena_dup(arena, buf_str(buf));
    buf_clear(buf);
    return check_json(copy);
}

/* The next line of the input, without its end. */
static inline struct str check_line(struct str *rest)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct str line = {rest->p, end ? (size_t)(end - rest->p) : rest->n};

    rest->p += line.n + (end != NULL);
    rest->n -= line.n + (end != NULL);
    return line;
}

#endif
