/*
 * What the edge reads before anybody is asked: a request's target, its headers, its route and its
 * query; and what it writes about it: a log line and a problem. The input is lines: target, Host,
 * Origin, Accept, then headers as `name:value`.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "http/access_log.h"
#include "http/origin.h"
#include "http/problem.h"
#include "http/target.h"

#include <assert.h>

enum { HEADERS = 8 };

static const struct route_query query[] = {{"text", QUERY_TEXT, 0, 16, .about = ""},
                                           {"n", QUERY_INT, -100, 100, .about = ""},
                                           {"flag", QUERY_FLAG, 0, 0, .about = ""},
                                           {0}};
static const struct route routes[] = {
    {HTTP_GET, "/sessions", NULL, .query = query},
    {HTTP_GET, "/sessions/{id}", NULL, .query = query},
    {HTTP_GET, "/sessions/search", NULL, .name = "x"},
    {HTTP_GET, "/sessions/{id}/files/{path*}", NULL, .name = "x"},
    {HTTP_GET, "/events", NULL, .streams = true},
    {HTTP_POST, "/agents/{ns}/{name}", NULL, .name = "x"},
};
static const struct route_table table = {
    .name = "t", .prefix = "/api", .routes = routes, .count = 6};
static const struct route_table root = {.name = "r", .prefix = "", .routes = routes, .count = 6};
static const struct route_table *const tables[] = {&table, &root};

static struct str line(struct str *rest)
{
    const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct str taken = {rest->p, end ? (size_t)(end - rest->p) : rest->n};

    rest->p += taken.n + (end != NULL);
    rest->n -= taken.n + (end != NULL);
    return taken;
}

/* A fault is one line of JSON, whatever it quotes. */
static void problem(const struct fault *fault)
{
    struct buf out;

    buf_init(&out, PROBLEM_BYTES);
    problem_add(&out, fault);
    assert(!out.full && utf8_valid(buf_str(&out)));
    for (size_t i = 0; i < out.n; i++)
        assert((unsigned char)out.p[i] >= 0x20);
    buf_clear(&out);
}

static void log_line(struct str target, struct str user)
{
    struct access_line it = {.target = target, .user = user, .id = STR("i"), .method = STR("GET")};
    struct buf out;

    buf_init(&out, 1 << 20);
    for (int kind = SERVER_LOG_TEXT; kind <= SERVER_LOG_JSON; kind++) {
        buf_reset(&out);
        access_line_add(&out, (enum server_log)kind, &it);
        assert(!out.full && utf8_valid(buf_str(&out)));
        for (size_t i = 0; i + 1 < out.n; i++)
            assert((unsigned char)out.p[i] >= 0x20 && out.p[i] != 0x7f);
    }
    buf_clear(&out);
}

static void route(struct str target, struct request *request, struct arena *arena)
{
    struct target parts;
    struct route_match match;
    struct fault fault = {0};

    if (target_read(target, arena, &parts, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_MALFORMED);
        problem(&fault);
        return;
    }
    assert(parts.path.n <= target.n + 1);
    assert(parts.flaw || (utf8_valid(parts.path) && !memchr(parts.path.p, '\0', parts.path.n)));
    request->path = parts.path;
    request->raw_path = parts.raw_path;
    request->path_flaw = parts.flaw;
    for (int method = 0; method <= HTTP_METHOD_COUNT; method++) {
        request->method = (enum http_method)method;
        if (route_find(tables, 2, request, parts.query, arena, &match, &fault) != FAULT_OK)
            problem(&fault);
        else
            assert(match.route && match.table);
        assert(strlen(match.allow) < sizeof(match.allow));
    }
}

static void head(struct request *request, struct str host)
{
    static const char *const hosts[] = {"ui.example", NULL};
    struct origin_rules open = {.open = true, .port = 8463, .hosts = hosts};
    struct origin_rules closed = {.port = 8463, .hosts = hosts};
    struct fault fault = {0};
    struct head read;

    request_accepts(request, "application/json");
    request_asks_for(request, "text/event-stream");
    if (head_read(request, true, &read, &fault) != FAULT_OK) {
        problem(&fault);
        return;
    }
    assert(read.length >= 0 && (!read.chunked || read.length == 0));
    head_is_json(read.type);
    if (origin_check(&open, host, &read, &fault) != FAULT_OK)
        problem(&fault);
    if (origin_check(&closed, host, &read, &fault) != FAULT_OK)
        problem(&fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct request_header headers[HEADERS];
    struct request request = {.headers = headers};
    struct str target = line(&rest), host = line(&rest);
    struct arena arena;

    headers[0] = (struct request_header){STR("Host"), host};
    headers[1] = (struct request_header){STR("Origin"), line(&rest)};
    headers[2] = (struct request_header){STR("Accept"), line(&rest)};
    request.header_count = headers[1].value.n ? 3 : 1;
    while (rest.n && request.header_count < HEADERS) {
        struct str text = line(&rest);
        const char *colon = text.n ? memchr(text.p, ':', text.n) : NULL;

        if (!colon)
            continue;
        headers[request.header_count].name = (struct str){text.p, (size_t)(colon - text.p)};
        headers[request.header_count++].value =
            (struct str){colon + 1, text.n - (size_t)(colon - text.p) - 1};
    }
    arena_init(&arena);
    route(target, &request, &arena);
    head(&request, host);
    log_line(target, host);
    arena_clear(&arena);
    return 0;
}
