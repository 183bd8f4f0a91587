/* What the files of tasks.h share: the tasks of a session as they are read, before any is written.
 */
#ifndef DIALECT_TASKS_OWN_H
#define DIALECT_TASKS_OWN_H

#include "dialect/handling.h"
#include "dialect/member.h"
#include "dialect/tasks.h"

/* Bodies were checked against LIMIT_JSON_DEPTH, and may have been put into something since. */
enum { TASK_DEPTH = LIMIT_JSON_DEPTH + 8 };

struct tokens {
    int64_t total, prompt, candidates;
};

/* One message of a task: an entry, or a message of a saved task. */
struct task_message {
    const struct entry *entry; /* NULL: … */
    struct json_value saved;
    struct str id;         /* messageId */
    struct str invocation; /* empty: not known */
    size_t place;          /* its own on the path, or that of its invocation */
    int64_t step;          /* of an entry: what the agent had said in its turn before it */
};

/* A turn, or a task that was saved, with what of it stands on the path. */
struct task {
    size_t place, order;     /* on the path, and among those that stand there */
    struct str id;           /* on the wire */
    struct str turn;         /* of a turn: its name */
    bool is_saved;           /* … or: */
    struct json_value saved; /* the task as it was saved */
    bool whole;              /* no message of it is missing */
    struct task_message *messages;
    size_t count, room;
    struct tokens before, after; /* of a turn: on either side of the cut */
    int64_t last_us, last_e;     /* of a turn: of its newest entry */
    struct str session;          /* … the session that wrote that */
    int64_t step;                /* … what the agent has said in it */
};

/* Where a turn first stands on the path. */
struct turn_place {
    struct str turn;
    size_t place;
    struct task *task; /* of entries; NULL: none yet */
    bool told;         /* a message of it came with no saved task */
    bool cut;          /* the path was cut in its middle */
};

/* The tasks of a session. */
struct task_book {
    struct app *app;
    int64_t owner;
    struct arena *arena;
    struct session session;
    struct entry *entries; /* the path; bodies of messages only */
    size_t count, room;
    struct turn_place *turns; /* by name */
    size_t turn_count;
    struct str *ids; /* of the messages on the path that came with a saved task, sorted */
    size_t id_count;
    struct task **tasks; /* by place */
    size_t task_count;
    bool has_cut;
    size_t cut; /* entries from here on came after the newest cut; 0 without one */
};

/* Reads path and records of a session. */
FAULT_CHECK enum fault_code task_book_read(struct app *app, int64_t owner, struct str session,
                                           struct arena *arena, struct task_book *out,
                                           struct fault *fault);

/* Reads one turn that the session itself has, if that stands on its path: FAULT_NOT_FOUND. */
FAULT_CHECK enum fault_code task_book_turn(struct app *app, int64_t owner,
                                           const struct session *session, struct str turn,
                                           struct arena *arena, struct task_book *out,
                                           struct fault *fault);

/* ---- what the members of a saved task say ---- */

/* The invocation that metadata names: empty when it names none. */
struct str task_invocation(const struct json_value *object, struct arena *arena);

/* The usage that metadata names; false when it names none. */
bool task_tokens(const struct json_value *object, struct tokens *out);

/* ---- writing ---- */

/* The message with the ids of the task it is shown in; its invocation stands in its metadata. */
void task_message_put(struct json_out *out, const struct task_message *message, struct str task,
                      struct str context, struct arena *arena);

void task_tokens_write(struct json_out *out, const char *key, const struct tokens *tokens);

/*
 * Writes a task with its messages from place `from` on; only the newest `history` of them (-1:
 * all). A turn's state is asked of the store.
 */
FAULT_CHECK enum fault_code task_write(struct json_out *out, struct task_book *book,
                                       const struct task *task, size_t from, int64_t history,
                                       struct fault *fault);

/* One completed task with all messages below place `to`, each id once. */
void task_merge_write(struct json_out *out, const struct task_book *book, struct str id, size_t to,
                      int64_t history);

#endif
