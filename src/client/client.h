/* Inside the library: the handle. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "base/buf.h"
#include "client/error.h"
#include "client/given.h"

#include <curl/curl.h>

enum {
    CONNECT_MS = 10 * 1000,
    REPLY_MS = 60 * 1000,
    REPLY_BYTES = 64 * 1024 * 1024,
    PROBLEM_BYTES = 64 * 1024 * 1024, /* of a refusal that is kept: it may list conflicts */
    STREAM_IDLE_MS = 60 * 1000, /* a stream says something every 15 seconds; then it is dead */
    STEP_MS = 100               /* how often a call that waits asks whether to stop */
};

struct tine {
    struct tine_options options; /* with defaults filled in; its strings are not used */
    char *base;                  /* "http://127.0.0.1:8463/api/v1" */
    char *server;                /* as it was given, for messages */
    char *token_header, *agent;  /* token_header NULL: none */
    bool local;                  /* a loopback address, or a socket: no proxy is asked */
    CURLM *multi;
    CURL *easy;
    struct given given;
    struct buf problem;
};

#endif
