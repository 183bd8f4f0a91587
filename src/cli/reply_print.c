#include "cli/reply_print.h"

#include "cli/ask.h"
#include "cli/message_print.h"

enum { OUTPUT_LINES = 5, COLUMNS = 100 };

void reply_print_init(struct reply_print *answer, struct cli *cli)
{
    *answer = (struct reply_print){.cli = cli};
}

static int columns_of(const struct cli *cli)
{
    return cli->term.width > 4 ? cli->term.width - 4 : COLUMNS;
}

/* Text as it stands; on a terminal what could change it is shown as an escape. */
static void write_text(struct reply_print *answer, struct str text)
{
    struct cli *cli = answer->cli;

    if (text.n == 0)
        return;
    if (!cli->term.is_terminal) {
        buf_add_str(&cli->text, text);
    } else {
        for (size_t at = 0; at < text.n;) {
            const char *feed = memchr(text.p + at, '\n', text.n - at);
            size_t end = feed ? (size_t)(feed - text.p) : text.n;

            cli_print_line(cli, (struct str){text.p + at, end - at}, 0);
            if (feed)
                buf_add_char(&cli->text, '\n');
            at = end + 1;
        }
    }
    answer->in_line = text.p[text.n - 1] != '\n';
}

static void line_end(struct reply_print *answer)
{
    if (answer->in_line)
        buf_add_char(&answer->cli->text, '\n');
    answer->in_line = false;
}

/* ---- tools, on a terminal ---- */

static void show_call(struct reply_print *answer, const struct tine_part *part)
{
    struct cli *cli = answer->cli;
    struct str words = arena_printf(&cli->scratch, "> %s %s", part->name ? part->name : "",
                                    part->arguments ? part->arguments : "");

    line_end(answer);
    cli_style(cli, STYLE_DIM);
    message_print_words(cli, words, columns_of(cli));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
    answer->output_lines = 0;
    answer->output_cut = false;
}

/* The first lines of what a tool gave. */
static void show_output(struct reply_print *answer, struct str text)
{
    struct cli *cli = answer->cli;

    for (size_t at = 0; at < text.n && !answer->output_cut;) {
        const char *feed = memchr(text.p + at, '\n', text.n - at);
        size_t end = feed ? (size_t)(feed - text.p) : text.n;

        cli_style(cli, STYLE_DIM);
        answer->output_cut = answer->output_lines++ == OUTPUT_LINES;
        cli_print(cli, "  ");
        if (answer->output_cut)
            cli_print(cli, cli->term.utf8 ? "…" : "...");
        else
            cli_print_line(cli, (struct str){text.p + at, end - at}, columns_of(cli));
        cli_style(cli, STYLE_PLAIN);
        cli_print(cli, "\n");
        at = end + 1;
    }
}

static void show_tools(struct reply_print *answer, const struct tine_message *message)
{
    for (size_t i = 0; i < message->part_count; i++) {
        const struct tine_part *part = &message->parts[i];

        if (strcmp(part->type, "tool_call") == 0)
            show_call(answer, part);
        else if (strcmp(part->type, "tool_result") == 0 && part->text)
            show_output(answer, (struct str){part->text, part->text_bytes});
    }
}

/* ---- events ---- */

/* A piece that does not follow what was written is left to the message that it belongs to. */
static void take_piece(struct reply_print *answer, const struct tine_event *event)
{
    if (strcmp(event->kind, "text") != 0 || event->offset != answer->written)
        return;
    write_text(answer, (struct str){event->text, event->text_bytes});
    answer->written += (int64_t)event->text_bytes;
}

/* The message is whole: what of its text was not told in pieces comes now. */
static void take_message(struct reply_print *answer, const struct tine_message *message)
{
    int64_t skip = answer->written;

    answer->written = 0;
    answer->left_out = answer->left_out || message->left_out;
    if (!message->role || strcmp(message->role, "user") == 0)
        return;
    for (size_t i = 0; i < message->part_count && strcmp(message->role, "assistant") == 0; i++) {
        const struct tine_part *part = &message->parts[i];
        int64_t n = (int64_t)part->text_bytes;

        if (strcmp(part->type, "text") != 0)
            continue;
        if (n > skip)
            write_text(answer, (struct str){part->text + skip, (size_t)(n - skip)});
        skip = n > skip ? 0 : skip - n;
    }
    line_end(answer);
    if (answer->cli->term.is_terminal)
        show_tools(answer, message);
}

/* What is asked is asked once, also when it is told twice. */
static void take_ask(struct reply_print *answer, const struct tine_event *event)
{
    struct fault ignored;

    if (answer->asked && strcmp(answer->asked, event->ask) == 0)
        return;
    answer->asked = arena_dup(&answer->cli->arena, str_of(event->ask)).p;
    line_end(answer);
    if (cli_flush(answer->cli, &ignored) == FAULT_OK)
        ask_user(answer->cli, event);
}

bool reply_print_event(void *context, const struct tine_event *event)
{
    struct reply_print *answer = context;
    struct fault ignored; /* cli->out_error remembers */

    if (event->ask)
        take_ask(answer, event);
    else if (event->text && event->kind)
        take_piece(answer, event);
    else if (event->message && !event->message->large)
        take_message(answer, event->message);
    return cli_flush(answer->cli, &ignored) == FAULT_OK;
}

void reply_print_end(struct reply_print *answer)
{
    line_end(answer);
    if (answer->left_out)
        cli_tell(answer->cli, "not all files were kept; tine files shows which, and why");
}
