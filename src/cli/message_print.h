/* Messages as people read them. */
#ifndef CLI_MESSAGE_PRINT_H
#define CLI_MESSAGE_PRINT_H

#include "cli/context.h"

/* A heading, then the parts, indented. */
void message_print(struct cli *cli, const struct entry *entry);

/* The first words of an entry on one line, at most `columns` wide. */
void message_print_start(struct cli *cli, const struct entry *entry, int columns);

#endif
