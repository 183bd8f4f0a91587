/* What a move is to take: the conversation, the files or both. */
#ifndef CLI_SCOPE_H
#define CLI_SCOPE_H

#include "cli/context.h"

/* Rows for the option tables of commands that take a scope. */
/* clang-format off */
#define SCOPE_OPTIONS                                                                              \
    {"files", NULL, "only the files; the conversation stays", 0},                                  \
    {"conversation", NULL, "only the conversation; the files stay", 0},                            \
    {"both", NULL, "both, which is what happens without these", 0}
#define FORCE_OPTION                                                                               \
    {"force", NULL, "write over files that others have changed since", 0}
#define FORCE_WORDS "with --force they are written over; tine undo brings them back"
/* clang-format on */

/* The scope that these options name, as the library takes it; NULL: both. */
FAULT_CHECK enum fault_code scope_options(struct cli *cli, const char **out, struct fault *fault);

#endif
