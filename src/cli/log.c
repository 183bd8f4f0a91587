/* tine log: the journal of a session. */
#include "cli/commands.h"
#include "cli/message_print.h"
#include "dialect/native/object.h"

#include <inttypes.h>

static const struct option options[] = {
    {"limit", "N", "at most N entries", 'n'},
    {"since", "EVENT", "only what came after this event number", 0},
    {NULL, NULL, NULL, 0},
};

static void print_entry(struct cli *cli, const struct entry *entry)
{
    if (entry->kind == ENTRY_MOVE) {
        cli_style(cli, STYLE_WARN);
        cli_print(cli, "%s", object_move(entry->move));
        cli_style(cli, STYLE_PLAIN);
        cli_print(cli, "%s", entry->move == MOVE_ADOPT ? " from" : " to");
        if (entry->ref_index > 0)
            cli_print(cli, " after #%" PRId64, entry->ref_index - 1);
        else
            cli_print(cli, " the beginning");
        return;
    }
    cli_style(cli, STYLE_BOLD);
    if (entry->kind == ENTRY_MESSAGE)
        cli_print(cli, "%s", object_role(entry->role));
    else
        cli_print(cli, "%s", object_kind(entry->kind));
    cli_style(cli, STYLE_PLAIN);
    if (entry->index >= 0)
        cli_print(cli, " #%" PRId64, entry->index);
    if (entry->flags & ENTRY_ADOPTED)
        cli_print(cli, " (adopted)");
    cli_print(cli, "  ");
    if (entry->kind == ENTRY_MESSAGE)
        message_print_start(cli, entry, cli->term.width ? cli->term.width - 45 : 0);
}

/* A word in quotes with what stands before it; nothing when there is none. */
static void print_quoted(struct cli *cli, const char *before, struct str text)
{
    if (text.n == 0)
        return;
    cli_print(cli, "%s\"", before);
    cli_print_line(cli, text, 60);
    cli_print(cli, "\"");
}

static void print_note(struct cli *cli, const struct note *note)
{
    cli_style(cli, STYLE_GOOD);
    cli_print(cli, "%s", object_note(note->act));
    cli_style(cli, STYLE_PLAIN);
    switch (note->act) {
    case NOTE_RENAMED:
        print_quoted(cli, " from ", note->was);
        print_quoted(cli, " to ", note->now);
        break;
    case NOTE_FORKED:
        print_quoted(cli, " as ", note->now);
        print_quoted(cli, " from ", note->was);
        break;
    default:
        print_quoted(cli, " ", note->was);
        print_quoted(cli, " ", note->now);
    }
    if (note->message.n)
        cli_print(cli, " at message %.*s", STR_ARG(note->message));
}

static enum fault_code visit(void *context, const struct journal_item *item, struct fault *fault)
{
    struct cli *cli = context;

    if (cli->as_json) {
        object_write_journal(&cli->json, NULL, item);
        return cli_flush_some(cli, fault);
    }
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "%6" PRId64 "  ", item->e);
    cli_print_time(cli, item->entry ? item->entry->at_us : item->note->at_us);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    if (item->entry)
        print_entry(cli, item->entry);
    else
        print_note(cli, item->note);
    cli_print(cli, "\n");
    return cli_flush_some(cli, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct log_spec spec = {0};
    struct session session;
    enum fault_code code = cli_int_option(cli, "limit", 1, INT64_MAX, 0, &spec.limit, fault);

    if (!code)
        code = cli_int_option(cli, "since", 0, INT64_MAX, 0, &spec.after_e, fault);
    if (!code)
        code = cli_open(cli, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    spec.session = session.id;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "entries");
    }
    code = store_journal(cli->store, &spec, visit, cli, fault);
    if (!code && cli->as_json) {
        json_out_array_end(&cli->json);
        json_out_object_end(&cli->json);
    }
    return code;
}

const struct command command_log = {
    .name = "log",
    .purpose = "show everything that was done to a session, oldest first",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes =
        "Messages, rewinds, undos, labels, renames: what the session itself wrote, numbered as\n"
        "the events of the store.\n",
    .examples = "  tine log demo\n",
    .run = run,
};
