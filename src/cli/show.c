/* tine show: the messages of a session. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/message_print.h"
#include "cli/point_word.h"
#include "store/limits.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct option options[] = {
    {"at", "MSG", "the conversation as it was after this message", 0},
    {"tail", "N", "only the last N messages", 0},
    {"from", "N", "begin at place N", 0},
    {"limit", "N", "at most N messages", 'n'},
    {"all", NULL, "also system messages, events, summaries …", 0},
    {"raw", NULL, "everything the session ever had, moves too, as it was written", 0},
    {NULL, NULL, NULL, 0},
};

/* What is asked for, and what came of it. */
struct showing {
    struct tine_messages_options spec;
    int64_t limit, tail; /* 0: all */
    int64_t total;       /* messages of the conversation */
    bool more;
    char *files; /* the tree at the message before; NULL: none */
    bool files_known;
};

/* Are the files others than at the message before? False for the first of a list in the middle. */
static bool files_follow(struct showing *showing, const struct tine_message *message)
{
    const char *before = showing->files ? showing->files : "";
    const char *now = message->files ? message->files : "";
    bool changed = showing->files_known && strcmp(before, now) != 0;

    free(showing->files);
    showing->files = message->files ? strdup(message->files) : NULL;
    if (message->files && !showing->files)
        abort();
    showing->files_known = true;
    return changed;
}

static void print_session(struct cli *cli, const struct tine_session *session)
{
    const struct tine_parent *parent = session->parent;

    cli_style(cli, STYLE_BOLD);
    cli_print_line(cli, cli_title(str_of(session->title)), 0);
    cli_style(cli, STYLE_PLAIN);
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "  %s  ", session->id);
    cli_print_count(cli, session->messages, "message");
    if (session->children) {
        cli_print(cli, ", ");
        cli_print_count(cli, session->children, "fork");
    }
    /* how the newest turn stands, when there is something to say about it */
    if (session->turn_state && strcmp(session->turn_state, "done") != 0)
        cli_print(cli, ", turn %s", session->turn_state);
    if (session->archived)
        cli_print(cli, ", archived");
    cli_print(cli, "\n");
    if (parent) {
        cli_print(cli, "forked from \"");
        cli_print_line(cli, cli_title(str_of(parent->title)), 0);
        cli_print(cli, "\"%s with ", parent->deleted ? " (deleted)" : "");
        cli_print_count(cli, parent->index, "message");
        cli_print(cli, "\n");
    }
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
    if (session->messages == 0)
        cli_tell(cli, "no messages yet: tine send %.*s 'hello'",
                 STR_ARG(cli_short_id(str_of(session->id))));
}

static enum fault_code options_read(struct cli *cli, struct showing *out, struct fault *fault)
{
    const char *at = args_value(&cli->args, "at");
    struct fault inner;
    enum fault_code code = cli_int_option(cli, "tail", 1, INT64_MAX, 0, &out->tail, fault);

    if (!code)
        code = cli_int_option(cli, "from", 0, INT64_C(1000000000000), 0, &out->spec.from, fault);
    if (!code)
        code = cli_int_option(cli, "limit", 1, INT64_MAX, 0, &out->limit, fault);
    if (code)
        return code;
    if (out->tail && (out->limit || args_has(&cli->args, "from")))
        return cli_usage(cli, fault, "--tail does not go with --from and --limit");
    if (args_has(&cli->args, "raw") && (at || out->tail || args_has(&cli->args, "from")))
        return cli_usage(cli, fault, "--raw goes only with --limit");
    if (at && point_word_check(at, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    out->spec.at = at;
    out->spec.part = true;
    out->spec.all = args_has(&cli->args, "all");
    out->spec.raw = args_has(&cli->args, "raw");
    return FAULT_OK;
}

/* The last so many begin at a place that depends on how many there are. */
static enum fault_code tail_find(struct cli *cli, const char *session, struct showing *showing,
                                 struct fault *fault)
{
    struct tine_messages_options last = {.at = showing->spec.at, .part = true, .tail = 1};
    struct tine_result *result;
    struct tine_error error;

    if (!tine_messages(cli->tine, session, &last, &result, &error))
        return cli_fault(&error, fault);
    if (result->total > showing->tail)
        showing->spec.from = result->total - showing->tail;
    tine_result_free(result);
    return FAULT_OK;
}

static enum fault_code page_write(struct cli *cli, struct showing *showing,
                                  const struct tine_result *page, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; !code && i < page->message_count; i++) {
        if (cli->as_json)
            json_out_raw(&cli->json, NULL, str_of(page->messages[i].json));
        else
            message_print(cli, &page->messages[i], files_follow(showing, &page->messages[i]));
        code = cli_flush_some(cli, fault);
    }
    return code;
}

static enum fault_code messages_write(struct cli *cli, const char *session, struct showing *showing,
                                      struct fault *fault)
{
    struct tine_messages_options *spec = &showing->spec;
    struct tine_pages pages = {0};
    struct tine_error error;
    enum fault_code code = FAULT_OK;
    int64_t left = showing->limit ? showing->limit : INT64_MAX;

    while (!code && left > 0 && tine_pages_next(&pages, &spec->cursor)) {
        spec->limit = left < LIMIT_PAGE ? left : LIMIT_PAGE;
        if (tine_messages(cli->tine, session, spec, &pages.page, &error)) {
            code = page_write(cli, showing, pages.page, fault);
            left -= (int64_t)pages.page->message_count;
            showing->total = pages.page->total;
            showing->more = pages.page->next != NULL;
        } else {
            code = cli_fault(&error, fault);
        }
    }
    tine_pages_end(&pages);
    return code;
}

static void finish(struct cli *cli, const struct showing *showing)
{
    bool page = showing->more && !showing->spec.raw;

    if (cli->as_json) {
        json_out_array_end(&cli->json);
        if (page && !showing->spec.all)
            json_out_int(&cli->json, "next", showing->spec.from + showing->limit);
        json_out_object_end(&cli->json);
    } else if (page) {
        cli_tell(cli, "there are more: the conversation has %" PRId64 " messages", showing->total);
    }
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct showing showing = {.limit = 0};
    const struct tine_session *session;
    enum fault_code code = options_read(cli, &showing, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code && showing.tail)
        code = tail_find(cli, session->id, &showing, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_raw(&cli->json, "session", str_of(session->json));
        json_out_array(&cli->json, "messages");
    } else {
        print_session(cli, session);
    }
    /* nothing is known of what stands before the first one, unless that is the beginning */
    showing.files_known = showing.spec.from == 0 && !session->parent;
    code = messages_write(cli, session->id, &showing, fault);
    free(showing.files);
    if (!code)
        finish(cli, &showing);
    return code;
}

const struct command command_show = {
    .name = "show",
    .purpose = "show the messages of a session",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes =
        "A rewind takes messages out of this list and a fork begins with those of its source;\n"
        "--raw shows what was rewound away, too.\n",
    .examples = "  tine show demo --tail 5\n"
                "  tine show demo --at @plan\n"
                "  tine show demo --json | python3 -m json.tool\n",
    .run = run,
};
