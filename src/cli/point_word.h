/* Words of the command line that name a place in a conversation. */
#ifndef CLI_POINT_WORD_H
#define CLI_POINT_WORD_H

#include "cli/context.h"

/*
 * Does the word name a message? "#4" by its place, "-1" from the end, "@name" by its label, else by
 * its id or the start of it. FAULT_INVALID when it is none of these.
 */
FAULT_CHECK enum fault_code point_word_check(const char *word, struct fault *fault);

/* Rows for the option tables of commands that take a point. */
/* clang-format off */
#define POINT_OPTIONS                                                                              \
    {"before", "MSG", "just before this message", 0},                                              \
    {"after", "MSG", "just after this message", 0},                                                \
    {"before-turn", "TURN", "before the first message of this turn", 0},                           \
    {"snap", NULL, "when a tool call is open there, the nearest good place before it", 0}
/* clang-format on */

/* The point that these options name, at most one of them. */
FAULT_CHECK enum fault_code point_options(struct cli *cli, struct tine_point_name *out,
                                          struct fault *fault);

/* False when they name none: after everything. */
bool point_is_named(const struct tine_point_name *point);

#endif
