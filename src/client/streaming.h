/* Events out of a stream, told to the caller of the library one by one. */
#ifndef CLIENT_STREAMING_H
#define CLIENT_STREAMING_H

#include "client/client.h"
#include "client/feed.h"

struct streaming {
    struct feed feed;
    tine_event_call *call;
    void *context;
    bool until_done;    /* the stream of a turn: ends with the event "done" */
    struct buf last_id; /* of the newest event that had one */
    int64_t events;     /* told so far */
    bool done;          /* "done" came */
    bool stopped;       /* the caller has seen enough */
    bool failed;        /* with `error`: the stream makes no sense, or says that the turn failed */
    struct tine_error error;
    struct buf turn, state, reason; /* from "done" */
};

void streaming_init(struct streaming *streaming, const struct tine *tine, tine_event_call *call,
                    void *context);
void streaming_clear(struct streaming *streaming);

/* For transfer: `context` is the struct streaming. */
bool streaming_take(void *context, struct str bytes);

#endif
