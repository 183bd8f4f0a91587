#include "client/scripted.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { REQUESTS_MAX = 32, REQUEST_BYTES = 256 * 1024 };

struct scripted {
    int fd;
    char url[64];
    const struct scripted_reply *replies;
    size_t count;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t came;
    bool over;
    char *requests[REQUESTS_MAX];
    size_t request_count;
};

static void pause_a_moment(void)
{
    struct timespec moment = {.tv_nsec = 1000 * 1000L};

    nanosleep(&moment, NULL);
}

/* How long the request is: its head, and the body that the head announces. 0: not known yet. */
static size_t request_length(const char *text)
{
    const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "\r\ncontent-length:");

    if (!end)
        return 0;
    return (size_t)(end - text) + 4 + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
}

static char *request_read(int fd)
{
    char *text = calloc(1, REQUEST_BYTES + 1);
    size_t n = 0, want;

    while (text && n < REQUEST_BYTES && ((want = request_length(text)) == 0 || n < want)) {
        ssize_t got = read(fd, text + n, REQUEST_BYTES - n);

        if (got <= 0)
            break;
        n += (size_t)got;
    }
    return text;
}

static void reply_write(int fd, const struct scripted_reply *reply)
{
    size_t step = reply->step ? reply->step : reply->bytes.n;
    char rest[64];

    for (size_t at = 0; at < reply->bytes.n; at += step) {
        size_t n = reply->bytes.n - at < step ? reply->bytes.n - at : step;
        const char *p = reply->bytes.p + at;

        while (n > 0) {
            ssize_t done = send(fd, p, n, MSG_NOSIGNAL);

            if (done < 0 && errno == EINTR)
                continue;
            if (done <= 0)
                return;
            p += done;
            n -= (size_t)done;
        }
        if (reply->step)
            pause_a_moment();
    }
    while (reply->stay && read(fd, rest, sizeof(rest)) > 0)
        continue;
}

static void *serve(void *context)
{
    struct scripted *self = context;

    for (size_t i = 0; i < self->count; i++) {
        int fd = accept(self->fd, NULL, NULL);
        char *text;

        if (fd < 0)
            break;
        text = request_read(fd);
        pthread_mutex_lock(&self->mutex);
        self->requests[self->request_count++] = text;
        pthread_cond_broadcast(&self->came);
        pthread_mutex_unlock(&self->mutex);
        reply_write(fd, &self->replies[i]);
        shutdown(fd, SHUT_WR);
        close(fd);
    }
    pthread_mutex_lock(&self->mutex);
    self->over = true;
    pthread_cond_broadcast(&self->came);
    pthread_mutex_unlock(&self->mutex);
    shutdown(self->fd, SHUT_RDWR);
    return NULL;
}

struct scripted *scripted_start(const struct scripted_reply *replies, size_t count)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct scripted *self = calloc(1, sizeof(*self));
    socklen_t n = sizeof(address);

    if (!self || count > REQUESTS_MAX)
        abort();
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    self->replies = replies;
    self->count = count;
    self->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pthread_mutex_init(&self->mutex, NULL);
    pthread_cond_init(&self->came, NULL);
    if (self->fd < 0 || bind(self->fd, (struct sockaddr *)&address, n) != 0 ||
        listen(self->fd, 16) != 0 || getsockname(self->fd, (struct sockaddr *)&address, &n) != 0 ||
        pthread_create(&self->thread, NULL, serve, self) != 0)
        abort();
    snprintf(self->url, sizeof(self->url), "http://127.0.0.1:%d", ntohs(address.sin_port));
    return self;
}

const char *scripted_url(const struct scripted *scripted)
{
    return scripted->url;
}

const char *scripted_request(struct scripted *self, size_t i)
{
    const char *text;

    pthread_mutex_lock(&self->mutex);
    while (self->request_count <= i && !self->over)
        pthread_cond_wait(&self->came, &self->mutex);
    text = i < self->request_count && self->requests[i] ? self->requests[i] : "";
    pthread_mutex_unlock(&self->mutex);
    return text;
}

size_t scripted_count(struct scripted *self)
{
    size_t count;

    pthread_mutex_lock(&self->mutex);
    count = self->request_count;
    pthread_mutex_unlock(&self->mutex);
    return count;
}

void scripted_stop(struct scripted *self)
{
    if (!self)
        return;
    shutdown(self->fd, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->fd);
    for (size_t i = 0; i < self->request_count; i++)
        free(self->requests[i]);
    pthread_mutex_destroy(&self->mutex);
    pthread_cond_destroy(&self->came);
    free(self);
}
