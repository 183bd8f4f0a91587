/*
 * One line for each request when it has ended. Lines wait in memory for a thread that writes them,
 * so that a slow reader of the log never holds up requests: what does not fit is dropped, counted,
 * and told of in a line of its own.
 */
#ifndef HTTP_ACCESS_LOG_H
#define HTTP_ACCESS_LOG_H

#include "http/server.h"

struct access_log;

struct access_line {
    int64_t time_us; /* since 1970, when the request ended */
    int64_t took_us;
    struct str id, method, target, user, peer;
    const char *dialect, *route; /* NULL: none */
    int status;                  /* 0: the client was gone before there was one */
    int64_t bytes;               /* of the reply's body */
};

struct access_log *access_log_new(enum server_log kind, int fd);
void access_log_free(struct access_log *log); /* writes what waits */

void access_log_add(struct access_log *log, const struct access_line *line);
int64_t access_log_dropped(struct access_log *log); /* lines so far */

/* The line as it is written, for a test. */
void access_line_add(struct buf *out, enum server_log kind, const struct access_line *line);

#endif
