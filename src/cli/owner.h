/* Whose sessions a command on the database itself is about: --user. */
#ifndef CLI_OWNER_H
#define CLI_OWNER_H

#include "cli/context.h"

/* For the tables of commands that have it. */
#define OPTION_USER                                               \
    {                                                             \
        "user", "NAME", "whose (else those of the local user)", 0 \
    }

/* Makes cli->owner the user of --user; one that is unknown is made when `make`, else refused. */
FAULT_CHECK enum fault_code owner_choose(struct cli *cli, bool make, struct fault *fault);

/* How many living sessions other users than cli->owner have. */
FAULT_CHECK enum fault_code owner_others(struct cli *cli, int64_t *out, struct fault *fault);

#endif
