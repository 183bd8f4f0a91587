/* What ash keeps with an agent beyond tine's definition: the member `extra` of that. */
#ifndef DIALECT_ASH_AGENT_H
#define DIALECT_ASH_AGENT_H

#include "dialect/ash/wire.h"

struct agent_extra {
    int64_t version;                /* how often it was deployed; 1 for one that ash did not */
    int64_t created_us, updated_us; /* 0: not known */
    struct str env;                 /* a JSON object, or empty */
    struct str files;               /* a JSON array of {path, content as base64}, or empty */
};

struct agent_extra ash_agent_extra(const struct agent_def *def, struct arena *arena);

/* The files that a session of the agent begins with. FAULT_INVALID. */
FAULT_CHECK enum fault_code ash_agent_files(struct str files, struct arena *arena,
                                            struct file_put **out, size_t *count,
                                            struct fault *fault);

#endif
