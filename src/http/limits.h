/* Ceilings of the edge: what they are when nobody chose others, and those that nobody can choose.
 */
#ifndef HTTP_LIMITS_H
#define HTTP_LIMITS_H

enum {
    EDGE_CONNECTIONS = 10000,               /* at once; fewer when files are short */
    EDGE_CONNECTIONS_PEER = 256,            /* from one address */
    EDGE_STREAMS = 8000,                    /* open event streams */
    EDGE_HEADER_BYTES = 6 * 1024,           /* request line and headers together */
    EDGE_HEADERS = 100,                     /* headers of a request */
    EDGE_REQUEST_MS = 60 * 1000,            /* from a request's first byte to its last */
    EDGE_IDLE_MS = 75 * 1000,               /* a connection on which nothing moves */
    EDGE_PENDING_BYTES = 256 * 1024 * 1024, /* bodies of all requests at once */
    EDGE_WORKERS = 64,                      /* threads for requests */
    EDGE_QUEUE = 1024,                      /* requests that wait for a worker */
    EDGE_LOG_BYTES = 1024 * 1024,           /* log lines that wait to be written */
    EDGE_LOG_PATH_BYTES = 1024,             /* of a request's target in its line */
    EDGE_PAGES = 4096,                      /* written pages that are kept to be given again */
    EDGE_PAGES_BYTES = 32 * 1024 * 1024,    /* of all of them */
    EDGE_PAGE_BYTES = 1024 * 1024           /* of one; a larger one is not kept */
};

#endif
