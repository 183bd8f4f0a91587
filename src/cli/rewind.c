/* tine rewind, undo, redo: a session goes back, and forward again. */
#include "cli/commands.h"
#include "cli/move_answer.h"
#include "cli/point_word.h"
#include "dialect/native/object.h"

static const struct option rewind_options[] = {
    POINT_OPTIONS,
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static const struct option undo_options[] = {
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

typedef enum fault_code engine_verb(struct engine *, struct move_spec *, struct arena *,
                                    struct move_result *, struct fault *);

static enum fault_code move(struct cli *cli, struct move_spec *spec, engine_verb *verb,
                            struct fault *fault)
{
    struct move_result result;
    struct session session;
    enum fault_code code = cli_text_option(cli, "expect-head", &spec->expect_head, fault);

    if (!code)
        code = cli_open(cli, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec->owner = cli->owner;
    spec->session = session.id;
    spec->dry_run = args_has(&cli->args, "dry-run");
    code = verb(cli->engine, spec, &cli->arena, &result, fault);
    if (!code)
        move_answer(cli, spec->act, spec->dry_run, &result);
    return code;
}

static enum fault_code run_rewind(struct cli *cli, struct fault *fault)
{
    struct move_spec spec = {.act = MOVE_REWIND};
    enum fault_code code = point_options(cli, &spec.point, fault);

    if (!code && spec.point.by == POINT_END)
        code = cli_usage(cli, fault, "where to? give --before, --after or --before-turn");
    return code ? code : move(cli, &spec, engine_rewind, fault);
}

static enum fault_code run_undo(struct cli *cli, struct fault *fault)
{
    struct move_spec spec = {.act = MOVE_UNDO};

    return move(cli, &spec, engine_undo, fault);
}

static enum fault_code run_redo(struct cli *cli, struct fault *fault)
{
    struct move_spec spec = {.act = MOVE_REDO};

    return move(cli, &spec, engine_redo, fault);
}

const struct command command_rewind = {
    .name = "rewind",
    .purpose = "take a session back to any message it ever had; prints the session's id",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = rewind_options,
    .notes = "Nothing is lost: what is rewound away stays, for undo, for forks and in the tree.\n",
    .examples = "  tine rewind demo --before -1\n"
                "  tine rewind demo --after '#3' --dry-run\n",
    .run = run_rewind,
};

const struct command command_undo = {
    .name = "undo",
    .purpose = "take back the newest rewind, redo or adopt",
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
