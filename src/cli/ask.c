#include "cli/ask.h"

#include "base/utf8.h"
#include "cli/connect.h"
#include "cli/term.h"

#include <unistd.h>

enum { LINE_BYTES = 4096, SHOWN = 200 };

/* The handle of the command is in use by the stream: the answer goes over another one. */
static void answer(struct cli *cli, const struct tine_event *event,
                   const struct tine_answer_options *options)
{
    struct tine *streams = cli->tine;
    struct tine_error error;
    struct fault fault;

    cli->tine = NULL;
    if (cli_connect(cli, &fault) != FAULT_OK)
        cli_tell(cli, "the answer could not be given: %s", fault.message);
    else if (!tine_answer(cli->tine, event->session, options, NULL, &error))
        cli_tell(cli, "the answer was not taken: %s", error.detail);
    tine_free(cli->tine);
    cli->tine = streams;
}

/* A line from the terminal without its end; false when there is none. */
static bool line_read(struct cli *cli, char line[LINE_BYTES])
{
    fflush(cli->err);
    if (!fgets(line, LINE_BYTES, cli->in))
        return false;
    line[strcspn(line, "\n")] = '\0';
    return utf8_valid(str_of(line));
}

/* The question, made safe for the terminal. */
static void show(struct cli *cli, const char *before, const char *what, const char *after)
{
    struct buf text;

    buf_init(&text, (size_t)64 * SHOWN);
    buf_add_text(&text, before);
    term_add_line(&cli->err_term, &text, str_of(what), SHOWN);
    buf_add_text(&text, after);
    fputs(text.p ? text.p : "", cli->err);
    buf_clear(&text);
}

static void ask_tool(struct cli *cli, const struct tine_event *event)
{
    struct tine_answer_options options = {.id = event->ask};
    char line[LINE_BYTES];

    show(cli, "run ", event->ask_tool, "");
    show(cli, ": ", event->ask_arguments ? event->ask_arguments : "{}",
         " ? [y]es / [n]o / [a]lways: ");
    if (!line_read(cli, line))
        *line = 'n';
    if (cli_was_signalled())
        return;
    options.approve = *line == 'y' || *line == 'Y' || *line == 'a' || *line == 'A';
    options.always = *line == 'a' || *line == 'A' ? "tool" : NULL;
    answer(cli, event, &options);
}

static void ask_question(struct cli *cli, const struct tine_event *event)
{
    struct tine_answer_options options = {.id = event->ask};
    char line[LINE_BYTES];

    show(cli, "", event->ask_question ? event->ask_question : "?", "\n> ");
    options.approve = line_read(cli, line);
    if (cli_was_signalled())
        return;
    options.text = options.approve ? line : NULL;
    answer(cli, event, &options);
}

void ask_user(struct cli *cli, const struct tine_event *event)
{
    if (isatty(fileno(cli->in)) && cli->err_term.is_terminal) {
        if (event->ask_tool)
            ask_tool(cli, event);
        else
            ask_question(cli, event);
        return;
    }
    if (event->ask_tool)
        show(cli, "tine: it asks to run ", event->ask_tool, "\n");
    else
        show(cli, "tine: it asks: ", event->ask_question ? event->ask_question : "?", "\n");
    if (!cli->house) {
        fprintf(cli->err, "tine: answer with: tine answer %s yes|no [TEXT]\n", event->session);
        return;
    }
    fprintf(cli->err, "tine: there is no terminal to ask on, so the answer is no\n");
    answer(cli, event,
           &(struct tine_answer_options){.text = "nobody is there to ask", .id = event->ask});
}
