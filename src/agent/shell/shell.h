/* The agent that runs what the user sends as a command and answers with its output. */
#ifndef AGENT_SHELL_SHELL_H
#define AGENT_SHELL_SHELL_H

#include "agent/agents.h"

extern const struct agent_kind agent_shell;

#endif
