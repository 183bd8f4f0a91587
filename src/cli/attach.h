/* A directory of this machine, as a session is told of it. */
#ifndef CLI_ATTACH_H
#define CLI_ATTACH_H

#include "cli/context.h"

/* The directory as an absolute path: where a server stands is not where the command does. */
FAULT_CHECK enum fault_code attach_dir(struct cli *cli, const char *word, const char **out,
                                       struct fault *fault);

#endif
