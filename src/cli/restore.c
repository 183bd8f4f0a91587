/* tine restore: one file, or one directory, as it was at a message. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/file_word.h"
#include "cli/files_print.h"

static const struct option options[] = {
    {"at", "MSG", "as it was after this message; then an @ belongs to the path", 0},
    {NULL, NULL, NULL, 0},
};

static void answer(struct cli *cli, const struct tine_session *session,
                   const struct tine_result *result)
{
    struct buf text;

    buf_init(&text, 256);
    files_add_counts(&text, result->report, "");
    cli_print(cli, "%s\n", session->id);
    cli_tell(cli, "%s", text.n ? buf_str(&text).p + 2 : "it is so already");
    files_warn_skipped(cli, result->report);
    buf_clear(&text);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;
    const char *path, *at;
    enum fault_code code = file_word_place(cli, cli->args.words[1], &path, &at, fault);

    if (!code && !at)
        code = cli_usage(cli, fault, "as it was when? give PATH@MSG, or --at MSG");
    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    if (!tine_restore(cli->tine, session->id, path, at, true, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        answer(cli, session, result);
    return FAULT_OK;
}

const struct command command_restore = {
    .name = "restore",
    .purpose = "bring one file back as it was at a message; prints the session's id",
    .words = "SESSION PATH[@MSG]",
    .words_min = 2,
    .words_max = 2,
    .options = options,
    .notes =
        "A directory comes back with all that was in it. The conversation stays as it is. How\n"
        "the file was before is recorded first, and tine undo brings it back.\n",
    .examples = "  tine restore demo src/main.c@#3\n"
                "  tine restore demo src --at @plan\n",
    .run = run,
};
