/* Tool calls that nobody answered: they get the result "interrupted" when their turn ends. */
#ifndef AGENT_OPEN_CALLS_H
#define AGENT_OPEN_CALLS_H

#include "base/arena.h"
#include "store/entry.h"

/* The calls of a turn as far as they are open. All in the arena. */
struct open_calls {
    struct arena *arena;
    struct open_call *first;
    size_t count;
};

/* Looks at an entry of the turn; to be called with each in order (it is an entry_visit). */
FAULT_CHECK enum fault_code open_calls_see(void *open_calls, const struct entry *entry,
                                           struct fault *fault);

/*
 * Messages of role tool that answer all that are open with "interrupted", flagged
 * ENTRY_INTERRUPTED; `count` may be 0.
 */
struct entry_spec *open_calls_answer(const struct open_calls *calls, size_t *count);

#endif
