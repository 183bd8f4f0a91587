/*
 * The edge: libmicrohttpd driven by one libuv loop, workers beside it. The loop never blocks: what
 * may wait for the store runs on a worker, and the connection is suspended meanwhile.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http/exchange.h"

/* Ceilings of the edge; 0 stands for the default in limits.h, and docs/limits.md lists them. */
struct server_limits {
    int connections;       /* at once */
    int connections_peer;  /* … from one address */
    int streams;           /* open event streams */
    int header_bytes;      /* request line and headers */
    int request_ms;        /* from the first byte of a request to its last */
    int idle_ms;           /* a connection on which nothing moves */
    int64_t pending_bytes; /* bodies of all requests that are being received or worked on */
    int workers;
};

enum server_log { SERVER_LOG_TEXT, SERVER_LOG_JSON, SERVER_LOG_OFF };

enum { SERVER_DOORS_MAX = 8 };

/* A further port; what comes through it has request->door. */
struct server_door {
    struct str listen;
    const char *name; /* outlives the server */
};

struct server_options {
    struct str listen; /* "ADDR:PORT"; "[::1]:80"; port 0: any free one. Empty: no port at all */
    const struct server_door *doors; /* as many as SERVER_DOORS_MAX; under the same limits */
    size_t door_count;
    struct server_limits limits;
    enum server_log log;
    const struct route_table *const *tables;
    size_t table_count;
    void *app;
    bool open; /* no tokens: only what names a loopback host and comes from no other page */
    /*
     * Who is it? `token` is empty when none was sent. On a worker. FAULT_UNAUTHORIZED. With
     * request->caller.open it is the local operator, who needs no token: the server is open, or the
     * connection comes from server_connect.
     */
    enum fault_code (*identify)(void *app, const struct request *request, struct str token,
                                struct arena *arena, struct caller *out, struct fault *fault);
    const char *const *hosts; /* further names that Host and Origin may have; NULL ends it */
    /* The server begins to stop: what keeps deferred requests waiting should end. On the loop,
     * once; NULL: nobody wants to know. */
    void (*stopping)(void *app);
};

struct server;

/* Listens, but answers nothing until server_run. FAULT_IO names the address. */
FAULT_CHECK enum fault_code server_open(const struct server_options *options, struct server **out,
                                        struct fault *fault);
int server_port(const struct server *server);
int server_door_port(const struct server *server, size_t door); /* in the order of the options */

/* Runs the loop on this thread until server_stop, or SIGTERM or SIGINT when `signals`. */
void server_run(struct server *server, bool signals);

/*
 * From any thread. No new connections; streams end, requests in work are answered, for `grace_ms`
 * at most. `server_run` then returns.
 */
void server_stop(struct server *server, int grace_ms);

/*
 * After server_run has returned. Waits for handlers that still run. An exchange that was deferred
 * may be answered later still; nobody gets the answer.
 */
void server_close(struct server *server);

/* Runs a function on the loop; from any thread. */
void server_post(struct server *server, void (*run)(void *context), void *context);

/* Runs a function on a worker, then another on the loop; from any thread. `done` may be NULL. */
void server_work(struct server *server, void (*work)(void *context), void (*done)(void *context),
                 void *context);

/* Runs a function on the loop every so often until the server stops; on the loop or before it. */
void server_every(struct server *server, int ms, void (*run)(void *context), void *context);

/*
 * A connected socket to the server inside this process, without a port: what is written to it is a
 * connection like any other, by the local operator. From any thread; the caller closes it.
 */
FAULT_CHECK enum fault_code server_connect(struct server *server, int *out, struct fault *fault);

/* Prometheus text of what the edge counts; app's own is added by the handler of /metrics. */
void server_metrics(struct server *server, struct buf *out);

/* The server of an exchange, for its handler. */
struct server *exchange_server(struct exchange *x);

#endif
