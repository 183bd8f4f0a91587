/*
 * What happens on the server, as it happens. When the connection is lost it is made again and goes
 * on where it was; both is told. The first that a feed tells, once it listens, is the event "reset"
 * (or that the server cannot be reached): what is read from then on and what is told later leave no
 * gap between them.
 */
#ifndef TUI_FEED_H
#define TUI_FEED_H

#include "tui/errand.h"

enum happening_kind {
    HAPPENED_EVENT, /* `event`; its type "reset": something was missed, read anew */
    HAPPENED_LOST,  /* the server cannot be reached: `reason` */
    HAPPENED_BACK   /* it can again; what was missed follows */
};

struct happening {
    enum happening_kind kind;
    const struct tine_event *event; /* lives during the call. Pieces of running text that follow one
                                       another may come as one; these have no `data`. */
    const char *reason;
};

typedef void feed_call(void *context, const struct happening *happening);

struct feed_options {
    const struct tui_door *door;
    const char *session;         /* NULL: all */
    const char *types;           /* as in struct tine_events_options */
    void (*wake)(void *context); /* on any thread: feed_tell has something */
    feed_call *call;             /* on the screen's thread, from feed_tell */
    void *context;
};

struct feed;

struct feed *feed_new(const struct feed_options *options);

/* Returns when its thread has ended, which is soon. May be called from within `call`. */
void feed_free(struct feed *feed);

/* Nothing is told any more, and the thread ends by itself; feed_free is still to come. */
void feed_stop(struct feed *feed);
bool feed_ended(const struct feed *feed); /* feed_free would not wait */

/* Tells what has happened, at most for about `budget_ms`; true: there is more. */
bool feed_tell(struct feed *feed, int budget_ms);

#endif
