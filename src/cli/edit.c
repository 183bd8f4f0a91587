/* tine rename, edit: what is known of a session besides its conversation. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/connect.h"

static const struct option edit_options[] = {
    {"title", "TITLE", "its title", 0},
    {"metadata", "JSON", "the object that is kept with it", 0},
    {"limits", "JSON", "its limits, an object", 0},
    {"archive", NULL, "leave it out of lists", 0},
    {"unarchive", NULL, "show it in lists again", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code update(struct cli *cli, const struct tine_update_options *spec,
                              struct fault *fault)
{
    const struct tine_session *session;
    struct tine_result *result;
    struct tine_error error;

    if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!tine_update(cli->tine, session->id, spec, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else
        cli_print(cli, "%s\n", result->session->id);
    cli_tell(cli, "\"%.*s\" is changed", STR_ARG(cli_title(str_of(result->session->title))));
    return FAULT_OK;
}

static enum fault_code run_rename(struct cli *cli, struct fault *fault)
{
    struct tine_update_options spec = {.title = cli->args.words[1]};

    if (!utf8_valid(str_of(spec.title)))
        return cli_usage(cli, fault, "the title is not valid UTF-8");
    return update(cli, &spec, fault);
}

static enum fault_code run_edit(struct cli *cli, struct fault *fault)
{
    struct tine_update_options spec = {0};
    bool archive = args_has(&cli->args, "archive"), unarchive = args_has(&cli->args, "unarchive");
    enum fault_code code = cli_word_option(cli, "title", &spec.title, fault);

    if (!code)
        code = cli_object_option(cli, "metadata", &spec.metadata, fault);
    if (!code)
        code = cli_object_option(cli, "limits", &spec.limits, fault);
    if (code)
        return code;
    if (archive && unarchive)
        return cli_usage(cli, fault, "--archive and --unarchive do not go together");
    spec.archived = archive || unarchive ? &archive : NULL;
    if (!spec.title && !spec.metadata && !spec.limits && !spec.archived)
        return cli_usage(cli, fault, "what is to be changed?");
    return update(cli, &spec, fault);
}

const struct command command_rename = {
    .name = "rename",
    .purpose = "give a session another title",
    .words = "SESSION TITLE",
    .words_min = 2,
    .words_max = 2,
    .examples = "  tine rename 7c1e22a0 'By train'\n",
    .run = run_rename,
};

const struct command command_edit = {
    .name = "edit",
    .purpose = "change a session's title, metadata or limits, or archive it",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = edit_options,
    .examples = "  tine edit demo --archive\n"
                "  tine edit demo --metadata '{\"ticket\":17}'\n",
    .run = run_edit,
};
