/*
 * The flat list of a session's messages: those of users, agents and tools, with the messages of its
 * sub-sessions in their place. Its places are those of POINT_FLAT.
 */
#ifndef DIALECT_DOCKER_AGENT_FLAT_H
#define DIALECT_DOCKER_AGENT_FLAT_H

#include "dialect/docker_agent/handler.h"

enum { FLAT_DEPTH = 64 }; /* sub-sessions within sub-sessions */

/*
 * Writes the member "messages": the list where the session's head was when it was read. `subs` is
 * what its sub-sessions used, which is no usage of its own.
 */
FAULT_CHECK enum fault_code flat_write(struct exchange *x, const struct session *session,
                                       struct json_out *out, struct usage *subs,
                                       struct fault *fault);

#endif
