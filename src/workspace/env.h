/* Variables that a command is given besides those that every command has. */
#ifndef WORKSPACE_ENV_H
#define WORKSPACE_ENV_H

#include "workspace/sandbox.h"

/* FAULT_INVALID: a name or value that no environment can hold; FAULT_LIMIT: too much of it. */
FAULT_CHECK enum fault_code env_check(const struct sandbox_env *env, struct fault *fault);

/*
 * As bubblewrap reads arguments from a file. They are set inside by it, and never in its own
 * environment: there LD_PRELOAD would be obeyed outside of the sandbox. Nor do they stand in its
 * command line, which others can see.
 */
struct str env_args(const struct sandbox_env *env, struct arena *arena);

/* `fixed` (NULL ends it) with these; theirs win. */
const char *const *env_merge(const char *const *fixed, const struct sandbox_env *env,
                             struct arena *arena);

#endif
