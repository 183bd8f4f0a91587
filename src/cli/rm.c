/* tine rm: deletes a session. */
#include "cli/commands.h"
#include "cli/context.h"

static const struct option options[] = {
    {"purge", NULL, "also empty the messages that no living session shows", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct delete_spec spec = {.purge = args_has(&cli->args, "purge")};
    struct session session;
    enum fault_code code = cli_open(cli, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec.owner = cli->owner;
    spec.session = session.id;
    code = engine_delete(cli->engine, &spec, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "deleted", session.id);
        json_out_object_end(&cli->json);
    } else {
        cli_print(cli, "%.*s\n", STR_ARG(session.id));
    }
    cli_tell(cli, "deleted \"%.*s\"%s", STR_ARG(cli_title(session.title)),
             session.children ? "; its forks keep what they have" : "");
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
