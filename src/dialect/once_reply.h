/* Replies to requests that are carried out once, however often they are sent: Idempotency-Key. */
#ifndef DIALECT_ONCE_REPLY_H
#define DIALECT_ONCE_REPLY_H

#include "dialect/handling.h"

/* Writes a whole reply from what a verb gave; called perhaps more than once. */
typedef void reply_write(struct json_out *out, const void *result);

struct reply_once {
    struct once once;
    reply_write *write;
    const void *result;
};

/*
 * What goes into a spec's `once`: NULL without an Idempotency-Key, and without the key that a
 * dialect has in `other` place (STR_NONE: it has none). `write` makes the reply of `result`, which
 * the verb fills. FAULT_INVALID for a bad key.
 */
FAULT_CHECK enum fault_code once_begin(struct exchange *x, struct str other,
                                       struct reply_once *self, reply_write *write,
                                       const void *result, struct once **out, struct fault *fault);

/* The same for a request whose answer is no reply but a text that the engine writes. */
FAULT_CHECK enum fault_code once_key(struct exchange *x, struct once *self, struct once **out,
                                     struct fault *fault);

/* After the verb: the reply, new or as it was; counts it in `counter` when it is new. */
FAULT_CHECK enum fault_code once_reply(struct exchange *x, const struct reply_once *self,
                                       atomic_llong *counter, struct fault *fault);

/* Says in the reply that it is one of before. */
void once_say(struct exchange *x);

#endif
