/* Whether a tool may be run in a session; who has to be asked is asked. */
#ifndef AGENT_AGENT_PERMIT_H
#define AGENT_AGENT_PERMIT_H

#include "agent/agent.h"

/*
 * `tool`: id, name and arguments; `reads`: it changes nothing. *refusal is empty when it may be
 * run, else what is to be said in its result. FAULT_INTERRUPTED when the turn is cancelled while
 * it waits.
 */
FAULT_CHECK enum fault_code agent_permit(struct agent_call *call, const struct question *tool,
                                         bool reads, struct arena *arena, struct str *refusal,
                                         struct fault *fault);

#endif
