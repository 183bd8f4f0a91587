/*
 * A reply that goes on: the server asks its source for bytes when the client has taken what was
 * there before, so a slow client costs one buffer and never a queue. Everything here happens on
 * the loop.
 */
#ifndef HTTP_STREAM_H
#define HTTP_STREAM_H

#include "base/buf.h"

struct stream;

enum stream_state {
    STREAM_IDLE, /* nothing more now; stream_wake will say when there is */
    STREAM_MORE, /* there is more: ask again when this has been sent */
    STREAM_END   /* that was all */
};

struct stream_source {
    void (*start)(void *context, struct stream *stream);
    /* Adds what is ready; enough when `out` has STREAM_FILL bytes. */
    enum stream_state (*pull)(void *context, struct buf *out);
    void (*close)(void *context); /* the end was sent, or the client is gone; called once */
    void *context;
};

enum { STREAM_FILL = 16 * 1024 };

void stream_wake(struct stream *stream); /* on the loop, between start and close */

#endif
