/* An agent behind any server that speaks OpenAI's chat completions, with tools in the sandbox. */
#ifndef AGENT_OPENAI_OPENAI_H
#define AGENT_OPENAI_OPENAI_H

#include "agent/agents.h"

extern const struct agent_kind agent_openai;

#endif
