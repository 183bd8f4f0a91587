/*
 * For whom a request acts, in dialects that name their user in the request: a trusted proxy, or the
 * local operator of an open server, is believed.
 */
#ifndef DIALECT_ACTING_H
#define DIALECT_ACTING_H

#include "dialect/handling.h"

/*
 * The number of the user that the request names, who is made when new. The caller's own without a
 * name, and with "admin@kagent.dev", which clients of kagent send when nobody has logged in.
 * FAULT_FORBIDDEN when the caller may not speak for others; FAULT_INVALID for what is no name.
 */
FAULT_CHECK enum fault_code acting_owner(struct exchange *x, struct str named, int64_t *owner,
                                         struct fault *fault);

/*
 * An owner's name as kagent has it: that of the local operator is "admin@kagent.dev", in what is
 * given as in what is asked.
 */
struct str acting_name(struct str owner);

#endif
