#include "http/access_log.h"

#include "base/escape.h"
#include "base/utf8.h"
#include "http/limits.h"
#include "http/target.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    GATHER_NS = 20 * 1000 * 1000, /* lines of that long are written together */
    LINE_MAX = 16 * 1024
};

struct access_log {
    enum server_log kind;
    int fd;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t more;
    struct buf lines;
    int64_t dropped, told; /* told: of how many dropped lines the log itself says so */
    bool stop;
    pthread_t thread;
};

/* ---- a line ---- */

static const char *level(int status)
{
    return status >= 500 ? "error" : status >= 400 || status == 0 ? "warn" : "info";
}

static void add_time(struct buf *out, int64_t us)
{
    time_t seconds = (time_t)(us / 1000000);
    struct tm tm;
    char text[32];

    gmtime_r(&seconds, &tm);
    buf_add(out, text, strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm));
    buf_add_format(out, ".%03dZ", (int)(us / 1000 % 1000));
}

/* Text of somebody else's as the inside of a JSON string, valid UTF-8 whatever it was. */
static void add_clean(struct buf *out, struct str text)
{
    char one[4];

    for (size_t at = 0; at < text.n;) {
        uint32_t point = utf8_next(text, &at);

        if (point >= 0x7f && point < 0xa0)
            point = 0xfffd; /* further control characters: a terminal may act on them */
        escape_json(out, (struct str){one, utf8_encode(point, one)});
    }
}

static void add_text(struct buf *out, const struct access_line *line)
{
    add_time(out, line->time_us);
    buf_add_format(out, " %s %.*s ", level(line->status), STR_ARG(line->id));
    buf_add_str(out, line->method);
    buf_add_char(out, ' ');
    target_log(out, line->target, EDGE_LOG_PATH_BYTES);
    buf_add_format(out, " %d %lld bytes %lld.%03lld ms", line->status, (long long)line->bytes,
                   (long long)(line->took_us / 1000), (long long)(line->took_us % 1000));
    if (line->user.n) {
        buf_add_text(out, " user=\"");
        add_clean(out, line->user);
        buf_add_char(out, '"');
    }
    if (line->route)
        buf_add_format(out, " route=%s/%s", line->dialect, line->route);
    buf_add_format(out, " peer=%.*s\n", STR_ARG(line->peer));
}

static void add_json(struct buf *out, const struct access_line *line)
{
    buf_add_text(out, "{\"time\":\"");
    add_time(out, line->time_us);
    buf_add_format(out,
                   "\",\"level\":\"%s\",\"request_id\":\"%.*s\",\"method\":\"%.*s\",\"path\":\"",
                   level(line->status), STR_ARG(line->id), STR_ARG(line->method));
    target_log(out, line->target, EDGE_LOG_PATH_BYTES);
    buf_add_format(out,
                   "\",\"status\":%d,\"bytes\":%lld,\"ms\":%lld.%03lld,\"user\":", line->status,
                   (long long)line->bytes, (long long)(line->took_us / 1000),
                   (long long)(line->took_us % 1000));
    if (line->user.n) {
        buf_add_char(out, '"');
        add_clean(out, line->user);
        buf_add_char(out, '"');
    } else {
        buf_add_text(out, "null");
    }
    if (line->route)
        buf_add_format(out, ",\"dialect\":\"%s\",\"route\":\"%s\"", line->dialect, line->route);
    else
        buf_add_text(out, ",\"dialect\":null,\"route\":null");
    buf_add_format(out, ",\"peer\":\"%.*s\"}\n", STR_ARG(line->peer));
}

void access_line_add(struct buf *out, enum server_log kind, const struct access_line *line)
{
    if (kind == SERVER_LOG_JSON)
        add_json(out, line);
    else
        add_text(out, line);
}

/* ---- writing ---- */

/* Waits as long as it takes: this is the thread that may. What cannot be written is let go. */
static void write_all(int fd, struct str text)
{
    while (text.n) {
        ssize_t n = write(fd, text.p, text.n);

        if (n >= 0) {
            text.p += n;
            text.n -= (size_t)n;
        } else if (errno == EAGAIN) {
            struct pollfd wait = {.fd = fd, .events = POLLOUT};

            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

static void add_dropped(struct access_log *log, struct buf *out, int64_t dropped)
{
    if (log->kind == SERVER_LOG_JSON)
        buf_add_format(out, "{\"level\":\"warn\",\"dropped\":%lld}\n", (long long)dropped);
    else
        buf_add_format(out, "warn %lld lines of the log were dropped\n", (long long)dropped);
}

static void *writer_run(void *context)
{
    static const struct timespec gather = {.tv_nsec = GATHER_NS};
    struct access_log *log = context;
    struct buf lines;
    bool stop = false;

    buf_init(&lines, EDGE_LOG_BYTES + 256);
    while (!stop) {
        struct buf full;

        pthread_mutex_lock(&log->lock);
        while (log->lines.n == 0 && !log->stop)
            pthread_cond_wait(&log->more, &log->lock);
        stop = log->stop;
        pthread_mutex_unlock(&log->lock);
        if (!stop)
            nanosleep(&gather, NULL);
        pthread_mutex_lock(&log->lock);
        stop = log->stop; /* what came since is in this batch, and nothing comes after */
        full = log->lines;
        log->lines = lines;
        lines = full;
        if (log->dropped > log->told) {
            add_dropped(log, &lines, log->dropped - log->told);
            log->told = log->dropped;
        }
        pthread_mutex_unlock(&log->lock);
        write_all(log->fd, buf_str(&lines));
        buf_reset(&lines);
    }
    buf_clear(&lines);
    return NULL;
}

struct access_log *access_log_new(enum server_log kind, int fd)
{
    struct access_log *log = calloc(1, sizeof(*log));

    if (!log)
        abort();
    log->kind = kind;
    log->fd = fd;
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->more, NULL);
    buf_init(&log->lines, EDGE_LOG_BYTES + 256);
    if (kind != SERVER_LOG_OFF && pthread_create(&log->thread, NULL, writer_run, log) != 0)
        abort();
    return log;
}

void access_log_free(struct access_log *log)
{
    if (!log)
        return;
    if (log->kind != SERVER_LOG_OFF) {
        pthread_mutex_lock(&log->lock);
        log->stop = true;
        pthread_cond_signal(&log->more);
        pthread_mutex_unlock(&log->lock);
        pthread_join(log->thread, NULL);
    }
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->more);
    buf_clear(&log->lines);
    free(log);
}

void access_log_add(struct access_log *log, const struct access_line *line)
{
    bool first;

    if (log->kind == SERVER_LOG_OFF)
        return;
    pthread_mutex_lock(&log->lock);
    first = log->lines.n == 0;
    if (log->lines.n + LINE_MAX > EDGE_LOG_BYTES)
        log->dropped++;
    else
        access_line_add(&log->lines, log->kind, line);
    if (first)
        pthread_cond_signal(&log->more);
    pthread_mutex_unlock(&log->lock);
}

int64_t access_log_dropped(struct access_log *log)
{
    int64_t dropped;

    pthread_mutex_lock(&log->lock);
    dropped = log->dropped;
    pthread_mutex_unlock(&log->lock);
    return dropped;
}
