/* A command: what it is called, what it takes, and the function that does it. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/arena.h"
#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>

struct cli;

struct option {
    const char *name;  /* without the dashes; NULL ends a table */
    const char *value; /* what its value is called; NULL: it has none. With "..." at its end the
                          option may be given several times */
    const char *help;
    char letter; /* short form; 0: none */
};

typedef enum fault_code command_run(struct cli *cli, struct fault *fault);

struct command {
    const char *name;
    const char *purpose;          /* one line */
    const char *words;            /* its arguments, as in "SESSION [TEXT]" */
    int words_min, words_max;     /* words_max -1: any number */
    const struct option *options; /* NULL: none of its own */
    const char *notes;            /* more for its help; NULL: none */
    const char *examples;         /* lines for its help */
    command_run *run;
};

/* All commands in the order of the help; NULL ends the table. */
extern const struct command *const commands[];

const struct command *command_find(const char *name); /* NULL: there is none */

/* The command whose name looks most like `name`; NULL when none does. */
const struct command *command_like(const char *name);

#endif
