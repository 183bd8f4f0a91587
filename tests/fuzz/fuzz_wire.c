/*
 * Whole requests to a whole server, in the words of every dialect but the native one. The input is
 * lines, each `METHOD PATH BODY`; "$0" to "$9" in one stands for the id of a session that there is,
 * newest first. The server has its store in memory and an agent that says what it is told.
 *
 * What must hold: every reply is JSON, plain text of a refusal or a stream of events; no status is
 * 5xx but 503; in the end the store is sound.
 *
 * Left out, because the machine that runs this is no toy: commands (the route is taken away), and
 * whatever needs the right of an admin, such as to attach a directory.
 */
#include "check.h"
#include "fuzz.h"

#include "agent/scripted/scripted.h"
#include "dialect/native/native.h"
#include "dialect/root.h"
#include "store/sqlite/sqlite_store.h"

#include <ctype.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUESTS_MAX = 12,
    TABLES_MAX = 16,
    SESSIONS_MAX = 10,
    IDLE_MS = 700,   /* a stream that says nothing for so long has nothing to say */
    ANSWER_MS = 8000 /* … and a request that is not answered then never is */
};

static const char script[] =
    "[[{\"reasoning\":\"hm\"},{\"delta\":\"He\"},{\"echo\":true}],"
    "[{\"say\":{\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{}"
    "}"
    "]}},{\"say\":{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_result\",\"call\":\"c1\","
    "\"output\":"
    "\"a\"}]}},{\"say\":{\"text\":\"done\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}}],"
    "[{\"fail\":\"the model is out\"}]]";

struct desk {
    struct app app; /* first: what the handlers are given */
    int64_t owner;
    char home[32];
    struct route_table tables[TABLES_MAX];
    const struct route_table *table_list[TABLES_MAX];
    size_t table_count;
    struct arena arena;
    pthread_t loop;
};

static void must(enum fault_code code, const struct fault *fault)
{
    if (code == FAULT_OK)
        return;
    fprintf(stderr, "%s: %s\n", fault_name(code), fault->message);
    abort();
}

/* ---- the server ---- */

static enum fault_code identify(void *app, const struct request *request, struct str token,
                                struct arena *arena, struct caller *out, struct fault *fault)
{
    struct desk *desk = app;

    (void)request;
    (void)token;
    (void)arena;
    (void)fault;
    *out = (struct caller){.owner = desk->owner,
                           .sees = desk->owner,
                           .name = STR("local"),
                           .right = RIGHT_RUN,
                           .speaks_for_others = true};
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

static void *loop_run(void *context)
{
    server_run(context, false);
    return NULL;
}

/* Those with a prefix of their own, without the native API and without commands. */
static void tables_fill(struct desk *desk)
{
    size_t count;
    const struct route_table *const *all = root_tables(&count);

    for (size_t i = 0; i < count; i++) {
        struct route_table *table = &desk->tables[desk->table_count];
        struct route *routes;

        if (!*all[i]->prefix || strcmp(all[i]->name, "native") == 0)
            continue;
        assert(desk->table_count < TABLES_MAX);
        *table = *all[i];
        routes = arena_array(&desk->arena, table->count, sizeof(*routes));
        table->count = 0;
        for (size_t k = 0; k < all[i]->count; k++)
            if (!all[i]->routes[k].name || strcmp(all[i]->routes[k].name, "ashExec") != 0)
                routes[table->count++] = all[i]->routes[k];
        table->routes = routes;
        desk->table_list[desk->table_count++] = table;
    }
    assert(desk->table_count > 3);
}

static void agents_open(struct desk *desk)
{
    static struct agent_kind kinds[2];
    struct agent_def def = {.name = STR("test/actor"),
                            .kind = STR("scripted"),
                            .script = {script, sizeof(script) - 1},
                            .is_default = true,
                            .fixed = true};
    struct fault fault;

    kinds[0] = agent_scripted;
    desk->app.agents = agents_new(desk->app.store, kinds);
    must(agents_fix(desk->app.agents, &def, &fault), &fault);
    must(agents_load(desk->app.agents, &fault), &fault);
}

static void edge_open(struct desk *desk)
{
    struct server_options options = {.log = SERVER_LOG_OFF,
                                     .tables = desk->table_list,
                                     .table_count = desk->table_count,
                                     .app = &desk->app,
                                     .open = true,
                                     .identify = identify};
    struct hub_host host = {host_post, host_work, NULL};
    struct fault fault;

    must(server_open(&options, &desk->app.server, &fault), &fault);
    host.context = desk->app.server;
    desk->app.hub = hub_new(desk->app.store, native_event_render, &host);
    store_watch(desk->app.store, committed, desk->app.hub);
}

static void desk_open(struct desk *desk)
{
    static const struct page_cache_limits pages = {16, 1 << 20, 1 << 16};
    struct sqlite_store_options options = {.path = NULL};
    struct workspaces_options places;
    struct turns_options turns;
    struct fault fault;

    memset(desk, 0, sizeof(*desk));
    arena_init(&desk->arena);
    snprintf(desk->home, sizeof(desk->home), "/tmp/fuzz_wire.XXXXXX");
    if (!mkdtemp(desk->home))
        abort();
    must(sqlite_store_open(&options, &desk->app.store, &fault), &fault);
    must(store_owner(desk->app.store, STR("local"), &desk->owner, &fault), &fault);
    desk->app.engine = engine_new(desk->app.store, NULL);
    desk->app.pages = page_cache_new(&pages);
    tables_fill(desk);
    agents_open(desk);
    edge_open(desk);
    places = (struct workspaces_options){.engine = desk->app.engine, .home = desk->home};
    must(workspaces_open(&places, &desk->app.workspaces, &fault), &fault);
    turns = (struct turns_options){.engine = desk->app.engine,
                                   .agents = desk->app.agents,
                                   .workspaces = desk->app.workspaces,
                                   .hub = desk->app.hub,
                                   .render = native_piece_render,
                                   .home = desk->home};
    must(turns_open(&turns, &desk->app.turns, &fault), &fault);
    if (pthread_create(&desk->loop, NULL, loop_run, desk->app.server) != 0)
        abort();
}

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void problem_print(void *context, const char *message)
{
    (void)context;
    fprintf(stderr, "verify: %s\n", message);
}

static void desk_close(struct desk *desk)
{
    struct verify_result verified;
    struct fault fault;

    server_stop(desk->app.server, 1000);
    pthread_join(desk->loop, NULL);
    store_watch(desk->app.store, NULL, NULL);
    if (!turns_stop(desk->app.turns, ANSWER_MS))
        abort();
    server_close(desk->app.server);
    if (!turns_close(desk->app.turns, ANSWER_MS))
        abort();
    must(store_verify(desk->app.store, problem_print, NULL, NULL, &verified, &fault), &fault);
    assert(verified.problems == 0);
    workspaces_close(desk->app.workspaces);
    hub_free(desk->app.hub);
    agents_free(desk->app.agents);
    engine_free(desk->app.engine);
    page_cache_free(desk->app.pages);
    store_close(desk->app.store);
    arena_clear(&desk->arena);
    nftw(desk->home, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- requests ---- */

struct names {
    struct str ids[SESSIONS_MAX];
    size_t count;
    struct arena *arena;
};

static enum fault_code name_keep(void *context, const struct session *session, struct fault *fault)
{
    struct names *names = context;

    (void)fault;
    if (names->count < SESSIONS_MAX)
        names->ids[names->count++] = arena_dup(names->arena, session->id);
    return FAULT_OK;
}

/* The line with the ids of sessions in it. */
static struct str line_fill(struct desk *desk, struct str line)
{
    struct list_spec list = {.owner = desk->owner, .archived = -1, .limit = SESSIONS_MAX};
    struct names names = {.arena = &desk->arena};
    struct fault fault;
    struct buf text;
    struct str copy;

    must(store_session_list(desk->app.store, &list, name_keep, &names, &fault), &fault);
    buf_init(&text, CHECK_BYTES);
    for (size_t i = 0; i < line.n; i++) {
        size_t which = i + 1 < line.n && line.p[i] == '$' ? (size_t)(line.p[i + 1] - '0') : 99;

        if (which < names.count) {
            buf_add_str(&text, names.ids[which]);
            i++;
        } else {
            buf_add_char(&text, line.p[i]);
        }
    }
    copy = arena_dup(&desk->arena, buf_str(&text));
    buf_clear(&text);
    return copy;
}

static struct str word(struct str *rest)
{
    const char *end = rest->n ? memchr(rest->p, ' ', rest->n) : NULL;
    struct str taken = {rest->p, end ? (size_t)(end - rest->p) : rest->n};

    rest->p += taken.n + (end != NULL);
    rest->n -= taken.n + (end != NULL);
    return taken;
}

/* Methods and paths only: what else a head may hold is looked at elsewhere. */
static bool is_plain(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!isgraph((unsigned char)text.p[i]))
            return false;
    return text.n > 0;
}

/* Reads until the other side ends, or a stream rests. */
static void reply_read(int fd, struct buf *out)
{
    bool streams = false;

    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        char bytes[16 * 1024];
        ssize_t n;

        if (poll(&wait, 1, streams ? IDLE_MS : ANSWER_MS) == 0) {
            if (streams)
                return;
            fprintf(stderr, "no answer; so far: %.*s\n", (int)out->n, out->p);
            abort();
        }
        n = recv(fd, bytes, sizeof(bytes), 0);
        if (n <= 0)
            return;
        buf_add(out, bytes, (size_t)n);
        streams = strstr(out->p, "text/event-stream") != NULL;
    }
}

/* Lines of "name: value" and empty ones; what stands in data is JSON. */
static void stream_check(struct str body)
{
    while (body.n) {
        bool whole = memchr(body.p, '\n', body.n) != NULL;
        struct str line = check_line(&body);

        if (!whole || line.n == 0 || line.p[0] == ':')
            continue;
        if (str_starts(line, STR("data: ")))
            check_json((struct str){line.p + 6, line.n - 6});
        else
            assert(str_starts(line, STR("event: ")) || str_starts(line, STR("id: ")) ||
                   str_starts(line, STR("retry: ")));
    }
}

static void reply_check(struct str reply)
{
    const char *end = reply.p ? strstr(reply.p, "\r\n\r\n") : NULL;
    struct str head, body;
    int status;

    assert(end && reply.n > 12);
    head = (struct str){reply.p, (size_t)(end - reply.p)};
    body = (struct str){end + 4, reply.n - head.n - 4};
    status = (int)strtol(reply.p + 9, NULL, 10);
    if (status >= 500 && status != 503) {
        fprintf(stderr, "status %d: %.*s\n", status, STR_ARG(body));
        abort();
    }
    if (memmem(head.p, head.n, "text/event-stream", 17))
        stream_check(body);
    else if (body.n && memmem(head.p, head.n, "json", 4))
        check_json(body);
}

static void request_run(struct desk *desk, struct str line)
{
    struct str filled = line_fill(desk, line), method = word(&filled), path = word(&filled), head;
    struct fault fault;
    struct buf reply;
    int fd;

    if (!is_plain(method) || !is_plain(path) || path.p[0] != '/')
        return;
    head =
        arena_printf(&desk->arena,
                     "%.*s %.*s HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     STR_ARG(method), STR_ARG(path), filled.n);
    must(server_connect(desk->app.server, &fd, &fault), &fault);
    if (send(fd, head.p, head.n, MSG_NOSIGNAL) == (ssize_t)head.n && filled.n)
        (void)!send(fd, filled.p, filled.n, MSG_NOSIGNAL);
    buf_init(&reply, CHECK_BYTES);
    reply_read(fd, &reply);
    close(fd);
    assert(!reply.full);
    reply_check(arena_dup(&desk->arena, buf_str(&reply)));
    buf_clear(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    static struct desk desk;

    desk_open(&desk);
    for (int i = 0; rest.n && i < REQUESTS_MAX; i++)
        request_run(&desk, check_line(&rest));
    desk_close(&desk);
    return 0;
}
