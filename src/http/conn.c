#include "http/own.h"

#include "http/problem.h"
#include "http/tcp_look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    REFUSED_MS = 1000, /* for a client over the limit to say what it wants to be told no */
    LINGER_MS = 2000,
    LINGER_READS = 64 /* of one socket at a time */
};

/* ---- refusing past libmicrohttpd ---- */

/* What was refused before its first line was there has no call that would be logged when it ends.
 */
static void log_without_call(const struct conn *conn, struct str id)
{
    struct server *server = conn->server;
    struct access_line line = {
        .id = id,
        .method = str_of(request_method_name(HTTP_METHOD_COUNT)),
        .target = STR("-"),
        .peer = str_of(conn->peer_text),
        .status = conn->raw_status,
    };
    struct timespec now;

    if (server->options.log != SERVER_LOG_OFF) {
        clock_gettime(CLOCK_REALTIME, &now);
        line.time_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
        access_log_add(server->log, &line);
    }
    metrics_add(server->metrics,
                &(struct metrics_request){.method = HTTP_METHOD_COUNT, .status = conn->raw_status});
}

/* The body of a refusal, in the way of the dialect when it is known; gives its media type. */
static const char *refusal_write(struct conn *conn, const struct fault *fault, struct buf *body)
{
    struct exchange *x = conn->call ? &conn->call->x : NULL;

    if (!x || !x->table || !x->table->write_fault) {
        problem_add(body, fault);
        conn->raw_status = fault_status(fault->code);
        return "application/problem+json";
    }
    reply_fault(x, fault->code, fault);
    buf_add_str(body, x->reply.fixed.p ? x->reply.fixed : buf_str(&x->reply.body));
    conn->raw_status = x->reply.status;
    return x->reply.type ? x->reply.type : "application/json";
}

void conn_refuse(struct conn *conn, const struct fault *fault)
{
    const char *type;
    struct buf body, text;
    struct arena arena;
    struct str id;

    arena_init(&arena);
    id = conn->call ? conn->call->x.request.id : call_id(conn->server, &arena);
    buf_init(&body, PROBLEM_BYTES);
    buf_init(&text, 2 * (size_t)PROBLEM_BYTES);
    type = refusal_write(conn, fault, &body);
    buf_add_format(&text,
                   "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: %s"
                   "\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                   "X-Content-Type-Options: nosniff\r\n",
                   conn->raw_status, fault_title(conn->raw_status), type, body.n);
    if (fault_retryable(fault->code))
        buf_add_text(&text, "Retry-After: 1\r\n");
    buf_add_format(&text, "Tine-Request-Id: %.*s\r\n\r\n", STR_ARG(id));
    buf_add_str(&text, buf_str(&body));
    /* A client whose window is too small even for this has no claim on an answer. */
    if (send(conn->fd, text.p, text.n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        conn->raw_status = 0;
    conn->linger = true;
    if (!conn->call)
        log_without_call(conn, id);
    buf_clear(&body);
    buf_clear(&text);
    arena_clear(&arena);
}

void conn_refuse_and_shut(struct conn *conn, const struct fault *fault)
{
    conn_refuse(conn, fault);
    shutdown(conn->fd, SHUT_RDWR);
}

/* ---- opening and closing ---- */

static bool too_many(struct server *server, const struct conn *conn, const struct sockaddr *from)
{
    if (conn->local)
        return false;
    if (server->conn_count > server->limits.connections) {
        metrics_refused(server->metrics, REFUSED_CONNECTIONS);
        return true;
    }
    /* All that a proxy, or the user of this machine, sends comes from one address: there only a
     * limit that somebody chose is kept. */
    if (!conn->peer || (peer_is_loopback(from) && server->options.limits.connections_peer == 0) ||
        conn->peer->count <= server->limits.connections_peer)
        return false;
    metrics_refused(server->metrics, REFUSED_PEER);
    return true;
}

static void conn_open(struct server *server, struct MHD_Connection *mhd, void **context)
{
    struct conn *conn = calloc(1, sizeof(*conn));
    const struct sockaddr *from;

    if (!conn)
        abort();
    from = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    conn->server = server;
    conn->mhd = mhd;
    conn->fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    conn->local = from->sa_family == AF_UNIX;
    conn->door = door_of(server, conn->fd);
    conn->peer = peers_add(&server->peers, from);
    peer_text(from, conn->peer_text);
    conn->since_ms = clock_ms();
    conn->looked = true; /* no byte has come yet */
    conn->next = server->conns;
    if (conn->next)
        conn->next->prev = conn;
    server->conns = conn;
    server->conn_count++;
    metrics_open(server->metrics, 1, 0);
    conn->refused = too_many(server, conn, from);
    *context = conn;
}

/* Closing while the client still sends would take back the reply that it has not read yet. So the
 * socket is kept a little, behind libmicrohttpd, which has shut our side of it. */
static void linger_start(struct conn *conn)
{
    struct server *server = conn->server;
    int unread = 0, fd;

    if (conn->local)
        return; /* the other end is this process */
    if (!conn->linger && (ioctl(conn->fd, FIONREAD, &unread) != 0 || unread == 0))
        return;
    if (server->lingering_count == LINGER_MAX || server->stopped)
        return;
    fd = fcntl(conn->fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return;
    server->lingering[server->lingering_count++] =
        (struct lingering){.fd = fd, .until_ms = clock_ms() + LINGER_MS};
}

static void conn_close(struct conn *conn)
{
    struct server *server = conn->server;

    linger_start(conn);
    if (conn->prev)
        conn->prev->next = conn->next;
    else
        server->conns = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    peers_remove(&server->peers, conn->peer);
    server->conn_count--;
    metrics_open(server->metrics, -1, 0);
    free(conn);
}

void conn_notify(void *server, struct MHD_Connection *mhd, void **context,
                 enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        conn_open(server, mhd, context);
    else if (*context)
        conn_close(*context);
}

/* Reads what has come and throws it away; false when the client is done too. */
static bool linger_read(int fd)
{
    char scrap[16 * 1024];

    for (int i = 0; i < LINGER_READS; i++) {
        ssize_t n = recv(fd, scrap, sizeof(scrap), MSG_DONTWAIT);

        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (n < 0)
            break;
    }
    return true;
}

void linger_sweep(struct server *server)
{
    int64_t now = clock_ms();

    for (int i = 0; i < server->lingering_count;) {
        struct lingering *one = &server->lingering[i];

        if (linger_read(one->fd) && now < one->until_ms) {
            i++;
            continue;
        }
        close(one->fd);
        *one = server->lingering[--server->lingering_count];
    }
}

void linger_close(struct server *server)
{
    for (int i = 0; i < server->lingering_count; i++)
        close(server->lingering[i].fd);
    server->lingering_count = 0;
}

/* ---- those that take too long ---- */

/*
 * Has the client begun a request that is not there yet? libmicrohttpd does not say before the
 * request line is whole; the kernel counts what has come. The first look at a connection that had a
 * request before only notes the count.
 *
 * And has it gone? When the end of the connection comes together with its last bytes, libmicrohttpd
 * reads those and misses the end. Seen twice, with nothing left to read, it is no coincidence.
 */
static void look(struct conn *conn, int64_t now)
{
    struct tcp_look seen;
    bool gone;
    int unread;

    if (conn->local || !tcp_look(conn->fd, &seen))
        return;
    if (!conn->call && !conn->first_ms && conn->looked && seen.bytes != conn->bytes_seen)
        conn->first_ms = now;
    conn->looked = true;
    conn->bytes_seen = seen.bytes;
    gone = seen.ended && ioctl(conn->fd, FIONREAD, &unread) == 0 && unread == 0;
    if (gone && conn->ended)
        shutdown(conn->fd, SHUT_RDWR);
    conn->ended = gone;
}

static void sweep_one(struct conn *conn, int64_t now)
{
    struct server *server = conn->server;
    const struct call *call = conn->call;
    struct fault fault;
    int64_t since;

    if (conn->stream || conn->raw_status || (call && call->state > CALL_BODY))
        return;
    look(conn, now);
    since = call ? call->started_us / 1000 : conn->first_ms;
    if (conn->refused && now - conn->since_ms > REFUSED_MS) {
        fault_write(&fault, FAULT_TOO_MANY, "there are too many connections");
        conn_refuse_and_shut(conn, &fault);
    } else if (since && now - since > server->limits.request_ms) {
        fault_write(&fault, FAULT_REQUEST_TIMEOUT, "the request took longer than %d ms to arrive",
                    server->limits.request_ms);
        metrics_refused(server->metrics, REFUSED_TIMEOUT);
        conn_refuse_and_shut(conn, &fault);
    }
}

void conn_sweep(struct server *server)
{
    int64_t now = clock_ms();

    for (struct conn *conn = server->conns; conn; conn = conn->next)
        sweep_one(conn, now);
}
