/* One request to the server and its answer. */
#ifndef CLIENT_TRANSFER_H
#define CLIENT_TRANSFER_H

#include "client/client.h"

struct transfer {
    const char *method;
    struct str path;                 /* below /api/v1, with its query */
    struct str body;                 /* p == NULL: none */
    bool is_bytes;                   /* the body is no JSON, and none is asked for: a file */
    const char *key, *last_event_id; /* headers; NULL: none */
    bool endless;                    /* an agent may think as long as it likes */
    /* Asks for a stream, and is called with its bytes; false ends it. NULL: no stream is wanted. */
    bool (*take)(void *context, struct str bytes);
    void *context;
    /* What came of it. */
    int status;
    bool streamed;    /* the answer was a stream, and all that came of it was taken */
    bool ended;       /* `take` ended it */
    struct buf reply; /* else: the whole answer; cleared by transfer_clear */
};

/*
 * False when there is no answer, and when it is a refusal: then the error has its words. A stream
 * that breaks off is an error, too ("connection"), with `streamed` set.
 */
bool transfer_run(struct tine *tine, struct transfer *transfer, struct tine_error *error);
void transfer_clear(struct transfer *transfer);

#endif
