/* tine show: the messages of a session. */
#include "cli/commands.h"
#include "cli/message_print.h"
#include "cli/point_word.h"
#include "dialect/native/object.h"

#include <inttypes.h>

static const struct option options[] = {
    {"at", "MSG", "the conversation as it was after this message", 0},
    {"tail", "N", "only the last N messages", 0},
    {"from", "N", "begin at place N", 0},
    {"limit", "N", "at most N messages", 'n'},
    {"all", NULL, "also system messages, events, summaries …", 0},
    {"raw", NULL, "everything the session ever had, moves too, as it was written", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct cli *cli = context;

    if (cli->as_json)
        object_write_entry(&cli->json, NULL, entry);
    else
        message_print(cli, entry);
    return cli_flush_some(cli, fault);
}

static void print_session(struct cli *cli, const struct session *session)
{
    const struct session_parent *parent = &session->parent;

    cli_style(cli, STYLE_BOLD);
    cli_print_line(cli, cli_title(session->title), 0);
    cli_style(cli, STYLE_PLAIN);
    cli_style(cli, STYLE_DIM);
    cli_print(cli, "  %.*s  ", STR_ARG(session->id));
    cli_print_count(cli, session->messages, "message");
    if (session->children) {
        cli_print(cli, ", ");
        cli_print_count(cli, session->children, "fork");
    }
    if (session->archived)
        cli_print(cli, ", archived");
    cli_print(cli, "\n");
    if (parent->known) {
        cli_print(cli, "forked from \"");
        cli_print_line(cli, cli_title(parent->title), 0);
        cli_print(cli, "\"%s with ", parent->deleted ? " (deleted)" : "");
        cli_print_count(cli, session->fork_index, "message");
        cli_print(cli, "\n");
    }
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "\n");
    if (session->messages == 0)
        cli_tell(cli, "no messages yet: tine send %.*s --no-run 'hello'",
                 STR_ARG(cli_short_id(session->id)));
}

static enum fault_code spec_read(struct cli *cli, struct history_spec *spec, struct fault *fault)
{
    const char *at = args_value(&cli->args, "at");
    int64_t tail = 0;
    struct fault inner;
    enum fault_code code = cli_int_option(cli, "tail", 1, INT64_MAX, 0, &tail, fault);

    if (!code)
        code = cli_int_option(cli, "from", 0, INT64_MAX, 0, &spec->from, fault);
    if (!code)
        code = cli_int_option(cli, "limit", 1, INT64_MAX, 0, &spec->limit, fault);
    if (code)
        return code;
    if (tail && (spec->limit || args_has(&cli->args, "from")))
        return cli_usage(cli, fault, "--tail does not go with --from and --limit");
    if (args_has(&cli->args, "raw") && (at || tail || args_has(&cli->args, "from")))
        return cli_usage(cli, fault, "--raw goes only with --limit");
    if (at && point_word(at, &spec->at, &inner))
        return cli_usage(cli, fault, "%s", inner.message);
    spec->at.guard = GUARD_NONE;
    spec->all = args_has(&cli->args, "all");
    if (tail) {
        spec->tail = true;
        spec->limit = tail;
    }
    return FAULT_OK;
}

/* The entries, from the effective history or the raw log. */
static enum fault_code entries(struct cli *cli, const struct history_spec *spec,
                               struct history_info *info, struct fault *fault)
{
    struct log_spec raw = {.owner = spec->owner, .session = spec->session, .limit = spec->limit};

    if (args_has(&cli->args, "raw"))
        return store_raw_log(cli->store, &raw, visit, cli, fault);
    return store_history(cli->store, spec, visit, cli, info, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct history_spec spec = {.at = {.by = POINT_END, .side = SIDE_AFTER}};
    struct history_info info = {0};
    struct session session;
    enum fault_code code = spec_read(cli, &spec, fault);

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
        object_write_session(&cli->json, "session", &session);
        json_out_array(&cli->json, "messages");
    } else {
        print_session(cli, &session);
    }
    code = entries(cli, &spec, &info, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_array_end(&cli->json);
        if (info.more && !spec.tail && !spec.all)
            json_out_int(&cli->json, "next", spec.from + spec.limit);
        json_out_object_end(&cli->json);
    } else if (info.more && !spec.tail) {
        cli_tell(cli, "there are more: the conversation has %" PRId64 " messages", info.total);
    }
    return FAULT_OK;
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
