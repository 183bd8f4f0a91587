/* The words of a command line, taken apart by the tables of options. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include "cli/command.h"

enum { ARGS_OPTIONS_MAX = 24 };

struct args_more {
    const struct option *option;
    const char *value;
};

struct args {
    const struct option *own, *global;
    const char
        *own_values[ARGS_OPTIONS_MAX]; /* NULL: not given; "" for an option without a value */
    const char *global_values[ARGS_OPTIONS_MAX];
    struct args_more *more; /* the second, third … of options that may be given several times */
    size_t more_count;
    const char **words; /* what is no option, in order */
    size_t word_count;
};

extern const struct option args_global[]; /* --home, --server, --json … */

/*
 * Finds the first word that is no option: the command's name. NULL when there is none. `at` is its
 * place in argv.
 */
const char *args_command(int argc, char **argv, int *at);

/*
 * Reads the line for a command (its name at `skip` is left out; -1: nothing is); options may stand
 * anywhere, `--` ends them, "-1" is a word. FAULT_INVALID says which word is wrong.
 */
FAULT_CHECK enum fault_code args_read(struct args *args, const struct option *own, int argc,
                                      char **argv, int skip, struct arena *arena,
                                      struct fault *fault);

bool args_has(const struct args *args, const char *name);
const char *args_value(const struct args *args, const char *name); /* NULL: not given */

/* The i-th value of an option that may be given several times; NULL: there are not as many. */
const char *args_value_at(const struct args *args, const char *name, size_t i);

#endif
