#include "tui/stage.h"

#include "support/check.h"

#include "base/buf.h"
#include "base/clock.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct stage {
    int master, in, out; /* `in`, `out`: what standard input and output were */
    struct screen *screen;
    pthread_t reader;
    atomic_bool over;
    pthread_mutex_t lock;
    struct buf sent; /* under the lock */
    char *plain;
};

/* Somebody must read, else writing waits. */
static void *read_on(void *context)
{
    struct stage *stage = context;

    while (!atomic_load(&stage->over)) {
        struct pollfd fd = {.fd = stage->master, .events = POLLIN};
        char bytes[4096];
        ssize_t n = poll(&fd, 1, 20) > 0 ? read(stage->master, bytes, sizeof(bytes)) : 0;

        pthread_mutex_lock(&stage->lock);
        if (n > 0)
            buf_add(&stage->sent, bytes, (size_t)n);
        pthread_mutex_unlock(&stage->lock);
    }
    return NULL;
}

static void size_set(const struct stage *stage, int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    assert_int_equal(ioctl(stage->master, TIOCSWINSZ, &size), 0);
}

struct stage *stage_open(int rows, int columns)
{
    struct stage *stage = calloc(1, sizeof(*stage));
    struct fault fault;
    int slave;

    assert_non_null(stage);
    assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
    setenv("TERM", "xterm-256color", 1);
    setenv("TINE_THEME", "dark", 1);
    unsetenv("NO_COLOR");
    unsetenv("LINES");
    unsetenv("COLUMNS");
    pthread_mutex_init(&stage->lock, NULL);
    buf_init(&stage->sent, 16 * 1024 * 1024);
    stage->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(stage->master >= 0 && grantpt(stage->master) == 0 && unlockpt(stage->master) == 0);
    slave = open(ptsname(stage->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(slave >= 0);
    size_set(stage, rows, columns);
    fflush(stdout);
    stage->in = dup(0);
    stage->out = dup(1);
    assert_true(dup2(slave, 0) == 0 && dup2(slave, 1) == 1);
    close(slave);
    assert_int_equal(pthread_create(&stage->reader, NULL, read_on, stage), 0);
    CHECK_OK(screen_open(&stage->screen, &fault), &fault);
    return stage;
}

void stage_close(struct stage *stage)
{
    screen_close(stage->screen);
    fflush(stdout);
    dup2(stage->in, 0);
    dup2(stage->out, 1);
    close(stage->in);
    close(stage->out);
    atomic_store(&stage->over, true);
    pthread_join(stage->reader, NULL);
    close(stage->master);
    buf_clear(&stage->sent);
    pthread_mutex_destroy(&stage->lock);
    free(stage->plain);
    free(stage);
}

struct screen *stage_screen(struct stage *stage)
{
    return stage->screen;
}

void stage_size(struct stage *stage, int rows, int columns)
{
    size_set(stage, rows, columns);
    screen_resized(stage->screen);
}

/* What comes behind an escape: a sequence, or a string that ends with BEL. */
static size_t escape_end(struct str text, size_t at)
{
    at++;
    if (at < text.n && text.p[at] == ']') {
        while (at < text.n && text.p[at] != '\a')
            at++;
        return at + 1;
    }
    if (at < text.n && text.p[at] == '[') {
        at++;
        while (at < text.n && (text.p[at] < 0x40 || text.p[at] > 0x7e))
            at++;
        return at + 1;
    }
    return at < text.n && (text.p[at] == '(' || text.p[at] == ')') ? at + 2 : at + 1;
}

static char *plain_of(struct str text)
{
    char *out = calloc(1, text.n + 1), *to = out;

    assert_non_null(out);
    for (size_t at = 0; at < text.n;) {
        if (text.p[at] == '\x1b')
            at = escape_end(text, at);
        else
            *to++ = text.p[at++];
    }
    return out;
}

const char *stage_show(struct stage *stage)
{
    pthread_mutex_lock(&stage->lock);
    buf_reset(&stage->sent);
    pthread_mutex_unlock(&stage->lock);
    screen_redraw(stage->screen);
    screen_show(stage->screen);
    for (size_t seen = 0, now = 1; seen != now;) { /* until nothing more comes */
        seen = now;
        clock_pause_ms(60);
        pthread_mutex_lock(&stage->lock);
        now = stage->sent.n;
        pthread_mutex_unlock(&stage->lock);
    }
    free(stage->plain);
    pthread_mutex_lock(&stage->lock);
    stage->plain = plain_of(buf_str(&stage->sent));
    pthread_mutex_unlock(&stage->lock);
    return stage->plain;
}
