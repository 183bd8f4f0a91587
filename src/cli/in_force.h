/*
 * What is in force on this machine: options win over the environment, the environment over the
 * configuration file, and that over what the program has by itself.
 */
#ifndef CLI_IN_FORCE_H
#define CLI_IN_FORCE_H

#include "cli/context.h"
#include "config/config.h"

/* A value and who said it: "--db", "TINE_DB", "the file", "the default". */
struct said {
    const char *value, *by;
};

struct in_force {
    struct str home;
    struct said file; /* the configuration file; its value is NULL when there is none */
    struct config config;
    struct said listen, db, log;
};

/* For the tables of commands that look at the configuration. */
#define OPTION_CONFIG                                                                      \
    {                                                                                      \
        "config", "FILE", "the configuration (TINE_CONFIG; else tine.yaml in the home)", 0 \
    }

/* Finds home and file; makes and opens nothing. The command has OPTION_CONFIG. */
FAULT_CHECK enum fault_code in_force_find(struct cli *cli, struct in_force *out,
                                          struct fault *fault);

/* Reads the file, and settles the rest. FAULT_INVALID: then the rest is settled without it. */
FAULT_CHECK enum fault_code in_force_read(struct cli *cli, struct in_force *in_force,
                                          struct fault *fault);

/* Both, and then the store of this home, opened in this process also while a server runs. */
FAULT_CHECK enum fault_code in_force_open(struct cli *cli, struct fault *fault);

/* The name of a database without the password that may be in it. */
struct str in_force_db_words(const char *db, struct arena *arena);

#endif
