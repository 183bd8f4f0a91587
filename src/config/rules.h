/* What the configuration file must be: turns what stands there into what the program uses. */
#ifndef CONFIG_RULES_H
#define CONFIG_RULES_H

#include "config/config.h"
#include "config/raw.h"

/* FAULT_INVALID names line and key. Everything is copied into the arena. */
FAULT_CHECK enum fault_code rules_apply(const struct raw_config *raw, const struct outline *outline,
                                        struct arena *arena, struct config *out,
                                        struct fault *fault);

/* The part about agents (agent_rules.c). */
FAULT_CHECK enum fault_code rules_agents(const struct raw_config *raw,
                                         const struct outline *outline, struct arena *arena,
                                         struct config *out, struct fault *fault);

#endif
