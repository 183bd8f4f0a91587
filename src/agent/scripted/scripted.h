/* An agent that does what it was told beforehand: for tests, the same every time. */
#ifndef AGENT_SCRIPTED_SCRIPTED_H
#define AGENT_SCRIPTED_SCRIPTED_H

#include "agent/agents.h"

extern const struct agent_kind agent_scripted;

#endif
