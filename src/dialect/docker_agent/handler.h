/*
 * What the handlers of docker-agent's API share: bodies are read as its server reads them (names in
 * any case, unknown members and nulls ignored), replies end with a line feed.
 */
#ifndef DIALECT_DOCKER_AGENT_HANDLER_H
#define DIALECT_DOCKER_AGENT_HANDLER_H

#include "dialect/docker_agent/docker_agent.h"
#include "dialect/handling.h"
#include "dialect/member.h"

enum {
    DOCKER_BODY_SMALL = 256 * 1024,           /* of requests without messages in them */
    DOCKER_BODY_MESSAGES = LIMIT_BATCH_BYTES, /* a client sends all that its user has said */
    DOCKER_BATCH = LIMIT_PAGE                 /* sessions in one request */
};

/* The name of a session's home. */
#define DOCKER_HOME STR("docker-agent")

/* Every agent of tine is a team of one, and this is its only member. */
#define DOCKER_MEMBER STR("root")

/* ---- bodies ---- */

/* The body, of one of these types (enum json_kind); an empty one is {}. */
FAULT_CHECK enum fault_code docker_body(struct exchange *x, unsigned types, struct json_value *out,
                                        struct fault *fault);

/* The members that the table has, whatever their case; the last one of a name counts. */
FAULT_CHECK enum fault_code docker_members(const struct json_value *object, const char *where,
                                           struct json_member *members, size_t count,
                                           struct arena *arena, struct fault *fault);

/* Both together, for a body that is an object. */
FAULT_CHECK enum fault_code docker_fields(struct exchange *x, struct json_member *members,
                                          size_t count, struct fault *fault);

static inline bool docker_flag(const struct json_member *member)
{
    return member->given && json_true(&member->value);
}

/* ---- replies ---- */

/* Ends the reply's body. FAULT_TOO_LARGE when it did not fit. */
FAULT_CHECK enum fault_code docker_reply(struct exchange *x, struct fault *fault);

/* Says what could not be done: "failed to fork session: session not found". */
FAULT_CHECK enum fault_code docker_failed(struct fault *fault, const char *what);

/* For the table: a fault is {"message": …}. */
void docker_fault_write(struct exchange *x, const struct fault *fault);

/* The session that the path names. */
FAULT_CHECK enum fault_code docker_session(struct exchange *x, struct session *out,
                                           struct fault *fault);

/* ---- the handlers ---- */

route_run docker_ping, docker_health, docker_ready;
route_run docker_agents_list, docker_agent_config, docker_agent_tools;
route_run docker_sessions_list, docker_session_create, docker_session_get, docker_session_delete,
    docker_session_status, docker_batch_delete;
route_run docker_title_patch, docker_permissions_patch, docker_starred_patch, docker_tokens_patch,
    docker_tools_toggle, docker_thinking_toggle;
route_run docker_session_fork, docker_session_run, docker_message_add;
route_run docker_session_resume, docker_session_elicit;

#endif
