/* tine sessions: the list of sessions. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "store/limits.h"

#include <inttypes.h>

enum { LIMIT_DEFAULT = 50 };

static const struct option options[] = {
    {"all", NULL, "also the archived ones", 0},
    {"archived", NULL, "only the archived ones", 0},
    {"agent", "NS/NAME", "only those with this agent", 0},
    {"limit", "N", "at most so many (50)", 'n'},
    {"cursor", "CURSOR", "go on where the list before ended (\"next\" in its JSON)", 0},
    {NULL, NULL, NULL, 0},
};

static void print_row(struct cli *cli, const struct tine_session *session)
{
    struct str id = str_of(session->id);

    if (cli->term.is_terminal)
        id = cli_short_id(id);
    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%-*.*s", cli->term.is_terminal ? 16 : ID_TEXT, STR_ARG(id));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_style(cli, STYLE_DIM);
    cli_print_time(cli, session->updated_ms);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  %5" PRId64 " %s", session->messages,
              session->messages == 1 ? "message " : "messages");
    if (session->children)
        cli_print(cli, "  %2" PRId64 " %s", session->children,
                  session->children == 1 ? "fork " : "forks");
    else
        cli_print(cli, "          ");
    cli_print(cli, "  ");
    cli_print_line(cli, cli_title(str_of(session->title)),
                   cli->term.width > 80 ? cli->term.width - 62 : cli->term.width);
    if (session->archived)
        cli_print(cli, " (archived)");
    cli_print(cli, "\n");
}

static enum fault_code page_write(struct cli *cli, const struct tine_result *page,
                                  struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; !code && i < page->session_count; i++) {
        if (cli->as_json)
            json_out_raw(&cli->json, NULL, str_of(page->sessions[i].json));
        else
            print_row(cli, &page->sessions[i]);
        code = cli_flush_some(cli, fault);
    }
    return code;
}

static void finish(struct cli *cli, int64_t limit, int64_t count, const char *next)
{
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        if (next)
            json_out_string(&cli->json, "next", str_of(next));
        json_out_object_end(&cli->json);
    } else if (next) {
        cli_tell(cli, "there are more: --limit %" PRId64 " shows them", limit * 10);
    } else if (count == 0 && args_has(&cli->args, "archived")) {
        cli_tell(cli, "no archived sessions");
    } else if (count == 0) {
        cli_tell(cli, "no sessions yet: tine new --title 'My first', or tine demo for an example");
    }
}

/* A cursor that is none is a fault of the command line. */
static enum fault_code list_failed(struct cli *cli, const struct tine_error *error, bool first,
                                   struct fault *fault)
{
    if (first && error->status == 400 && args_has(&cli->args, "cursor"))
        return cli_usage(cli, fault, "--cursor is none that tine sessions --json gave");
    return cli_fault(error, fault);
}

static enum fault_code list(struct cli *cli, struct tine_list_options *spec, int64_t limit,
                            struct fault *fault)
{
    struct tine_pages pages = {0};
    struct tine_error error;
    enum fault_code code = FAULT_OK;
    int64_t count = 0;

    while (!code && count < limit && tine_pages_next(&pages, &spec->cursor)) {
        spec->limit = limit - count < LIMIT_PAGE ? limit - count : LIMIT_PAGE;
        if (tine_sessions(cli->tine, spec, &pages.page, &error)) {
            code = page_write(cli, pages.page, fault);
            count += (int64_t)pages.page->session_count;
        } else {
            code = list_failed(cli, &error, count == 0, fault);
        }
    }
    if (!code)
        finish(cli, limit, count, pages.page ? pages.page->next : NULL);
    tine_pages_end(&pages);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_list_options spec = {.cursor = args_value(&cli->args, "cursor")};
    int64_t limit;
    enum fault_code code = cli_word_option(cli, "agent", &spec.agent, fault);

    if (!code)
        code = cli_int_option(cli, "limit", 1, LIMIT_SESSIONS, LIMIT_DEFAULT, &limit, fault);
    if (!code)
        code = cli_connect(cli, fault);
    if (code)
        return code;
    if (args_has(&cli->args, "archived"))
        spec.archived = TINE_ONLY_ARCHIVED;
    else if (args_has(&cli->args, "all"))
        spec.archived = TINE_ALSO_ARCHIVED;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "sessions");
    }
    return list(cli, &spec, limit, fault);
}

const struct command command_sessions = {
    .name = "sessions",
    .purpose = "list the sessions, the one last written to first",
    .words = "",
    .options = options,
    .notes =
        "A line shows the session's id (on a terminal its last 8 characters, which are enough\n"
        "to name it), when it was last written to, its messages, its forks and its title.\n",
    .examples = "  tine sessions --all\n"
                "  tine sessions --json --limit 10\n",
    .run = run,
};
