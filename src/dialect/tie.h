/*
 * What ties a stream of the hub's events to the turn that it tells of. Made by a handler, then on
 * the loop; the end of the turn reaches it from the turn's thread, so it counts who holds it: the
 * stream and the turn. A turn may outlive its stream, and the server, too: then nobody is told.
 *
 * Usually the hub tells the end. A turn that could not begin leaves no event (`never`), and a
 * listener may have missed it: so the end also comes this way, as `over`.
 */
#ifndef DIALECT_TIE_H
#define DIALECT_TIE_H

#include "dialect/handling.h"

#include <pthread.h>

/* The first member of what is tied. */
struct tie {
    atomic_int holders;
    void (*free)(struct tie *tie);
    struct store *store;
    struct server *server;
    int64_t owner;
    struct str session, turn; /* in `names` */
    char *names;
    /* on the loop, once the stream has begun */
    struct stream *stream;
    struct hub_listener *listener; /* NULL: it listens to nothing */
    bool over;                     /* the turn has ended; its event may still be on the way */
    /* how it ended; written before `over` */
    bool never; /* it could not begin, or its session is gone: no event comes */
    enum run_state state;
    struct fault *fault; /* NULL: it did not fail. Apart, because most never need one */
    /* its own */
    atomic_bool one_was_here; /* the handler or the turn's thread; see tie_meet */
    pthread_mutex_t lock;
    bool closed; /* under `lock`: the stream is gone, and perhaps the server */
};

/* Held twice: by the stream to be, and by the turn. `free` is called when nobody holds it. */
void tie_init(struct tie *tie, struct exchange *x, void (*free)(struct tie *tie));
void tie_unhold(struct tie *tie);

/* Of which turn; the names are copied. Once, by the handler. */
void tie_name(struct tie *tie, int64_t owner, struct str session, struct str turn);

/* A turn_done, the tie being its context: gives back the hold of the turn. */
void tie_done(void *tie, enum run_state state, const struct fault *fault);

/* The handler has named it and answered with its stream: from now on it may be told of the end. */
void tie_meet(struct tie *tie);

/* For hub_listen, and as the close of a stream_source, both with the tie as context. */
void tie_notify(void *tie);
void tie_close(void *tie);

#endif
