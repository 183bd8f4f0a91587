#include "http/own.h"

#include "http/limits.h"

#include <assert.h>
#include <stdlib.h>

enum { DRAIN_BYTES = 64 * 1024 }; /* a refused body of up to that is read, to keep the connection */

/* ---- making and freeing ---- */

static struct call *call_take(struct server *server)
{
    struct call *call = server->calls;

    if (call) {
        server->calls = call->next;
        server->calls_kept--;
        memset(call, 0, sizeof(*call));
        return call;
    }
    call = calloc(1, sizeof(*call));
    if (!call)
        abort();
    return call;
}

/* Everything but the call itself. */
static void call_clear(struct call *call)
{
    buf_clear(&call->x.reply.body);
    reply_release(&call->x.reply);
    buf_clear(&call->body);
    arena_clear(&call->x.arena);
    inbox_unref(call->inbox);
}

void call_free(struct call *call)
{
    if (!call)
        return;
    call_clear(call);
    free(call);
}

void call_keep(struct server *server, struct call *call)
{
    call_clear(call);
    if (server->calls_kept == CALLS_KEPT) {
        free(call);
        return;
    }
    call->next = server->calls;
    server->calls = call;
    server->calls_kept++;
}

/*
 * libmicrohttpd would take the query apart next, into its pool, and close the connection without a
 * word when that is too small. We read the query ourselves, so it is shown an empty one. (The text
 * is in its own buffer, which it goes on to write to.)
 */
static void hide_query(const char *uri)
{
    char *question = uri ? (char *)(uintptr_t)strchr(uri, '?') : NULL;

    if (question && question[1])
        question[1] = '\0';
}

/* The server's own start and a number, which tells apart all requests that it ever gets. */
struct str call_id(struct server *server, struct arena *arena)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = server->id_next++;
    size_t start = strlen(server->id_start), n = number >> 32 ? 16 : 8;
    char *id = arena_alloc(arena, start + n);

    memcpy(id, server->id_start, start);
    for (size_t i = 0; i < n; i++)
        id[start + i] = digits[number >> 4 * (n - 1 - i) & 15];
    return (struct str){id, start + n};
}

void *call_begin(void *context, const char *uri, struct MHD_Connection *mhd)
{
    struct server *server = context;
    struct conn *conn =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    struct call *call = call_take(server);
    struct request *request = &call->x.request;

    call->server = server;
    call->inbox = inbox_ref(server->inbox);
    call->conn = conn;
    call->started_us = clock_us();
    call->x.app = server->options.app;
    buf_init(&call->x.reply.body, REPLY_BYTES);
    buf_init(&call->body, 0);
    request->target = arena_dup(&call->x.arena, str_of(uri));
    hide_query(uri);
    request->door = conn->door ? conn->door->name : NULL;
    request->peer = arena_dup(&call->x.arena, str_of(conn->peer_text));
    request->method = HTTP_METHOD_COUNT;
    request->id = call_id(server, &call->x.arena);
    conn->call = call;
    return conn;
}

/* ---- the head ---- */

static void refuse(struct call *call, enum fault_code code)
{
    assert(code == call->fault.code);
    call->code = code;
    if (code == FAULT_MALFORMED) {
        call->last = true;
        metrics_refused(call->server->metrics, REFUSED_MALFORMED);
    } else if (code == FAULT_ORIGIN) {
        metrics_refused(call->server->metrics, REFUSED_ORIGIN);
    }
}

/* The first that is heard of the request's headers. A body that nobody wants is not waited for. */
static enum MHD_Result on_head(struct call *call, const char *method, const char *url,
                               const char *version)
{
    enum fault_code code = call_head_read(call, method, url, version);
    const struct head *head = &call->head;

    call->state = CALL_BODY;
    if (!code)
        return MHD_YES;
    refuse(call, code);
    if (code == FAULT_HEADER_TOO_LARGE) {
        conn_refuse(call->conn, &call->fault);
        return MHD_NO;
    }
    if (!call->last &&
        (!head->has_body || (!head->chunked && !head->expects && head->length <= DRAIN_BYTES)))
        return MHD_YES;
    call->conn->linger = head->has_body;
    call->last = true;
    reply_fault(&call->x, code, &call->fault);
    return reply_queue(call);
}

/* ---- the body ---- */

static enum MHD_Result on_body(struct call *call, const char *data, size_t size)
{
    struct server *server = call->server;

    call->bytes_in += (int64_t)size;
    if (call->code)
        return MHD_YES; /* refused; it is read for the sake of the next request */
    if (server->pending_bytes + (int64_t)size > server->limits.pending_bytes) {
        call->code = fault_set(&call->fault, FAULT_TOO_MANY,
                               "the bodies of all requests have more than %lld bytes together",
                               (long long)server->limits.pending_bytes);
        metrics_refused(server->metrics, REFUSED_PENDING);
    } else {
        buf_add(&call->body, data, size);
        server->pending_bytes += (int64_t)size;
        if (!call->body.full)
            return MHD_YES;
        server->pending_bytes -= (int64_t)size;
        call->code =
            fault_set(&call->fault, FAULT_TOO_LARGE,
                      "the body has more than the %zu bytes that are taken here", call->body.max);
    }
    conn_refuse(call->conn, &call->fault);
    return MHD_NO;
}

/* ---- the work ---- */

enum fault_code call_admit(struct call *call, struct fault *fault)
{
    struct server *server = call->server;
    struct request *request = &call->x.request;
    enum right right = call->x.route->right;
    struct str token = call->head.token;

    if (right == RIGHT_NONE)
        return FAULT_OK;
    if (!token.p)
        token = STR("");
    /* One that is known already goes from a route to another: exchange_reroute. */
    if (request->caller.right == RIGHT_NONE &&
        server->options.identify(server->options.app, request, token, &call->x.arena,
                                 &request->caller, fault) != FAULT_OK)
        return fault_pass(fault);
    if (request->caller.right < right)
        return fault_set(fault, FAULT_FORBIDDEN, "user \"%.*s\" may not do this",
                         STR_ARG(request->caller.name));
    return FAULT_OK;
}

/* Runs the handler; true when the answer comes later. */
static bool handler_run(struct call *call, enum fault_code *code, struct fault *fault)
{
    bool deferred = false;

    call->deferred = &deferred;
    *code = call->x.route->run(&call->x, fault);
    assert(!deferred || *code == FAULT_OK);
    return deferred;
}

void call_run_on_loop(struct letter *letter)
{
    struct call *call = (struct call *)((char *)letter - offsetof(struct call, letter));
    struct fault fault = {0};
    enum fault_code code;

    if (!handler_run(call, &code, &fault))
        exchange_answer(&call->x, code, &fault);
}

static void run_on_worker(struct job *job)
{
    struct call *call = (struct call *)((char *)job - offsetof(struct call, job));
    struct fault fault = {0};
    enum fault_code code = call_admit(call, &fault);

    if (!code && call->x.route->where == ROUTE_LOOP) {
        call->letter.deliver = call_run_on_loop;
        if (!inbox_put(call->inbox, &call->letter))
            call_free(call);
        return;
    }
    if (code || !handler_run(call, &code, &fault))
        exchange_answer(&call->x, code, &fault);
}

/* Reads that wait although they should not: see work.h. */
static void on_hurry(uv_timer_t *timer)
{
    struct server *server = timer->data;

    if (work_hurry(server->work))
        uv_timer_start(timer, on_hurry, WORK_STALE_MS, 0);
}

static enum MHD_Result dispatch(struct call *call)
{
    struct server *server = call->server;
    bool deferred;

    if (call->x.route->where == ROUTE_LOOP && call->x.route->right == RIGHT_NONE) {
        deferred = handler_run(call, &call->code, &call->fault);
    } else {
        call->job.run = run_on_worker;
        call->job.quick = call->x.request.method == HTTP_GET || call->x.request.method == HTTP_HEAD;
        deferred = work_add(server->work, &call->job, false);
        if (call->job.since_ms && !uv_is_active((uv_handle_t *)&server->hurry))
            uv_timer_start(&server->hurry, on_hurry, WORK_STALE_MS, 0);
        if (!deferred && server->stopped) {
            call->code = fault_set(&call->fault, FAULT_STOPPING, "the server is stopping");
        } else if (!deferred) {
            metrics_refused(server->metrics, REFUSED_QUEUE);
            call->code = fault_set(&call->fault, FAULT_TOO_MANY,
                                   "more than %d requests wait to be worked on", EDGE_QUEUE);
        }
    }
    if (deferred) {
        /* Another thread has the exchange; its answer comes back as a letter, so not before this.
         */
        call->state = CALL_WORK;
        MHD_suspend_connection(call->conn->mhd);
        return MHD_YES;
    }
    if (call->code)
        reply_fault(&call->x, call->code, &call->fault);
    return reply_queue(call);
}

/* The request is whole. */
static enum MHD_Result on_whole(struct call *call)
{
    call->server->active++;
    call->counted = true;
    call->x.request.body = buf_str(&call->body);
    if (call->code) {
        reply_fault(&call->x, call->code, &call->fault);
        return reply_queue(call);
    }
    if (!call->x.route)
        return reply_queue(call); /* OPTIONS */
    return dispatch(call);
}

enum MHD_Result call_handle(void *context, struct MHD_Connection *mhd, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **con)
{
    struct conn *conn = *con;
    struct call *call = conn->call;
    enum MHD_Result result;

    (void)context;
    (void)mhd;
    if (conn->given_up || conn->raw_status || !call)
        return MHD_NO;
    switch (call->state) {
    case CALL_HEAD:
        return on_head(call, method, url, version);
    case CALL_BODY:
        if (*size == 0)
            return on_whole(call);
        result = on_body(call, data, *size);
        *size = 0;
        return result;
    case CALL_ANSWERED:
        return reply_queue(call);
    case CALL_WORK:
    case CALL_SENDING:
        return MHD_YES;
    }
    return MHD_NO;
}

void call_give_up(struct conn *conn)
{
    if (!conn->call || conn->call->state != CALL_WORK)
        return;
    conn->call->conn = NULL;
    conn->call = NULL;
    conn->given_up = true;
    conn->server->active--;
    MHD_resume_connection(conn->mhd);
}

/* ---- the end ---- */

static void call_log(struct call *call, int status)
{
    struct server *server = call->server;
    const struct request *request = &call->x.request;
    struct timespec now;
    int64_t took_us = clock_us() - call->started_us;
    struct access_line line = {
        .took_us = took_us,
        .id = request->id,
        .method = str_of(request_method_name(request->method)),
        .target = request->target,
        .user = request->caller.name,
        .peer = request->peer,
        .dialect = call->x.table ? call->x.table->name : NULL,
        .route = call->x.route ? call->x.route->name : NULL,
        .status = status,
        .bytes = call->bytes_out,
    };

    if (server->options.log != SERVER_LOG_OFF) {
        clock_gettime(CLOCK_REALTIME, &now);
        line.time_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
        access_log_add(server->log, &line);
    }
    metrics_add(server->metrics, &(struct metrics_request){.table = call->x.table,
                                                           .route = call->x.route,
                                                           .method = request->method,
                                                           .status = status,
                                                           .timed = true,
                                                           .took_us = took_us,
                                                           .bytes_in = call->bytes_in,
                                                           .bytes_out = call->bytes_out});
}

/* The status that the client saw; 0 when it was gone first. */
static int final_status(const struct conn *conn, const struct call *call,
                        enum MHD_RequestTerminationCode code)
{
    if (conn->raw_status)
        return conn->raw_status;
    if (call->state == CALL_SENDING)
        return call->x.reply.status;
    /* libmicrohttpd could make nothing of it, and said so itself. */
    return code == MHD_REQUEST_TERMINATED_WITH_ERROR && call->state == CALL_HEAD ? 400 : 0;
}

void call_end(void *context, struct MHD_Connection *mhd, void **con,
              enum MHD_RequestTerminationCode code)
{
    struct server *server = context;
    struct conn *conn = *con;
    struct call *call = conn->call;

    (void)mhd;
    conn->since_ms = clock_ms();
    conn->looked = conn->ended = false;
    conn->first_ms = 0;
    if (conn->stream)
        stream_end(conn);
    if (!call)
        return;
    call_log(call, final_status(conn, call, code));
    if (call->state == CALL_HEAD && !conn->raw_status && code == MHD_REQUEST_TERMINATED_WITH_ERROR)
        metrics_refused(server->metrics, REFUSED_MALFORMED);
    if (call->counted)
        server->active--;
    server->pending_bytes -= (int64_t)call->body.n;
    if (call->streams) /* the client was gone before the stream began */
        call->source.close(call->source.context);
    conn->call = NULL;
    call_keep(server, call);
}
