/* tine fork: a new session that begins at a place of another. */
#include "cli/commands.h"
#include "cli/point_word.h"
#include "dialect/native/object.h"

#include <inttypes.h>

static const struct option options[] = {
    POINT_OPTIONS,
    {"title", "TITLE", "its title (else \"… (fork N)\")", 0},
    {"agent", "NS/NAME", "its agent (else the source's)", 0},
    {"metadata", "JSON", "its metadata (else the source's)", 0},
    {"id", "ID", "its id (else one is made)", 0},
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code spec_read(struct cli *cli, struct fork_spec *spec, struct str texts[3],
                                 struct fault *fault)
{
    enum fault_code code = point_options(cli, &spec->point, fault);

    if (!code)
        code = cli_text_option(cli, "title", &texts[0], fault);
    if (!code)
        code = cli_text_option(cli, "agent", &texts[1], fault);
    if (!code)
        code = cli_json_option(cli, "metadata", &texts[2], fault);
    if (!code)
        code = cli_text_option(cli, "id", &spec->id, fault);
    if (!code)
        code = cli_text_option(cli, "expect-head", &spec->expect_head, fault);
    spec->title = texts[0].p ? &texts[0] : NULL;
    spec->agent = texts[1].p ? &texts[1] : NULL;
    spec->metadata = texts[2].p ? &texts[2] : NULL;
    spec->dry_run = args_has(&cli->args, "dry-run");
    return code;
}

static void answer(struct cli *cli, const struct fork_spec *spec, const struct fork_result *result)
{
    const struct session *session = &result->session;

    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        object_write_fork(&cli->json, result);
        json_out_object_end(&cli->json);
        return;
    }
    if (spec->dry_run) {
        cli_print(cli, "would make \"");
        cli_print_line(cli, session->title, 0);
        cli_print(cli, "\" with ");
        cli_print_count(cli, result->point.index, "message");
        cli_print(cli, result->point.snapped ? ", snapped to the nearest good place\n" : "\n");
        return;
    }
    cli_print(cli, "%.*s\n", STR_ARG(session->id));
    cli_tell(cli, "forked \"%.*s\" with %" PRId64 " message%s%s",
             STR_ARG(cli_title(session->title)), result->point.index,
             result->point.index == 1 ? "" : "s",
             result->point.snapped ? ", snapped to the nearest good place" : "");
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct fork_spec spec = {0};
    struct fork_result result;
    struct session source;
    struct str texts[3] = {STR_NONE, STR_NONE, STR_NONE};
    enum fault_code code = spec_read(cli, &spec, texts, fault);

    if (!code)
        code = cli_open(cli, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &source, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    spec.session = source.id;
    code = engine_fork(cli->engine, &spec, &cli->arena, &result, fault);
    if (!code)
        answer(cli, &spec, &result);
    return code;
}

const struct command command_fork = {
    .name = "fork",
    .purpose = "begin a new session at any message of another; prints its id",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes = "The source is not touched. Without a point the fork has everything the source has.\n"
             "It takes the same moment however long the conversation is.\n",
    .examples = "  tine fork 7c1e22a0\n"
                "  new=$(tine fork 'Plan the trip' --before '#4' --title 'By train')\n"
                "  tine fork demo --after @plan --dry-run\n",
    .run = run,
};
