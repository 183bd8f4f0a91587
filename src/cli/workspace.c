/* tine workspace: the directory that a session works in. */
#include "cli/attach.h"
#include "cli/commands.h"
#include "cli/connect.h"

static enum fault_code set(struct cli *cli, const char *session, const char *mode, const char *dir,
                           struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_workspace_set(cli->tine, session, mode, dir, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    cli_print(cli, "%s\n", result->session->id);
    if (dir)
        cli_tell(cli, "works in %s now", dir);
    else
        cli_tell(cli, "works in a directory of its own now");
    return FAULT_OK;
}

static enum fault_code show(struct cli *cli, const char *session, struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_workspace(cli->tine, session, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    if (result->workspace_dir) {
        /* as it is, for cd; on a terminal made safe */
        if (cli->term.is_terminal)
            cli_print_line(cli, str_of(result->workspace_dir), 0);
        else
            buf_add_text(&cli->text, result->workspace_dir);
        cli_print(cli, "\n");
        cli_tell(cli, "%s",
                 strcmp(result->workspace_mode, "attached") == 0 ? "attached" : "its own");
    } else if (strcmp(result->workspace_mode, "none") == 0) {
        cli_tell(cli, "the session has no files");
    } else {
        cli_tell(cli, "%s; the server does not tell you where", result->workspace_mode);
    }
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const char *verb = cli->args.words[0], *dir = NULL;
    bool attaches = strcmp(verb, "attach") == 0;
    const struct tine_session *session;
    enum fault_code code = FAULT_OK;

    if (!attaches && strcmp(verb, "detach") != 0 && strcmp(verb, "show") != 0)
        return cli_usage(cli, fault, "\"%s\" is none of attach, detach and show", verb);
    if (attaches && cli->args.word_count < 3)
        return cli_usage(cli, fault, "the directory is missing: tine workspace attach SESSION DIR");
    if (!attaches && cli->args.word_count > 2)
        return cli_usage(cli, fault, "unexpected argument \"%s\"", cli->args.words[2]);
    if (attaches)
        code = attach_dir(cli, cli->args.words[2], &dir, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[1], &session, fault);
    if (code)
        return code;
    if (strcmp(verb, "show") == 0)
        return show(cli, session->id, fault);
    return set(cli, session->id, attaches ? "attached" : "own", dir, fault);
}

const struct command command_workspace = {
    .name = "workspace",
    .purpose = "let a session work in a directory that is there, or in one of its own",
    .words = "attach|detach|show SESSION [DIR]",
    .words_min = 2,
    .words_max = 3,
    .notes =
        "attach: in DIR, a directory of the machine that the server runs on. detach: in one of\n"
        "its own again, with the files as they are now; DIR is left as it is. show prints the\n"
        "directory, and lays it out.\n",
    .examples = "  tine workspace attach demo ~/project\n"
                "  cd \"$(tine workspace show demo)\"\n"
                "  tine workspace detach demo\n",
    .run = run,
};
