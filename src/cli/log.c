/* tine log: the journal of a session. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/message_print.h"
#include "store/limits.h"

#include <inttypes.h>

static const struct option options[] = {
    {"limit", "N", "at most N entries", 'n'},
    {"since", "EVENT", "only what came after this event number", 0},
    {NULL, NULL, NULL, 0},
};

static void print_message(struct cli *cli, const struct tine_message *message)
{
    bool is_message = strcmp(message->kind, "message") == 0;

    if (message->move) {
        cli_style(cli, STYLE_WARN);
        cli_print(cli, "%s", message->move);
        cli_style(cli, STYLE_PLAIN);
        cli_print(cli, "%s",
                  strcmp(message->move, "adopt") == 0   ? " from"
                  : strcmp(message->move, "merge") == 0 ? ""
                                                        : " to");
        if (message->to_index > 0)
            cli_print(cli, " after #%" PRId64, message->to_index - 1);
        else
            cli_print(cli, " the beginning");
        if (message->scope && strcmp(message->scope, "both") != 0)
            cli_print(cli, " (%s only)", message->scope);
        return;
    }
    cli_style(cli, STYLE_BOLD);
    cli_print(cli, "%s", is_message && message->role ? message->role : message->kind);
    cli_style(cli, STYLE_PLAIN);
    if (message->index >= 0)
        cli_print(cli, " #%" PRId64, message->index);
    if (message->adopted)
        cli_print(cli, " (adopted)");
    if (message->merged)
        cli_print(cli, " (merged)");
    if (strcmp(message->kind, "files") == 0)
        cli_print(cli, " changed%s", message->foreign ? " by others" : "");
    if (!is_message)
        return;
    cli_print(cli, "  ");
    message_print_start(cli, message, 0);
}

/* A word in quotes with what stands before it; nothing when there is none. */
static void print_quoted(struct cli *cli, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    cli_print(cli, "%s\"", before);
    cli_print_line(cli, str_of(text), 60);
    cli_print(cli, "\"");
}

static void print_turn(struct cli *cli, const struct tine_entry *note)
{
    cli_print(cli, " %s", note->about ? note->about : "");
    if (note->now)
        cli_print(cli, ": %s", note->now);
    print_quoted(cli, ", ", note->was);
}

static void print_note(struct cli *cli, const struct tine_entry *note)
{
    cli_style(cli, STYLE_GOOD);
    cli_print(cli, "%s",
              strcmp(note->act, "turn_started") == 0 ? "turn started"
              : strcmp(note->act, "turn_ended") == 0 ? "turn ended"
                                                     : note->act);
    cli_style(cli, STYLE_PLAIN);
    if (strncmp(note->act, "turn_", 5) == 0) {
        print_turn(cli, note);
        return;
    }
    if (strcmp(note->act, "renamed") == 0) {
        print_quoted(cli, " from ", note->was);
        print_quoted(cli, " to ", note->now);
    } else if (strcmp(note->act, "forked") == 0) {
        print_quoted(cli, " as ", note->now);
        print_quoted(cli, " from ", note->was);
    } else {
        print_quoted(cli, " ", note->was);
        print_quoted(cli, " ", note->now);
    }
    if (note->about)
        cli_print(cli, " at message %s", note->about);
}

static void print_entry(struct cli *cli, const struct tine_entry *entry)
{
    size_t from = cli->text.n;

    cli_style(cli, STYLE_DIM);
    cli_print(cli, "%6" PRId64 "  ", entry->event);
    cli_print_time(cli, entry->created_ms);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    if (entry->message)
        print_message(cli, entry->message);
    else
        print_note(cli, entry);
    term_fit(&cli->term, &cli->text, from);
    cli_print(cli, "\n");
}

static enum fault_code page_write(struct cli *cli, const struct tine_result *page,
                                  struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; !code && i < page->entry_count; i++) {
        if (cli->as_json)
            json_out_raw(&cli->json, NULL, str_of(page->entries[i].json));
        else
            print_entry(cli, &page->entries[i]);
        code = cli_flush_some(cli, fault);
    }
    return code;
}

static enum fault_code journal_write(struct cli *cli, const char *session, int64_t since,
                                     int64_t limit, struct fault *fault)
{
    struct tine_pages pages = {0};
    const char *cursor = NULL;
    struct tine_error error;
    enum fault_code code = FAULT_OK;
    int64_t left = limit ? limit : INT64_MAX;

    while (!code && left > 0 && tine_pages_next(&pages, &cursor)) {
        int64_t count = left < LIMIT_PAGE ? left : LIMIT_PAGE;

        if (tine_journal(cli->tine, session, since, count, cursor, &pages.page, &error)) {
            code = page_write(cli, pages.page, fault);
            left -= (int64_t)pages.page->entry_count;
        } else {
            code = cli_fault(&error, fault);
        }
    }
    tine_pages_end(&pages);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct tine_session *session;
    int64_t limit, since;
    enum fault_code code = cli_int_option(cli, "limit", 1, INT64_MAX, 0, &limit, fault);

    if (!code)
        code = cli_int_option(cli, "since", 0, INT64_MAX, 0, &since, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "entries");
    }
    code = journal_write(cli, session->id, since, limit, fault);
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
