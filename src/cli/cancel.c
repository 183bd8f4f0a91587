/* tine cancel: stops the turn that runs in a session. */
#include "cli/commands.h"
#include "cli/connect.h"

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;

    if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_cancel(cli->tine, session->id, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        cli_print(cli, "%s\n", session->id);
    cli_tell(cli, "stopped; what was said so far is kept");
    return FAULT_OK;
}

const struct command command_cancel = {
    .name = "cancel",
    .purpose = "stop the turn that runs in a session; prints the session's id",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .notes =
        "What was said stays and is marked as interrupted. When no turn is running, that is a\n"
        "conflict.\n",
    .examples = "  tine cancel demo\n",
    .run = run,
};
