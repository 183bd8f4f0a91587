/* The variables that a session's settings give to commands. */
#ifndef AGENT_AGENT_ENV_H
#define AGENT_AGENT_ENV_H

#include "agent/agent_settings.h"
#include "workspace/sandbox.h"

/* In the arena; what is wrong with them the sandbox says. */
struct sandbox_env agent_env(const struct agent_settings *settings, struct arena *arena);

#endif
