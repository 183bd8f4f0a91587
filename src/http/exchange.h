/*
 * A request and its reply, from the first byte in to the last byte out.
 *
 * A handler fills x->reply and returns FAULT_OK, or returns a fault, which is then written in the
 * way of its dialect. A reply may also come later (exchange_defer), or go on for long
 * (exchange_stream). All memory of it is in x->arena.
 */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/route.h"
#include "http/stream.h"

enum { REPLY_HEADERS_MAX = 12, REPLY_BYTES = 64 * 1024 * 1024 };

struct reply_header {
    const char *name;
    struct str value;
};

struct reply {
    int status;       /* 0: the route's */
    const char *type; /* NULL: application/json */
    struct buf body;  /* the server takes it over; its maximum is REPLY_BYTES */
    struct str fixed; /* instead of body: bytes that outlive the server, or are held until … */
    void (*release)(
        void *held); /* … this is called, once, from any thread; NULL: they outlive it */
    void *held;
    struct reply_header headers[REPLY_HEADERS_MAX];
    size_t header_count;
    struct str problem; /* should the handler return a fault: more members of the problem, as a
                           JSON object; lives as long as the exchange */
};

struct exchange {
    struct arena arena;
    struct request request;
    struct reply reply;
    const struct route *route;
    const struct route_table *table;
    void *app; /* what the handlers work with */
};

/* A header of the reply; the value must live as long as the exchange. */
void reply_header(struct exchange *x, const char *name, struct str value);

/* The handler returns FAULT_OK and exchange_answer is called later, once, from any thread. */
void exchange_defer(struct exchange *x);

/* `code` FAULT_OK: x->reply is filled; else `fault` is written. x is not the caller's afterwards.
 */
void exchange_answer(struct exchange *x, enum fault_code code, const struct fault *fault);

/*
 * The reply is a stream of events: status 200, text/event-stream, sent as the source gives it out.
 * The source is told of its stream (start) on the loop after the handler has returned FAULT_OK; if
 * that never happens because the client is gone, only `close` is called.
 */
void exchange_stream(struct exchange *x, const struct stream_source *source);

/*
 * Lets a route of this table answer instead: matches the request anew (params, query), checks the
 * right and the body, and runs it. The path is taken as it stands, without the table's prefix. From
 * a handler that runs on a worker, which returns what this returns and touches x no more. From then
 * on faults are written, and requests counted and logged, as that table's.
 */
FAULT_CHECK enum fault_code exchange_reroute(struct exchange *x, const struct route_table *table,
                                             struct fault *fault);

/* That alone, and nothing is run: the handler returns a fault, which is that table's to write. */
void exchange_assign(struct exchange *x, const struct route_table *table);

#endif
