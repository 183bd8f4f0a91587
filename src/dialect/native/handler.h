/* What the handlers of the native API share: bodies, points, pages, keys that work once. */
#ifndef DIALECT_NATIVE_HANDLER_H
#define DIALECT_NATIVE_HANDLER_H

#include "dialect/native/native.h"
#include "dialect/native/object.h"
#include "json/json_in.h"
#include "store/limits.h"

enum {
    PAGE_DEFAULT = 100,            /* rows of a page when the client does not say */
    PAGE_BYTES = 4 * 1024 * 1024,  /* a page ends early at so many bytes, after one row at least */
    BODY_SMALL = 256 * 1024,       /* bodies of requests without messages in them */
    BODY_CREATE = 4 * 1024 * 1024, /* a new session brings its state */
    BODY_MESSAGES = LIMIT_BATCH_BYTES + 64 * 1024,
    POINT_WORD_BYTES = 256 /* a point in a path or a query */
};

static inline struct native_app *app_of(struct exchange *x)
{
    return x->app;
}

/* The session that the path names. */
static inline struct str session_of(const struct exchange *x)
{
    return x->request.params[0];
}

/* The place of a parameter in the route's table of queries. */
static inline struct str query_text(const struct exchange *x, size_t i)
{
    return x->request.query[i];
}

static inline bool query_given(const struct exchange *x, size_t i)
{
    return x->request.query[i].p != NULL;
}

/* A number, or `missing` when it was not given. */
static inline int64_t query_number(const struct exchange *x, size_t i, int64_t missing)
{
    return query_given(x, i) ? x->request.query_int[i] : missing;
}

static inline bool query_flag(const struct exchange *x, size_t i)
{
    return query_given(x, i) && x->request.query_int[i] != 0;
}

/* ---- bodies ---- */

/* The members of the request's body; an empty body is {}. */
FAULT_CHECK enum fault_code body_members(struct exchange *x, struct json_member *members,
                                         size_t count, struct fault *fault);

/* The text of a member; STR_NONE when it was not given. */
struct str member_text(struct exchange *x, const struct json_member *member);

/* Begins the reply's body: an object is open. */
void reply_open(struct exchange *x, struct json_out *out);

/* Ends it. FAULT_TOO_LARGE when it did not fit. */
FAULT_CHECK enum fault_code reply_close(struct exchange *x, struct json_out *out,
                                        struct fault *fault);

/* FAULT_TOO_LARGE when what was written did not fit. */
FAULT_CHECK enum fault_code reply_check(const struct exchange *x, struct fault *fault);

/* A reply that is one object, written by `write`. */
FAULT_CHECK enum fault_code reply_object(struct exchange *x,
                                         void (*write)(struct json_out *out, const void *object),
                                         const void *object, struct fault *fault);

/* For a visit that has seen enough: ends the verb with a fault that is none. */
static inline enum fault_code visit_enough(struct fault *fault)
{
    return fault_set(fault, FAULT_INTERRUPTED, "enough was read");
}

/* The request may do this beyond what its route asks. FAULT_FORBIDDEN. */
FAULT_CHECK enum fault_code caller_may(const struct exchange *x, enum right right, const char *what,
                                       struct fault *fault);

/* ---- points ---- */

enum { POINT_BEFORE, POINT_AFTER, POINT_BEFORE_TURN, POINT_PART, POINT_SNAP, POINT_MEMBERS };

/* The first rows of a table of members whose body names a point. */
#define POINT_ROWS                                                  \
    [POINT_BEFORE] = JSON_MAY("before", JSON_STRING | JSON_NUMBER), \
    [POINT_AFTER] = JSON_MAY("after", JSON_STRING | JSON_NUMBER),   \
    [POINT_BEFORE_TURN] = JSON_MAY("before_turn", JSON_STRING),     \
    [POINT_PART] = JSON_MAY("part", JSON_BOOL), [POINT_SNAP] = JSON_MAY("snap", JSON_BOOL)

/* Reads those rows; POINT_END when none names a point. */
FAULT_CHECK enum fault_code point_members(struct exchange *x, const struct json_member *members,
                                          struct point_spec *out, struct fault *fault);

/*
 * A point as one word, in a path or a query: '#4' or '-1' is a place, '@plan' a label, anything
 * else the id of a message. `name` goes into the fault. Its guard is GUARD_NONE.
 */
FAULT_CHECK enum fault_code point_word_read(struct str word, const char *name, bool part,
                                            struct point_spec *out, struct fault *fault);

/* "files" of a fork: one of its three words; FORK_FILES_POINT when it was not given. */
FAULT_CHECK enum fault_code files_member(struct exchange *x, const struct json_member *member,
                                         enum fork_files *out, struct fault *fault);

/*
 * For FAULT_FILES_CONFLICT: the problem is to have "conflicts", of either kind; a path that is in
 * both lists stands there as a clash.
 */
void conflicts_say(struct exchange *x, const struct paths *foreign,
                   const struct merge_conflict *clashes, size_t count);

/* ---- cursors ---- */

enum { CURSOR_NUMBERS = 5, CURSOR_TEXT_MAX = 120 };

/*
 * A place in a list, as opaque text. It works only for the kind of list and the subject (a session,
 * or a query) that it was made for.
 */
struct cursor {
    char kind;
    struct str subject;
    int64_t numbers[CURSOR_NUMBERS];
};

struct str cursor_write(const struct cursor *cursor, struct arena *arena);

/* Fills in the numbers. FAULT_INVALID for any text that cursor_write did not make for this. */
FAULT_CHECK enum fault_code cursor_read(struct str text, struct cursor *cursor,
                                        struct fault *fault);

/* ---- once ---- */

/* Writes a whole reply from what a verb gave; called perhaps more than once. */
typedef void reply_write(struct json_out *out, const void *result);

struct reply_once {
    struct once once;
    reply_write *write;
    const void *result;
};

/*
 * What goes into a spec's `once`: NULL without an Idempotency-Key. `write` makes the reply of
 * `result`, which the verb fills. FAULT_INVALID for a bad key.
 */
FAULT_CHECK enum fault_code once_begin(struct exchange *x, struct reply_once *self,
                                       reply_write *write, const void *result, struct once **out,
                                       struct fault *fault);

/* The same for a request whose answer is no reply but a text that the engine writes. */
FAULT_CHECK enum fault_code once_key(struct exchange *x, struct once *self, struct once **out,
                                     struct fault *fault);

/*
 * The agent that a session is to have must be there: FAULT_AGENT_NOT_FOUND. What is no name of one
 * is left to the engine, and what the key answers to the verb.
 */
FAULT_CHECK enum fault_code agent_check(struct exchange *x, struct str name, struct once *once,
                                        struct fault *fault);

/* After the verb: the reply, new or as it was; counts it in `counter` when it is new. */
FAULT_CHECK enum fault_code once_reply(struct exchange *x, const struct reply_once *self,
                                       atomic_llong *counter, struct fault *fault);

/* Says in the reply that it is one of before. */
void once_say(struct exchange *x);

/* ---- the handlers, in one file each by noun ---- */

route_run native_sessions_create, native_sessions_list, native_session_get, native_session_patch,
    native_session_delete;
route_run native_messages_list, native_messages_send, native_session_cancel, native_session_raw;
route_run native_session_fork, native_session_rewind, native_session_undo, native_session_redo,
    native_session_adopt;
route_run native_session_journal, native_session_tree, native_session_ancestors,
    native_session_children, native_session_diff;
route_run native_files_list, native_file_get, native_file_put, native_file_delete,
    native_session_restore, native_session_merge, native_workspace_get, native_workspace_put;
route_run native_labels_list, native_label_put, native_label_delete, native_search_get;
route_run native_events_all, native_events_session;
route_run native_agents_all, native_agents_post, native_agent_get, native_agent_put,
    native_agent_delete;
route_run native_me_get, native_openapi_get;
route_run native_docs_get, native_docs_style; /* a page made of the same table */

#endif
