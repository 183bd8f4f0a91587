/* The git program, to compare with. */
#ifndef WORKSPACE_GIT_RUN_H
#define WORKSPACE_GIT_RUN_H

#include "base/arena.h"

#include <stdbool.h>

bool git_there(void); /* is it installed? */

/*
 * Runs a line of shell in a directory, with nothing of the user's own git configuration. Its output
 * comes back in the arena (NULL: it is not wanted); the value is its exit status.
 */
int git_run(const char *dir, const char *line, struct arena *arena, struct str *out);

#endif
