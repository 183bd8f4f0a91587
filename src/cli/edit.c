/* tine rename, edit: what is known of a session besides its conversation. */
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "dialect/native/object.h"

static const struct option edit_options[] = {
    {"title", "TITLE", "its title", 0},
    {"metadata", "JSON", "the object that is kept with it", 0},
    {"limits", "JSON", "its limits, an object", 0},
    {"archive", NULL, "leave it out of lists", 0},
    {"unarchive", NULL, "show it in lists again", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code update(struct cli *cli, struct update_spec *spec, struct fault *fault)
{
    struct session session;
    enum fault_code code = cli_open(cli, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (code)
        return code;
    spec->owner = cli->owner;
    spec->session = session.id;
    code = engine_update(cli->engine, spec, &cli->arena, &session, fault);
    if (code)
        return code;
    if (cli->as_json)
        object_write_session(&cli->json, NULL, &session);
    else
        cli_print(cli, "%.*s\n", STR_ARG(session.id));
    cli_tell(cli, "\"%.*s\" is changed", STR_ARG(cli_title(session.title)));
    return FAULT_OK;
}

static enum fault_code run_rename(struct cli *cli, struct fault *fault)
{
    struct str title = str_of(cli->args.words[1]);
    struct update_spec spec = {.title = &title};

    if (!utf8_valid(title))
        return cli_usage(cli, fault, "the title is not valid UTF-8");
    return update(cli, &spec, fault);
}

static enum fault_code run_edit(struct cli *cli, struct fault *fault)
{
    struct str title = STR_NONE, metadata = STR_NONE, limits = STR_NONE;
    struct update_spec spec = {0};
    bool archive = args_has(&cli->args, "archive"), unarchive = args_has(&cli->args, "unarchive");
    enum fault_code code = cli_text_option(cli, "title", &title, fault);

    if (!code)
        code = cli_json_option(cli, "metadata", &metadata, fault);
    if (!code)
        code = cli_json_option(cli, "limits", &limits, fault);
    if (code)
        return code;
    if (archive && unarchive)
        return cli_usage(cli, fault, "--archive and --unarchive do not go together");
    spec.title = title.p ? &title : NULL;
    spec.metadata = metadata.p ? &metadata : NULL;
    spec.limits = limits.p ? &limits : NULL;
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
