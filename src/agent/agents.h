/*
 * The agents that there are: those of the configuration, which stay, and those defined over the
 * API, which are kept in the store. Every function may be called from any thread.
 */
#ifndef AGENT_AGENTS_H
#define AGENT_AGENTS_H

#include "agent/agent.h"
#include "agent/agent_def.h"
#include "store/store.h"

/* A kind of agent: how one is made of a definition. */
struct agent_kind {
    const char *name; /* "shell" */
    bool commands;    /* runs commands: needs the sandbox */
    /* NULL: an agent of this kind is never run here. FAULT_INVALID names what the definition lacks.
     */
    enum fault_code (*make)(const struct agent_def *def, struct agent **out, struct fault *fault);
};

struct agents;

/* `kinds` ends with a row without a name, and outlives the agents. */
struct agents *agents_new(struct store *store, const struct agent_kind *kinds);
void agents_free(struct agents *agents);

/* One from the configuration. FAULT_INVALID, FAULT_EXISTS. Before the first agents_load. */
FAULT_CHECK enum fault_code agents_fix(struct agents *agents, const struct agent_def *def,
                                       struct fault *fault);

/* Reads those that are kept in the store; again after another process may have changed them. */
FAULT_CHECK enum fault_code agents_load(struct agents *agents, struct fault *fault);

/* Defines one over the API. FAULT_AGENT_FIXED when the configuration has it; FAULT_EXISTS. */
FAULT_CHECK enum fault_code agents_put(struct agents *agents, const struct agent_def *def,
                                       bool must_be_new, int64_t at_us, struct fault *fault);

/*
 * Defines a new one over the API; *out as agents_get gives it, also for the answer that `once`
 * keeps (NULL: none is kept). When that is repeated, nothing was done.
 */
FAULT_CHECK enum fault_code agents_create(struct agents *agents, const struct agent_def *def,
                                          int64_t at_us, struct once *once, struct arena *arena,
                                          struct agent_def *out, struct fault *fault);
FAULT_CHECK enum fault_code agents_remove(struct agents *agents, struct str name,
                                          struct fault *fault);

/* A copy of the definition. An empty name: the default one. FAULT_AGENT_NOT_FOUND. */
FAULT_CHECK enum fault_code agents_get(struct agents *agents, struct str name, struct arena *arena,
                                       struct agent_def *out, struct fault *fault);

typedef enum fault_code agent_def_visit(void *context, const struct agent_def *def,
                                        struct fault *fault);
FAULT_CHECK enum fault_code agents_list(struct agents *agents, agent_def_visit *visit,
                                        void *context, struct fault *fault); /* by name */

/*
 * The agent to run, to be given back; it stays what it was also when its definition changes
 * meanwhile. FAULT_AGENT_NOT_FOUND, FAULT_AGENT_EXTERNAL, FAULT_SANDBOX when it runs commands and
 * there is no sandbox (`sandbox_ready` of workspace/sandbox.h says why).
 */
FAULT_CHECK enum fault_code agents_take(struct agents *agents, struct str name, struct agent **out,
                                        struct fault *fault);
void agents_give(struct agents *agents, struct agent *agent);

#endif
