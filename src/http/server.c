/*
 * The loop. libmicrohttpd runs without a thread of its own: its epoll is watched by libuv, and when
 * something is ready there, or a connection was resumed, MHD_run is called until nothing is pending
 * any more. (Its own thread stops serving when exactly 128, 256, … sockets are ready at once.)
 */
#include "http/own.h"

#include "http/limits.h"
#include "http/listen.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    RUNS_MAX = 16,     /* of libmicrohttpd before others on the loop have a turn */
    SPARE_FILES = 256, /* of the process: store, agents, log … */
    SWEEP_MS = 1000,
    PULSE_TICK_MS = 250,
    STOP_TICK_MS = 10,
    DRAIN_TICK_MS = 50,
    GRACE_MS = 4000, /* after a signal */
    HANG_EVENTS = 64
};

/* ---- libmicrohttpd on the loop ---- */

static void on_again(uv_timer_t *timer)
{
    edge_run(timer->data);
}

void edge_soon(struct server *server)
{
    if (!uv_is_active((uv_handle_t *)&server->again))
        uv_timer_start(&server->again, on_again, 0, 0);
}

void edge_run(struct server *server)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 1;

    for (int i = 0; i < RUNS_MAX; i++) {
        MHD_run(server->daemon);
        if (MHD_get_timeout(server->daemon, &wait_ms) != MHD_YES)
            wait_ms = 1;
        if (wait_ms != 0)
            break;
    }
    /* Longer waits are for the idle connections; the sweep looks after them every second. */
    if (wait_ms == 0)
        edge_soon(server);
    if (server->lingering_count && !uv_is_active((uv_handle_t *)&server->drain))
        uv_timer_again(&server->drain);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    edge_run(poll->data);
}

static void on_wake(uv_async_t *wake)
{
    struct server *server = wake->data;

    inbox_deliver(server->inbox);
    edge_run(server); /* for those that were resumed */
}

static void on_hang(uv_poll_t *poll, int status, int events)
{
    struct server *server = poll->data;
    struct epoll_event gone[HANG_EVENTS];
    int n = epoll_wait(server->hang, gone, HANG_EVENTS, 0);

    (void)status;
    (void)events;
    for (int i = 0; i < n; i++)
        stream_gone(gone[i].data.ptr);
    edge_run(server);
}

static void on_drain(uv_timer_t *timer)
{
    struct server *server = timer->data;

    linger_sweep(server);
    if (server->lingering_count == 0)
        uv_timer_stop(timer);
}

static void on_sweep(uv_timer_t *timer)
{
    conn_sweep(timer->data);
    doors_sweep(timer->data);
    edge_run(timer->data);
}

/* ---- stopping ---- */

/* All that could be answered is answered, or the time is over: what is left is let go. */
static void stop_finish(struct server *server)
{
    server->stopped = true;
    for (struct conn *conn = server->conns; conn; conn = conn->next) {
        call_give_up(conn);
        stream_gone(conn);
    }
    edge_run(server);
    uv_stop(&server->loop);
}

static void stop_look(struct server *server)
{
    if (server->stopped)
        return;
    if ((server->active == 0 && server->stream_count == 0) || clock_ms() >= server->stop_ms)
        stop_finish(server);
}

static void on_pulse(uv_timer_t *timer)
{
    struct server *server = timer->data;

    stream_pulse(server);
    if (server->stopping)
        stop_look(server);
}

static void stop_begin(struct server *server, int grace_ms)
{
    int listening;

    if (server->stopping)
        return;
    server->stopping = true;
    server->stop_ms = clock_ms() + grace_ms;
    edge_run(server); /* what has come before this is still taken */
    listening = MHD_quiesce_daemon(server->daemon);
    if (listening >= 0)
        close(listening);
    doors_close(server);
    if (server->options.stopping)
        server->options.stopping(server->options.app);
    stream_stop_all(server);
    edge_run(server);
    uv_timer_start(&server->pulse, on_pulse, STOP_TICK_MS, STOP_TICK_MS);
}

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    stop_begin(handle->data, GRACE_MS);
}

/* ---- letters and work ---- */

struct post {
    struct letter letter;
    struct job job;
    struct inbox *inbox;
    void (*work)(void *context);
    void (*run)(void *context);
    void *context;
};

static void post_free(struct post *post)
{
    inbox_unref(post->inbox);
    free(post);
}

static void post_deliver(struct letter *letter)
{
    struct post *post = (struct post *)letter;

    if (post->run)
        post->run(post->context);
    post_free(post);
}

static void post_work(struct job *job)
{
    struct post *post = (struct post *)((char *)job - offsetof(struct post, job));

    post->work(post->context);
    if (!post->run || !inbox_put(post->inbox, &post->letter))
        post_free(post);
}

static struct post *post_new(struct server *server, void (*run)(void *context), void *context)
{
    struct post *post = calloc(1, sizeof(*post));

    if (!post)
        abort();
    post->letter.deliver = post_deliver;
    post->job.run = post_work;
    post->inbox = inbox_ref(server->inbox);
    post->run = run;
    post->context = context;
    return post;
}

void server_post(struct server *server, void (*run)(void *context), void *context)
{
    struct post *post = post_new(server, run, context);

    if (!inbox_put(server->inbox, &post->letter))
        post_free(post);
}

void server_work(struct server *server, void (*work)(void *context), void (*done)(void *context),
                 void *context)
{
    struct post *post = post_new(server, done, context);

    post->work = work;
    if (!work_add(server->work, &post->job, true))
        post_free(post); /* the server is being closed */
}

static void on_tick(uv_timer_t *timer)
{
    struct ticker *ticker = timer->data;

    ticker->run(ticker->context);
}

void server_every(struct server *server, int ms, void (*run)(void *context), void *context)
{
    struct ticker *ticker = calloc(1, sizeof(*ticker));

    if (!ticker)
        abort();
    ticker->run = run;
    ticker->context = context;
    ticker->next = server->tickers;
    server->tickers = ticker;
    uv_timer_init(&server->loop, &ticker->timer);
    ticker->timer.data = ticker;
    uv_timer_start(&ticker->timer, on_tick, (uint64_t)ms, (uint64_t)ms);
}

struct stop_order {
    struct letter letter;
    struct server *server;
    int grace_ms;
};

static void stop_deliver(struct letter *letter)
{
    struct stop_order *order = (struct stop_order *)letter;

    stop_begin(order->server, order->grace_ms);
    free(order);
}

void server_stop(struct server *server, int grace_ms)
{
    struct stop_order *order = calloc(1, sizeof(*order));

    if (!order)
        abort();
    order->letter.deliver = stop_deliver;
    order->server = server;
    order->grace_ms = grace_ms;
    if (!inbox_put(server->inbox, &order->letter))
        free(order);
}

/* ---- a connection from within ---- */

struct newcomer {
    struct letter letter;
    struct server *server;
    int fd;
};

static void newcomer_deliver(struct letter *letter)
{
    static const struct sockaddr_un nowhere = {.sun_family = AF_UNIX};
    struct newcomer *newcomer = (struct newcomer *)letter;
    struct server *server = newcomer->server;

    if (server->daemon && !server->stopping)
        MHD_add_connection(server->daemon, newcomer->fd, (const struct sockaddr *)&nowhere,
                           sizeof(nowhere)); /* closes the socket when it fails */
    else
        close(newcomer->fd);
    free(newcomer);
}

enum fault_code server_connect(struct server *server, int *out, struct fault *fault)
{
    struct newcomer *newcomer;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return fault_set(fault, FAULT_IO, "cannot connect to the server in this process: %s",
                         strerror(errno));
    newcomer = calloc(1, sizeof(*newcomer));
    if (!newcomer)
        abort();
    newcomer->letter.deliver = newcomer_deliver;
    newcomer->server = server;
    newcomer->fd = pair[1];
    if (!inbox_put(server->inbox, &newcomer->letter)) {
        close(pair[0]);
        close(pair[1]);
        free(newcomer);
        return fault_set(fault, FAULT_STOPPING, "the server is stopping");
    }
    *out = pair[0];
    return FAULT_OK;
}

/* ---- opening ---- */

static int or_default(int value, int otherwise)
{
    return value > 0 ? value : otherwise;
}

/* As many files as the system lets us open, and no more connections than those are good for. */
static int connections_possible(int wanted)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return wanted;
    if (files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur == RLIM_INFINITY || files.rlim_cur > (rlim_t)wanted + SPARE + SPARE_FILES)
        return wanted;
    return files.rlim_cur > SPARE + SPARE_FILES + 16 ? (int)files.rlim_cur - SPARE - SPARE_FILES
                                                     : 16;
}

static struct server_limits limits_fill(const struct server_limits *chosen)
{
    struct server_limits limits;

    limits.connections = connections_possible(or_default(chosen->connections, EDGE_CONNECTIONS));
    limits.connections_peer = or_default(chosen->connections_peer, EDGE_CONNECTIONS_PEER);
    limits.streams = or_default(chosen->streams, EDGE_STREAMS);
    limits.header_bytes = or_default(chosen->header_bytes, EDGE_HEADER_BYTES);
    limits.request_ms = or_default(chosen->request_ms, EDGE_REQUEST_MS);
    limits.idle_ms = or_default(chosen->idle_ms, EDGE_IDLE_MS);
    limits.workers = or_default(chosen->workers, EDGE_WORKERS);
    limits.pending_bytes = chosen->pending_bytes > 0 ? chosen->pending_bytes : EDGE_PENDING_BYTES;
    return limits;
}

/* libmicrohttpd decodes paths and arguments with this; we read them ourselves, as they came. */
static size_t unescape_nothing(void *context, struct MHD_Connection *mhd, char *text)
{
    (void)context;
    (void)mhd;
    return strlen(text);
}

static struct MHD_Daemon *daemon_start(struct server *server, int listening)
{
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    struct MHD_OptionItem listen_option[] = {
        {listening < 0 ? MHD_OPTION_END : MHD_OPTION_LISTEN_SOCKET, listening, NULL},
        {MHD_OPTION_END, 0, NULL},
    };

    if (listening < 0)
        flags |= MHD_USE_NO_LISTEN_SOCKET;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, call_handle, server, MHD_OPTION_EXTERNAL_LOGGER,
        (MHD_LogCallback)misread_log, server, MHD_OPTION_ARRAY, listen_option,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)(server->limits.connections + SPARE),
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(server->limits.idle_ms + 999) / 1000,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, server->pool_bytes, MHD_OPTION_NOTIFY_CONNECTION,
        conn_notify, server, MHD_OPTION_NOTIFY_COMPLETED, call_end, server,
        MHD_OPTION_URI_LOG_CALLBACK, call_begin, server, MHD_OPTION_UNESCAPE_CALLBACK,
        unescape_nothing, NULL, MHD_OPTION_END);
}

static void timer_open(struct server *server, uv_timer_t *timer, uv_timer_cb run, int ms)
{
    uv_timer_init(&server->loop, timer);
    timer->data = server;
    if (ms)
        uv_timer_start(timer, run, (uint64_t)ms, (uint64_t)ms);
}

/* The loop and all that is on it, but for libmicrohttpd. */
static void loop_open(struct server *server)
{
    int sweep_ms = server->limits.request_ms / 4;

    if (uv_loop_init(&server->loop) != 0)
        abort();
    uv_async_init(&server->loop, &server->wake, on_wake);
    server->wake.data = server;
    server->inbox = inbox_new(&server->wake);
    timer_open(server, &server->again, on_again, 0);
    timer_open(server, &server->sweep, on_sweep,
               sweep_ms < SWEEP_MS ? (sweep_ms > 10 ? sweep_ms : 10) : SWEEP_MS);
    timer_open(server, &server->pulse, on_pulse, PULSE_TICK_MS);
    timer_open(server, &server->hurry, NULL, 0);
    timer_open(server, &server->drain, on_drain, DRAIN_TICK_MS);
    uv_timer_stop(&server->drain);
    server->hang = epoll_create1(EPOLL_CLOEXEC);
    if (server->hang < 0 || uv_poll_init(&server->loop, &server->hang_poll, server->hang) != 0)
        abort();
    server->hang_poll.data = server;
    uv_poll_start(&server->hang_poll, UV_READABLE, on_hang);
    for (int i = 0; i < 2; i++) {
        uv_signal_init(&server->loop, &server->signals[i]);
        server->signals[i].data = server;
    }
}

static void id_draw(struct server *server)
{
    unsigned drawn = 0;

    if (getrandom(&drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
        drawn = (unsigned)clock_us();
    snprintf(server->id_start, sizeof(server->id_start), "%08x-", drawn);
    server->id_next = 1;
}

/* Opens the further ports and hands the main one, which is `listening` or -1, to libmicrohttpd. */
static enum fault_code ports_open(struct server *server, int listening, struct fault *fault)
{
    const union MHD_DaemonInfo *info;
    enum fault_code code = doors_bind(server, &server->options, fault);

    if (!code) {
        server->daemon = daemon_start(server, listening);
        if (!server->daemon)
            code = fault_set(fault, FAULT_IO, "the HTTP server cannot be started");
    }
    if (code) {
        if (listening >= 0)
            close(listening);
        return code;
    }
    info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    uv_poll_init(&server->loop, &server->poll, info->epoll_fd);
    server->poll.data = server;
    return FAULT_OK;
}

enum fault_code server_open(const struct server_options *options, struct server **out,
                            struct fault *fault)
{
    struct server *server;
    int listening = -1, port = 0;

    if (options->listen.n && listen_open(options->listen, &listening, &port, fault) != FAULT_OK)
        return fault_pass(fault);
    server = calloc(1, sizeof(*server));
    if (!server)
        abort();
    server->options = *options;
    server->limits = limits_fill(&options->limits);
    server->pool_bytes = ((size_t)server->limits.header_bytes + POOL_RESERVE + 1023) / 1024 * 1024;
    server->port = port;
    server->origins =
        (struct origin_rules){.open = options->open, .port = port, .hosts = options->hosts};
    buf_init(&server->scratch, REPLY_BYTES);
    id_draw(server);
    loop_open(server);
    server->work = work_new(server->limits.workers, EDGE_QUEUE);
    server->log = access_log_new(options->log, STDERR_FILENO);
    server->metrics = metrics_new(options->tables, options->table_count);
    if (ports_open(server, listening, fault) != FAULT_OK) {
        server_close(server);
        return fault_pass(fault);
    }
    *out = server;
    return FAULT_OK;
}

int server_port(const struct server *server)
{
    return server->port;
}

int server_door_port(const struct server *server, size_t door)
{
    return server->doors[door].port;
}

void server_run(struct server *server, bool signals)
{
    static const int numbers[2] = {SIGTERM, SIGINT};

    for (int i = 0; signals && i < 2; i++)
        uv_signal_start(&server->signals[i], on_signal, numbers[i]);
    uv_poll_start(&server->poll, UV_READABLE, on_poll);
    doors_open(server);
    edge_run(server);
    while (!server->stopped)
        uv_run(&server->loop, UV_RUN_DEFAULT);
    for (int i = 0; i < 2; i++)
        uv_signal_stop(&server->signals[i]);
}

void server_metrics(struct server *server, struct buf *out)
{
    struct work_now now = work_look(server->work);

    metrics_write(server->metrics, out);
    buf_add_format(out,
                   "# HELP tine_http_workers Threads for requests.\n"
                   "# TYPE tine_http_workers gauge\ntine_http_workers %d\n"
                   "# HELP tine_http_workers_busy Those that work.\n"
                   "# TYPE tine_http_workers_busy gauge\ntine_http_workers_busy %d\n"
                   "# HELP tine_http_queue Requests that wait for a worker.\n"
                   "# TYPE tine_http_queue gauge\ntine_http_queue %d\n",
                   now.threads, now.busy, now.queued);
    buf_add_format(out,
                   "# HELP tine_http_log_dropped_total Log lines that were dropped.\n"
                   "# TYPE tine_http_log_dropped_total counter\n"
                   "tine_http_log_dropped_total %lld\n",
                   (long long)access_log_dropped(server->log));
}

/* ---- closing ---- */

static void close_handle(uv_handle_t *handle, void *context)
{
    (void)context;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

static void loop_close(struct server *server)
{
    uv_walk(&server->loop, close_handle, NULL);
    uv_run(&server->loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&server->loop) != 0)
        abort();
    while (server->tickers) {
        struct ticker *next = server->tickers->next;

        free(server->tickers);
        server->tickers = next;
    }
    close(server->hang);
}

void server_close(struct server *server)
{
    if (!server)
        return;
    server->stopping = server->stopped = true;
    if (server->work)
        work_end(server->work); /* what is queued is done, for whoever waits for it */
    doors_close(server);
    if (server->daemon) {
        uv_poll_stop(&server->poll);
        for (struct conn *conn = server->conns; conn; conn = conn->next) {
            call_give_up(conn);
            stream_gone(conn);
        }
        MHD_run(server->daemon);
        MHD_stop_daemon(server->daemon);
    }
    server->daemon = NULL;
    inbox_close(server->inbox);
    inbox_deliver(server->inbox);
    inbox_unref(server->inbox);
    linger_close(server);
    loop_close(server);
    work_free(server->work);
    access_log_free(server->log);
    metrics_free(server->metrics);
    while (server->calls) {
        struct call *next = server->calls->next;

        free(server->calls);
        server->calls = next;
    }
    buf_clear(&server->scratch);
    free(server);
}
