/*
 * Routes as tables: matching, limits, needed rights and the OpenAPI document all come from here.
 */
#ifndef HTTP_ROUTE_H
#define HTTP_ROUTE_H

#include "base/fault.h"
#include "http/request.h"

struct exchange;

typedef enum fault_code route_run(struct exchange *x, struct fault *fault);

enum route_where {
    ROUTE_WORK, /* on a worker's thread: may call the store */
    ROUTE_LOOP  /* on the loop: must never block */
};

enum query_type {
    QUERY_TEXT,
    QUERY_INT,
    QUERY_FLAG, /* 0, 1, true, false */
    QUERY_BYTES /* as QUERY_TEXT, but any bytes: the path of a file */
};

struct route_query {
    const char *name; /* NULL ends the table */
    enum query_type type;
    int64_t min, max; /* QUERY_INT; QUERY_TEXT: max is the most bytes */
    const char *about;
    bool required; /* for the document: the handler refuses a request without it */
};

struct route {
    enum http_method method;
    const char *path; /* below the table's prefix: "/sessions/{id}/fork"; {path*} at the end takes
                         the rest of any path: slashes and any bytes */
    route_run *run;
    enum route_where where;
    enum right right;
    size_t body_max;                 /* bytes; 0: it takes no body */
    const struct route_query *query; /* NULL: none */
    /* for the document */
    const char *name; /* operationId */
    const char *tag;
    const char *about;             /* one sentence */
    const char *request, *reply;   /* names of schemas; NULL: none */
    const char *reply_type;        /* NULL: application/json */
    int status;                    /* of success */
    const enum fault_code *faults; /* those of its own, FAULT_OK at the end; NULL: none */
    bool streams;                  /* may answer with text/event-stream */
    bool once;                     /* honours Idempotency-Key */
};

/* The routes of one dialect. */
struct route_table {
    const char *name;   /* of the dialect, for log and metrics */
    const char *prefix; /* "/api/v1", or "" */
    const struct route *routes;
    size_t count;
    bool any_query; /* parameters that a route does not know are ignored, and so are values that
                       its table does not allow */
    /*
     * Writes a fault as a reply of this dialect; NULL: problem+json. Also one that the edge found:
     * then on the loop, perhaps before there is a route, a body or a caller.
     */
    void (*write_fault)(struct exchange *x, const struct fault *fault);
};

/*
 * Finds the route and fills request->params and request->query (and query_int). FAULT_NOT_FOUND,
 * FAULT_METHOD (with `allow` listing what is there), FAULT_INVALID for a query that the route does
 * not know or that is out of range, FAULT_MALFORMED for a path with a flaw where the route does not
 * take one, FAULT_PATH_INVALID for a rest that no file can have. `table` is set whenever the path
 * belongs to one.
 */
struct route_match {
    const struct route_table *table;
    const struct route *route;
    char allow[64];
};

FAULT_CHECK enum fault_code route_find(const struct route_table *const *tables, size_t count,
                                       struct request *request, struct str raw_query,
                                       struct arena *arena, struct route_match *out,
                                       struct fault *fault);

#endif
