/* What the handlers of the native API share: points, pages, cursors. */
#ifndef DIALECT_NATIVE_HANDLER_H
#define DIALECT_NATIVE_HANDLER_H

#include "dialect/native/native.h"
#include "dialect/native/object.h"
#include "dialect/once_reply.h"

enum {
    PAGE_DEFAULT = 100,            /* rows of a page when the client does not say */
    PAGE_BYTES = 4 * 1024 * 1024,  /* a page ends early at so many bytes, after one row at least */
    BODY_SMALL = 256 * 1024,       /* bodies of requests without messages in them */
    BODY_CREATE = 4 * 1024 * 1024, /* a new session brings its state */
    BODY_MESSAGES = LIMIT_BATCH_BYTES + 64 * 1024,
    POINT_WORD_BYTES = 256 /* a point in a path or a query */
};

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

/* A reply that is the session, with what its turn waits for. */
FAULT_CHECK enum fault_code reply_session(struct exchange *x, const struct session *session,
                                          struct fault *fault);

/* ---- the handlers, in one file each by noun ---- */

route_run native_sessions_create, native_sessions_list, native_session_get, native_session_patch,
    native_session_delete;
route_run native_messages_list, native_messages_send, native_session_cancel, native_session_answer,
    native_session_raw;
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
