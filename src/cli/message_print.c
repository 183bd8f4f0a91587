#include "cli/message_print.h"

#include "base/utf8.h"

#include <inttypes.h>

enum { INDENT = 3, START_BYTES = 400 };

static bool is(const char *type, const char *name)
{
    return strcmp(type, name) == 0;
}

static struct str part_text(const struct tine_part *part)
{
    return (struct str){part->text ? part->text : "", part->text_bytes};
}

static struct str call_text(struct cli *cli, const struct tine_part *part)
{
    return arena_printf(&cli->scratch, "> %s %s", part->name ? part->name : "",
                        part->arguments ? part->arguments : "");
}

static void print_indented(struct cli *cli, struct str text)
{
    term_add_text(&cli->term, &cli->text, text, INDENT);
}

static void print_part(struct cli *cli, const struct tine_part *part)
{
    if (is(part->type, "text")) {
        print_indented(cli, part_text(part));
        return;
    }
    cli_style(cli, STYLE_DIM);
    if (is(part->type, "reasoning")) {
        cli_print(cli, "   (thinking)\n");
        print_indented(cli, part_text(part));
    } else if (is(part->type, "tool_call")) {
        print_indented(cli, call_text(cli, part));
    } else if (is(part->type, "tool_result")) {
        if (part->error)
            cli_print(cli, "   (failed)\n");
        print_indented(cli, part_text(part));
    } else if (is(part->type, "file")) {
        print_indented(cli,
                       arena_printf(&cli->scratch, "[file %s, %s]", part->name ? part->name : "",
                                    part->media_type ? part->media_type : ""));
    } else {
        print_indented(cli, str_of(part->json));
    }
    cli_style(cli, STYLE_PLAIN);
}

static void print_heading(struct cli *cli, const struct tine_message *message, bool changed)
{
    cli_style(cli, STYLE_BOLD);
    if (message->index >= 0)
        cli_print(cli, "#%" PRId64 " ", message->index);
    if (message->move)
        cli_print(cli, "%s", message->move);
    else
        cli_print(cli, "%s",
                  is(message->kind, "message") && message->role ? message->role : message->kind);
    cli_style(cli, STYLE_PLAIN);
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "  ");
    cli_print_time(cli, message->created_ms);
    cli_print(cli, "  %s", message->id);
    if (message->interrupted)
        cli_print(cli, "  interrupted");
    if (message->adopted)
        cli_print(cli, "  adopted");
    if (message->merged)
        cli_print(cli, "  merged");
    if (changed)
        cli_print(cli, "  %schanged%s", is(message->kind, "files") ? "" : "files ",
                  message->foreign ? " by others" : "");
    if (changed && message->left_out)
        cli_print(cli, ", some not kept");
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

void message_print(struct cli *cli, const struct tine_message *message, bool changed)
{
    print_heading(cli, message, changed);
    if (message->erased) {
        cli_print(cli, "   (erased)\n");
    } else if (message->parts) {
        for (size_t i = 0; i < message->part_count; i++)
            print_part(cli, &message->parts[i]);
    } else if (message->body && !message->move && !is(message->kind, "state") &&
               !is(message->kind, "files")) {
        print_indented(cli, str_of(message->body));
    }
    cli_print(cli, "\n");
    arena_clear(&cli->scratch);
}

/* The text to quote a message by: its first text, else its first part. */
static struct str start_of(struct cli *cli, const struct tine_message *message)
{
    struct str first = STR_NONE;

    if (!message->parts)
        return str_of(message->body ? message->body : "");
    for (size_t i = 0; i < message->part_count; i++) {
        const struct tine_part *part = &message->parts[i];
        struct str text = is(part->type, "tool_call") ? call_text(cli, part) : part_text(part);

        if (is(part->type, "text") && text.n)
            return text;
        if (first.n == 0)
            first = text;
    }
    return first;
}

void message_print_words(struct cli *cli, struct str text, int columns)
{
    char *line;

    /* Line breaks are blanks here; what else is unsafe is escaped when it is printed. */
    text = arena_dup(&cli->scratch, utf8_cut(text, START_BYTES));
    line = (char *)text.p;
    for (size_t i = 0; i < text.n; i++)
        if (line[i] == '\n' || line[i] == '\t' || line[i] == '\r')
            line[i] = ' ';
    cli_print_line(cli, text, columns);
    arena_clear(&cli->scratch);
}

void message_print_start(struct cli *cli, const struct tine_message *message, int columns)
{
    message_print_words(cli, start_of(cli, message), columns);
}
