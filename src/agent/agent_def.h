/* What an agent is, as the configuration or the API says it. */
#ifndef AGENT_AGENT_DEF_H
#define AGENT_AGENT_DEF_H

#include "base/arena.h"
#include "base/fault.h"

#include <stdint.h>

/* No agent is in this namespace. */
#define AGENT_NAMESPACE_TAKEN "v1"
#define AGENT_NAMESPACE_WHY \
    "the namespace \"v1\" is not free: in a path it would look like a version of the protocol"

enum { AGENT_EXTRA_BYTES = 128 * 1024 };

struct agent_def {
    struct str name; /* namespace/name */
    struct str kind; /* "shell", "openai", "external", … */
    struct str description;
    struct str model;
    struct str prompt;   /* what it is told first */
    struct str base_url; /* openai: "https://…/v1" */
    struct str key_env;  /* openai: the variable of the environment that has the key; the key itself
                            is never here */
    struct str tools;    /* names with blanks between; empty: all; "none": no tool */
    struct str script;   /* scripted: what it does */
    struct str extra;    /* what a dialect keeps with it: JSON that agents do not look at */
    bool network;        /* commands may use the network */
    bool is_default;
    bool fixed;                        /* from the configuration */
    int64_t context_tokens;            /* openai: the window; 0: 128,000 */
    int64_t output_tokens;             /* openai: max_tokens; 0: not sent */
    int64_t steps_max;                 /* calls of the model in one turn; 0: 50 */
    int64_t timeout_ms;                /* of one command; 0: 120,000 */
    int64_t input_price, output_price; /* cost of a million tokens, in 1e-9 */
};

struct agent_def agent_def_copy(const struct agent_def *def, struct arena *arena);

/* The body that is kept in the store: JSON, all members but name and fixed. */
struct str agent_def_write(const struct agent_def *def, struct arena *arena);

/* Reads such a body, or one that came over the API: unknown members are refused by name. */
FAULT_CHECK enum fault_code agent_def_read(struct str body, struct arena *arena,
                                           struct agent_def *out, struct fault *fault);

#endif
