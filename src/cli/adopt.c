/* tine adopt: a session takes over what a fork of it, or its source, has. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/files_print.h"
#include "cli/move_answer.h"
#include "cli/scope.h"

static const struct option options[] = {
    SCOPE_OPTIONS,
    FORCE_OPTION,
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_move_options spec = {.dry_run = args_has(&cli->args, "dry-run"),
                                     .force = args_has(&cli->args, "force")};
    const struct tine_session *session, *from;
    struct tine_result *result;
    struct tine_error error;
    enum fault_code code = cli_word_option(cli, "expect-head", &spec.expect_head, fault);

    if (!code)
        code = scope_options(cli, &spec.scope, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[1], &from, fault);
    if (code)
        return code;
    if (!tine_adopt(cli->tine, session->id, from->id, &spec, &result, &error))
        return files_fault(cli, &error, FORCE_WORDS, fault);
    cli_keep(cli, result);
    return move_answer(cli, spec.dry_run, result, fault);
}

const struct command command_adopt = {
    .name = "adopt",
    .purpose = "keep the winner: take over what another session of the family has",
    .words = "SESSION FROM",
    .words_min = 2,
    .words_max = 2,
    .options = options,
    .notes = "SESSION goes back to where FROM parted from it and gets what FROM has since, files\n"
             "included. It is one act, and tine undo takes it back as one. FROM is not touched.\n",
    .examples = "  tine adopt demo 'Plan the trip (fork 2)'\n",
    .run = run,
};
