/* The command line of bubblewrap: what a command sees of the machine. */
#ifndef WORKSPACE_BUBBLE_H
#define WORKSPACE_BUBBLE_H

#include "workspace/sandbox.h"

/* Descriptors that bubblewrap finds open besides 0, 1 and 2. */
enum { BUBBLE_INFO = 3, BUBBLE_BLOCK, BUBBLE_PASSWD, BUBBLE_GROUP, BUBBLE_ARGS, BUBBLE_FDS };

#define BUBBLE_PASSWD_TEXT "work:x:1000:1000::/work:/bin/bash\n"
#define BUBBLE_GROUP_TEXT  "work:x:1000:\n"

const char *bubble_program(void); /* its path; NULL: it is not installed */

/* Arguments for execve, in the arena. */
const char *const *bubble_argv(const struct sandbox_spec *spec, struct arena *arena);

/* The whole environment of a command: nothing of the server's. */
const char *const *bubble_environment(const char *home, struct arena *arena);

#endif
