/*
 * The configuration file as it stands: the schema says which keys there may be and what shape their
 * values have. Single values are texts here: libcyaml reads 010 as eight and every word it does not
 * know as true, so numbers and switches are read by rules.c.
 */
#ifndef CONFIG_RAW_H
#define CONFIG_RAW_H

#include "config/outline.h"

#include <stdint.h>

enum {
    RAW_HOSTS = 64,
    RAW_USERS = 4000,
    RAW_AGENTS = 256,
    RAW_TOOLS = 16,
    RAW_WORD_BYTES = 1024,     /* a value that is not for reading aloud */
    RAW_TEXT_BYTES = 8 * 1024, /* a description */
    RAW_PROMPT_BYTES = 128 * 1024
};

struct raw_limits {
    char *connections, *connections_per_address, *streams, *header_bytes, *request_seconds,
        *idle_seconds, *pending_bytes, *workers, *turns, *queued_sends, *sessions_per_user;
};

struct raw_user {
    char *name, *right, *proxy;
};

struct raw_doors {
    char *kagent, *docker_agent, *ash, *esc;
};

struct raw_agent {
    char *name, *kind, *description, *model, *prompt, *script, *base_url, *key_env, *network,
        *is_default, *context_tokens, *output_tokens, *steps_max, *timeout_seconds, *input_price,
        *output_price;
    char **tools;
    uint32_t tool_count;
};

/* What was not said is NULL. */
struct raw_config {
    char *listen, *root, *db, *log, *sandbox;
    struct raw_doors *doors;
    struct raw_limits *limits;
    char **hosts;
    struct raw_user *users;
    struct raw_agent *agents;
    uint32_t host_count, user_count, agent_count;
};

/*
 * Reads the text that the outline was made of. FAULT_INVALID names line and key. *out is NULL when
 * nothing stands in the file.
 */
FAULT_CHECK enum fault_code raw_read(struct str text, const struct outline *outline,
                                     struct raw_config **out, struct fault *fault);
void raw_free(struct raw_config *raw);

#endif
