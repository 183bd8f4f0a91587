/*
 * What a session asks of whoever runs in it, beyond the agent's definition: the member "agent" of
 * its settings. Dialects write it in their words' meaning, agents honour it, forks take it over.
 */
#ifndef AGENT_AGENT_SETTINGS_H
#define AGENT_AGENT_SETTINGS_H

#include "base/arena.h"
#include "base/fault.h"
#include "json/json_out.h"

#include <stdint.h>

enum { SETTINGS_RULES = 256 }; /* in one list */

/* Names of tools; a star at the end stands for all that begin so. */
struct tool_rules {
    struct str *list;
    size_t count;
};

struct agent_settings {
    struct str prompt; /* instead of the definition's; empty: that */
    struct str model;  /* likewise */
    struct str env;    /* a JSON object of strings, for commands; empty: none */
    /* deny before allow before ask; what none names: asked when `asks`, else run */
    struct tool_rules allow, ask, deny;
    bool asks;         /* tools that change something need a yes (agent_ask) */
    bool approved;     /* … which was given for all of the session */
    int64_t steps_max; /* calls of the model in one turn; 0: the definition's */
};

/* `settings` is the session's whole object. Members of "agent" that are not known are ignored. */
FAULT_CHECK enum fault_code agent_settings_read(struct str settings, struct arena *arena,
                                                struct agent_settings *out, struct fault *fault);

/* The member "agent", as the value of `key` (NULL: of an element or the whole). */
void agent_settings_write(struct json_out *out, const char *key,
                          const struct agent_settings *settings);

/* The session's whole object with the member "agent" put in or replaced. */
struct str agent_settings_put(struct str settings, const struct agent_settings *agent,
                              struct arena *arena);

/*
 * From now on the tool is allowed; one that is allowed already is not named twice. FAULT_LIMIT.
 * FAULT_INVALID for a name that ends with a star: as a rule it would stand for others, too.
 */
FAULT_CHECK enum fault_code agent_settings_allow(struct agent_settings *settings, struct str tool,
                                                 struct arena *arena, struct fault *fault);

/* Do the rules name the tool? */
bool tool_rules_name(const struct tool_rules *rules, struct str tool);

enum tool_verdict { TOOL_RUN, TOOL_ASK, TOOL_REFUSE };

/* What the settings say of a tool; `reads`: it changes nothing. */
enum tool_verdict agent_settings_judge(const struct agent_settings *settings, struct str tool,
                                       bool reads);

#endif
