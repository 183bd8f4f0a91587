/* The calls of libtine against a server that follows a script. */
#include "support/check.h"

#include "base/buf.h"
#include "client/scripted.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <tine.h>
#include <unistd.h>

#define HEAD(status, type) "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n"
#define JSON(body)         STR(HEAD("200 OK", "application/json") "\r\n" body)
#define PROBLEM(status, body) \
    STR(HEAD(status, "application/problem+json") "\r\n{\"type\":\"about:blank\"," body "}")
#define STREAM(body) STR(HEAD("200 OK", "text/event-stream") "\r\n" body)

/* ---- one server, one handle ---- */

struct rig {
    struct scripted *server;
    struct tine *tine;
    struct tine_result *result;
    struct tine_error error;
};

static struct rig rig_open(const struct scripted_reply *replies, size_t count,
                           struct tine_options options)
{
    struct rig rig = {.server = scripted_start(replies, count)};

    options.server = options.server ? options.server : scripted_url(rig.server);
    rig.tine = tine_connect(&options, &rig.error);
    assert_non_null(rig.tine);
    return rig;
}

static void rig_close(struct rig *rig)
{
    tine_result_free(rig->result);
    tine_free(rig->tine);
    scripted_stop(rig->server);
}

#define RIG(options, ...)                                  \
    const struct scripted_reply replies[] = {__VA_ARGS__}; \
    struct rig rig = rig_open(replies, sizeof(replies) / sizeof(replies[0]), options)

#define NONE ((struct tine_options){0})

static void check_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in: %s", part, text);
}

static void check_error(const struct rig *rig, int status, const char *code)
{
    if (rig->error.status != status || strcmp(rig->error.code, code) != 0)
        fail_msg("%d %s: %s", rig->error.status, rig->error.code, rig->error.detail);
    assert_true(rig->error.detail[0] != '\0');
    assert_null(rig->result);
}

/* ---- requests ---- */

static void a_request_has_all_that_it_needs(void **state)
{
    RIG(((struct tine_options){.token = "secret-1", .user_agent = "test/1"}),
        {JSON("{\"id\":\"a b/c\",\"title\":\"T\"}"), 0, false});

    (void)state;
    assert_true(tine_session(rig.tine, "a b/\xc3\xa9?#%", true, &rig.result, &rig.error));
    assert_string_equal(rig.result->session->id, "a b/c");
    assert_int_equal(rig.result->status, 200);
    assert_string_equal(rig.result->json, "{\"id\":\"a b/c\",\"title\":\"T\"}");
    check_has(scripted_request(rig.server, 0),
              "GET /api/v1/sessions/a%20b%2F%C3%A9%3F%23%25?part=1 HTTP/1.1\r\n");
    check_has(scripted_request(rig.server, 0), "\r\nAuthorization: Bearer secret-1\r\n");
    check_has(scripted_request(rig.server, 0), "\r\nUser-Agent: test/1\r\n");
    check_has(scripted_request(rig.server, 0), "\r\nAccept: application/json\r\n");
    rig_close(&rig);
}

static void a_body_is_json(void **state)
{
    RIG(NONE, {STR(HEAD("201 Created", "application/json") "\r\n{\"session\":{\"id\":\"n\"}}"), 3,
               false});

    (void)state;
    assert_true(tine_fork(rig.tine, "s",
                          &(struct tine_fork_options){.point = {.before = "#4", .part = true},
                                                      .title = "\"q\"",
                                                      .metadata = " {\"a\":1} ",
                                                      .dry_run = true,
                                                      .key = "k-1"},
                          &rig.result, &rig.error));
    assert_int_equal(rig.result->status, 201);
    check_has(scripted_request(rig.server, 0), "POST /api/v1/sessions/s/fork HTTP/1.1\r\n");
    check_has(scripted_request(rig.server, 0), "\r\nIdempotency-Key: k-1\r\n");
    check_has(scripted_request(rig.server, 0), "\r\nContent-Type: application/json\r\n");
    check_has(scripted_request(rig.server, 0),
              "\r\n\r\n{\"before\":4,\"part\":true,\"title\":\"\\\"q\\\"\",\"metadata\":{\"a\":1},"
              "\"dry_run\":true}");
    assert_null(strstr(scripted_request(rig.server, 0), "Authorization"));
    rig_close(&rig);
}

static void points_are_numbers_or_names(void **state)
{
    static const char *const words[][2] = {
        {"-2", "{\"after\":-2}"},
        {"@plan", "{\"after\":\"@plan\"}"},
        {"m-1", "{\"after\":\"m-1\"}"},
        {"#x", "{\"after\":\"#x\"}"},
        {"#0", "{\"after\":0}"},
        {"4", "{\"after\":\"4\"}"},
        {"#99999999999999999999", "{\"after\":\"#99999999999999999999\"}"},
    };
    enum { COUNT = sizeof(words) / sizeof(words[0]) };
    struct scripted_reply replies[COUNT];
    struct rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        replies[i] = (struct scripted_reply){JSON("{}"), 0, false};
    rig = rig_open(replies, COUNT, NONE);
    for (size_t i = 0; i < COUNT; i++) {
        struct tine_move_options options = {.point.after = words[i][0]};

        assert_true(tine_rewind(rig.tine, "s", &options, NULL, &rig.error));
        check_has(scripted_request(rig.server, i), words[i][1]);
    }
    rig_close(&rig);
}

static void what_cannot_be_sent_is_not(void **state)
{
    struct tine_error error;
    struct tine *tine = tine_connect(NULL, &error);
    struct tine_session_options wrong = {.title = "\xff"}, json = {.metadata = "{a}"};
    struct tine_send_options nothing = {0}, both = {.json = "{\"run\":true}", .store_only = true};

    (void)state;
    assert_non_null(tine);
    assert_false(tine_create(tine, &wrong, NULL, &error));
    assert_string_equal(error.code, "usage");
    assert_false(tine_create(tine, &json, NULL, &error));
    assert_string_equal(error.code, "usage");
    assert_false(tine_session(tine, "", false, NULL, &error));
    assert_string_equal(error.code, "usage");
    assert_false(tine_session(tine, "..", false, NULL, NULL));
    assert_false(tine_send(tine, "s", &nothing, NULL, &error));
    assert_string_equal(error.code, "usage");
    assert_false(tine_send(tine, "s", &both, NULL, &error));
    assert_false(tine_agent(tine, "noslash", NULL, &error));
    assert_string_equal(error.code, "usage");
    assert_int_equal(error.status, 0);
    tine_free(tine);
    tine_free(NULL);
    tine_result_free(NULL);
}

static void options_are_looked_at(void **state)
{
    static const char *const wrong[] = {"",           "127.0.0.1:80", "ftp://x",    "http://",
                                        "http://a b", "http://u@h",   "http://h?x", "http://a\nb"};
    struct tine_error error;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct tine_options options = {.server = wrong[i]};

        if (tine_connect(&options, &error))
            fail_msg("\"%s\" was taken", wrong[i]);
        assert_string_equal(error.code, "usage");
    }
    assert_null(tine_connect(&(struct tine_options){.token = "a\r\nX-Evil: 1"}, &error));
    assert_null(tine_connect(&(struct tine_options){.token = ""}, NULL));
}

/* ---- refusals and trouble ---- */

static void a_refusal_keeps_its_words(void **state)
{
    RIG(NONE,
        {PROBLEM("404 Not Found", "\"status\":404,\"code\":\"session_not_found\","
                                  "\"detail\":\"session \\\"x\\\" does not exist\""),
         0, false},
        {STR(HEAD("502 Bad Gateway", "text/html") "\r\n<html>"), 0, false},
        {STR("HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"), 0,
         false},
        {JSON("{}"), 0, false});

    (void)state;
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 404, "session_not_found");
    assert_string_equal(rig.error.detail, "session \"x\" does not exist");
    check_has(tine_problem(rig.tine), "\"code\":\"session_not_found\"");
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 502, "protocol");
    assert_string_equal(tine_problem(rig.tine), "");
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 301, "protocol"); /* and it was not followed */
    assert_true(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    rig_close(&rig);
}

static void nonsense_is_no_reply(void **state)
{
    RIG(NONE, {JSON("{\"id\":"), 0, false}, {JSON(""), 0, false}, {JSON("[]"), 0, false},
        {STR("220 smtp.example.org ESMTP\r\n"), 0, false}, {STR(""), 0, false},
        {STR("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"id\":"), 0, false},
        {STR("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"), 0, false});
    static const char *const codes[] = {"protocol",   "protocol",   "protocol",  "protocol",
                                        "connection", "connection", "connection"};

    (void)state;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
        check_error(&rig, 0, codes[i]);
    }
    rig_close(&rig);
}

static void a_reply_has_a_ceiling(void **state)
{
    static char huge[300 * 1024];
    struct scripted_reply replies[1];
    struct rig rig;
    int n = snprintf(huge, sizeof(huge), HEAD("200 OK", "application/json") "\r\n{\"id\":\"");

    (void)state;
    memset(huge + n, 'x', sizeof(huge) - (size_t)n);
    replies[0] = (struct scripted_reply){{huge, sizeof(huge)}, 0, true};
    rig = rig_open(replies, 1, (struct tine_options){.reply_bytes = 64 * 1024});
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 0, "reply_too_large");
    rig_close(&rig);
}

static void silence_ends(void **state)
{
    RIG(((struct tine_options){.reply_ms = 150}), {STR("HTTP/1.1 200 OK\r\n"), 0, true});

    (void)state;
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 0, "timeout");
    rig_close(&rig);
}

static void nobody_there_is_said(void **state)
{
    struct scripted *gone = scripted_start(NULL, 0);
    struct tine_options options = {0};
    struct tine_error error;
    struct tine *tine;
    char url[64];

    (void)state;
    snprintf(url, sizeof(url), "%s", scripted_url(gone));
    scripted_stop(gone);
    options.server = url;
    tine = tine_connect(&options, &error);
    assert_false(tine_me(tine, NULL, &error));
    assert_string_equal(error.code, "connection");
    check_has(error.detail, url);
    tine_free(tine);
}

static bool stop_now(void *context)
{
    return ++*(int *)context > 2;
}

static void waiting_can_be_stopped(void **state)
{
    int asked = 0;

    RIG(((struct tine_options){.stop = stop_now, .context = &asked}),
        {STR("HTTP/1.1 200 OK\r\n"), 0, true});
    (void)state;
    assert_false(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_error(&rig, 0, "interrupted");
    rig_close(&rig);
}

/* ---- a socket that is given out ---- */

static int connect_to(void *context)
{
    struct scripted *server = *(struct scripted **)context;
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)strtoul(strrchr(scripted_url(server), ':') + 1, NULL, 10));
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int connect_to_none(void *context)
{
    (void)context;
    return -1;
}

static void a_socket_can_be_given_out(void **state)
{
    struct scripted *server = NULL;
    struct tine_options options = {
        .server = "http://127.0.0.1", .socket = connect_to, .context = &server};
    RIG(options, {JSON("{\"id\":\"s\"}"), 0, false});

    (void)state;
    server = rig.server;
    assert_true(tine_session(rig.tine, "x", false, &rig.result, &rig.error));
    check_has(scripted_request(rig.server, 0), "\r\nHost: 127.0.0.1\r\n");
    tine_free(rig.tine);
    options.socket = connect_to_none;
    rig.tine = tine_connect(&options, &rig.error);
    assert_false(tine_session(rig.tine, "x", false, NULL, &rig.error));
    assert_string_equal(rig.error.code, "connection");
    rig_close(&rig);
}

/* ---- turns ---- */

struct heard {
    struct buf text;
    int count, stop_at;
};

static bool hear(void *context, const struct tine_event *event)
{
    struct heard *heard = context;

    buf_add_format(&heard->text, "%s(%s)", event->type,
                   event->text      ? event->text
                   : event->message ? event->message->id
                   : event->id      ? event->id
                                    : "");
    return ++heard->count != heard->stop_at;
}

#define TURN                                                                          \
    "id: 5\nevent: turn.started\ndata: "                                              \
    "{\"session\":\"s\",\"turn\":{\"id\":\"t\",\"state\":\"running\"}}\n\n"           \
    "event: message.delta\ndata: "                                                    \
    "{\"session\":\"s\",\"turn\":\"t\",\"kind\":\"text\",\"text\":\"h\xc3\xa9\"}\n\n" \
    ": still here\n\n"                                                                \
    "id: 6\nevent: message.added\ndata: {\"session\":\"s\",\"message\":{\"id\":\"m\"}}\n\n"

static void a_turn_is_told_as_it_runs(void **state)
{
    struct heard heard = {.stop_at = -1};
    struct tine_send_options send = {
        .text = "hi", .on_event = hear, .context = &heard, .wait = true};
    RIG(NONE,
        {STREAM(TURN
                "event: done\ndata: {\"session\":\"s\",\"turn\":{\"id\":\"t\",\"state\":\"failed\","
                "\"reason\":\"because\"}}\n\n"),
         1, false});

    (void)state;
    buf_init(&heard.text, 10000);
    assert_true(tine_send(rig.tine, "s", &send, &rig.result, &rig.error));
    CHECK_STR(buf_str(&heard.text), "turn.started(5)message.delta(h\xc3\xa9)message.added(m)");
    assert_string_equal(rig.result->turn, "t");
    assert_string_equal(rig.result->turn_state, "failed");
    assert_string_equal(rig.result->reason, "because");
    check_has(scripted_request(rig.server, 0), "\r\nAccept: text/event-stream\r\n");
    check_has(scripted_request(rig.server, 0), "\r\n\r\n{\"text\":\"hi\",\"busy\":\"wait\"}");
    buf_clear(&heard.text);
    rig_close(&rig);
}

static void a_turn_that_breaks_off_is_no_success(void **state)
{
    struct heard heard = {.stop_at = -1};
    struct tine_send_options send = {
        .json = "{\"text\":\"hi\"}", .on_event = hear, .context = &heard};
    RIG(NONE, {STREAM(TURN), 0, false},
        {STREAM(TURN "event: error\ndata: "
                     "{\"status\":409,\"code\":\"turn_running\",\"detail\":\"no\"}\n\n"),
         0, false},
        {STREAM("event: x\ndata: nonsense\n\n"), 0, false},
        {PROBLEM("409 Conflict", "\"code\":\"turn_running\",\"detail\":\"a turn is running\""), 0,
         false});

    (void)state;
    buf_init(&heard.text, 10000);
    assert_false(tine_send(rig.tine, "s", &send, &rig.result, &rig.error));
    check_error(&rig, 0, "connection");
    assert_false(tine_send(rig.tine, "s", &send, &rig.result, &rig.error));
    check_error(&rig, 409, "turn_running");
    assert_false(tine_send(rig.tine, "s", &send, &rig.result, &rig.error));
    check_error(&rig, 0, "protocol");
    assert_false(tine_send(rig.tine, "s", &send, &rig.result, &rig.error));
    check_error(&rig, 409, "turn_running");
    buf_clear(&heard.text);
    rig_close(&rig);
}

static void what_is_only_stored_is_a_reply(void **state)
{
    struct heard heard = {.stop_at = -1};
    struct tine_send_options batch = {
        .json = " { \"messages\" : [{\"text\":\"a\"}] } ", .on_event = hear, .context = &heard};
    struct tine_send_options kept = {.json = "{}", .store_only = true, .expect_head = "h"};
    RIG(NONE, {JSON("{\"messages\":[{\"id\":\"m1\"},{\"id\":\"m2\"}]}"), 0, false},
        {JSON("{\"messages\":[{\"id\":\"m3\"}]}"), 0, false});

    (void)state;
    buf_init(&heard.text, 10000);
    assert_true(tine_send(rig.tine, "s", &batch, &rig.result, &rig.error));
    assert_int_equal(rig.result->message_count, 2);
    assert_int_equal(heard.count, 0);
    tine_result_free(rig.result);
    assert_true(tine_send(rig.tine, "s", &kept, &rig.result, &rig.error));
    check_has(scripted_request(rig.server, 1), "\r\n\r\n{\"run\":false,\"expect_head\":\"h\"}");
    buf_clear(&heard.text);
    rig_close(&rig);
}

/* ---- events ---- */

static void events_go_on_where_they_were(void **state)
{
    struct heard heard = {.stop_at = 4};
    struct tine_events_options options = {
        .session = "s", .types = "message.", .on_event = hear, .context = &heard};
    RIG(NONE,
        {STREAM("retry: 1\nid: 7\nevent: a\ndata: {}\n\nid: 8\nevent: b\ndata: {}\n\nid: 9\nevent: "
                "lost\nda"),
         2, false},
        {PROBLEM("503 Service Unavailable", "\"code\":\"stopping\",\"detail\":\"stopping\""), 0,
         false},
        {STR(""), 0, false}, {STREAM("id: 9\nevent: c\ndata: {}\n\n"), 0, false},
        {STREAM("id: 10\nevent: d\ndata: {}\n\nid: 11\nevent: e\ndata: {}\n\n"), 0, true});

    (void)state;
    buf_init(&heard.text, 10000);
    assert_true(tine_events(rig.tine, &options, &rig.error));
    CHECK_STR(buf_str(&heard.text), "a(7)b(8)c(9)d(10)");
    check_has(scripted_request(rig.server, 0), "GET /api/v1/sessions/s/events?types=message. HTTP");
    assert_null(strstr(scripted_request(rig.server, 0), "Last-Event-ID"));
    for (size_t i = 1; i <= 3; i++)
        check_has(scripted_request(rig.server, i), "\r\nLast-Event-ID: 8\r\n");
    check_has(scripted_request(rig.server, 4), "\r\nLast-Event-ID: 9\r\n");
    buf_clear(&heard.text);
    rig_close(&rig);
}

static void a_refusal_ends_events(void **state)
{
    struct heard heard = {.stop_at = -1};
    struct tine_events_options options = {.since = "41", .on_event = hear, .context = &heard};
    RIG(NONE,
        {PROBLEM("401 Unauthorized", "\"code\":\"unauthorized\",\"detail\":\"no token\""), 0,
         false},
        {JSON("{}"), 0, false});

    (void)state;
    buf_init(&heard.text, 10000);
    assert_false(tine_events(rig.tine, &options, &rig.error));
    check_error(&rig, 401, "unauthorized");
    check_has(scripted_request(rig.server, 0), "GET /api/v1/events HTTP");
    check_has(scripted_request(rig.server, 0), "\r\nLast-Event-ID: 41\r\n");
    assert_false(tine_events(rig.tine, &options, &rig.error));
    check_error(&rig, 0, "protocol");
    buf_clear(&heard.text);
    rig_close(&rig);
}

static void events_can_be_stopped_while_nobody_answers(void **state)
{
    int asked = 0;
    struct heard heard = {.stop_at = -1};
    struct tine_events_options options = {.on_event = hear, .context = &heard};
    RIG(((struct tine_options){.stop = stop_now, .context = &asked}), {STR(""), 0, false});

    (void)state;
    assert_false(tine_events(rig.tine, &options, &rig.error));
    check_error(&rig, 0, "interrupted");
    rig_close(&rig);
}

/* ---- pages ---- */

static void pages_follow_one_another(void **state)
{
    struct tine_list_options options = {.limit = 2, .archived = TINE_ALSO_ARCHIVED};
    struct tine_pages pages = {0};
    size_t count = 0;
    RIG(NONE, {JSON("{\"sessions\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"next\":\"c/1\"}"), 0, false},
        {JSON("{\"sessions\":[{\"id\":\"c\"}]}"), 0, false});

    (void)state;
    while (tine_pages_next(&pages, &options.cursor) &&
           tine_sessions(rig.tine, &options, &pages.page, &rig.error))
        count += pages.page->session_count;
    assert_int_equal(count, 3);
    assert_non_null(pages.page);
    tine_pages_end(&pages);
    check_has(scripted_request(rig.server, 0), "GET /api/v1/sessions?archived=all&limit=2 HTTP");
    check_has(scripted_request(rig.server, 1), "&limit=2&cursor=c%2F1 HTTP");
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_all_that_it_needs),
        cmocka_unit_test(a_body_is_json),
        cmocka_unit_test(points_are_numbers_or_names),
        cmocka_unit_test(what_cannot_be_sent_is_not),
        cmocka_unit_test(options_are_looked_at),
        cmocka_unit_test(a_refusal_keeps_its_words),
        cmocka_unit_test(nonsense_is_no_reply),
        cmocka_unit_test(a_reply_has_a_ceiling),
        cmocka_unit_test(silence_ends),
        cmocka_unit_test(nobody_there_is_said),
        cmocka_unit_test(waiting_can_be_stopped),
        cmocka_unit_test(a_socket_can_be_given_out),
        cmocka_unit_test(a_turn_is_told_as_it_runs),
        cmocka_unit_test(a_turn_that_breaks_off_is_no_success),
        cmocka_unit_test(what_is_only_stored_is_a_reply),
        cmocka_unit_test(events_go_on_where_they_were),
        cmocka_unit_test(a_refusal_ends_events),
        cmocka_unit_test(events_can_be_stopped_while_nobody_answers),
        cmocka_unit_test(pages_follow_one_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
