/* What the edge reads from a request, each part by itself: routes, targets, headers, origins. */
#include "support/check.h"

#include "base/buf.h"
#include "http/access_log.h"
#include "http/head.h"
#include "http/origin.h"
#include "http/peers.h"
#include "http/problem.h"
#include "http/route.h"
#include "http/target.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

static enum fault_code nothing(struct exchange *x, struct fault *fault)
{
    (void)x;
    (void)fault;
    return FAULT_OK;
}

static const struct route_query query[] = {{"text", QUERY_TEXT, 0, 8, .about = ""},
                                           {"n", QUERY_INT, -5, 5, .about = ""},
                                           {"flag", QUERY_FLAG, 0, 0, .about = ""},
                                           {0}};
static const struct route one_routes[] = {
    {HTTP_GET, "/sessions", nothing, .name = "list", .query = query},
    {HTTP_POST, "/sessions", nothing, .name = "new"},
    {HTTP_GET, "/sessions/{id}", nothing, .name = "get"},
    {HTTP_GET, "/sessions/{id}/files/{path*}", nothing, .name = "file"},
    {HTTP_GET, "/sessions/{id}/files/index", nothing, .name = "index"},
    {HTTP_GET, "/sessions/search", nothing, .name = "search"},
    {HTTP_DELETE, "/sessions/{id}", nothing, .name = "delete"},
    {HTTP_GET, "/sessions/{id}/events", nothing, .name = "events", .streams = true},
};
static const struct route two_routes[] = {
    {HTTP_GET, "/", nothing, .name = "root"},
    {HTTP_GET, "/{page}", nothing, .name = "page"},
    {HTTP_PUT, "/api/v1/sessions", nothing, .name = "other_put"},
};
static const struct route_table one = {
    .name = "one", .prefix = "/api/v1", .routes = one_routes, .count = 8};
static const struct route_table two = {
    .name = "two", .prefix = "", .routes = two_routes, .count = 3};
static const struct route_table *const tables[] = {&one, &two};

struct finding {
    struct arena arena;
    struct request request;
    struct route_match match;
    struct fault fault;
};

static enum fault_code find(struct finding *f, enum http_method method, const char *path,
                            const char *raw_query)
{
    struct target target = {0};

    arena_clear(&f->arena);
    memset(&f->request, 0, sizeof(f->request));
    f->request.method = method;
    if (*path && target_read(str_of(path), &f->arena, &target, &f->fault) != FAULT_OK)
        return f->fault.code;
    f->request.path = target.path;
    f->request.raw_path = target.raw_path;
    f->request.path_flaw = target.flaw;
    return route_find(tables, 2, &f->request, str_of(raw_query), &f->arena, &f->match, &f->fault);
}

static void routes_are_found(void **state)
{
    static const struct {
        enum http_method method;
        const char *path, *name, *param;
    } known[] = {
        {HTTP_GET, "/api/v1/sessions", "list", NULL},
        {HTTP_HEAD, "/api/v1/sessions", "list", NULL},
        {HTTP_POST, "/api/v1/sessions", "new", NULL},
        {HTTP_GET, "/api/v1/sessions/s1", "get", "s1"},
        {HTTP_GET, "/api/v1/sessions/search", "search", NULL},
        {HTTP_DELETE, "/api/v1/sessions/search", "delete", "search"},
        {HTTP_GET, "/api/v1/sessions/s1/files/index", "index", "s1"},
        {HTTP_GET, "/api/v1/sessions/s1/files/a/b", "file", "s1"},
        {HTTP_GET, "/", "root", NULL},
        {HTTP_GET, "/docs", "page", "docs"},
        {HTTP_PUT, "/api/v1/sessions", "other_put", NULL},
    };
    struct finding f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CHECK_OK(find(&f, known[i].method, known[i].path, ""), &f.fault);
        assert_string_equal(f.match.route->name, known[i].name);
        if (known[i].param)
            CHECK_STR(f.request.params[0], known[i].param);
    }
    CHECK_OK(find(&f, HTTP_GET, "/api/v1/sessions/s1/files/a/b//c", ""), &f.fault);
    CHECK_STR(f.request.params[1], "a/b//c");
    CHECK_OK(find(&f, HTTP_GET, "/%61pi/v1/sessions/a%2Fb", ""), &f.fault);
    assert_string_equal(f.match.route->name, "get");
    CHECK_STR(f.request.params[0], "a/b");
    arena_clear(&f.arena);
}

/* The path of a file may have any bytes, but never leads elsewhere, and never to another route. */
static void the_rest_of_a_path(void **state)
{
    static const char *const bad[] = {
        "..",         "../x",    "a/../b",    "a/..",   "%2e%2e/x", "a/%2E./b", ".",
        "a/./b",      "a%2Fb",   "%2Fetc",    "/etc",   "a%00b",    "%5Cetc",   "..%5c..%5cetc",
        "a%5c..%5cb", "a/..\\b", "%2e%2e%2f", "..%2fx", "a/%2e",
    };
    struct finding f = {0};
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(path, sizeof(path), "/api/v1/sessions/s/files/%s", bad[i]);
        CHECK_FAULT(find(&f, HTTP_GET, path, ""), FAULT_PATH_INVALID, &f.fault);
    }
    CHECK_OK(find(&f, HTTP_GET, "/api/v1/sessions/s/files/a%0a%ff%252e%5cb/.../..c", ""), &f.fault);
    CHECK_STR(f.request.params[1], "a\n\xff%2e\\b/.../..c");
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions/%ff/files/a", ""), FAULT_MALFORMED, &f.fault);
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions/../files/a", ""), FAULT_MALFORMED, &f.fault);
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions/s/files/%", ""), FAULT_MALFORMED, &f.fault);
    arena_clear(&f.arena);
}

static void what_is_not_there(void **state)
{
    static const char *const nowhere[] = {"/api/v1",
                                          "/api/v1/",
                                          "/api/v1/sessions/",
                                          "/api/v1/sessions/s1/files/",
                                          "/api/v1/nothing",
                                          "/api/v1/sessions/s1/x",
                                          "/a/b",
                                          "//",
                                          ""};
    struct finding f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
        CHECK_FAULT(find(&f, HTTP_GET, nowhere[i], ""), FAULT_NOT_FOUND, &f.fault);
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/nothing", ""), FAULT_NOT_FOUND, &f.fault);
    assert_ptr_equal(f.match.table, &one);
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1x", ""), FAULT_NOT_FOUND, &f.fault);
    assert_null(f.match.table);
    CHECK_FAULT(find(&f, HTTP_GET, "/docs", "x=1"), FAULT_INVALID, &f.fault);
    assert_ptr_equal(f.match.table, &two);
    CHECK_FAULT(find(&f, HTTP_PATCH, "/api/v1/sessions", ""), FAULT_METHOD, &f.fault);
    assert_string_equal(f.match.allow, "GET, HEAD, POST, PUT, OPTIONS");
    assert_ptr_equal(f.match.table, &one);
    CHECK_FAULT(find(&f, HTTP_METHOD_COUNT, "/docs", ""), FAULT_METHOD, &f.fault);
    arena_clear(&f.arena);
}

static void queries_are_read(void **state)
{
    static const char *const bad[] = {"n=",   "n=6",     "n=-6",   "n=1x",           "n=1&n=1",
                                      "flag", "flag=on", "other=", "text=12345678a", "=",
                                      "n=+1", "&x&"};
    static const char *const broken[] = {"text=%", "text=%0a", "text=%ff", "%00=1"};
    struct finding f = {0};

    (void)state;
    CHECK_OK(find(&f, HTTP_GET, "/api/v1/sessions", "n=-5&&text=%61+b&flag=false&"), &f.fault);
    CHECK_STR(f.request.query[0], "a b");
    assert_int_equal(f.request.query_int[1], -5);
    assert_int_equal(f.request.query_int[2], 0);
    assert_non_null(f.request.query[2].p);
    CHECK_OK(find(&f, HTTP_GET, "/api/v1/sessions", "text="), &f.fault);
    assert_non_null(f.request.query[0].p);
    assert_null(f.request.query[1].p);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions", bad[i]), FAULT_INVALID, &f.fault);
    for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
        CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions", broken[i]), FAULT_MALFORMED, &f.fault);
    CHECK_OK(find(&f, HTTP_GET, "/api/v1/sessions/s/events", "access_token=x"), &f.fault);
    CHECK_FAULT(find(&f, HTTP_GET, "/api/v1/sessions/s", "access_token=x"), FAULT_INVALID,
                &f.fault);
    arena_clear(&f.arena);
}

static void write_nothing(struct exchange *x, const struct fault *fault)
{
    (void)x;
    (void)fault;
}

static const struct route any_routes[] = {
    {HTTP_GET, "/sessions/{id}", NULL, .query = query, .name = "get"},
    {HTTP_POST, "/sessions/fork", NULL, .name = "fork"},
    {HTTP_POST, "/sessions/{id}", NULL, .name = "post"},
    {HTTP_GET, "/sessions/{id}/tasks/{task}", NULL, .name = "task"},
    {HTTP_GET, "/sessions/agent/{ns}/{name}", NULL, .name = "agent"},
    {HTTP_POST, "/a2a/{ns}/{name}", NULL, .name = "bare"},
    {HTTP_POST, "/a2a/{ns}/{name}/", NULL, .name = "slash"},
    {HTTP_GET, "/only/", NULL, .name = "only"},
};
static const struct route_table any = {.name = "any",
                                       .prefix = "",
                                       .routes = any_routes,
                                       .count = sizeof(any_routes) / sizeof(any_routes[0]),
                                       .any_query = true,
                                       .write_fault = write_nothing};

static enum fault_code find_any(struct finding *f, enum http_method method, const char *path,
                                const char *raw_query)
{
    const struct route_table *const both[] = {&one, &any, &two};

    arena_clear(&f->arena);
    f->request = (struct request){.method = method, .path = str_of(path), .raw_path = str_of(path)};
    return route_find(both, 3, &f->request, str_of(raw_query), &f->arena, &f->match, &f->fault);
}

static void a_word_wins_and_a_slash_counts(void **state)
{
    static const struct {
        enum http_method method;
        const char *path, *name;
    } known[] = {
        {HTTP_POST, "/sessions/fork", "fork"},
        {HTTP_POST, "/sessions/forks", "post"},
        {HTTP_GET, "/sessions/fork", "get"},
        {HTTP_GET, "/sessions/agent/a/b", "agent"},
        {HTTP_GET, "/sessions/a/tasks/b", "task"},
        {HTTP_GET, "/sessions/agent/tasks/b", "agent"},
        {HTTP_POST, "/a2a/x/y", "bare"},
        {HTTP_POST, "/a2a/x/y/", "slash"},
        {HTTP_GET, "/only/", "only"},
    };
    static const char *const unknown[] = {"/only//", "/a2a/x/", "/a2a//y/", "/sessions/"};
    struct finding f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CHECK_OK(find_any(&f, known[i].method, known[i].path, ""), &f.fault);
        assert_string_equal(f.match.route->name, known[i].name);
    }
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        CHECK_FAULT(find_any(&f, HTTP_GET, unknown[i], ""), FAULT_NOT_FOUND, &f.fault);
        assert_ptr_equal(f.match.table, &any); /* it writes its own faults */
    }
    CHECK_FAULT(find_any(&f, HTTP_POST, "/only", ""), FAULT_METHOD, &f.fault);
    assert_ptr_equal(f.match.table, &two); /* whose "/{page}" it is */
    CHECK_FAULT(find_any(&f, HTTP_GET, "/api/v1/x", ""), FAULT_NOT_FOUND, &f.fault);
    assert_ptr_equal(f.match.table, &one);
    CHECK_FAULT(find_any(&f, HTTP_GET, "/a2a/x/y/", ""), FAULT_METHOD, &f.fault);
    assert_string_equal(f.match.allow, "POST, OPTIONS");
    arena_clear(&f.arena);
}

static void any_query_is_taken(void **state)
{
    static const char *const odd[] = {"n=",    "n=6", "n=1x", "flag",  "flag=on", "other=",
                                      "%ff=1", "=",   "&x&",  "x=%ff", "x=%",     "text=123456789"};
    struct finding f = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        CHECK_OK(find_any(&f, HTTP_GET, "/sessions/s", odd[i]), &f.fault);
        for (size_t j = 0; j < 3; j++) {
            assert_null(f.request.query[j].p);
            assert_int_equal(f.request.query_int[j], 0);
        }
    }
    CHECK_OK(find_any(&f, HTTP_GET, "/sessions/s", "n=9&n=2&n=3&text=a&y=z&text=b&flag=1"),
             &f.fault);
    CHECK_STR(f.request.query[0], "a");
    assert_int_equal(f.request.query_int[1], 2); /* the first that is allowed */
    assert_int_equal(f.request.query_int[2], 1);
    CHECK_FAULT(find_any(&f, HTTP_GET, "/sessions/s", "text=%ff"), FAULT_MALFORMED, &f.fault);
    CHECK_FAULT(find_any(&f, HTTP_GET, "/sessions/s", "text=%"), FAULT_MALFORMED, &f.fault);
    assert_ptr_equal(f.match.table, &any);
    arena_clear(&f.arena);
}

static void targets_are_taken_apart(void **state)
{
    static const char *const bad[] = {"",     "x",   "/a b",  "/%",       "/%4",
                                      "/%g0", "/#a", "http:", "http://h#"};
    static const char *const flawed[] = {"/%00", "/%1f",    "/%7f",   "/a/../b", "/..",    "/./a",
                                         "/a/.", "/%2e%2e", "/..%2f", "/%ff",    "/%c0%af"};
    struct finding f = {0};
    struct arena arena;
    struct target target;
    struct fault fault = {0};

    (void)state;
    arena_init(&arena);
    CHECK_OK(target_read(STR("/a%2Fb/...%20%C3%A9?x=%41&y"), &arena, &target, &fault), &fault);
    CHECK_STR(target.path, "/a/b/... \xc3\xa9");
    CHECK_STR(target.query, "x=%41&y");
    assert_null(target.authority.p);
    CHECK_OK(target_read(STR("HTTP://h:1?q"), &arena, &target, &fault), &fault);
    CHECK_STR(target.authority, "h:1");
    CHECK_STR(target.path, "/");
    CHECK_STR(target.query, "q");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_FAULT(target_read(str_of(bad[i]), &arena, &target, &fault), FAULT_MALFORMED, &fault);
    assert_null(target.flaw);
    for (size_t i = 0; i < sizeof(flawed) / sizeof(flawed[0]); i++) {
        CHECK_OK(target_read(str_of(flawed[i]), &arena, &target, &fault), &fault);
        assert_non_null(target.flaw);
        CHECK_FAULT(find(&f, HTTP_GET, flawed[i], ""), FAULT_MALFORMED, &f.fault);
    }
    arena_clear(&f.arena);
    arena_clear(&arena);
}

static void targets_are_logged(void **state)
{
    static const struct {
        const char *raw, *logged;
    } known[] = {
        {"/a?b=c", "/a?b=c"},
        {"/\x1b\"\\ \xc3", "/%1B%22%5C%20%C3"},
        {"/a?access_token=x", "/a?access_token=REDACTED"},
        {"/a?b&access_token=x&c", "/a?b&access_token=REDACTED&c"},
        {"/a?%61ccess%5ftoken=x", "/a?access_token=REDACTED"},
        {"/access_token=x", "/access_token=x"},
        {"/a?my_access_token=x", "/a?my_access_token=x"},
        {"/0123456789", "/01234567..."},
    };
    struct buf out;

    (void)state;
    buf_init(&out, 1024);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        buf_reset(&out);
        target_log(&out, str_of(known[i].raw), i == 7 ? 9 : 100);
        CHECK_STR(buf_str(&out), known[i].logged);
    }
    buf_clear(&out);
}

/* One request with these headers: name, value, … NULL. */
static enum fault_code read_head(const char *const *pairs, bool modern, struct head *head,
                                 struct fault *fault)
{
    struct request_header headers[8];
    struct request request = {.headers = headers};

    for (; pairs[request.header_count * 2]; request.header_count++)
        headers[request.header_count] = (struct request_header){
            str_of(pairs[request.header_count * 2]), str_of(pairs[request.header_count * 2 + 1])};
    return head_read(&request, modern, head, fault);
}

static void heads_are_read(void **state)
{
    static const char *const good[] = {"host",
                                       "h",
                                       "Content-Length",
                                       " 12 ",
                                       "Authorization",
                                       "bearer  abc ",
                                       "Content-Type",
                                       "text/plain",
                                       NULL};
    static const char *const bad[][7] = {
        {"Host", "h", "Content-Length", "1", "Transfer-Encoding", "chunked", NULL},
        {"Host", "h", "Content-Length", "1", "content-length", "1", NULL},
        {"Host", "h", "Content-Length", "", NULL},
        {"Host", "h", "Content-Length", "+1", NULL},
        {"Host", "h", "Content-Length", "9999999999999999999", NULL},
        {"Host", "h", "Transfer-Encoding", "gzip", NULL},
        {"Host", "h", "Transfer-Encoding", "", NULL},
        {"Host", "h", "Host", "h", NULL},
        {"Accept", "h", NULL},
        {"Host", "h", "A b", "c", NULL},
        {"Host", "h", "", "c", NULL},
        {"Host", "h", "A", "b\x01", NULL},
    };
    static const char *const expect[] = {"Host", "h", "Expect", "tea", NULL};
    static const char *const basic[] = {"Host", "h", "Authorization", "Basic x", NULL};
    static const char *const coded[] = {"Transfer-Encoding", "Chunked", NULL};
    struct fault fault = {0};
    struct head head;

    (void)state;
    CHECK_OK(read_head(good, true, &head, &fault), &fault);
    assert_true(head.has_body && !head.chunked && head.length == 12);
    CHECK_STR(head.token, "abc");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        CHECK_FAULT(read_head(bad[i], true, &head, &fault), FAULT_MALFORMED, &fault);
    CHECK_FAULT(read_head(expect, true, &head, &fault), FAULT_EXPECTATION, &fault);
    CHECK_FAULT(read_head(basic, true, &head, &fault), FAULT_UNAUTHORIZED, &fault);
    CHECK_FAULT(read_head(coded, false, &head, &fault), FAULT_MALFORMED, &fault);
    assert_true(head_is_json(STR("Application/JSON ; charset=x")));
    assert_true(head_is_json(STR("application/merge-patch+json")));
    assert_false(head_is_json(STR("application/jsonx")));
    assert_false(head_is_json(STR("")));
    assert_false(head_is_json(STR("text/plain; application/json")));
}

static void accept_is_understood(void **state)
{
    static const struct {
        const char *accept;
        bool accepts, asks;
    } known[] = {
        {"", true, false},
        {"*/*", true, false},
        {"text/*", true, false},
        {"text/event-stream", true, true},
        {"application/json, TEXT/event-stream;q=0.5", true, true},
        {"application/json", false, false},
        {"text/event-stream;q=0, */*", false, false},
        {"*/*;q=0", false, false},
        {"text/event-stream;q=0.0", false, false},
        {",;,", false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct request_header header = {STR("accept"), str_of(known[i].accept)};
        struct request request = {.headers = &header, .header_count = 1};

        assert_int_equal(request_accepts(&request, "text/event-stream"), known[i].accepts);
        assert_int_equal(request_asks_for(&request, "text/event-stream"), known[i].asks);
    }
}

static void origins_are_checked(void **state)
{
    static const char *const hosts[] = {"ui.example", NULL};
    struct origin_rules open = {.open = true, .port = 8463, .hosts = hosts};
    struct origin_rules closed = {.port = 8463, .hosts = hosts};
    struct fault fault = {0};
    struct head none = {0}, own = {.origin = STR("http://localhost:8463")},
                other = {.origin = STR("http://evil")},
                listed = {.origin = STR("https://UI.example")}, site = {.cross_site = true};

    (void)state;
    CHECK_OK(origin_check(&open, STR("localhost:1"), &none, &fault), &fault);
    CHECK_OK(origin_check(&open, STR("ui.example"), &none, &fault), &fault);
    CHECK_OK(origin_check(&open, STR("[::1]:8463"), &own, &fault), &fault);
    CHECK_OK(origin_check(&open, STR("localhost"), &listed, &fault), &fault);
    CHECK_FAULT(origin_check(&open, STR("evil"), &none, &fault), FAULT_ORIGIN, &fault);
    CHECK_FAULT(origin_check(&open, STR_NONE, &none, &fault), FAULT_ORIGIN, &fault);
    CHECK_FAULT(origin_check(&open, STR("localhost"), &other, &fault), FAULT_ORIGIN, &fault);
    CHECK_FAULT(origin_check(&open, STR("localhost"), &site, &fault), FAULT_ORIGIN, &fault);
    CHECK_OK(origin_check(&closed, STR("anything"), &none, &fault), &fault);
    CHECK_OK(origin_check(&closed, STR("localhost:8463"), &own, &fault), &fault);
    CHECK_FAULT(origin_check(&closed, STR("localhost:1"), &own, &fault), FAULT_ORIGIN, &fault);
    CHECK_FAULT(origin_check(&closed, STR("tine"), &other, &fault), FAULT_ORIGIN, &fault);
}

static void problems_are_json(void **state)
{
    struct fault fault;
    struct buf out;

    (void)state;
    buf_init(&out, PROBLEM_BYTES);
    fault_write(&fault, FAULT_SESSION_NOT_FOUND, "session \"a\xff\" is not there");
    problem_add(&out, &fault);
    CHECK_STR(buf_str(&out), "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                             "\"code\":\"session_not_found\","
                             "\"detail\":\"session \\\"a\xef\xbf\xbd\\\" is not there\"}");
    buf_reset(&out);
    fault.code = FAULT_INTERNAL;
    memset(fault.message, 0x01, sizeof(fault.message) - 1);
    fault.message[sizeof(fault.message) - 1] = '\0';
    problem_add(&out, &fault);
    assert_false(out.full);
    buf_clear(&out);
}

static void log_lines_are_lines(void **state)
{
    struct access_line line = {.id = STR("i"),
                               .method = STR("GET"),
                               .target = STR("/a\n{\"x\":1}"),
                               .user = STR("eve\n\"\x1b\xc2\x9b\xff"),
                               .peer = STR("::1"),
                               .status = 200,
                               .took_us = 1234};
    struct buf out;

    (void)state;
    buf_init(&out, 4096);
    access_line_add(&out, SERVER_LOG_TEXT, &line);
    CHECK_STR(buf_str(&out),
              "1970-01-01T00:00:00.000Z info i GET /a%0A{%22x%22:1} 200 0 bytes 1.234 ms "
              "user=\"eve\\n\\\"\\u001b\xef\xbf\xbd\xef\xbf\xbd\" peer=::1\n");
    buf_reset(&out);
    access_line_add(&out, SERVER_LOG_JSON, &line);
    assert_ptr_equal(memchr(out.p, '\n', out.n), out.p + out.n - 1);
    buf_clear(&out);
}

static void peers_are_counted(void **state)
{
    static struct peers peers;
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct peer *a, *b, *c;

    (void)state;
    four.sin_addr.s_addr = htonl(0x0a000001);
    a = peers_add(&peers, (struct sockaddr *)&four);
    inet_pton(AF_INET6, "::ffff:10.0.0.1", &six.sin6_addr);
    assert_ptr_equal(peers_add(&peers, (struct sockaddr *)&six), a);
    assert_int_equal(a->count, 2);
    inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
    b = peers_add(&peers, (struct sockaddr *)&six);
    inet_pton(AF_INET6, "2001:db8::2", &six.sin6_addr);
    assert_ptr_equal(peers_add(&peers, (struct sockaddr *)&six), b);
    inet_pton(AF_INET6, "::1", &six.sin6_addr);
    c = peers_add(&peers, (struct sockaddr *)&six);
    assert_true(c != a && c != b && peer_is_loopback((struct sockaddr *)&six));
    peers_remove(&peers, a);
    peers_remove(&peers, a);
    peers_remove(&peers, b);
    peers_remove(&peers, b);
    peers_remove(&peers, c);
    peers_remove(&peers, NULL);
    for (size_t i = 0; i < PEERS_SLOTS; i++)
        assert_null(peers.slots[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_wins_and_a_slash_counts),
        cmocka_unit_test(any_query_is_taken),
        cmocka_unit_test(routes_are_found),
        cmocka_unit_test(the_rest_of_a_path),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(queries_are_read),
        cmocka_unit_test(targets_are_taken_apart),
        cmocka_unit_test(targets_are_logged),
        cmocka_unit_test(heads_are_read),
        cmocka_unit_test(accept_is_understood),
        cmocka_unit_test(origins_are_checked),
        cmocka_unit_test(problems_are_json),
        cmocka_unit_test(log_lines_are_lines),
        cmocka_unit_test(peers_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
