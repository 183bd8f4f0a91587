/*
 * What a client of ash asks of a session: kept as it was sent, in "config" of its settings, and
 * handed to the agent as far as tine's agents know it.
 */
#ifndef DIALECT_ASH_CONFIG_H
#define DIALECT_ASH_CONFIG_H

#include "dialect/ash/wire.h"

enum {
    CONFIG_MODEL,
    CONFIG_ALLOWED,
    CONFIG_DISALLOWED,
    CONFIG_BETAS,
    CONFIG_SUBAGENTS,
    CONFIG_INITIAL,
    CONFIG_PATCHED, /* those before it can be changed later */
    CONFIG_PROMPT = CONFIG_PATCHED,
    CONFIG_PERMISSIONS,
    CONFIG_SERVERS,
    CONFIG_CREDENTIAL,
    CONFIG_COUNT
};

/* The first rows of a table of members; a patch has only the first CONFIG_PATCHED of them. */
extern const struct json_member ash_config_members[CONFIG_COUNT];

/* `now` ("{…}", or empty) with the members that are given. */
struct str ash_config_merge(struct str now, const struct json_member *members, size_t count,
                            struct arena *arena);

/* What the agent is to know of them. FAULT_INVALID, FAULT_LIMIT. */
FAULT_CHECK enum fault_code ash_config_apply(const struct json_member *members, size_t count,
                                             struct arena *arena, struct agent_settings *out,
                                             struct fault *fault);

/*
 * One object of variables with those of another over it: FAULT_INVALID for what no environment can
 * hold. Either may be empty.
 */
FAULT_CHECK enum fault_code ash_env_merge(struct str under, struct str over, const char *what,
                                          struct arena *arena, struct str *out,
                                          struct fault *fault);

#endif
