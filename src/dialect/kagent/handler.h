/* What the handlers of kagent's routes share: who calls, envelopes, errors in kagent's words. */
#ifndef DIALECT_KAGENT_HANDLER_H
#define DIALECT_KAGENT_HANDLER_H

#include "dialect/handling.h"
#include "dialect/kagent/kagent.h"

enum {
    BODY_SMALL = 256 * 1024,
    BODY_EVENT = LIMIT_ENTRY_BYTES, /* event.h has the limit of what is kept of it */
    BODY_TASK = LIMIT_ENTRY_BYTES,
    TASK_MESSAGES = 10 * 1000, /* in the history of one */
    USER_QUERY_BYTES = 4096,
    BODY_DEPTH = 250, /* of JSON: of an event, and of a task with what its messages hold */
    WORD_BYTES = 256  /* of a query that is a word or a number */
};

/* The first parameter of every route's query. */
enum { Q_USER };

/* For whom the request acts. */
struct who {
    int64_t owner;
    struct str name; /* as it is shown on this wire */
};

/*
 * The user whom `user_id` or X-User-Id names, where the caller is believed; else the caller.
 * FAULT_INVALID for what is no name.
 */
FAULT_CHECK enum fault_code kagent_who(struct exchange *x, struct who *out, struct fault *fault);

/* The body's members that are known here; others are ignored, and null is as good as none. */
FAULT_CHECK enum fault_code kagent_body_find(struct exchange *x, struct json_member *members,
                                             size_t count, struct fault *fault);

/* {"error":false,"data": … ,"message":"…"}: what stands between is the caller's one value "data".
 */
void kagent_envelope_open(struct exchange *x, struct json_out *out);
FAULT_CHECK enum fault_code kagent_envelope_close(struct exchange *x, struct json_out *out,
                                                  const char *message, struct fault *fault);

/*
 * Puts kagent's words before the cause; where the server is to blame, in place of it. For
 * `return kagent_say(…)`.
 */
enum fault_code kagent_say(struct fault *fault, const char *words);

/* Times with as many decimals as are needed, and nanoseconds beside microseconds. */
void kagent_time_write(struct json_out *out, const char *key, int64_t us, int ns);

/* Writes a fault in kagent's way. */
void kagent_write_fault(struct exchange *x, const struct fault *fault);

/* ---- agents ---- */

/* "ns/name" as kagent's runtimes write it: ns__NS__name, with underlines for hyphens. */
struct str kagent_agent_encode(struct str name, struct arena *arena);

/* The agent that either form names. FAULT_AGENT_NOT_FOUND. */
FAULT_CHECK enum fault_code kagent_agent_find(struct app *app, struct str ref, struct arena *arena,
                                              struct agent_def *out, struct fault *fault);

/*
 * The name of that agent; one that is not there is defined as one that somebody else runs.
 * FAULT_INVALID for what cannot be the name of an agent; FAULT_LIMIT.
 */
FAULT_CHECK enum fault_code kagent_agent_accept(struct exchange *x, struct str ref,
                                                struct str *name, struct fault *fault);

/* ---- sessions ---- */

/* What this wire keeps of a session in its settings. */
struct kept {
    struct str source; /* empty: not said */
    bool tasks;        /* a task was saved */
    bool events;       /* an event was posted */
};

struct kept kagent_kept_read(const struct session *session, struct arena *arena);

/* The settings of a session that is about to be made. */
struct str kagent_kept_settings(const struct kept *kept, struct arena *arena);

/* Another source, or none. */
FAULT_CHECK enum fault_code kagent_kept_source(struct app *app, int64_t owner, struct str session,
                                               struct str source, struct arena *arena,
                                               struct session *out, struct fault *fault);

/* Remembers what is set in `add` as well. */
FAULT_CHECK enum fault_code kagent_kept_add(struct app *app, int64_t owner, struct str session,
                                            const struct kept *add, struct arena *arena,
                                            struct fault *fault);

/* The session, with the words for one that is not there. */
FAULT_CHECK enum fault_code kagent_session_find(struct exchange *x, const struct who *who,
                                                struct str id, const char *words,
                                                struct session *out, struct fault *fault);

/* FAULT_FORBIDDEN when the request is another agent's than the session. */
FAULT_CHECK enum fault_code kagent_agent_matches(struct exchange *x, const struct session *session,
                                                 struct fault *fault);

/* The session of a task whose runtime has not made one yet: of the agent that X-Agent-Name names.
 */
FAULT_CHECK enum fault_code kagent_session_make(struct exchange *x, const struct who *who,
                                                struct str id, struct session *out,
                                                struct fault *fault);

/* The session as kagent shows it. */
void kagent_session_write(struct json_out *out, const char *key, const struct session *session,
                          struct str user, struct arena *arena);

/* ---- the handlers ---- */

route_run kagent_health, kagent_version, kagent_me, kagent_none, kagent_namespaces;
route_run kagent_agents, kagent_agent, kagent_agents_fixed;
route_run kagent_sessions_create, kagent_sessions_list, kagent_sessions_of_agent,
    kagent_session_get, kagent_session_change, kagent_session_delete;
route_run kagent_event_post;
route_run kagent_session_fork, kagent_session_fork_named, kagent_session_rewind, kagent_history_put;
route_run kagent_session_tasks, kagent_task_save, kagent_task_get, kagent_task_delete;
route_run kagent_not_offered;

#endif
