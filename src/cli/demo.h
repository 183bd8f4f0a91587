/* The example family, for those who want it laid out. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "cli/context.h"

/* Lays it out without a word, in the home of this command line. */
FAULT_CHECK enum fault_code demo_furnish(struct cli *cli, struct fault *fault);

#endif
