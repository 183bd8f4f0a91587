/* The command line: finds the command, opens the store for it, says how it ended. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "store/store.h"

/* Opens the store that `db` names ("sqlite:PATH"). FAULT_INVALID when it names no kind it knows. */
typedef enum fault_code cli_open_store(const char *db, struct store **out, struct fault *fault);

/* Runs one command line; returns the exit code. */
int cli_main(int argc, char **argv, cli_open_store *open_store);

#endif
