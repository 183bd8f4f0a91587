/* The terminal UI, as the program starts it. */
#ifndef TUI_RUN_H
#define TUI_RUN_H

#include "base/fault.h"
#include "tui/door.h"

struct tui_options {
    struct tui_door door;
    const char *session; /* id of the one to open; NULL: a new one */
    const char *agent;   /* of new sessions; NULL: the server's default */
    const char *history; /* the file where what was typed is kept; NULL: nowhere */
};

/* Runs until the person quits. The message of the fault says why it could not begin, or went on. */
FAULT_CHECK enum fault_code tui_run(const struct tui_options *options, struct fault *fault);

#endif
