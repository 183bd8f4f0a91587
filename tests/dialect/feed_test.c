/*
 * Feeds: a turn as a stream in a language that nobody speaks, and as one answer. A real server with
 * a scripted agent, all in this process; the test is its client.
 */
#include "dialect/feed.h"

#include "agent/scripted/scripted.h"
#include "dialect/native/listening.h"
#include "dialect/once_reply.h"
#include "message/message_in.h"
#include "message/part.h"
#include "support/talk.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 10000, TEXT_BYTES = 64 * 1024 };

static atomic_int voices; /* that were not freed yet */

/* ---- the language ---- */

struct tongue {
    bool short_; /* has enough after the first piece */
    int pieces;
};

static void say_begin(void *context, const struct turn_begun *begun, struct buf *out)
{
    (void)context;
    buf_add_format(out, "begin %.*s%s%s%s\n", STR_ARG(begun->turn), begun->joined ? " joined" : "",
                   begun->queued ? " queued" : "", begun->over ? " over" : "");
}

static void say_piece(void *context, const struct turn_piece *piece, struct buf *out)
{
    static const char *const kinds[] = {"text", "reasoning", "call", "output", "ask"};

    ((struct tongue *)context)->pieces++;
    buf_add_format(out, "%s %d+%d %.*s\n", kinds[piece->delta.kind], (int)piece->step,
                   (int)piece->offset, STR_ARG(piece->delta.text));
}

static void say_entry(void *context, const struct entry *entry, struct buf *out)
{
    static const char *const roles[] = {"none", "user", "assistant", "tool", "system"};
    struct arena arena;

    (void)context;
    arena_init(&arena);
    buf_add_format(out, "%s: %.*s\n", roles[entry->role], STR_ARG(parts_text(entry->body, &arena)));
    arena_clear(&arena);
}

static void say_end(void *context, enum run_state state, struct str reason, struct buf *out)
{
    (void)context;
    buf_add_format(out, "end %s %.*s\n", run_state_name(state), STR_ARG(reason));
}

static bool had_enough(void *context)
{
    struct tongue *tongue = context;

    return tongue->short_ && tongue->pieces > 0;
}

static void tongue_free(void *context)
{
    free(context);
    atomic_fetch_sub(&voices, 1);
}

static struct feed_voice speak(bool short_)
{
    struct tongue *tongue = calloc(1, sizeof(*tongue));

    assert_non_null(tongue);
    tongue->short_ = short_;
    atomic_fetch_add(&voices, 1);
    return (struct feed_voice){say_begin,  say_piece,   say_entry, say_end,
                               had_enough, tongue_free, tongue};
}

/* ---- its routes ---- */

enum { Q_QUEUE };

static void command(struct exchange *x, struct turn_cmd *out)
{
    struct entry_spec *entry = arena_alloc(&x->arena, sizeof(*entry));

    *entry = message_of_text(ROLE_USER, x->request.body, &x->arena);
    *out = (struct turn_cmd){.owner = x->request.caller.sees,
                             .session = session_of(x),
                             .entries = entry,
                             .count = 1,
                             .busy = query_flag(x, Q_QUEUE) ? TURN_WAIT : TURN_REFUSE};
}

static enum fault_code send_with(struct exchange *x, bool short_, struct fault *fault)
{
    struct feed_voice voice;
    struct turn_cmd cmd;
    struct once once = {0};

    command(x, &cmd);
    if (once_key(x, &once, &cmd.once, fault) != FAULT_OK)
        return fault_pass(fault);
    voice = speak(short_);
    return feed_send(x, &cmd, &voice, fault);
}

static enum fault_code run_send(struct exchange *x, struct fault *fault)
{
    return send_with(x, false, fault);
}

static enum fault_code run_short(struct exchange *x, struct fault *fault)
{
    return send_with(x, true, fault);
}

static enum fault_code run_join(struct exchange *x, struct fault *fault)
{
    struct feed_voice voice = speak(false);

    return feed_join(x, x->request.caller.sees, session_of(x), x->request.params[1], &voice, fault);
}

static enum fault_code answer(struct exchange *x, void *context, struct str turn,
                              enum run_state state, struct str reason, struct fault *fault)
{
    (void)fault;
    assert_ptr_equal(context, x);
    x->reply.status = 200;
    x->reply.type = "text/plain";
    buf_add_format(&x->reply.body, "%s %s %.*s\n", turn.n ? "turn" : "none", run_state_name(state),
                   STR_ARG(reason));
    return FAULT_OK;
}

static enum fault_code wait_with(struct exchange *x, bool asks, struct fault *fault)
{
    struct turn_cmd cmd;
    struct once once = {0};

    command(x, &cmd);
    if (once_key(x, &once, &cmd.once, fault) != FAULT_OK)
        return fault_pass(fault);
    return feed_wait(x, &cmd, asks, answer, x, fault);
}

static enum fault_code run_wait(struct exchange *x, struct fault *fault)
{
    return wait_with(x, false, fault);
}

static enum fault_code run_ask(struct exchange *x, struct fault *fault)
{
    return wait_with(x, true, fault);
}

static enum fault_code run_fixed(struct exchange *x, struct fault *fault)
{
    struct buf bytes;

    (void)fault;
    buf_init(&bytes, REPLY_BYTES);
    buf_add_str(&bytes, x->request.body);
    feed_fixed(x, &bytes);
    return FAULT_OK;
}

/* As the native API does it. */
static enum fault_code run_listen(struct exchange *x, struct fault *fault)
{
    struct listening *listening = listening_new(x);
    struct hub_filter filter = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct turn_begun begun;
    struct turn_cmd cmd;

    command(x, &cmd);
    if (turns_send(app_of(x)->turns, &cmd, &x->arena, &begun, listening_done, listening, fault) !=
        FAULT_OK) {
        listening_drop(listening, true);
        return fault_pass(fault);
    }
    filter.turn = begun.turn;
    listening_stream(listening, x, &filter, begun.e, true);
    return FAULT_OK;
}

static const struct route_query send_query[] = {
    {"queue", QUERY_FLAG, 0, 0, "wait for the turn that runs", false}, {0}};

#define FEED(path, function)                                                                       \
    {                                                                                              \
        HTTP_POST, path, function, .right = RIGHT_RUN, .body_max = 4096, .query = send_query,      \
                                   .name = #function, .status = 200, .streams = true, .once = true \
    }

static const struct route routes[] = {
    FEED("/{session}/send", run_send),        FEED("/{session}/short", run_short),
    FEED("/{session}/join/{turn}", run_join), FEED("/{session}/wait", run_wait),
    FEED("/{session}/ask", run_ask),          FEED("/{session}/fixed", run_fixed),
    FEED("/{session}/listen", run_listen),
};

static const struct route_table table = {
    .name = "test", .prefix = "", .routes = routes, .count = sizeof(routes) / sizeof(*routes)};
static const struct route_table *const tables[] = {&table};

/* ---- a house ---- */

struct desk {
    struct app app; /* first: what the handlers are given */
    struct talk talk;
    struct str session;
    pthread_t loop;
};

static enum fault_code identify(void *app, const struct request *request, struct str token,
                                struct arena *arena, struct caller *out, struct fault *fault)
{
    struct desk *desk = app;

    (void)request;
    (void)token;
    (void)arena;
    (void)fault;
    *out = (struct caller){.owner = desk->talk.rig.owner,
                           .sees = OWNER_ANY,
                           .name = STR("local"),
                           .right = RIGHT_ADMIN,
                           .open = true};
    return FAULT_OK;
}

static void host_post(void *context, void (*run)(void *), void *arg)
{
    server_post(context, run, arg);
}

static void host_work(void *context, void (*work)(void *), void (*done)(void *), void *arg)
{
    server_work(context, work, done, arg);
}

static void committed(void *context)
{
    hub_wake(context);
}

static struct hub_word event_words(const struct event *event, struct arena *arena)
{
    (void)event;
    (void)arena;
    return (struct hub_word){0}; /* the hub has no language of its own here */
}

static struct str piece_words(const struct turn_piece *piece, struct arena *arena)
{
    (void)piece;
    (void)arena;
    return STR_NONE;
}

static void *loop_run(void *context)
{
    server_run(context, false);
    return NULL;
}

static void open_agents(struct desk *desk, const char *script)
{
    static struct agent_kind kinds[2];
    struct agent_def def = {.name = STR("test/actor"),
                            .kind = STR("scripted"),
                            .script = str_of(script),
                            .is_default = true,
                            .fixed = true};

    kinds[0] = agent_scripted;
    desk->app.agents = agents_new(desk->app.store, kinds);
    CHECK_OK(agents_fix(desk->app.agents, &def, &desk->talk.fault), &desk->talk.fault);
    CHECK_OK(agents_load(desk->app.agents, &desk->talk.fault), &desk->talk.fault);
}

static void open_edge(struct desk *desk)
{
    struct server_options options = {.log = SERVER_LOG_OFF,
                                     .tables = tables,
                                     .table_count = 1,
                                     .app = &desk->app,
                                     .open = true,
                                     .identify = identify};
    struct hub_host host = {host_post, host_work, NULL};

    CHECK_OK(server_open(&options, &desk->app.server, &desk->talk.fault), &desk->talk.fault);
    host.context = desk->app.server;
    desk->app.hub = hub_new(desk->app.store, event_words, &host);
    store_watch(desk->app.store, committed, desk->app.hub);
}

/* A session whose agent plays the script. */
static void desk_open(struct desk *desk, const char *script)
{
    struct workspaces_options places;
    struct turns_options turns;
    struct create_spec spec = {.title = STR("T"), .agent = STR("test/actor")};
    struct session session;

    memset(desk, 0, sizeof(*desk));
    talk_open(&desk->talk, &rig_kinds[rig_kind_count - 1], 1);
    desk->app.store = desk->talk.rig.store;
    desk->app.engine = desk->talk.rig.engine;
    open_agents(desk, script);
    open_edge(desk);
    places =
        (struct workspaces_options){.engine = desk->app.engine, .home = desk->talk.rig.directory};
    CHECK_OK(workspaces_open(&places, &desk->app.workspaces, &desk->talk.fault), &desk->talk.fault);
    turns = (struct turns_options){.engine = desk->app.engine,
                                   .agents = desk->app.agents,
                                   .workspaces = desk->app.workspaces,
                                   .hub = desk->app.hub,
                                   .render = piece_words,
                                   .home = desk->talk.rig.directory};
    CHECK_OK(turns_open(&turns, &desk->app.turns, &desk->talk.fault), &desk->talk.fault);
    spec.owner = desk->talk.rig.owner;
    CHECK_OK(engine_create(desk->app.engine, &spec, &desk->talk.arena, &session, &desk->talk.fault),
             &desk->talk.fault);
    desk->session = session.id;
    assert_int_equal(pthread_create(&desk->loop, NULL, loop_run, desk->app.server), 0);
}

static void server_end(struct desk *desk)
{
    server_stop(desk->app.server, 1000);
    pthread_join(desk->loop, NULL);
    store_watch(desk->app.store, NULL, NULL);
}

/* The server is closed; turns may still run. */
static void desk_end(struct desk *desk)
{
    assert_true(turns_close(desk->app.turns, WAIT_MS));
    workspaces_close(desk->app.workspaces);
    hub_free(desk->app.hub);
    agents_free(desk->app.agents);
    talk_close(&desk->talk);
    assert_int_equal(atomic_load(&voices), 0);
}

static void desk_close(struct desk *desk)
{
    server_end(desk);
    assert_true(turns_stop(desk->app.turns, WAIT_MS));
    server_close(desk->app.server);
    desk_end(desk);
}

/* ---- a client ---- */

struct client {
    int fd;
    struct buf got;
};

/* Old HTTP: the reply ends with the connection, and has no blocks. */
static void ask_with(struct client *client, struct desk *desk, const char *what, const char *header,
                     const char *text)
{
    struct str head = arena_printf(&desk->talk.arena,
                                   "POST /%.*s/%s HTTP/1.0\r\nHost: localhost\r\n"
                                   "Content-Type: application/json\r\n%s"
                                   "Content-Length: %zu\r\n\r\n%s",
                                   STR_ARG(desk->session), what, header, strlen(text), text);

    buf_init(&client->got, TEXT_BYTES);
    CHECK_OK(server_connect(desk->app.server, &client->fd, &desk->talk.fault), &desk->talk.fault);
    assert_int_equal(send(client->fd, head.p, head.n, MSG_NOSIGNAL), (ssize_t)head.n);
}

static void ask(struct client *client, struct desk *desk, const char *what, const char *text)
{
    ask_with(client, desk, what, "", text);
}

/* Reads a little; false at the end. */
static bool client_read(struct client *client)
{
    struct pollfd wait = {.fd = client->fd, .events = POLLIN};
    char bytes[4096];
    ssize_t n;

    assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
    n = recv(client->fd, bytes, sizeof(bytes), 0);
    if (n > 0)
        buf_add(&client->got, bytes, (size_t)n);
    return n > 0;
}

static const char *client_text(const struct client *client)
{
    return client->got.p ? client->got.p : "";
}

/* Reads until the text is there. */
static void client_await(struct client *client, const char *text)
{
    while (!strstr(client_text(client), text))
        if (!client_read(client))
            fail_msg("\"%s\" never came, but:\n%s", text, client_text(client));
}

/* Reads all, and closes; what stands behind the head. */
static const char *client_all(struct client *client)
{
    const char *body;

    while (client_read(client))
        ;
    close(client->fd);
    client->fd = -1;
    body = strstr(client_text(client), "\r\n\r\n");
    assert_non_null(body);
    return body + 4;
}

static void client_leave(struct client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    buf_clear(&client->got);
}

/* The name of the turn, as its first line says. */
static struct str turn_of(struct client *client, struct desk *desk)
{
    const char *at;

    client_await(client, "\nbegin ");
    at = strstr(client_text(client), "\nbegin ") + 7;
    while (!strchr(at, '\n'))
        assert_true(client_read(client));
    at = strstr(client_text(client), "\nbegin ") + 7;
    return arena_dup(&desk->talk.arena, (struct str){at, strcspn(at, " \n")});
}

/* All that came behind the head must be this, with the turn's name for the star. */
static void check_all(struct client *client, struct desk *desk, const char *words)
{
    struct str turn = turn_of(client, desk);
    const char *star = strchr(words, '*');
    struct str want = star ? arena_printf(&desk->talk.arena, "%.*s%.*s%s", (int)(star - words),
                                          words, STR_ARG(turn), star + 1)
                           : str_of(words);

    assert_string_equal(client_all(client), want.p);
    client_leave(client);
}

static void pause_ms(int ms)
{
    poll(NULL, 0, ms);
}

/* ---- tests ---- */

/* Lets the turn go on that has asked. */
static void yes(struct desk *desk)
{
    struct question_answer answered = {.verdict = ANSWER_YES, .text = STR("blue")};
    struct fault fault;

    CHECK_OK(turns_answer(desk->app.turns, desk->talk.rig.owner, desk->session, STR_NONE, &answered,
                          &fault),
             &fault);
}

static void a_turn_is_told_in_order(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk,
              "[[{\"question\":\"go?\"},{\"reasoning\":\"hm\"},{\"delta\":\"He\"},"
              "{\"delta\":\"llo\"},{\"say\":{\"text\":\"Hello\"}},{\"output\":[\"c1\",\"ls\"]},"
              "{\"delta\":\"Bye\"},{\"echo\":true}]]");
    ask(&client, &desk, "send", "hi");
    client_await(&client, "go?"); /* from here on it hears each piece by itself */
    yes(&desk);
    client_await(&client, "end ");
    assert_non_null(strstr(client_text(&client), "HTTP/1.1 200"));
    assert_non_null(strstr(client_text(&client), "text/event-stream"));
    check_all(&client, &desk,
              "begin *\nuser: hi\nask 0+0 go?\nassistant: blue\nreasoning 1+0 hm\ntext 1+0 He\n"
              "text 1+2 llo\nassistant: Hello\noutput 2+0 ls\ntext 2+0 Bye\nassistant: hi\n"
              "end done \n");
    desk_close(&desk);
}

static void one_that_comes_late_is_told_what_was_said(void **state)
{
    struct client first, late;
    struct desk desk;
    struct str path;

    (void)state;
    desk_open(&desk, "[[{\"reasoning\":\"hm\"},{\"delta\":\"He\"},{\"delta\":\"llo\"},"
                     "{\"sleep_ms\":500},{\"delta\":\" you\"},{\"echo\":true}]]");
    ask(&first, &desk, "send", "hi");
    client_await(&first, "text ");
    path = arena_printf(&desk.talk.arena, "join/%.*s", STR_ARG(turn_of(&first, &desk)));
    pause_ms(30);
    ask(&late, &desk, path.p, "");
    check_all(&late, &desk,
              "begin * joined\nreasoning 0+0 hm\ntext 0+0 Hello\ntext 0+5  you\nassistant: hi\n"
              "end done \n");
    client_all(&first);
    client_leave(&first);
    /* when it is over, that is all */
    ask(&late, &desk, path.p, "");
    check_all(&late, &desk, "begin * joined over\nend done \n");
    desk_close(&desk);
}

static void what_is_not_there_cannot_be_joined(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]");
    ask(&client, &desk, "join/none", "");
    client_all(&client);
    assert_non_null(strstr(client_text(&client), " 404 "));
    client_leave(&client);
    desk_close(&desk);
}

static void one_that_was_sent_before_is_told_whole(void **state)
{
    static const char key[] = "Idempotency-Key: k\r\n";
    struct client first, again;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"question\":\"go?\"},{\"fail\":\"out of ink\"}]]");
    ask_with(&first, &desk, "send", key, "hi");
    client_await(&first, "go?");
    ask_with(&again, &desk, "send", key, "hi");
    client_await(&again, "go?");
    yes(&desk);
    check_all(&again, &desk,
              "begin * joined\nuser: hi\nask 0+0 go?\nassistant: blue\nend failed out of ink\n");
    check_all(&first, &desk,
              "begin *\nuser: hi\nask 0+0 go?\nassistant: blue\nend failed out of ink\n");
    ask_with(&again, &desk, "send", key, "hi");
    client_await(&again, "end ");
    assert_non_null(strstr(client_text(&again), "Idempotent-Replay: true"));
    check_all(&again, &desk,
              "begin * joined over\nuser: hi\nassistant: blue\nend failed out of ink\n");
    desk_close(&desk);
}

static void a_turn_that_cannot_begin_says_so(void **state)
{
    struct client first, queued, refused;
    struct desk desk;
    struct fault fault;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"a\"},{\"wait\":true}]]");
    ask(&first, &desk, "send", "one");
    client_await(&first, "text ");
    ask(&refused, &desk, "send", "two");
    client_all(&refused);
    assert_non_null(strstr(client_text(&refused), " 409 "));
    client_leave(&refused);
    ask(&queued, &desk, "send?queue=1", "three");
    client_await(&queued, "queued\n");
    CHECK_OK(turns_cancel(desk.app.turns, desk.talk.rig.owner, desk.session, STR_NONE, &fault),
             &fault);
    check_all(&queued, &desk, "begin * queued\nend cancelled \n");
    check_all(&first, &desk, "begin *\nuser: one\ntext 0+0 a\nassistant: a\nend cancelled \n");
    desk_close(&desk);
}

static void a_client_may_go_away(void **state)
{
    struct client client;
    struct desk desk;
    struct turns_counts counts;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"a\"},{\"sleep_ms\":150},{\"delta\":\"b\"},{\"echo\":true}]]");
    ask(&client, &desk, "send", "hi");
    client_await(&client, "text ");
    client_leave(&client);
    for (int i = 0; i < 100 && atomic_load(&voices); i++)
        pause_ms(10);
    assert_int_equal(atomic_load(&voices), 0); /* the turn still runs */
    for (int i = 0; i < 500; i++) {
        turns_count(desk.app.turns, &counts);
        if (counts.done)
            break;
        pause_ms(10);
    }
    assert_int_equal(counts.done, 1);
    assert_int_equal(talk_history(&desk.talk, desk.session, false).count, 2);
    desk_close(&desk);
}

static void a_voice_may_have_enough(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"a\"},{\"wait\":true}]]");
    ask(&client, &desk, "short", "hi");
    check_all(&client, &desk, "begin *\nuser: hi\ntext 0+0 a\n");
    desk_close(&desk);
}

static void a_session_that_is_deleted_ends_its_streams(void **state)
{
    struct client first, joined;
    struct desk desk;
    struct fault fault;
    struct str path;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"a\"},{\"wait\":true}]]");
    ask(&first, &desk, "send", "one");
    client_await(&first, "text ");
    path = arena_printf(&desk.talk.arena, "join/%.*s", STR_ARG(turn_of(&first, &desk)));
    ask(&joined, &desk, path.p, "");
    client_await(&joined, "text ");
    CHECK_OK(turns_cancel(desk.app.turns, desk.talk.rig.owner, desk.session, STR_NONE, &fault),
             &fault);
    talk_delete(&desk.talk, desk.session);
    client_await(&first, "end cancelled");
    client_await(&joined, "end cancelled");
    client_all(&first);
    client_all(&joined);
    client_leave(&first);
    client_leave(&joined);
    desk_close(&desk);
}

static void bytes_can_be_a_stream(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]");
    ask(&client, &desk, "fixed", "just this\n");
    assert_string_equal(client_all(&client), "just this\n");
    client_leave(&client);
    ask(&client, &desk, "fixed", "");
    assert_string_equal(client_all(&client), "");
    client_leave(&client);
    desk_close(&desk);
}

/* ---- waiting ---- */

static void check_answer(struct client *client, const char *words)
{
    assert_string_equal(client_all(client), words);
    client_leave(client);
}

static void an_answer_waits_for_the_end(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}],[{\"sleep_ms\":50},{\"fail\":\"out of ink\"}]]");
    ask(&client, &desk, "wait", "hi");
    check_answer(&client, "turn done \n");
    ask_with(&client, &desk, "wait", "Idempotency-Key: k\r\n", "hi");
    check_answer(&client, "turn failed out of ink\n");
    ask_with(&client, &desk, "wait", "Idempotency-Key: k\r\n", "hi");
    check_answer(&client, "turn failed out of ink\n");
    desk_close(&desk);
}

static void a_server_that_stops_answers_who_waits(void **state)
{
    struct client stream, client, queued;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"a\"},{\"wait\":true}]]");
    ask(&stream, &desk, "send", "one");
    client_await(&stream, "text ");
    ask(&queued, &desk, "wait?queue=1", "two");
    ask(&client, &desk, "ask?queue=1", "three");
    pause_ms(50);
    assert_true(turns_stop(desk.app.turns, WAIT_MS));
    client_all(&queued);
    client_all(&client);
    assert_non_null(strstr(client_text(&queued), "stopping"));
    assert_non_null(strstr(client_text(&client), "stopping"));
    client_leave(&stream); /* it has not read its end */
    client_leave(&queued);
    client_leave(&client);
    desk_close(&desk);
}

/* Its end comes when there is no server any more that could be told. */
static void a_turn_may_outlive_the_server(void **state)
{
    static const char *const ways[] = {"send", "listen"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct turns_counts counts = {0};
        struct client client;
        struct desk desk;

        desk_open(&desk, "[[{\"wait\":true}]]");
        ask(&client, &desk, ways[i], "hi");
        for (int j = 0; j < 500 && !counts.running; j++) {
            pause_ms(10);
            turns_count(desk.app.turns, &counts);
        }
        assert_int_equal(counts.running, 1);
        server_end(&desk);
        server_close(desk.app.server);
        turns_count(desk.app.turns, &counts);
        assert_int_equal(counts.running, 1);
        desk_end(&desk);
        client_leave(&client);
    }
}

/* The name of the turn that the session has. */
static struct str turn_now(struct desk *desk)
{
    struct run run;

    CHECK_OK(store_run_get(desk->app.store, desk->talk.rig.owner, desk->session, &desk->talk.arena,
                           &run, &desk->talk.fault),
             &desk->talk.fault);
    return run.turn;
}

static void an_answer_comes_when_the_turn_asks(void **state)
{
    struct client client, late[2];
    struct desk desk;
    struct str path;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"so\"},{\"question\":\"which?\"},{\"delta\":\"and\"},"
                     "{\"question\":\"really?\"}]]");
    for (int i = 0; i < 2; i++) { /* the second one comes when it waits already */
        ask_with(&client, &desk, "ask", "Idempotency-Key: k\r\n", "hi");
        check_answer(&client, "turn waiting \n");
    }
    path = arena_printf(&desk.talk.arena, "join/%.*s", STR_ARG(turn_now(&desk)));
    for (int i = 0; i < 2; i++) {
        ask(&late[i], &desk, path.p, "");
        client_await(&late[i], "ask 0");
    }
    yes(&desk);
    for (int i = 0; i < 2; i++)
        client_await(&late[i], "ask 1");
    yes(&desk);
    for (int i = 0; i < 2; i++)
        check_all(&late[i], &desk,
                  "begin * joined\ntext 0+0 so\nask 0+0 which?\nassistant: blue\ntext 1+0 and\n"
                  "ask 1+0 really?\nassistant: blue\nend done \n");
    desk_close(&desk);
}

/* Told by the turn while it runs, and not by a look at it. */
static void a_stream_is_told_what_the_turn_asks(void **state)
{
    struct client client;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"sleep_ms\":60},{\"question\":\"which?\"}]]");
    ask(&client, &desk, "send", "hi");
    client_await(&client, "ask 0+0 which?\n");
    yes(&desk);
    check_all(&client, &desk, "begin *\nuser: hi\nask 0+0 which?\nassistant: blue\nend done \n");
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_told_in_order),
        cmocka_unit_test(one_that_comes_late_is_told_what_was_said),
        cmocka_unit_test(what_is_not_there_cannot_be_joined),
        cmocka_unit_test(one_that_was_sent_before_is_told_whole),
        cmocka_unit_test(a_turn_that_cannot_begin_says_so),
        cmocka_unit_test(a_client_may_go_away),
        cmocka_unit_test(a_voice_may_have_enough),
        cmocka_unit_test(a_session_that_is_deleted_ends_its_streams),
        cmocka_unit_test(bytes_can_be_a_stream),
        cmocka_unit_test(an_answer_waits_for_the_end),
        cmocka_unit_test(a_server_that_stops_answers_who_waits),
        cmocka_unit_test(a_turn_may_outlive_the_server),
        cmocka_unit_test(an_answer_comes_when_the_turn_asks),
        cmocka_unit_test(a_stream_is_told_what_the_turn_asks),
    };

    return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
