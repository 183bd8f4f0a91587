/* Agents that need no configuration: what the usual variables of the environment offer. */
#ifndef AGENT_PRESET_H
#define AGENT_PRESET_H

#include "agent/agent_def.h"

enum { PRESETS_MAX = 8 };

struct presets {
    struct agent_def defs[PRESETS_MAX]; /* all `fixed`; the first is the default one */
    size_t count;                       /* one at least: the shell */
    struct str words;                   /* one line: which answers, and because of what */
};

/* `environment` is getenv, or what a test has instead. All in the arena. */
void presets_find(const char *(*environment)(const char *name), struct arena *arena,
                  struct presets *out);

#endif
