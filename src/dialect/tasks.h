/*
 * The turns of a session as tasks of A2A 0.3, for the wires that have them. Turns that tine ran are
 * written from their entries; tasks that a runtime saved (records of kind RECORD_TASK, body: the
 * task as it came) are given as they were saved, but for what is not on the path, and each message
 * with its invocation.
 *
 * After a cut (the base of a fork, or the newest move) the list begins with one completed task that
 * has all messages from before it, each id once; then one task for each turn since.
 *
 * Ids: a turn that tine ran is task "SESSION~TURN"; a saved task has its own id in the session that
 * saved it, and "SESSION~ID" in a fork; the task before a cut is "SESSION" after a move of the
 * session itself, "SESSION~fork" before the first one in a fork.
 *
 * An entry that came as a message of A2A has the message as it came in its body: {"parts":[…],
 * "metadata":{"a2a":{"task":"ID","message":{…}}}}; "task" only for one that was saved.
 */
#ifndef DIALECT_TASKS_H
#define DIALECT_TASKS_H

#include "dialect/app.h"
#include "json/json_out.h"

enum record_kind {
    RECORD_TASK = 1,
    RECORD_TASK_EARLY, /* saved before it named an invocation: counts until the next cut only */
    RECORD_TASK_GONE   /* deleted */
};

enum tasks_view { TASKS_CUT, TASKS_TURNS /* one for each turn throughout */ };

typedef enum fault_code task_visit(void *context, struct str id, struct str task,
                                   struct fault *fault);

/* Each as JSON text, oldest first. */
FAULT_CHECK enum fault_code tasks_list(struct app *app, int64_t owner, struct str session,
                                       enum tasks_view view, struct arena *arena, task_visit *visit,
                                       void *context, struct fault *fault);

/*
 * One by its id. FAULT_NOT_FOUND. history_length: the last so many messages; -1: all. `session`
 * and `turn` (empty: none that tine runs) are given when wanted (not NULL).
 */
FAULT_CHECK enum fault_code tasks_get(struct app *app, int64_t owner, struct str id,
                                      int64_t history_length, struct arena *arena, struct str *task,
                                      struct str *session, struct str *turn, struct fault *fault);

/* The whole conversation as one completed task, id and contextId the session. */
FAULT_CHECK enum fault_code tasks_whole(struct app *app, int64_t owner, struct str session,
                                        struct arena *arena, struct str *task, struct fault *fault);

/* A message of A2A 0.3 from an entry; `task`, `context`: ids; invocation: the turn's name. */
void task_message_write(struct json_out *out, const char *key, const struct entry *entry,
                        struct str task, struct str context, struct arena *arena);

/* What a turn waits for, as the message of a status. */
void task_question_write(struct json_out *out, const char *key, const struct question *question,
                         struct str task, struct str context, struct str turn, struct arena *arena);

/* A sentence as the message of a status, such as why a turn failed. */
void task_remark_write(struct json_out *out, const char *key, struct str text, struct str task,
                       struct str context, struct str turn, struct arena *arena);

/* The member kagent_usage_metadata, if the entry has usage. */
void task_usage_write(struct json_out *out, const struct entry *entry);

/* The members that every metadata of a task or an event of a turn has. */
void task_metadata_write(struct json_out *out, const struct session *session, struct str turn,
                         struct arena *arena);

/* The text of an entry as an artifact: the one that its step in the turn has, or will have. */
struct str task_artifact_id(struct str turn, int64_t step, struct arena *arena);

/* "working", "completed" … */
const char *task_state(enum run_state state);

#endif
