/* tine rm: deletes a session. */
#include "cli/commands.h"
#include "cli/connect.h"

static const struct option options[] = {
    {"purge", NULL, "also empty the messages that no living session shows", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const struct tine_session *session;
    struct tine_error error;

    if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_delete(cli->tine, session->id, args_has(&cli->args, "purge"), &error))
        return cli_fault(&error, fault);
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "deleted", str_of(session->id));
        json_out_object_end(&cli->json);
    } else {
        cli_print(cli, "%s\n", session->id);
    }
    cli_tell(cli, "deleted \"%.*s\"%s", STR_ARG(cli_title(str_of(session->title))),
             session->children ? "; its forks keep what they have" : "");
    return FAULT_OK;
}

const struct command command_rm = {
    .name = "rm",
    .purpose = "delete a session; its forks keep what they have",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes =
        "This cannot be undone. Messages that a fork began with stay for that fork. With --purge\n"
        "the content of messages that were rewound away, or stand behind the last fork, goes at\n"
        "once, and only their hashes stay.\n",
    .examples = "  tine rm 7c1e22a0\n",
    .run = run,
};
