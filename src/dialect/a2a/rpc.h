/* A call over JSON-RPC 2.0, and its answer: one object, or one for each event of a stream. */
#ifndef DIALECT_A2A_RPC_H
#define DIALECT_A2A_RPC_H

#include "dialect/a2a/codec.h"

enum {
    RPC_BODY_BYTES = 10 * 1024 * 1024, /* of a call */
    RPC_ID_BYTES = 1024,               /* of its id, which every event repeats */
    RPC_LINE_BYTES = 600 * 1000,       /* of one event, unless it is a whole task */
    RPC_TEXT_BYTES = 96 * 1024         /* of text in one event, before it is escaped */
};

struct rpc {
    struct exchange *x;
    const struct a2a_codec *codec;
    struct str id; /* as it came, JSON */
    enum a2a_method method;
    struct json_value params;
    struct str agent; /* of the path, "ns/name" */
    int64_t owner;    /* for whom it acts: whose the new sessions are … */
    int64_t sees;     /* … and whose the others may be */
    int error;        /* of a refusal; 0: what the fault comes to */
};

/* POST */
route_run rpc_run;

/* What the edge has found, and a path that is none; HTTP 200 for a wrong content type. */
void rpc_write_fault(struct exchange *x, const struct fault *fault);

/* Refuses the call with this code; returns a fault, which is answered with it. */
#define rpc_refuse(rpc, code, fault, ...) \
    ((rpc)->error = (code), fault_set((fault), FAULT_INVALID, __VA_ARGS__))

/* ---- answering ---- */

/* The reply is the task. */
FAULT_CHECK enum fault_code rpc_reply_task(struct rpc *rpc, struct str task, struct fault *fault);

/* Begins the reply; what is written next is the member "result". */
void rpc_reply_open(struct rpc *rpc, struct json_out *out);
FAULT_CHECK enum fault_code rpc_reply_close(struct rpc *rpc, struct json_out *out,
                                            struct fault *fault);

/* One event of a stream: "data: {…}", and an empty line. */
void rpc_event_add(struct buf *buf, const struct a2a_codec *codec, struct str id,
                   const struct a2a_event *event);

/* The reply is a stream of these events and no more. */
void rpc_reply_events(struct rpc *rpc, const struct a2a_event *events, size_t count);

/*
 * The reply is the error that a fault comes to: with HTTP 200, that of tasks/resubscribe as an
 * event. Who may not do what the call wants is told by HTTP: then it returns the fault.
 */
FAULT_CHECK enum fault_code rpc_answer_fault(struct rpc *rpc, const struct fault *fault);

/* ---- the methods ---- */

typedef enum fault_code rpc_method(struct rpc *rpc, struct fault *fault);

rpc_method rpc_send; /* message/send, message/stream */
rpc_method rpc_get, rpc_list, rpc_cancel, rpc_subscribe;

/* A control message: the conversation goes back, and the agent is not run. */
FAULT_CHECK enum fault_code rpc_rewind(struct rpc *rpc, const struct a2a_send *send,
                                       struct fault *fault);

/* ---- sessions and tasks, as the caller may see them ---- */

/* The session of a context, and the number of its owner. FAULT_SESSION_NOT_FOUND. */
FAULT_CHECK enum fault_code rpc_session(struct rpc *rpc, struct str context, struct session *out,
                                        int64_t *owner, struct fault *fault);

/* A task that the caller may see, of this agent. */
struct rpc_task {
    int64_t owner;
    struct str id, body, turn; /* turn empty: it is none that tine runs */
    struct session session;
};

/* Refused with ERROR_TASK_NOT_FOUND when there is none. */
FAULT_CHECK enum fault_code rpc_task(struct rpc *rpc, struct str id, int64_t history,
                                     struct rpc_task *out, struct fault *fault);

/* Is that its state? */
bool rpc_task_is(struct rpc *rpc, const struct rpc_task *task, const char *state);

/* Is its turn queued, running or waiting now? */
static inline bool rpc_task_active(const struct rpc_task *task)
{
    return task->turn.n && str_eq(task->session.turn, task->turn) &&
           run_active(task->session.turn_state);
}

#endif
