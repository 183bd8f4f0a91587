/* tine sessions: the list of sessions. */
#include "cli/commands.h"
#include "cli/context.h"
#include "dialect/native/object.h"
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

struct listing {
    struct cli *cli;
    int64_t limit, count;
    bool more;
    int64_t last_us, last_s; /* of the last one given */
};

static void print_row(struct cli *cli, const struct session *session)
{
    struct str id = cli->term.is_terminal ? cli_short_id(session->id) : session->id;

    cli_style(cli, STYLE_NAME);
    cli_print(cli, "%-*.*s", cli->term.is_terminal ? 16 : ID_TEXT, STR_ARG(id));
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  ");
    cli_style(cli, STYLE_DIM);
    cli_print_time(cli, session->updated_us);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  %5" PRId64 " %s", session->messages,
              session->messages == 1 ? "message " : "messages");
    if (session->children)
        cli_print(cli, "  %2" PRId64 " %s", session->children,
                  session->children == 1 ? "fork " : "forks");
    else
        cli_print(cli, "          ");
    cli_print(cli, "  ");
    cli_print_line(cli, cli_title(session->title),
                   cli->term.width > 80 ? cli->term.width - 62 : cli->term.width);
    if (session->archived)
        cli_print(cli, " (archived)");
    cli_print(cli, "\n");
}

/* One more than was asked for is read, so that it is known whether there are more. */
static enum fault_code visit(void *context, const struct session *session, struct fault *fault)
{
    struct listing *listing = context;
    struct cli *cli = listing->cli;

    if (listing->count == listing->limit) {
        listing->more = true;
        return FAULT_OK;
    }
    listing->count++;
    listing->last_us = session->updated_us;
    listing->last_s = session->s;
    if (cli->as_json)
        object_write_session_row(&cli->json, NULL, session);
    else
        print_row(cli, session);
    return cli_flush_some(cli, fault);
}

/* A cursor is the time and the number of the last session seen. */
static enum fault_code cursor_read(struct cli *cli, struct list_spec *spec, struct fault *fault)
{
    const char *cursor = args_value(&cli->args, "cursor");
    int end = 0;

    if (cursor && (sscanf(cursor, "%" SCNd64 ".%" SCNd64 "%n", &spec->before_us, &spec->before_s,
                          &end) != 2 ||
                   cursor[end] != '\0'))
        return cli_usage(cli, fault, "--cursor is none that tine sessions --json gave");
    return FAULT_OK;
}

static void finish(struct cli *cli, const struct listing *listing)
{
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        if (listing->more) {
            struct str next = arena_printf(&cli->arena, "%" PRId64 ".%" PRId64, listing->last_us,
                                           listing->last_s);

            json_out_string(&cli->json, "next", next);
        }
        json_out_object_end(&cli->json);
    } else if (listing->more) {
        cli_tell(cli, "there are more: --limit %" PRId64 " shows them", listing->limit * 10);
    } else if (listing->count == 0 && args_has(&cli->args, "archived")) {
        cli_tell(cli, "no archived sessions");
    } else if (listing->count == 0) {
        cli_tell(cli, "no sessions yet: tine new --title 'My first', or tine demo for an example");
    }
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct list_spec spec = {0};
    struct listing listing = {.cli = cli};
    enum fault_code code = cli_text_option(cli, "agent", &spec.agent, fault);

    if (!code)
        code =
            cli_int_option(cli, "limit", 1, LIMIT_SESSIONS, LIMIT_DEFAULT, &listing.limit, fault);
    if (!code)
        code = cursor_read(cli, &spec, fault);
    if (!code)
        code = cli_open(cli, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    spec.limit = listing.limit + 1;
    if (args_has(&cli->args, "archived"))
        spec.archived = 1;
    else if (args_has(&cli->args, "all"))
        spec.archived = -1;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "sessions");
    }
    code = store_session_list(cli->store, &spec, visit, &listing, fault);
    if (!code)
        finish(cli, &listing);
    return code;
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
