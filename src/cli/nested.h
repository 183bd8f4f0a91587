/* Running one command line, also from within another command (the demo). */
#ifndef CLI_NESTED_H
#define CLI_NESTED_H

#include "cli/context.h"

/* argv[0] is not looked at. The answer is added to cli->text; the store stays open. */
FAULT_CHECK enum fault_code cli_run_line(struct cli *cli, int argc, char **argv,
                                         struct fault *fault);

#endif
