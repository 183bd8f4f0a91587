/* The document of a task of A2A 0.3 as a runtime saves it: to which invocations its messages
 * belong. */
#ifndef DIALECT_KAGENT_DOC_H
#define DIALECT_KAGENT_DOC_H

#include "base/arena.h"
#include "base/fault.h"
#include "json/json_in.h"
#include "json/json_out.h"
#include "store/entry.h"

struct doc_message {
    struct str id;         /* of the entry that keeps it */
    bool user;             /* else the agent's */
    struct str invocation; /* empty: not known yet */
    bool stored;           /* is an entry already; then `invocation` is that entry's turn */
    struct json_value value;
};

struct doc {
    struct str id, context;
    bool final;                   /* nothing more will come */
    struct str invocation;        /* that its metadata names; empty: none */
    struct str status_names;      /* … and the message of its status */
    struct doc_message *messages; /* of its history, each id once, the first one wins */
    size_t count;
    struct doc_message **by_id;
    struct json_value value;
};

/* FAULT_INVALID says what is missing. Strings point into `body` or the arena. */
FAULT_CHECK enum fault_code doc_read(struct str body, struct arena *arena, struct doc *out,
                                     struct fault *fault);

/*
 * Finds the invocation of each message that is not stored: its own; a user's: that of the next
 * message that has one, up to that of the status; an agent's: that of the one before it. What is
 * left belongs to the invocation of the task's metadata when none of the messages has that one, or
 * when the task is final (one that names none then is an invocation by itself, "task:ID").
 * Otherwise it is not known yet.
 */
void doc_resolve(struct doc *doc, struct arena *arena);

/*
 * The document with the invocation of each message in its metadata, as far as it is known, so that
 * whoever reads it later need not find it again. Everything else stands as it came.
 */
struct str doc_named(const struct doc *doc, struct arena *arena);

/* The entry that keeps a message, in the turn of its invocation. */
FAULT_CHECK enum fault_code doc_entry(const struct doc *doc, const struct doc_message *message,
                                      struct arena *arena, struct entry_spec *out,
                                      struct fault *fault);

/*
 * The task as kagent answers it: with its kind, and without members that hold nothing; but with
 * `whole` also a history without messages.
 */
void doc_write(struct json_out *out, const char *key, const struct json_value *task, bool whole,
               struct arena *arena);

#endif
