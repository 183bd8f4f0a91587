#include "http/own.h"

#include "http/limits.h"
#include "http/problem.h"
#include "http/target.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>

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
static struct str id_next(struct server *server, struct arena *arena)
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
    call->started_us = now_us();
    call->x.app = server->options.app;
    buf_init(&call->x.reply.body, REPLY_BYTES);
    buf_init(&call->body, 0);
    request->target = arena_dup(&call->x.arena, str_of(uri));
    hide_query(uri);
    request->peer = arena_dup(&call->x.arena, str_of(conn->peer_text));
    request->method = HTTP_METHOD_COUNT;
    request->id = id_next(server, &call->x.arena);
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

struct header_list {
    struct request_header headers[EDGE_HEADERS];
    size_t count;
};

static enum MHD_Result header_take(void *context, enum MHD_ValueKind kind, const char *name,
                                   size_t name_n, const char *value, size_t value_n)
{
    struct header_list *list = context;

    (void)kind;
    if (list->count < EDGE_HEADERS)
        list->headers[list->count] =
            (struct request_header){{name, name_n}, {value ? value : "", value ? value_n : 0}};
    list->count++;
    return list->count <= EDGE_HEADERS ? MHD_YES : MHD_NO;
}

/*
 * Does every line follow directly on the one before it, ended by CR LF? libmicrohttpd 0.9 gives out
 * names and values where they were received, with their ends overwritten by zeros, and is lenient:
 * it joins a folded line to the *name* before it, ends lines at a bare LF, ends values at a NUL and
 * skips spaces in the request line. Each of these leaves a gap, or moves a string. A proxy in front
 * may have read such a request in another way, so it is refused.
 */
static bool lines_follow(const struct call *call, const char *method, const char *url,
                         const char *version, const struct header_list *list)
{
    const char *end = version + strlen(version);

    if (method + strlen(method) + 1 != url || url + call->x.request.target.n + 1 != version)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct request_header *header = &list->headers[i];

        if (end[1] != '\0' || header->name.p != end + 2)
            return false;
        end = header->value.p + header->value.n;
    }
    return end[1] == '\0' && end[2] == '\0' && end[3] == '\0';
}

/* What libmicrohttpd needs for each header and cookie beside its bytes. */
enum { HEADER_COST = 64 };

/*
 * The reply's own head has to fit into the same pool. When the request leaves no room for it, it is
 * refused past libmicrohttpd, which would only close the connection.
 */
static bool pool_has_room(const struct call *call, const char *method,
                          const struct header_list *list)
{
    const struct request_header *last = list->count ? &list->headers[list->count - 1] : NULL;
    size_t bytes = call->x.request.target.n, cost;
    int count =
        MHD_get_connection_values(call->conn->mhd, MHD_HEADER_KIND | MHD_COOKIE_KIND, NULL, NULL);

    if (last && last->value.p > method)
        bytes = (size_t)(last->value.p + last->value.n - method);
    cost = bytes + (size_t)count * HEADER_COST;
    for (size_t i = 0; i < list->count; i++)
        if (list->headers[i].name.n == 6 && strncasecmp(list->headers[i].name.p, "Cookie", 6) == 0)
            cost += list->headers[i].value.n + 1;
    return bytes <= (size_t)call->server->limits.header_bytes &&
           cost + POOL_RESERVE <= call->server->pool_bytes + POOL_RESERVE / 4;
}

static enum fault_code headers_copy(struct call *call, const char *method, const char *url,
                                    const char *version)
{
    struct request *request = &call->x.request;
    struct request_header *headers;
    struct header_list list;
    const char *first;
    struct str copy;

    list.count = 0; /* only those that are counted are looked at */
    MHD_get_connection_values_n(call->conn->mhd, MHD_HEADER_KIND, header_take, &list);
    if (list.count > EDGE_HEADERS)
        return fault_set(&call->fault, FAULT_HEADER_TOO_LARGE,
                         "the request has more than %d headers", EDGE_HEADERS);
    if (!pool_has_room(call, method, &list))
        return fault_set(&call->fault, FAULT_HEADER_TOO_LARGE,
                         "the request line and headers have more than %d bytes",
                         call->server->limits.header_bytes);
    if (!lines_follow(call, method, url, version, &list))
        return fault_set(&call->fault, FAULT_MALFORMED,
                         "the request has a folded header, a line without CR LF, a NUL or a "
                         "space too many");
    if (list.count == 0)
        return FAULT_OK;
    first = list.headers[0].name.p;
    copy = list.headers[list.count - 1].value;
    copy = arena_dup(&call->x.arena, (struct str){first, (size_t)(copy.p + copy.n - first)});
    headers = arena_array(&call->x.arena, list.count, sizeof(*headers));
    for (size_t i = 0; i < list.count; i++) {
        headers[i].name.p = copy.p + (list.headers[i].name.p - first);
        headers[i].name.n = list.headers[i].name.n;
        headers[i].value.p = copy.p + (list.headers[i].value.p - first);
        headers[i].value.n = list.headers[i].value.n;
    }
    request->headers = headers;
    request->header_count = list.count;
    return FAULT_OK;
}

static void method_read(struct request *request, const char *method)
{
    for (int i = 0; i < HTTP_METHOD_COUNT; i++)
        if (strcmp(method, request_method_name((enum http_method)i)) == 0)
            request->method = (enum http_method)i;
}

/* A token in the query counts for event streams only: a browser cannot send it in a header there.
 */
static enum fault_code query_token(struct call *call, struct str query)
{
    static const struct str name = {"access_token=", 13};

    if (call->head.token.p || !call->x.route->streams || call->x.route->method != HTTP_GET)
        return FAULT_OK;
    while (query.n) {
        const char *next = memchr(query.p, '&', query.n);
        struct str argument = {query.p, next ? (size_t)(next - query.p) : query.n};

        if (str_starts(argument, name))
            return target_decode((struct str){argument.p + name.n, argument.n - name.n}, true,
                                 "query", &call->x.arena, &call->head.token, &call->fault);
        query.p += argument.n + (next != NULL);
        query.n -= argument.n + (next != NULL);
    }
    return FAULT_OK;
}

static enum fault_code body_check(struct call *call)
{
    const struct route *route = call->x.route;
    const struct head *head = &call->head;

    if (!head->has_body)
        return FAULT_OK;
    if (route->body_max == 0)
        return fault_set(&call->fault, FAULT_INVALID, "the route %s %s takes no body",
                         request_method_name(route->method), route->path);
    if (head->length > (int64_t)route->body_max)
        return fault_set(&call->fault, FAULT_TOO_LARGE,
                         "the body has %lld bytes, and at most %zu are taken here",
                         (long long)head->length, route->body_max);
    /* Also where no schema is named, a POST may not look like what any page can send. */
    if ((route->request || route->method == HTTP_POST) && !head_is_json(head->type))
        return fault_set(
            &call->fault, FAULT_MEDIA_TYPE, "the body must be application/json, not \"%.*s\"",
            (int)(head->type.n < 100 ? head->type.n : 100), head->type.p ? head->type.p : "");
    buf_init(&call->body, route->body_max);
    return FAULT_OK;
}

/* OPTIONS is answered here: what the path takes, and nothing about other origins. */
static enum fault_code options_answer(struct call *call, struct target *target)
{
    struct route_match match;
    enum fault_code code = FAULT_OK;

    if (!str_eq(target->path, STR("*"))) {
        code = route_find(call->server->options.tables, call->server->options.table_count,
                          &call->x.request, STR_NONE, &call->x.arena, &match, &call->fault);
        call->x.table = match.table;
        memcpy(call->allow, match.allow, sizeof(call->allow));
    }
    if (code == FAULT_OK || code == FAULT_METHOD) {
        call->x.reply.status = 204;
        return FAULT_OK;
    }
    return code;
}

static enum fault_code target_match(struct call *call)
{
    struct server *server = call->server;
    struct request *request = &call->x.request;
    struct target target;
    struct route_match match;
    enum fault_code code;
    struct str host;

    if (target_read(request->target, &call->x.arena, &target, &call->fault) != FAULT_OK)
        return call->fault.code;
    request->path = target.path;
    host = target.authority.p ? target.authority : call->head.host;
    if (!call->conn->local &&
        origin_check(&server->origins, host, &call->head, &call->fault) != FAULT_OK)
        return call->fault.code;
    if (request->method == HTTP_OPTIONS)
        return options_answer(call, &target);
    code = route_find(server->options.tables, server->options.table_count, request, target.query,
                      &call->x.arena, &match, &call->fault);
    call->x.table = match.table;
    call->x.route = match.route;
    memcpy(call->allow, match.allow, sizeof(call->allow));
    if (code)
        return code;
    if (query_token(call, target.query) != FAULT_OK)
        return call->fault.code;
    return body_check(call);
}

static enum fault_code head_take(struct call *call, const char *method, const char *url,
                                 const char *version)
{
    struct request *request = &call->x.request;
    struct server *server = call->server;
    struct str id;

    call->modern = strcmp(version, "HTTP/1.1") == 0;
    method_read(request, method);
    if (headers_copy(call, method, url, version) != FAULT_OK)
        return call->fault.code;
    id = request_header(request, "X-Request-Id");
    if (head_good_id(id))
        request->id = id;
    request->caller.open = call->conn->local || server->options.open;
    if (call->conn->refused) {
        call->last = true;
        return fault_set(&call->fault, FAULT_TOO_MANY, "there are too many connections");
    }
    if (server->stopping) {
        call->last = true;
        metrics_refused(server->metrics, REFUSED_STOPPING);
        return fault_set(&call->fault, FAULT_STOPPING, "the server is stopping");
    }
    if (head_read(request, call->modern, &call->head, &call->fault) != FAULT_OK)
        return call->fault.code;
    return target_match(call);
}

/* The first that is heard of the request's headers. A body that nobody wants is not waited for. */
static enum MHD_Result on_head(struct call *call, const char *method, const char *url,
                               const char *version)
{
    enum fault_code code = head_take(call, method, url, version);
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

static enum fault_code admit(struct call *call, struct fault *fault)
{
    struct server *server = call->server;
    struct request *request = &call->x.request;
    enum right right = call->x.route->right;
    struct str token = call->head.token;

    if (right == RIGHT_NONE)
        return FAULT_OK;
    if (!token.p)
        token = STR("");
    if (server->options.identify(server->options.app, request, token, &call->x.arena,
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

static void run_on_loop(struct letter *letter)
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
    enum fault_code code = admit(call, &fault);

    if (!code && call->x.route->where == ROUTE_LOOP) {
        call->letter.deliver = run_on_loop;
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

/* ---- the answer ---- */

void exchange_defer(struct exchange *x)
{
    *((struct call *)x)->deferred = true;
}

void exchange_stream(struct exchange *x, const struct stream_source *source)
{
    struct call *call = (struct call *)x;

    call->streams = true;
    call->source = *source;
}

struct server *exchange_server(struct exchange *x)
{
    return ((struct call *)x)->server;
}

void reply_header(struct exchange *x, const char *name, struct str value)
{
    assert(x->reply.header_count < REPLY_HEADERS_MAX);
    x->reply.headers[x->reply.header_count++] = (struct reply_header){name, value};
}

/* Nobody gets the answer. */
static void call_drop(struct call *call)
{
    if (call->streams)
        call->source.close(call->source.context);
    call_free(call);
}

static void answer_deliver(struct letter *letter)
{
    struct call *call = (struct call *)((char *)letter - offsetof(struct call, letter));

    if (!call->conn) {
        call_drop(call);
        return;
    }
    call->state = CALL_ANSWERED;
    MHD_resume_connection(call->conn->mhd); /* who delivers the letters runs libmicrohttpd next */
}

void exchange_answer(struct exchange *x, enum fault_code code, const struct fault *fault)
{
    struct call *call = (struct call *)x;

    if (code)
        reply_fault(x, code, fault);
    call->letter.deliver = answer_deliver;
    if (!inbox_put(call->inbox, &call->letter))
        call_drop(call);
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
    int64_t took_us = now_us() - call->started_us;
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
    conn->since_ms = now_ms();
    conn->looked = conn->ended = false;
    conn->first_ms = 0;
    if (conn->stream)
        stream_end(conn);
    if (!call)
        return;
    call_log(call, final_status(conn, call, code));
    if (call->state == CALL_HEAD && code == MHD_REQUEST_TERMINATED_WITH_ERROR)
        metrics_refused(server->metrics, REFUSED_MALFORMED);
    if (call->counted)
        server->active--;
    server->pending_bytes -= (int64_t)call->body.n;
    conn->call = NULL;
    call_keep(server, call);
}
