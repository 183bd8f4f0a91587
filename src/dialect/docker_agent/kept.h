/*
 * What is kept of a session beside its conversation: what it asks of its agent, in the member
 * "agent" of its settings, and in the member "docker_agent" what is only given back.
 */
#ifndef DIALECT_DOCKER_AGENT_KEPT_H
#define DIALECT_DOCKER_AGENT_KEPT_H

#include "agent/agent_settings.h"
#include "dialect/docker_agent/handler.h"
#include "dialect/settings.h"

#define KEPT_MEMBER "docker_agent"

struct kept {
    struct agent_settings agent;
    struct json_value own; /* an object */
};

FAULT_CHECK enum fault_code kept_read(const struct session *session, struct arena *arena,
                                      struct kept *out, struct fault *fault);

/* Tools run without a yes. */
static inline bool kept_approved(const struct kept *kept)
{
    return !kept->agent.asks || kept->agent.approved;
}

/* Yes or no to all tools from now on. */
void kept_approve(struct agent_settings *agent, bool approved);

/* May the agent ask for a yes? */
static inline bool kept_may_ask(const struct kept *kept)
{
    return !kept_approved(kept) || (kept->agent.ask.count > 0 && !kept->agent.approved);
}

/* A member of what is only given back; false when it is not there. */
bool kept_own(const struct kept *kept, const char *name, struct json_value *out);
bool kept_own_flag(const struct kept *kept, const char *name);

/* The model that the session wants of an agent of this name; STR_NONE: the agent's own. */
struct str kept_model(const struct kept *kept, struct str agent, struct arena *arena);

/*
 * Tokens that the session has used: on its path and in its sub-sessions as far as `subs` says
 * (NULL: not), or as a client said and what came since.
 */
struct usage kept_usage(const struct session *session, const struct kept *kept,
                        const struct usage *subs, struct arena *arena);

/* The member "permissions"; nothing when there are none. */
void kept_write_permissions(struct json_out *out, const struct kept *kept);

/*
 * Reads {"allow": […], "ask": […], "deny": […]} into the three lists. What tine could not honour in
 * "ask" and "deny" is refused: a rule that does not hold is worse than none.
 */
FAULT_CHECK enum fault_code kept_permissions(const struct json_value *permissions,
                                             struct arena *arena, struct agent_settings *out,
                                             struct fault *fault);

/* The settings as JSON text, for a member. */
struct str kept_agent_text(const struct agent_settings *agent, struct arena *arena);

#endif
