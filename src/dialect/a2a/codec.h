/*
 * The words of one version of the protocol. What happens stands in between in one form: calls and
 * events as the structs here, tasks and messages as JSON of 0.3, which is also how tasks are kept.
 */
#ifndef DIALECT_A2A_CODEC_H
#define DIALECT_A2A_CODEC_H

#include "dialect/handling.h"

enum a2a_method {
    METHOD_SEND,
    METHOD_STREAM,
    METHOD_GET,
    METHOD_LIST,
    METHOD_CANCEL,
    METHOD_SUBSCRIBE,
    METHOD_PUSH, /* of any kind */
    METHOD_CARD, /* the extended one */
    METHOD_NONE
};

/* Codes of JSON-RPC, and those that A2A adds. */
enum a2a_error {
    ERROR_PARSE = -32700,
    ERROR_REQUEST = -32600,
    ERROR_METHOD = -32601,
    ERROR_PARAMS = -32602,
    ERROR_INTERNAL = -32603,
    ERROR_TASK_NOT_FOUND = -32001,
    ERROR_NOT_CANCELABLE = -32002,
    ERROR_PUSH = -32003,
    ERROR_UNSUPPORTED = -32004,
    ERROR_CONTENT_TYPE = -32005,
    ERROR_CARD = -32007,
    ERROR_VERSION = -32009
};

/* What a client wants to say. */
struct a2a_send {
    struct json_value message;  /* JSON of 0.3, as it came */
    struct str context, task;   /* ids; empty: none */
    struct str parts;           /* of the message, as the native API has them */
    struct str text;            /* its text parts, a line between */
    struct json_value decision; /* data of its first data part; type 0: it has none */
    bool now;                   /* the answer is not waited for */
    int64_t history;            /* messages of the task in the answer; -1: all */
    bool rewinds;               /* a control message: */
    struct str rewind_before;   /* … the invocation before which the conversation is to end */
};

/* What a client wants to know of a task, or of many. */
struct a2a_ask {
    struct str id;
    struct str context, state, page_token;
    int64_t history, page_size;
    bool artifacts;
};

enum a2a_event_kind { EVENT_TASK, EVENT_STATUS, EVENT_ARTIFACT };

struct a2a_event {
    enum a2a_event_kind kind;
    struct str task, context; /* ids */
    struct str metadata;      /* a JSON object; empty: none */
    struct str body;          /* EVENT_TASK: the task, JSON of 0.3 */
    const char *state;        /* EVENT_STATUS: as task_state writes it … */
    struct str message;       /* … with this message, JSON of 0.3; empty: none */
    int64_t at_us;
    bool final;          /* nothing comes after it */
    struct str artifact; /* EVENT_ARTIFACT: its id … */
    struct str text;     /* … and a piece of it */
    bool append, last;
};

/* A refusal: its code, and the message in `fault`. */
struct a2a_codec {
    const char *version; /* "0.3" */
    enum a2a_method (*method)(struct str name);
    enum fault_code (*read_send)(const struct json_value *params, struct arena *arena,
                                 struct a2a_send *out, int *error, struct fault *fault);
    enum fault_code (*read_ask)(const struct json_value *params, enum a2a_method method,
                                struct arena *arena, struct a2a_ask *out, int *error,
                                struct fault *fault);
    void (*write_task)(struct json_out *out, const char *key, struct str task);
    void (*write_event)(struct json_out *out, const char *key, const struct a2a_event *event);
    void (*write_list)(struct json_out *out, const char *key, const struct str *tasks, size_t count,
                       const struct a2a_ask *ask, struct str next, int64_t total);
};

extern const struct a2a_codec a2a_codec_03;

#endif
