/* tine fork: a new session that begins at a place of another. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/files_print.h"
#include "cli/point_word.h"

#include <inttypes.h>

static const struct option options[] = {
    POINT_OPTIONS,
    {"title", "TITLE", "its title (else \"… (fork N)\")", 0},
    {"agent", "NS/NAME", "its agent (else the source's)", 0},
    {"metadata", "JSON", "its metadata (else the source's)", 0},
    {"id", "ID", "its id (else one is made)", 0},
    {"files", "WHICH", "point: as they were there (the default); live: as they are now; none", 0},
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code files_option(struct cli *cli, const char **out, struct fault *fault)
{
    const char *word = args_value(&cli->args, "files");

    *out = word;
    if (word && strcmp(word, "point") != 0 && strcmp(word, "live") != 0 &&
        strcmp(word, "none") != 0)
        return cli_usage(cli, fault, "--files must be point, live or none");
    return FAULT_OK;
}

static enum fault_code options_read(struct cli *cli, struct tine_fork_options *out,
                                    struct fault *fault)
{
    enum fault_code code = point_options(cli, &out->point, fault);

    if (!code)
        code = cli_word_option(cli, "title", &out->title, fault);
    if (!code)
        code = cli_word_option(cli, "agent", &out->agent, fault);
    if (!code)
        code = cli_object_option(cli, "metadata", &out->metadata, fault);
    if (!code)
        code = cli_word_option(cli, "id", &out->id, fault);
    if (!code)
        code = cli_word_option(cli, "expect-head", &out->expect_head, fault);
    if (!code)
        code = files_option(cli, &out->files, fault);
    out->dry_run = args_has(&cli->args, "dry-run");
    return code;
}

static void answer(struct cli *cli, bool dry_run, const struct tine_result *result)
{
    const struct tine_session *session = result->session;
    const struct tine_point *point = result->point;

    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return;
    }
    if (dry_run) {
        cli_print(cli, "would make \"");
        cli_print_line(cli, cli_title(str_of(session->title)), 0);
        cli_print(cli, "\" with ");
        cli_print_count(cli, point->index, "message");
        cli_print(cli, point->snapped ? ", snapped to the nearest good place\n" : "\n");
        files_print_report(cli, result);
        return;
    }
    cli_print(cli, "%s\n", session->id);
    cli_tell(cli, "forked \"%.*s\" with %" PRId64 " message%s%s",
             STR_ARG(cli_title(str_of(session->title))), point->index, point->index == 1 ? "" : "s",
             point->snapped ? ", snapped to the nearest good place" : "");
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_fork_options spec = {0};
    const struct tine_session *source;
    struct tine_result *result;
    struct tine_error error;
    enum fault_code code = options_read(cli, &spec, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &source, fault);
    if (code)
        return code;
    if (!tine_fork(cli->tine, source->id, &spec, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (!result->session || !result->point)
        return fault_set(fault, FAULT_IO, "the reply of the server has no session");
    answer(cli, spec.dry_run, result);
    return FAULT_OK;
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
