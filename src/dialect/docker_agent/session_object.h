/* Sessions as docker-agent writes them, in its three forms. */
#ifndef DIALECT_DOCKER_AGENT_SESSION_OBJECT_H
#define DIALECT_DOCKER_AGENT_SESSION_OBJECT_H

#include "dialect/docker_agent/kept.h"

/* A row of the list. */
void session_write_row(struct json_out *out, const struct session *session, const struct kept *kept,
                       struct arena *arena);

/* A new session in full, as the reply to its creation. */
void session_write_new(struct json_out *out, const struct session *session, const struct kept *kept,
                       struct arena *arena);

enum session_reply_messages {
    MESSAGES_ALL,
    MESSAGES_FIT /* left out when they do not fit, and "messages_omitted" says so */
};

/*
 * The reply is the session with its messages, flat, and with its parent. `overrides`: also the
 * models that it wants of agents.
 */
FAULT_CHECK enum fault_code session_reply(struct exchange *x, const struct session *session,
                                          enum session_reply_messages messages, bool overrides,
                                          struct fault *fault);

#endif
