/*
 * The server that a command speaks to: the one that --server or TINE_SERVER names, else the one
 * that has the home, else one inside this process. What the command does is the same for all three.
 */
#ifndef CLI_CONNECT_H
#define CLI_CONNECT_H

#include "cli/context.h"

/* Connects when it is not connected yet. */
FAULT_CHECK enum fault_code cli_connect(struct cli *cli, struct fault *fault);

/*
 * Another handle for the same server, once connected, for another thread; `stop_asked` is asked
 * while its calls wait. The server that has the home is looked for again: it may have come back at
 * another address. NULL, and why. From any thread.
 */
struct tine *cli_handle(struct cli *cli, bool (*stop_asked)(void *), void *context,
                        struct tine_error *error);

/* Ends it, and the server inside this process. */
void cli_disconnect(struct cli *cli);

/* For commands that work on a home: refuses a server, named by an option or the environment. */
FAULT_CHECK enum fault_code cli_needs_home(struct cli *cli, struct fault *fault);

/* The fault that the library's error comes to. */
enum fault_code cli_fault(const struct tine_error *error, struct fault *fault);

/* From now on Ctrl-C and SIGTERM end a call that waits, instead of the process. */
void cli_catch_signals(void);
bool cli_was_signalled(void);
void cli_forget_signal(void);

/* Keeps a result until the command is over. */
void cli_keep(struct cli *cli, struct tine_result *result);

#endif
