/*
 * An event stream is a reply whose bytes libmicrohttpd asks for when the client has taken those
 * before. When its source has none the connection is suspended, and costs a `struct stream`, a
 * `struct conn` and libmicrohttpd's own memory (a pool of 8 KiB). What must hold:
 *
 * 1. A stream that is not suspended will ask again by itself; one that is, only after a wake.
 * 2. A source is asked only on the loop, and closed once, when the call on the connection ends.
 * 3. The list of streams is in the order of their last bytes, so that the ones to be kept alive
 *    stand in front.
 */
#include "http/own.h"

#include "http/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

enum {
    PULSE_MS = 15 * 1000, /* a silent stream gets a comment after that */
    PULSE_MAX = 256,      /* streams at a time, so that others are served in between */
    OLD_BLOCK = 4096,     /* HTTP/1.0 knows no chunks, and is sent blocks of that size */
    NEW_BLOCK = 16        /* not used with chunks, but allocated */
};

struct stream {
    struct stream *prev, *next;
    struct conn *conn;
    struct stream_source source;
    struct buf rest; /* what did not fit the last time, from `rest_at` on */
    size_t rest_at;
    bool suspended, idle, woken, ended, gone, pulse;
    int64_t last_ms; /* bytes were sent */
    int64_t bytes;
    /* for the log */
    const struct route_table *table;
    const struct route *route;
    enum http_method method;
    int64_t started_us;
    size_t id_n, target_n, user_n;
    char text[]; /* id, target, user */
};

/* ---- the list ---- */

static void list_remove(struct server *server, struct stream *stream)
{
    if (stream->prev)
        stream->prev->next = stream->next;
    else
        server->streams = stream->next;
    if (stream->next)
        stream->next->prev = stream->prev;
    else
        server->streams_last = stream->prev;
}

static void list_append(struct server *server, struct stream *stream)
{
    stream->next = NULL;
    stream->prev = server->streams_last;
    if (stream->prev)
        stream->prev->next = stream;
    else
        server->streams = stream;
    server->streams_last = stream;
}

/* Bytes go out: it is the last to need a sign of life. */
static void touch(struct stream *stream)
{
    struct server *server = stream->conn->server;

    stream->last_ms = (int64_t)uv_now(&server->loop);
    if (stream->next) {
        list_remove(server, stream);
        list_append(server, stream);
    }
}

/* ---- reading ---- */

static ssize_t give(struct stream *stream, char *out, size_t max, struct str bytes)
{
    size_t n = bytes.n < max ? bytes.n : max;

    memcpy(out, bytes.p, n);
    stream->bytes += (int64_t)n;
    touch(stream);
    return (ssize_t)n;
}

static ssize_t give_rest(struct stream *stream, char *out, size_t max)
{
    struct str rest = {stream->rest.p + stream->rest_at, stream->rest.n - stream->rest_at};
    ssize_t n = give(stream, out, max, rest);

    stream->rest_at += (size_t)n;
    if (stream->rest_at == stream->rest.n) {
        buf_clear(&stream->rest);
        stream->rest_at = 0;
    }
    return n;
}

/* Asks the source; what does not fit is kept. 0: nothing there. */
static ssize_t pull(struct stream *stream, char *out, size_t max)
{
    struct server *server = stream->conn->server;
    struct buf *scratch = &server->scratch;
    enum stream_state state;
    ssize_t n;

    buf_reset(scratch);
    stream->woken = false;
    state = stream->source.pull(stream->source.context, scratch);
    stream->ended = state == STREAM_END;
    stream->idle = state == STREAM_IDLE && !stream->woken;
    if (scratch->full) {
        stream->gone = true; /* more than one reply may have: a bug in the source */
        return 0;
    }
    if (scratch->n == 0)
        return 0;
    n = give(stream, out, max, buf_str(scratch));
    if ((size_t)n < scratch->n)
        buf_add(&stream->rest, scratch->p + n, scratch->n - (size_t)n);
    if (scratch->room > 4 * (size_t)STREAM_FILL)
        buf_clear(scratch);
    return n;
}

static ssize_t stream_read(void *context, uint64_t at, char *out, size_t max)
{
    struct stream *stream = context;
    ssize_t n;

    (void)at;
    if (stream->gone)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (stream->rest.n)
        return give_rest(stream, out, max);
    if (stream->ended || stream->conn->server->stopping)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (!stream->idle) {
        n = pull(stream, out, max);
        if (n > 0)
            return n;
        if (stream->gone)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (stream->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (stream->pulse) {
        stream->pulse = false;
        return give(stream, out, max, STR(":\n\n"));
    }
    if (stream->idle) {
        stream->suspended = true;
        MHD_suspend_connection(stream->conn->mhd);
    }
    return 0;
}

static void resume(struct stream *stream)
{
    if (!stream->suspended)
        return;
    stream->suspended = false;
    MHD_resume_connection(stream->conn->mhd);
    edge_soon(stream->conn->server);
}

void stream_wake(struct stream *stream)
{
    stream->woken = true;
    stream->idle = false;
    resume(stream);
}

void stream_gone(struct conn *conn)
{
    if (!conn->stream)
        return;
    conn->stream->gone = true;
    resume(conn->stream);
}

void stream_stop_all(struct server *server)
{
    for (struct stream *stream = server->streams; stream; stream = stream->next)
        resume(stream);
}

void stream_pulse(struct server *server)
{
    int64_t now = (int64_t)uv_now(&server->loop);

    for (int i = 0; i < PULSE_MAX && server->streams; i++) {
        struct stream *stream = server->streams;

        if (now - stream->last_ms < PULSE_MS)
            return;
        stream->pulse = stream->suspended; /* else it waits for its client, not for us */
        touch(stream);
        stream->last_ms = now;
        resume(stream);
    }
}

/* ---- beginning and end ---- */

static struct stream *stream_new(struct call *call)
{
    const struct request *request = &call->x.request;
    size_t target_n = request->target.n;
    struct stream *stream;

    if (target_n > EDGE_LOG_PATH_BYTES + 1)
        target_n = EDGE_LOG_PATH_BYTES + 1; /* more is not logged */
    stream = calloc(1, sizeof(*stream) + request->id.n + target_n + request->caller.name.n);
    if (!stream)
        abort();
    stream->conn = call->conn;
    stream->source = call->source;
    buf_init(&stream->rest, REPLY_BYTES);
    stream->table = call->x.table;
    stream->route = call->x.route;
    stream->method = request->method;
    stream->started_us = call->started_us;
    stream->id_n = request->id.n;
    stream->target_n = target_n;
    stream->user_n = request->caller.name.n;
    memcpy(stream->text, request->id.p, stream->id_n);
    memcpy(stream->text + stream->id_n, request->target.p, target_n);
    if (stream->user_n)
        memcpy(stream->text + stream->id_n + target_n, request->caller.name.p, stream->user_n);
    return stream;
}

/* Clients that leave are told of by an epoll of our own: a suspended connection is in none of
 * libmicrohttpd's. */
static void watch(struct conn *conn)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLET, .data.ptr = conn};

    if (epoll_ctl(conn->server->hang, EPOLL_CTL_ADD, conn->fd, &event) != 0 && errno != EEXIST)
        return; /* the sign of life finds out, later */
}

static struct MHD_Response *stream_response(struct call *call, struct stream *stream)
{
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, call->modern ? NEW_BLOCK : OLD_BLOCK, stream_read, stream, NULL);
    char id[REQUEST_ID_BYTES + 1];

    if (!response)
        return NULL;
    memcpy(id, call->x.request.id.p, call->x.request.id.n);
    id[call->x.request.id.n] = '\0';
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Tine-Request-Id", id);
    reply_add_own(call, response);
    return response;
}

static enum MHD_Result refuse_stream(struct call *call, enum fault_code code)
{
    metrics_refused(call->server->metrics, REFUSED_STREAMS);
    reply_fault(&call->x, code, &call->fault); /* closes the source */
    return reply_queue(call);
}

/* The head alone. (libmicrohttpd would send the end of a chunked body after it.) */
static enum MHD_Result head_only(struct call *call)
{
    call->source.close(call->source.context);
    call->streams = false;
    call->x.reply.type = "text/event-stream";
    return reply_queue(call);
}

enum MHD_Result stream_begin(struct call *call)
{
    struct server *server = call->server;
    struct conn *conn = call->conn;
    struct MHD_Response *response;
    struct stream *stream;
    enum MHD_Result result;

    if (call->x.request.method == HTTP_HEAD)
        return head_only(call);
    if (server->stopping)
        return refuse_stream(call,
                             fault_set(&call->fault, FAULT_STOPPING, "the server is stopping"));
    if (server->stream_count >= server->limits.streams)
        return refuse_stream(call, fault_set(&call->fault, FAULT_TOO_MANY,
                                             "there are already %d event streams",
                                             server->limits.streams));
    stream = stream_new(call);
    response = stream_response(call, stream);
    if (!response)
        abort(); /* out of memory */
    conn->stream = stream;
    conn->call = NULL;
    list_append(server, stream);
    touch(stream);
    server->stream_count++;
    server->active -= call->counted;
    server->pending_bytes -= (int64_t)call->body.n;
    metrics_open(server->metrics, 0, 1);
    watch(conn);
    call_keep(server, call);
    stream->source.start(stream->source.context, stream);
    result = MHD_queue_response(conn->mhd, 200, response);
    MHD_destroy_response(response);
    return result;
}

static void stream_log(struct stream *stream)
{
    struct server *server = stream->conn->server;
    struct timespec now;
    struct access_line line = {
        .took_us = clock_us() - stream->started_us,
        .id = {stream->text, stream->id_n},
        .target = {stream->text + stream->id_n, stream->target_n},
        .user = {stream->text + stream->id_n + stream->target_n, stream->user_n},
        .peer = str_of(stream->conn->peer_text),
        .method = str_of(request_method_name(stream->method)),
        .dialect = stream->table->name,
        .route = stream->route->name,
        .status = 200,
        .bytes = stream->bytes,
    };

    clock_gettime(CLOCK_REALTIME, &now);
    line.time_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    access_log_add(server->log, &line);
    metrics_add(server->metrics, &(struct metrics_request){.table = stream->table,
                                                           .route = stream->route,
                                                           .method = stream->method,
                                                           .status = 200,
                                                           .bytes_out = stream->bytes});
}

void stream_end(struct conn *conn)
{
    struct stream *stream = conn->stream;
    struct server *server = conn->server;

    conn->stream = NULL;
    epoll_ctl(server->hang, EPOLL_CTL_DEL, conn->fd, NULL);
    list_remove(server, stream);
    server->stream_count--;
    metrics_open(server->metrics, 0, -1);
    stream_log(stream);
    stream->source.close(stream->source.context);
    buf_clear(&stream->rest);
    free(stream);
}
