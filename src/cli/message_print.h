/* Messages as people read them. */
#ifndef CLI_MESSAGE_PRINT_H
#define CLI_MESSAGE_PRINT_H

#include "cli/context.h"

/* A heading, then the parts, indented. `changed`: its files are others than those before it. */
void message_print(struct cli *cli, const struct tine_message *message, bool changed);

/* The first words of a message on one line, at most `columns` wide. */
void message_print_start(struct cli *cli, const struct tine_message *message, int columns);

/* Text on one line, at most `columns` wide: its line breaks are blanks. */
void message_print_words(struct cli *cli, struct str text, int columns);

#endif
