/*
 * A server with a few routes that try what the edge can do. The tests start it, and so may you:
 *
 *   edge_server [--listen ADDR:PORT] [--tokens] [--host NAME] [--log text|json|off]
 *               [--connections N] [--peer N] [--streams N] [--header N] [--request-ms N]
 *               [--idle-ms N] [--pending N] [--workers N] [--door NAME=ADDR:PORT …]
 *
 * It prints the port, and those of its doors, on its first line and ends with SIGTERM, or when
 * /stop is asked for.
 */
#include "http/server.h"

#include "base/fault.h"
#include "json/json_out.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BODY_MAX = 64 * 1024 };

/* ---- a hub: what is told to all streams ---- */

struct listener {
    struct listener *prev, *next;
    struct hub *hub;
    struct stream *stream;
    int64_t seen; /* events so far */
    int64_t size; /* of each event's text */
    int64_t left; /* events until it ends; -1: never */
};

/* On the loop only; `closed` counts the sources that were closed. */
struct hub {
    struct listener *first;
    int64_t newest;
    int64_t opened, closed;
    atomic_llong sources; /* that are there, begun or not */
    bool due;             /* to be woken at the next tick */
};

struct app {
    struct server *server;
    struct hub hub;
};

static void listener_start(void *context, struct stream *stream)
{
    struct listener *listener = context;

    listener->stream = stream;
    listener->next = listener->hub->first;
    if (listener->next)
        listener->next->prev = listener;
    listener->hub->first = listener;
    listener->seen = listener->hub->newest;
    listener->hub->opened++;
    stream_wake(stream);
}

static enum stream_state listener_pull(void *context, struct buf *out)
{
    struct listener *listener = context;

    while (listener->seen < listener->hub->newest && out->n < STREAM_FILL) {
        listener->seen++;
        buf_add_format(out, "id: %lld\ndata: ", (long long)listener->seen);
        for (int64_t i = 0; i < listener->size; i++)
            buf_add_char(out, 'x');
        buf_add_text(out, "\n\n");
        if (listener->left > 0 && --listener->left == 0)
            return STREAM_END;
    }
    return listener->seen < listener->hub->newest ? STREAM_MORE : STREAM_IDLE;
}

static void listener_close(void *context)
{
    struct listener *listener = context;

    if (listener->stream) {
        listener->hub->closed++;
        if (listener->prev)
            listener->prev->next = listener->next;
        else
            listener->hub->first = listener->next;
        if (listener->next)
            listener->next->prev = listener->prev;
    }
    atomic_fetch_sub(&listener->hub->sources, 1);
    free(listener);
}

static void sleep_ms(int64_t ms);

static enum fault_code run_stream(struct exchange *x, struct fault *fault)
{
    struct app *app = x->app;
    struct listener *listener = calloc(1, sizeof(*listener));
    struct stream_source source = {listener_start, listener_pull, listener_close, listener};

    (void)fault;
    if (!listener)
        abort();
    listener->hub = &app->hub;
    listener->left = x->request.query[0].p ? x->request.query_int[0] : -1;
    listener->size = x->request.query[1].p ? x->request.query_int[1] : 4;
    atomic_fetch_add(&app->hub.sources, 1);
    sleep_ms(x->request.query_int[2]);
    exchange_stream(x, &source);
    return FAULT_OK;
}

static void hub_wake(void *context)
{
    struct hub *hub = context;

    hub->newest++;
    for (struct listener *listener = hub->first; listener; listener = listener->next)
        stream_wake(listener->stream);
}

static enum fault_code run_wake(struct exchange *x, struct fault *fault)
{
    struct app *app = x->app;

    (void)fault;
    server_post(app->server, hub_wake, &app->hub);
    buf_add_text(&x->reply.body, "{}");
    return FAULT_OK;
}

/* A wake from a handler on the loop. */
static enum fault_code run_wake_now(struct exchange *x, struct fault *fault)
{
    (void)fault;
    hub_wake(&((struct app *)x->app)->hub);
    buf_add_text(&x->reply.body, "{}");
    return FAULT_OK;
}

/* A wake from a timer: the next tick does it. */
static enum fault_code run_wake_later(struct exchange *x, struct fault *fault)
{
    (void)fault;
    ((struct app *)x->app)->hub.due = true;
    buf_add_text(&x->reply.body, "{}");
    return FAULT_OK;
}

static void hub_tick(void *context)
{
    struct hub *hub = context;

    if (hub->due)
        hub_wake(hub);
    hub->due = false;
}

/* On the loop, as the hub is. */
static enum fault_code run_hub(struct exchange *x, struct fault *fault)
{
    struct app *app = x->app;

    (void)fault;
    buf_add_format(&x->reply.body,
                   "{\"opened\":%lld,\"closed\":%lld,\"sources\":%lld,\"newest\":%lld}",
                   (long long)app->hub.opened, (long long)app->hub.closed,
                   (long long)app->hub.sources, (long long)app->hub.newest);
    return FAULT_OK;
}

/* ---- other routes ---- */

static enum fault_code run_health(struct exchange *x, struct fault *fault)
{
    (void)fault;
    x->reply.fixed = STR("{\"status\":\"ok\"}");
    return FAULT_OK;
}

static enum fault_code run_echo(struct exchange *x, struct fault *fault)
{
    (void)fault;
    buf_add_str(&x->reply.body, x->request.body);
    return FAULT_OK;
}

static void sleep_ms(int64_t ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

static enum fault_code run_sleep(struct exchange *x, struct fault *fault)
{
    (void)fault;
    sleep_ms(x->request.query_int[0]);
    buf_add_text(&x->reply.body, "{\"slept\":true}");
    return FAULT_OK;
}

static void *answer_later(void *context)
{
    struct exchange *x = context;

    sleep_ms(x->request.query_int[0]);
    buf_add_text(&x->reply.body, "{\"deferred\":true}");
    exchange_answer(x, FAULT_OK, NULL);
    return NULL;
}

static enum fault_code run_defer(struct exchange *x, struct fault *fault)
{
    pthread_t thread;

    (void)fault;
    exchange_defer(x);
    if (pthread_create(&thread, NULL, answer_later, x) != 0)
        abort();
    pthread_detach(thread);
    return FAULT_OK;
}

static enum fault_code run_big(struct exchange *x, struct fault *fault)
{
    static const char block[1024] = {0};

    (void)fault;
    x->reply.type = "application/octet-stream";
    for (int64_t left = x->request.query_int[0]; left > 0; left -= (int64_t)sizeof(block))
        buf_add(&x->reply.body, block, left < 1024 ? (size_t)left : sizeof(block));
    return FAULT_OK;
}

static enum fault_code run_params(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    (void)fault;
    json_out_init(&out, &x->reply.body);
    json_out_object(&out, NULL);
    json_out_string(&out, "route", str_of(x->route->name));
    json_out_array(&out, "params");
    for (size_t i = 0; i < REQUEST_PARAMS_MAX && x->request.params[i].p; i++)
        json_out_string(&out, NULL, x->request.params[i]);
    json_out_array_end(&out);
    json_out_array(&out, "query");
    for (size_t i = 0; i < 3; i++)
        json_out_name(&out, NULL, x->request.query[i]);
    json_out_array_end(&out);
    json_out_object_end(&out);
    return FAULT_OK;
}

static enum fault_code run_me(struct exchange *x, struct fault *fault)
{
    (void)fault;
    buf_add_format(&x->reply.body, "{\"name\":\"%.*s\",\"open\":%s}",
                   STR_ARG(x->request.caller.name), x->request.caller.open ? "true" : "false");
    return FAULT_OK;
}

static enum fault_code run_fail(struct exchange *x, struct fault *fault)
{
    (void)x;
    return fault_set(fault, FAULT_BUSY, "the store is \"busy\"\n\x80");
}

static enum fault_code run_metrics(struct exchange *x, struct fault *fault)
{
    (void)fault;
    x->reply.type = "text/plain; version=0.0.4";
    server_metrics(((struct app *)x->app)->server, &x->reply.body);
    return FAULT_OK;
}

/* Asks the server itself, over a connection from within, and answers with what it said. */
static enum fault_code run_inner(struct exchange *x, struct fault *fault)
{
    static const char request[] =
        "GET /me HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n";
    char reply[2048];
    size_t n = 0;
    ssize_t got;
    int fd;

    if (server_connect(((struct app *)x->app)->server, &fd, fault) != FAULT_OK)
        return fault_pass(fault);
    if (send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0)
        abort();
    while (n < sizeof(reply) - 1 && (got = recv(fd, reply + n, sizeof(reply) - 1 - n, 0)) > 0)
        n += (size_t)got;
    close(fd);
    reply[n] = '\0';
    x->reply.type = "text/plain";
    buf_add(&x->reply.body, reply, n);
    return FAULT_OK;
}

struct errand {
    struct exchange *x;
    bool worked;
};

static void errand_work(void *context)
{
    ((struct errand *)context)->worked = true;
}

static void errand_done(void *context)
{
    struct errand *errand = context;

    buf_add_format(&errand->x->reply.body, "{\"worked\":%s}", errand->worked ? "true" : "false");
    exchange_answer(errand->x, FAULT_OK, NULL);
    free(errand);
}

/* Goes from the loop to a worker and back. */
static enum fault_code run_errand(struct exchange *x, struct fault *fault)
{
    struct errand *errand = calloc(1, sizeof(*errand));

    (void)fault;
    if (!errand)
        abort();
    errand->x = x;
    exchange_defer(x);
    server_work(((struct app *)x->app)->server, errand_work, errand_done, errand);
    return FAULT_OK;
}

/* Through which port did it come? */
static enum fault_code run_door(struct exchange *x, struct fault *fault)
{
    (void)fault;
    buf_add_format(&x->reply.body, "\"%s\"", x->request.door ? x->request.door : "");
    return FAULT_OK;
}

static enum fault_code run_stop(struct exchange *x, struct fault *fault)
{
    (void)fault;
    server_stop(((struct app *)x->app)->server, (int)x->request.query_int[0]);
    buf_add_text(&x->reply.body, "{}");
    return FAULT_OK;
}

static const struct route_query ms_query[] = {{"ms", QUERY_INT, 0, 60000, .about = "how long"},
                                              {0}};
static const struct route_query bytes_query[] = {{"bytes", QUERY_INT, 0, 33554432, .about = "size"},
                                                 {0}};
static const struct route_query stream_query[] = {
    {"count", QUERY_INT, 1, 1000000, .about = "events"},
    {"size", QUERY_INT, 1, 1000000, .about = "of each"},
    {"ms", QUERY_INT, 0, 60000, .about = "before it begins"},
    {0}};
static const struct route_query some_query[] = {{"text", QUERY_TEXT, 0, 32, .about = "words"},
                                                {"n", QUERY_INT, 1, 1000, .about = "a number"},
                                                {"flag", QUERY_FLAG, 0, 0, .about = "yes or no"},
                                                {0}};

#define LOOP .where = ROUTE_LOOP
#define READ .right = RIGHT_READ
static const struct route routes[] = {
    {HTTP_GET, "/healthz", run_health, LOOP, .name = "healthz"},
    {HTTP_GET, "/metrics", run_metrics, LOOP, .name = "metrics"},
    {HTTP_GET, "/hub", run_hub, LOOP, .name = "hub"},
    {HTTP_POST, "/wake_now", run_wake_now, LOOP, .name = "wake_now"},
    {HTTP_POST, "/wake_later", run_wake_later, LOOP, .name = "wake_later"},
    {HTTP_GET, "/errand", run_errand, LOOP, .name = "errand"},
    {HTTP_GET, "/looped", run_me, LOOP, READ, .name = "looped"},
    {HTTP_POST, "/echo", run_echo, READ, .body_max = BODY_MAX, .request = "Any", .name = "echo"},
    {HTTP_PUT, "/bytes", run_echo, READ, .body_max = BODY_MAX, .name = "bytes",
     .reply_type = "application/octet-stream"},
    {HTTP_GET, "/sleep", run_sleep, READ, .query = ms_query, .name = "sleep"},
    {HTTP_GET, "/defer", run_defer, READ, .query = ms_query, .name = "defer"},
    {HTTP_GET, "/big", run_big, READ, .query = bytes_query, .name = "big"},
    {HTTP_GET, "/stream", run_stream, READ, .query = stream_query, .streams = true,
     .name = "stream"},
    {HTTP_POST, "/wake", run_wake, READ, .name = "wake", .status = 202},
    {HTTP_GET, "/params/{a}/{b}", run_params, .name = "params"},
    {HTTP_GET, "/params/fixed/{b}", run_params, .query = some_query, .name = "params_fixed"},
    {HTTP_GET, "/files/{path*}", run_params, .name = "files"},
    {HTTP_DELETE, "/files/{path*}", run_params, .name = "files_delete"},
    {HTTP_GET, "/me", run_me, READ, .name = "me"},
    {HTTP_GET, "/admin", run_me, .right = RIGHT_ADMIN, .name = "admin"},
    {HTTP_GET, "/fail", run_fail, .name = "fail"},
    {HTTP_GET, "/inner", run_inner, .name = "inner"},
    {HTTP_GET, "/door", run_door, .name = "door"},
    {HTTP_POST, "/stop", run_stop, .query = ms_query, .name = "stop"},
};

static const struct route_table table = {
    .name = "test", .prefix = "", .routes = routes, .count = sizeof(routes) / sizeof(routes[0])};

/* A dialect that says no in a way of its own … */
static void write_no(struct exchange *x, const struct fault *fault)
{
    x->reply.type = "text/plain";
    buf_add_format(&x->reply.body, "no: %s\n", fault->message);
}

static const struct route tongue_routes[] = {
    {HTTP_POST, "/say", run_echo, READ, .body_max = 16, .name = "say"},
    {HTTP_GET, "/say/{a}/{b}", run_params, READ, .query = some_query, .name = "said"},
    {HTTP_GET, "/quiet", run_me, LOOP, READ, .name = "quiet"},
    {HTTP_GET, "/later", run_defer, READ, .query = ms_query, .name = "later"},
    {HTTP_GET, "/flow", run_stream, READ, .query = stream_query, .streams = true, .name = "flow"},
    {HTTP_GET, "/rights", run_me, .right = RIGHT_ADMIN, .name = "rights"},
    {HTTP_GET, "/closed/", run_params, READ, .name = "slash"},
    {HTTP_POST, "/nobody", run_params, READ, .name = "nobody"},
};
static const struct route_table tongue = {.name = "tongue",
                                          .prefix = "/tongue",
                                          .routes = tongue_routes,
                                          .count = sizeof(tongue_routes) / sizeof(tongue_routes[0]),
                                          .any_query = true,
                                          .write_fault = write_no};

/* … and routes that hand on to it. */
static enum fault_code run_front(struct exchange *x, struct fault *fault)
{
    return exchange_reroute(x, &tongue, fault);
}

static const struct route front_routes[] = {
    {HTTP_POST, "/say", run_front, .body_max = 1024, .name = "front"},
    {HTTP_PUT, "/say", run_front, .body_max = 1024, .name = "front"},
    {HTTP_GET, "/say/{b}/{a}", run_front, .name = "front"},
    {HTTP_GET, "/quiet", run_front, READ, .name = "front"},
    {HTTP_GET, "/later", run_front, READ, .name = "front"},
    {HTTP_GET, "/flow", run_front, READ, .streams = true, .name = "front"},
    {HTTP_GET, "/rights", run_front, READ, .name = "front"},
    {HTTP_GET, "/closed/", run_front, .name = "front"},
    {HTTP_GET, "/closed", run_front, .name = "front"},
    {HTTP_POST, "/nobody", run_front, .body_max = 1024, .name = "front"},
};
static const struct route_table front = {.name = "front",
                                         .prefix = "",
                                         .routes = front_routes,
                                         .count = sizeof(front_routes) / sizeof(front_routes[0]),
                                         .any_query = true};
static const struct route_table *const tables[] = {&table, &tongue, &front};

/* ---- who, and how ---- */

static enum fault_code identify(void *context, const struct request *request, struct str token,
                                struct arena *arena, struct caller *out, struct fault *fault)
{
    (void)context;
    (void)arena;
    if (request->caller.open) {
        *out = (struct caller){.name = STR("local"), .right = RIGHT_ADMIN, .open = true};
        return FAULT_OK;
    }
    if (token.n == 0)
        return fault_set(fault, FAULT_UNAUTHORIZED, "a token is needed");
    if (!str_eq(token, STR("secret-alice")))
        return fault_set(fault, FAULT_UNAUTHORIZED, "the token is not known");
    *out = (struct caller){.name = STR("alice"), .right = RIGHT_RUN};
    return FAULT_OK;
}

static struct server_door doors[SERVER_DOORS_MAX];

/* NAME=ADDR:PORT; the name gets an end in place. */
static void add_door(struct server_options *options, char *value)
{
    char *equals = strchr(value, '=');

    if (!equals || options->door_count == SERVER_DOORS_MAX)
        abort();
    *equals = '\0';
    options->doors = doors;
    doors[options->door_count++] = (struct server_door){str_of(equals + 1), value};
}

static void read_option(struct server_options *options, const char **hosts, const char *name,
                        char *value)
{
    struct {
        const char *name;
        int *place;
    } numbers[] = {
        {"--connections", &options->limits.connections},
        {"--peer", &options->limits.connections_peer},
        {"--streams", &options->limits.streams},
        {"--header", &options->limits.header_bytes},
        {"--request-ms", &options->limits.request_ms},
        {"--idle-ms", &options->limits.idle_ms},
        {"--workers", &options->limits.workers},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (strcmp(name, numbers[i].name) == 0)
            *numbers[i].place = (int)strtol(value, NULL, 10);
    if (strcmp(name, "--pending") == 0)
        options->limits.pending_bytes = strtoll(value, NULL, 10);
    if (strcmp(name, "--listen") == 0)
        options->listen = str_of(value);
    if (strcmp(name, "--door") == 0)
        add_door(options, value);
    if (strcmp(name, "--host") == 0)
        hosts[0] = value;
    if (strcmp(name, "--log") == 0)
        options->log = strcmp(value, "json") == 0  ? SERVER_LOG_JSON
                       : strcmp(value, "off") == 0 ? SERVER_LOG_OFF
                                                   : SERVER_LOG_TEXT;
}

int main(int argc, char **argv)
{
    static struct app app;
    const char *hosts[2] = {NULL, NULL};
    struct server_options options = {
        .listen = STR("127.0.0.1:0"),
        .log = SERVER_LOG_TEXT,
        .tables = tables,
        .table_count = sizeof(tables) / sizeof(tables[0]),
        .app = &app,
        .open = true,
        .identify = identify,
        .hosts = hosts,
    };
    struct fault fault = {0};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tokens") == 0)
            options.open = false;
        else if (i + 1 < argc)
            read_option(&options, hosts, argv[i], argv[i + 1]), i++;
    }
    if (server_open(&options, &app.server, &fault) != FAULT_OK) {
        fprintf(stderr, "%s\n", fault.message);
        return 1;
    }
    server_every(app.server, 20, hub_tick, &app.hub);
    printf("%d", server_port(app.server));
    for (size_t i = 0; i < options.door_count; i++)
        printf(" %d", server_door_port(app.server, i));
    printf("\n");
    fflush(stdout);
    server_run(app.server, true);
    server_close(app.server);
    printf("opened %lld closed %lld\n", (long long)app.hub.opened, (long long)app.hub.closed);
    return app.hub.opened == app.hub.closed && app.hub.sources == 0 ? 0 : 1;
}
