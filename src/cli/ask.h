/* A turn that asks, while its answer is being shown. */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include "cli/context.h"

/*
 * Asks on the terminal and passes the answer on. Without one it says how to answer from elsewhere;
 * where there is no elsewhere, because the turn runs in this process, the answer is no.
 */
void ask_user(struct cli *cli, const struct tine_event *event);

#endif
