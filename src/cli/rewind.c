/* tine rewind, undo, redo: a session goes back, and forward again. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/files_print.h"
#include "cli/move_answer.h"
#include "cli/point_word.h"
#include "cli/scope.h"

static const struct option rewind_options[] = {
    POINT_OPTIONS,
    SCOPE_OPTIONS,
    FORCE_OPTION,
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static const struct option undo_options[] = {
    FORCE_OPTION,
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

typedef bool tine_verb(struct tine *, const char *, const struct tine_move_options *,
                       struct tine_result **, struct tine_error *);

static enum fault_code move(struct cli *cli, struct tine_move_options *spec, tine_verb *verb,
                            struct fault *fault)
{
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;
    enum fault_code code = cli_word_option(cli, "expect-head", &spec->expect_head, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec->dry_run = args_has(&cli->args, "dry-run");
    spec->force = args_has(&cli->args, "force");
    if (!verb(cli->tine, session->id, spec, &result, &error))
        return files_fault(cli, &error, FORCE_WORDS, fault);
    cli_keep(cli, result);
    return move_answer(cli, spec->dry_run, result, fault);
}

static enum fault_code run_rewind(struct cli *cli, struct fault *fault)
{
    struct tine_move_options spec = {0};
    enum fault_code code = point_options(cli, &spec.point, fault);

    if (!code)
        code = scope_options(cli, &spec.scope, fault);
    if (!code && !point_is_named(&spec.point))
        code = cli_usage(cli, fault, "where to? give --before, --after or --before-turn");
    return code ? code : move(cli, &spec, tine_rewind, fault);
}

static enum fault_code run_undo(struct cli *cli, struct fault *fault)
{
    struct tine_move_options spec = {0};

    return move(cli, &spec, tine_undo, fault);
}

static enum fault_code run_redo(struct cli *cli, struct fault *fault)
{
    struct tine_move_options spec = {0};

    return move(cli, &spec, tine_redo, fault);
}

const struct command command_rewind = {
    .name = "rewind",
    .purpose = "take a session back to any message it ever had; prints the session's id",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = rewind_options,
    .notes =
        "Nothing is lost: what is rewound away stays, for undo, for forks and in the tree. The\n"
        "files go back with the conversation. Those that somebody else has changed since are\n"
        "conflicts: they are listed, and nothing changes.\n",
    .examples = "  tine rewind demo --before -1\n"
                "  tine rewind demo --after '#3' --dry-run\n"
                "  tine rewind demo --after '#3' --files\n",
    .run = run_rewind,
};

const struct command command_undo = {
    .name = "undo",
    .purpose = "take back the newest rewind, redo, adopt or merge",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = undo_options,
    .notes = "Any number of times; tine redo goes forward again.\n",
    .examples = "  tine undo demo\n",
    .run = run_undo,
};

const struct command command_redo = {
    .name = "redo",
    .purpose = "take back the newest undo",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = undo_options,
    .examples = "  tine redo demo\n",
    .run = run_redo,
};
