/*
 * Messages of a task that was saved before the runtime said to which invocation they belong: a
 * runtime saves the task, with what the user said, before it posts its first event. They become
 * entries with the first event of a new invocation, in the turn of that.
 */
#ifndef DIALECT_KAGENT_PENDING_H
#define DIALECT_KAGENT_PENDING_H

#include "dialect/app.h"
#include "dialect/kagent/doc.h"

/* The id that comes again in every turn, and begins none. */
#define INVOCATION_HEADERS "header_update"

struct pending {
    struct entry_spec *entries; /* to be appended behind the event */
    size_t count;
    struct str task, turn, body; /* of the task, which is saved again then; else empty */
};

/*
 * What an event of that invocation brings along: if the session does not know it yet, the messages
 * of the task that was saved last, unless that is final.
 */
FAULT_CHECK enum fault_code pending_find(struct app *app, int64_t owner,
                                         const struct session *session, struct str invocation,
                                         struct arena *arena, struct pending *out,
                                         struct fault *fault);

/* After the entries were appended: the task says so, and an early one counts from there. */
FAULT_CHECK enum fault_code pending_settle(struct app *app, int64_t owner, struct str session,
                                           const struct pending *pending, struct fault *fault);

/* Which messages of a task the session has already, and in which turns. */
FAULT_CHECK enum fault_code pending_look(struct app *app, int64_t owner, struct str session,
                                         struct doc *doc, struct arena *arena, struct fault *fault);

/* Does the session have an entry of that turn, and (unless NULL) where is its first? */
FAULT_CHECK enum fault_code kagent_turn_known(struct app *app, int64_t owner, struct str session,
                                              struct str turn, struct arena *arena, bool *known,
                                              struct address *first, struct fault *fault);

#endif
