#include "cli/message_print.h"

#include "base/utf8.h"
#include "dialect/native/object.h"
#include "json/json_in.h"
#include "store/limits.h"

#include <inttypes.h>

enum { INDENT = 3 };

/* The member of an object, or an empty value (raw.n is 0). */
static struct json_value member(const struct json_value *object, const char *name)
{
    struct json_walk walk;

    json_walk_begin(&walk, object);
    while (json_walk_next(&walk))
        if (str_eq(walk.key, str_of(name)))
            return walk.value;
    return (struct json_value){0};
}

/* A string's text, anything else as it stands. */
static struct str text_of(struct cli *cli, const struct json_value *value)
{
    if (value->raw.n == 0 || value->type != JSON_STRING)
        return value->raw;
    return json_text(value, &cli->scratch);
}

static struct str member_text(struct cli *cli, const struct json_value *object, const char *name)
{
    struct json_value value = member(object, name);

    return text_of(cli, &value);
}

/* The parts of a body; false when it has none that can be walked. */
static bool parts_of(const struct entry *entry, struct json_value *out)
{
    struct json_value body;
    struct fault ignored;

    if (entry->body.n == 0 || json_read(entry->body, LIMIT_JSON_DEPTH, "", &body, &ignored) ||
        body.type != JSON_OBJECT)
        return false;
    *out = member(&body, "parts");
    return out->raw.n > 0 && out->type == JSON_ARRAY;
}

static void print_part(struct cli *cli, const struct json_value *part)
{
    struct str type;

    if (part->type != JSON_OBJECT)
        return;
    type = member_text(cli, part, "type");
    if (str_eq(type, STR("text"))) {
        term_add_text(&cli->term, &cli->text, member_text(cli, part, "text"), INDENT);
        return;
    }
    cli_style(cli, STYLE_DIM);
    if (str_eq(type, STR("reasoning"))) {
        cli_print(cli, "   (thinking)\n");
        term_add_text(&cli->term, &cli->text, member_text(cli, part, "text"), INDENT);
    } else if (str_eq(type, STR("tool_call"))) {
        struct str call =
            arena_printf(&cli->scratch, "> %.*s %.*s", STR_ARG(member_text(cli, part, "name")),
                         STR_ARG(member_text(cli, part, "arguments")));

        term_add_text(&cli->term, &cli->text, call, INDENT);
    } else if (str_eq(type, STR("tool_result"))) {
        struct json_value error = member(part, "error");

        if (error.raw.n && json_true(&error))
            cli_print(cli, "   (failed)\n");
        term_add_text(&cli->term, &cli->text, member_text(cli, part, "output"), INDENT);
    } else if (str_eq(type, STR("file"))) {
        struct str file = arena_printf(&cli->scratch, "[file %.*s, %.*s]",
                                       STR_ARG(member_text(cli, part, "name")),
                                       STR_ARG(member_text(cli, part, "media_type")));

        term_add_text(&cli->term, &cli->text, file, INDENT);
    } else {
        term_add_text(&cli->term, &cli->text, part->raw, INDENT);
    }
    cli_style(cli, STYLE_PLAIN);
}

static void print_heading(struct cli *cli, const struct entry *entry)
{
    cli_style(cli, STYLE_BOLD);
    if (entry->index >= 0)
        cli_print(cli, "#%" PRId64 " ", entry->index);
    if (entry->kind == ENTRY_MOVE)
        cli_print(cli, "%s", object_move(entry->move));
    else if (entry->kind != ENTRY_MESSAGE)
        cli_print(cli, "%s", object_kind(entry->kind));
    else
        cli_print(cli, "%s", object_role(entry->role));
    cli_style(cli, STYLE_PLAIN);
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "  ");
    cli_print_time(cli, entry->at_us);
    cli_print(cli, "  %.*s", STR_ARG(entry->id));
    if (entry->flags & ENTRY_INTERRUPTED)
        cli_print(cli, "  interrupted");
    if (entry->flags & ENTRY_ADOPTED)
        cli_print(cli, "  adopted");
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
}

void message_print(struct cli *cli, const struct entry *entry)
{
    struct json_value parts;
    struct json_walk walk;

    print_heading(cli, entry);
    if (entry->erased) {
        cli_print(cli, "   (erased)\n");
    } else if (parts_of(entry, &parts)) {
        json_walk_begin(&walk, &parts);
        while (json_walk_next(&walk))
            print_part(cli, &walk.value);
    } else if (entry->body.n && entry->kind != ENTRY_MOVE && entry->kind != ENTRY_STATE) {
        term_add_text(&cli->term, &cli->text, entry->body, INDENT);
    }
    cli_print(cli, "\n");
    arena_clear(&cli->scratch);
}

/* The text to quote a message by: its first text, else its first part. */
static struct str start_of(struct cli *cli, const struct entry *entry)
{
    struct json_value parts;
    struct json_walk walk;
    struct str first = STR_NONE;

    if (!parts_of(entry, &parts))
        return entry->body;
    json_walk_begin(&walk, &parts);
    while (json_walk_next(&walk)) {
        struct str type, text;

        if (walk.value.type != JSON_OBJECT)
            continue;
        type = member_text(cli, &walk.value, "type");
        if (str_eq(type, STR("tool_call")))
            text = arena_printf(&cli->scratch, "> %.*s %.*s",
                                STR_ARG(member_text(cli, &walk.value, "name")),
                                STR_ARG(member_text(cli, &walk.value, "arguments")));
        else if (str_eq(type, STR("tool_result")))
            text = member_text(cli, &walk.value, "output");
        else
            text = member_text(cli, &walk.value, "text");
        if (str_eq(type, STR("text")) && text.n)
            return text;
        if (first.n == 0)
            first = text;
    }
    return first;
}

void message_print_start(struct cli *cli, const struct entry *entry, int columns)
{
    struct str text = utf8_cut(start_of(cli, entry), 400);
    char *line;

    /* Line breaks are blanks here; what else is unsafe is escaped when it is printed. */
    text = arena_dup(&cli->scratch, text);
    line = (char *)text.p;
    for (size_t i = 0; i < text.n; i++)
        if (line[i] == '\n' || line[i] == '\t' || line[i] == '\r')
            line[i] = ' ';
    cli_print_line(cli, text, columns);
    arena_clear(&cli->scratch);
}
