#include "cli/help.h"

#include "cli/commands.h"
#include "cli/context.h"

#include <string.h>

static const char naming[] =
    "Naming\n"
    "  SESSION  its id, a unique start or end of it (4 characters or more), or its title\n"
    "  MSG      its id or a unique start of it; '#4': its place, counted from 0; -1: the last;\n"
    "           @name: a label\n";

static const char exit_codes[] = "Exit codes\n"
                                 "  0  done\n"
                                 "  1  failed, or verify found something wrong\n"
                                 "  2  the command line is wrong\n"
                                 "  3  not found: a session, message, turn, label, agent or file\n"
                                 "  4  conflict: as things stand it cannot be done\n"
                                 "  5  busy: try again\n";

/* Two columns: a term, and what it means. */
static void add_row(struct buf *out, struct str term, const char *meaning, int width)
{
    buf_add_format(out, "  %-*.*s  %s\n", width, STR_ARG(term), meaning);
}

static void add_options(struct buf *out, const struct option *options)
{
    for (const struct option *option = options; option && option->name; option++) {
        struct buf term;

        buf_init(&term, 128);
        if (option->letter)
            buf_add_format(&term, "-%c, ", option->letter);
        buf_add_format(&term, "--%s", option->name);
        if (option->value)
            buf_add_format(&term, " %s", option->value);
        add_row(out, buf_str(&term), option->help, 22);
        buf_clear(&term);
    }
}

void help_all(struct buf *out)
{
    buf_add_text(out, "tine keeps conversations with AI agents as trees: fork them at any message, "
                      "rewind them\nto any message, and lose nothing.\n\n"
                      "usage: tine COMMAND [ARGUMENT…] [OPTION…]\n\nCommands\n");
    for (int i = 0; commands[i]; i++)
        add_row(out, str_of(commands[i]->name), commands[i]->purpose, 10);
    buf_add_text(out, "\nOptions of all commands\n");
    add_options(out, args_global);
    buf_add_format(out, "\n%s\n%s", naming, exit_codes);
    buf_add_text(out, "\nTo begin: tine demo --tour\n");
}

void help_usage(struct buf *out, const struct command *command)
{
    buf_add_format(out, "usage: tine %s%s%s%s\n", command->name, *command->words ? " " : "",
                   command->words, command->options ? " [OPTION…]" : "");
}

void help_command(struct buf *out, const struct command *command)
{
    help_usage(out, command);
    buf_add_format(out, "\n%s\n", command->purpose);
    if (command->notes)
        buf_add_format(out, "\n%s", command->notes);
    if (command->options) {
        buf_add_text(out, "\nOptions\n");
        add_options(out, command->options);
    }
    buf_add_text(out, "\nOptions of all commands\n");
    add_options(out, args_global);
    if (strstr(command->words, "SESSION"))
        buf_add_format(out, "\n%s", naming);
    if (command->examples)
        buf_add_format(out, "\nExamples\n%s", command->examples);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct command *command;

    if (cli->args.word_count == 0) {
        help_all(&cli->text);
        return FAULT_OK;
    }
    command = command_find(cli->args.words[0]);
    if (!command)
        return cli_usage(cli, fault, "unknown command \"%s\"", cli->args.words[0]);
    help_command(&cli->text, command);
    return FAULT_OK;
}

const struct command command_help = {
    .name = "help",
    .purpose = "show the commands, or the help of one",
    .words = "[COMMAND]",
    .words_max = 1,
    .examples = "  tine help fork\n",
    .run = run,
};
