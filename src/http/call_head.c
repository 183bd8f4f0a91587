/*
 * The head of a request: its lines as libmicrohttpd gives them out are checked, copied and read,
 * and its route is found.
 */
#include "http/own.h"

#include "http/limits.h"
#include "http/target.h"

#include <strings.h>

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

enum fault_code call_body_check(const struct call *call, const struct route *route, int64_t length,
                                struct fault *fault)
{
    struct str type = call->head.type;

    if (!call->head.has_body)
        return FAULT_OK;
    if (route->body_max == 0)
        return fault_set(fault, FAULT_INVALID, "the route %s %s takes no body",
                         request_method_name(route->method), route->path);
    if (length > (int64_t)route->body_max)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the body has %lld bytes, and at most %zu are taken here",
                         (long long)length, route->body_max);
    /* Also where no schema is named, a POST may not look like what any page can send. */
    if ((route->request || route->method == HTTP_POST) && !head_is_json(type))
        return fault_set(fault, FAULT_MEDIA_TYPE, "the body must be application/json, not \"%.*s\"",
                         (int)(type.n < 100 ? type.n : 100), type.p ? type.p : "");
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
    struct origin_rules origins = server->origins;
    struct target target;
    struct route_match match;
    enum fault_code code;
    struct str host;

    if (target_read(request->target, &call->x.arena, &target, &call->fault) != FAULT_OK)
        return call->fault.code;
    request->path = target.path;
    request->raw_path = target.raw_path;
    request->raw_query = target.query;
    request->path_flaw = target.flaw;
    host = target.authority.p ? target.authority : call->head.host;
    if (call->conn->door)
        origins.port = call->conn->door->port;
    if (!call->conn->local && origin_check(&origins, host, &call->head, &call->fault) != FAULT_OK)
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
    code = call_body_check(call, match.route, call->head.length, &call->fault);
    if (!code && call->head.has_body)
        buf_init(&call->body, match.route->body_max);
    return code;
}

/* Who sends a token that cannot be read is told so in the words of the dialect that was asked. */
static enum fault_code token_refused(struct call *call)
{
    struct request *request = &call->x.request;
    struct route_match match;
    struct target target;
    struct fault none;

    if (target_read(request->target, &call->x.arena, &target, &none) != FAULT_OK)
        return call->fault.code;
    request->path = target.path;
    request->raw_path = target.raw_path;
    request->path_flaw = target.flaw;
    if (route_find(call->server->options.tables, call->server->options.table_count, request,
                   STR_NONE, &call->x.arena, &match, &none) == FAULT_OK)
        call->x.table = match.table;
    return call->fault.code;
}

enum fault_code call_head_read(struct call *call, const char *method, const char *url,
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
        return call->fault.code == FAULT_UNAUTHORIZED ? token_refused(call) : call->fault.code;
    return target_match(call);
}
