/* tine new: a new session. */
#include "cli/attach.h"
#include "cli/commands.h"
#include "cli/connect.h"

static const struct option options[] = {
    {"title", "TITLE", "its title", 0},
    {"agent", "NS/NAME", "the agent it is with (else the default one)", 0},
    {"metadata", "JSON", "an object that is kept with it", 0},
    {"limits", "JSON", "an object of limits that is kept with it", 0},
    {"state", "JSON", "its first state: an object of keys and values", 0},
    {"id", "ID", "its id (else one is made): at most 128 of A-Za-z0-9._:-", 0},
    {"attach", "DIR", "it works in this directory (else in one of its own)", 0},
    {"no-files", NULL, "it works in none", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code workspace_options(struct cli *cli, struct tine_session_options *out,
                                         struct fault *fault)
{
    const char *dir = args_value(&cli->args, "attach");

    if (args_has(&cli->args, "no-files")) {
        if (dir)
            return cli_usage(cli, fault, "--attach and --no-files do not go together");
        out->workspace_mode = "none";
    }
    if (!dir)
        return FAULT_OK;
    out->workspace_mode = "attached";
    return attach_dir(cli, dir, &out->workspace_dir, fault);
}

static enum fault_code options_read(struct cli *cli, struct tine_session_options *out,
                                    struct fault *fault)
{
    enum fault_code code = cli_word_option(cli, "title", &out->title, fault);

    if (!code)
        code = cli_word_option(cli, "agent", &out->agent, fault);
    if (!code)
        code = cli_word_option(cli, "id", &out->id, fault);
    if (!code)
        code = cli_object_option(cli, "metadata", &out->metadata, fault);
    if (!code)
        code = cli_object_option(cli, "limits", &out->limits, fault);
    if (!code)
        code = cli_object_option(cli, "state", &out->state, fault);
    return code ? code : workspace_options(cli, out, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_session_options spec = {0};
    struct tine_result *result;
    struct tine_error error;

    if (options_read(cli, &spec, fault) != FAULT_OK || cli_connect(cli, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_create(cli->tine, &spec, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json) {
        cli_print_json(cli, result->json);
        return FAULT_OK;
    }
    cli_print(cli, "%s\n", result->session->id);
    cli_tell(cli, "made \"%.*s\"; now: tine send %.*s 'hello'",
             STR_ARG(cli_title(str_of(result->session->title))),
             STR_ARG(cli_short_id(str_of(result->session->id))));
    return FAULT_OK;
}

const struct command command_new = {
    .name = "new",
    .purpose = "begin a session; prints its id",
    .words = "",
    .options = options,
    .examples = "  id=$(tine new --title 'Plan the trip')\n"
                "  tine new --agent acme/coder --state '{\"language\":\"en\"}'\n"
                "  tine new --attach ~/project\n",
    .run = run,
};
