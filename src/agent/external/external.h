/* An agent that somebody else runs: it posts what it says, and tine never calls it. */
#ifndef AGENT_EXTERNAL_EXTERNAL_H
#define AGENT_EXTERNAL_EXTERNAL_H

#include "agent/agents.h"

extern const struct agent_kind agent_external;

#endif
