/* The workspace that a new session is to have. */
#ifndef DIALECT_NATIVE_WORKSPACE_H
#define DIALECT_NATIVE_WORKSPACE_H

#include "dialect/native/handler.h"

/* "workspace" of a body; `out` stays as it is when it was not given. FAULT_FORBIDDEN. */
FAULT_CHECK enum fault_code workspace_member(struct exchange *x, const struct json_member *member,
                                             struct workspace *out, struct fault *fault);

#endif
