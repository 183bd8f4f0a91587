/* Help, made from the tables of commands and options, so that it is true. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buf.h"
#include "cli/command.h"

void help_all(struct buf *out);
void help_command(struct buf *out, const struct command *command);
void help_usage(struct buf *out, const struct command *command); /* its first line */

#endif
