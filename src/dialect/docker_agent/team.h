/*
 * tine's agents as docker-agent names them. A name has no slash there: it is what stands behind the
 * namespace when only one agent has it, else "namespace.name".
 */
#ifndef DIALECT_DOCKER_AGENT_TEAM_H
#define DIALECT_DOCKER_AGENT_TEAM_H

#include "dialect/docker_agent/handler.h"

struct team {
    struct agent_def *agents;
    size_t count;
};

/* All agents, by the names that they have here. */
FAULT_CHECK enum fault_code team_load(struct exchange *x, struct team *out, struct fault *fault);

struct str team_name(const struct team *team, const struct agent_def *def, struct arena *arena);

/*
 * The agent of that name; also of "namespace.name" and "namespace_name". FAULT_AGENT_NOT_FOUND,
 * also when several have it.
 */
FAULT_CHECK enum fault_code team_find(const struct team *team, struct str name,
                                      struct agent_def *out, struct fault *fault);

/* Is it the name of the agent's only member? Empty is. */
bool team_has_member(const struct agent_def *def, struct str member);

/* "kind/model", as docker-agent writes models. */
struct str team_model(const struct agent_def *def, struct arena *arena);

/* ---- tools ---- */

struct team_tool {
    struct str name, description;
    struct str parameters; /* JSON schema */
};

/* Those that the agent has; `deny` (NULL: none) are left out. */
struct team_tool *team_tools(const struct agent_def *def, const struct tool_rules *deny,
                             struct arena *arena, size_t *count);

#endif
