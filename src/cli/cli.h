/* The command line: finds the command, opens the store for it, says how it ended. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "house/house.h"

/* Runs one command line; returns the exit code. */
int cli_main(int argc, char **argv, const struct house_kinds *kinds);

#endif
