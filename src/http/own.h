/*
 * What the files of the edge share. One loop thread owns all of it but the exchange of a call,
 * which belongs to one thread at a time: the loop, then a worker or whoever deferred it, then the
 * loop.
 */
#ifndef HTTP_OWN_H
#define HTTP_OWN_H

#include "base/clock.h"
#include "http/access_log.h"
#include "http/head.h"
#include "http/inbox.h"
#include "http/metrics.h"
#include "http/origin.h"
#include "http/peers.h"
#include "http/server.h"
#include "http/work.h"

#include <microhttpd.h>

/*
 * The life of a call, which is one request on a connection:
 *
 *   HEAD ──> BODY ──> WORK ──> ANSWERED ──> SENDING
 *     │        │                  ^            ^
 *     └────────┴──────────────────┴────────────┘   refused, or answered at once
 *
 * HEAD: its request line is there. BODY: its headers are read and good, or refused. WORK: its
 * connection is suspended, and somebody else has the exchange. ANSWERED: the reply is there.
 * SENDING: libmicrohttpd has the reply.
 */
enum call_state { CALL_HEAD, CALL_BODY, CALL_WORK, CALL_ANSWERED, CALL_SENDING };

struct call {
    struct exchange x; /* first: handlers are given this */
    struct server *server;
    struct inbox *inbox; /* may outlive the server */
    struct conn *conn;   /* NULL: the connection was given up */
    enum call_state state;
    struct job job;
    struct letter letter;
    struct head head;
    struct buf body;
    char allow[64];       /* of a path that has other methods */
    enum fault_code code; /* FAULT_OK, or why it is refused */
    struct fault fault;
    bool counted;   /* in server->active */
    bool last;      /* the connection closes after this */
    bool streams;   /* the reply is `source` */
    bool modern;    /* HTTP/1.1 */
    bool *deferred; /* of the thread that runs the handler */
    struct stream_source source;
    int64_t started_us;
    int64_t bytes_in, bytes_out; /* of the bodies */
    struct call *next;           /* in the server's store of used ones */
};

/* A connection, from accept to close. While an event stream is on it, this and the stream are all
 * that is kept. */
struct conn {
    struct conn *prev, *next; /* of server->conns */
    struct server *server;
    struct MHD_Connection *mhd;
    struct call *call;     /* NULL: waits for a request, or is a stream */
    struct stream *stream; /* NULL: none */
    struct peer *peer;
    const struct door *door; /* NULL: the main one, or from within */
    int fd;
    int raw_status;   /* of a reply that was written past libmicrohttpd; 0: none */
    bool local;       /* from server_connect */
    bool refused;     /* there are too many: the first request is told so */
    bool linger;      /* the client may still be sending: close slowly */
    bool given_up;    /* the server stops, and its call has not ended */
    bool looked;      /* bytes_seen is set */
    bool ended;       /* the client will send no more: seen once */
    int64_t since_ms; /* it waits for a request */
    int64_t first_ms; /* bytes of one were seen; 0: none yet */
    uint64_t bytes_seen;
    char peer_text[PEER_TEXT];
};

struct ticker {
    uv_timer_t timer;
    void (*run)(void *context);
    void *context;
    struct ticker *next;
};

/* A socket that is read until the client has closed it too. */
struct lingering {
    int fd;
    int64_t until_ms;
};

/* A further port, for one dialect; doors.c. */
struct door {
    struct server *server;
    const char *name;
    int fd, port;
    bool polled;  /* `poll` is on the loop */
    bool resting; /* nobody is let in until there is room again */
    uv_poll_t poll;
};

/* A socket that libmicrohttpd was given and has not told of yet. */
struct arrival {
    int fd;
    const struct door *door;
};

enum {
    SPARE = 64, /* connections over the limit that are still told so */
    ARRIVALS_MAX = 64,
    LINGER_MAX = 256,
    CALLS_KEPT = 256,
    POOL_RESERVE = 2048 /* of the pool, for the head of the reply and libmicrohttpd itself */
};

struct server {
    struct server_options options;
    struct server_limits limits;
    struct origin_rules origins;
    int port;
    struct door doors[SERVER_DOORS_MAX];
    size_t door_count;
    struct arrival arrivals[ARRIVALS_MAX];
    int arrival_count;
    size_t pool_bytes; /* of each connection, for request and reply */
    struct MHD_Daemon *daemon;
    struct inbox *inbox;
    struct work *work;
    struct access_log *log;
    struct metrics *metrics;

    uv_loop_t loop;
    uv_poll_t poll, hang_poll; /* of MHD's epoll, and of `hang` */
    uv_async_t wake;
    uv_timer_t again; /* something is pending in MHD */
    uv_timer_t sweep; /* deadlines */
    uv_timer_t pulse; /* keep-alive of streams; faster while the server stops */
    uv_timer_t drain; /* of lingering sockets */
    uv_timer_t hurry; /* reads that wait */
    uv_signal_t signals[2];
    struct ticker *tickers;
    int hang; /* an epoll that tells of clients that leave their stream */

    struct conn *conns;
    int conn_count;
    struct peers peers;
    struct call *calls; /* used ones, to be used again */
    int calls_kept;
    int active; /* calls that are worked on or answered */
    int64_t pending_bytes;
    struct stream *streams, *streams_last; /* the one that was silent longest first */
    int stream_count;
    struct buf scratch; /* of all streams: what their sources give */
    struct lingering lingering[LINGER_MAX];
    int lingering_count;

    uint64_t id_next;
    char id_start[10]; /* eight digits and a hyphen, drawn when the server starts */
    bool stopping, stopped;
    int64_t stop_ms; /* the end of the grace */
};

void edge_run(struct server *server); /* lets MHD do all that it can do now */
/* The same, soon: libmicrohttpd without a thread does not tell its epoll of a resumed connection.
 */
void edge_soon(struct server *server);

/* doors.c */
FAULT_CHECK enum fault_code doors_bind(struct server *server, const struct server_options *options,
                                       struct fault *fault); /* answers nobody yet */
void doors_open(struct server *server);
void doors_sweep(struct server *server); /* lets in again where there was no room */
void doors_close(struct server *server); /* nobody comes in any more */
const struct door *door_of(const struct server *server, int fd); /* of a new connection */

/* conn.c */
void conn_notify(void *server, struct MHD_Connection *mhd, void **context,
                 enum MHD_ConnectionNotificationCode code);
/* Writes the fault past libmicrohttpd: in the middle of a request that cannot be finished. */
void conn_refuse(struct conn *conn, const struct fault *fault);
/* The same where libmicrohttpd is not asked to close it: it notices that the connection is shut. */
void conn_refuse_and_shut(struct conn *conn, const struct fault *fault);
void conn_sweep(struct server *server); /* those that take too long */
void linger_sweep(struct server *server);
void linger_close(struct server *server);

/* misread.c: for libmicrohttpd's log. */
void misread_log(void *server, const char *format, va_list args);

/* call_head.c: reads the head and finds the route; a fault is the call's. */
FAULT_CHECK enum fault_code call_head_read(struct call *call, const char *method, const char *url,
                                           const char *version);

/* Does the route take a body as this one, of so many bytes (as announced: -1 if it was not)? */
FAULT_CHECK enum fault_code call_body_check(const struct call *call, const struct route *route,
                                            int64_t length, struct fault *fault);

/* call.c */
void *call_begin(void *server, const char *uri, struct MHD_Connection *mhd);
enum MHD_Result call_handle(void *server, struct MHD_Connection *mhd, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **context);
void call_end(void *server, struct MHD_Connection *mhd, void **context,
              enum MHD_RequestTerminationCode code);
struct str call_id(struct server *server, struct arena *arena); /* the next one */
/* The caller is known and has the right that the route wants; on a worker. */
FAULT_CHECK enum fault_code call_admit(struct call *call, struct fault *fault);
void call_run_on_loop(struct letter *letter); /* the handler of its route */
void call_give_up(struct conn *conn);         /* the server stops before there is an answer */
void call_free(struct call *call);
void call_keep(struct server *server, struct call *call); /* on the loop: to be used again */

/* reply.c: hands the reply to libmicrohttpd. */
enum MHD_Result reply_queue(struct call *call);
void reply_fault(struct exchange *x, enum fault_code code, const struct fault *fault);

/* Lets go of what the reply holds, if libmicrohttpd has not got it. */
void reply_release(struct reply *reply);

/* The headers that the handler has set. */
void reply_add_own(struct call *call, struct MHD_Response *response);

/* stream.c */
enum MHD_Result stream_begin(struct call *call);
void stream_end(struct conn *conn);  /* logs it and closes its source */
void stream_gone(struct conn *conn); /* the client has left */
void stream_stop_all(struct server *server);
void stream_pulse(struct server *server);

#endif
