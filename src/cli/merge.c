/* tine merge: the file changes of another session of the family come into this one. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/files_print.h"

static const struct option options[] = {
    {"force", NULL, "where both changed the same, take what FROM has", 0},
    {"expect-head", "ID", "refuse when the newest message is another", 0},
    {"dry-run", NULL, "say what would happen and change nothing", 0},
    {NULL, NULL, NULL, 0},
};

static void print_dry(struct cli *cli, const struct tine_result *result, bool force)
{
    struct buf text;

    buf_init(&text, 256);
    files_add_counts(&text, result->report, "would be ");
    cli_print(cli, "merge: %s\n", text.n ? buf_str(&text).p + 2 : "no file would change");
    buf_clear(&text);
    files_print_report(cli, result);
    if (result->conflict_count && !force)
        cli_print(cli, "it would be refused; --force takes what FROM has\n");
}

static void answer(struct cli *cli, const struct tine_result *result,
                   const struct tine_session *from)
{
    struct buf text;

    buf_init(&text, 256);
    files_add_counts(&text, result->report, "");
    cli_print(cli, "%s\n", result->session->id);
    cli_tell(cli, "merged from \"%.*s\"%s; tine undo takes it back",
             STR_ARG(cli_title(str_of(from->title))), buf_str(&text).p);
    files_warn_skipped(cli, result->report);
    buf_clear(&text);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct tine_merge_options spec = {
        .force = args_has(&cli->args, "force"),
        .dry_run = args_has(&cli->args, "dry-run"),
    };
    const struct tine_session *session, *from;
    struct tine_result *result;
    struct tine_error error;
    enum fault_code code = cli_word_option(cli, "expect-head", &spec.expect_head, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code)
        code = cli_session(cli, cli->args.words[1], &from, fault);
    if (code)
        return code;
    if (!tine_merge(cli->tine, session->id, from->id, &spec, &result, &error))
        return files_fault(
            cli, &error, "with --force what FROM has is taken; tine undo brings yours back", fault);
    cli_keep(cli, result);
    if (!result->session || !result->merge)
        return fault_set(fault, FAULT_IO, "the reply of the server says nothing of a merge");
    if (cli->as_json)
        cli_print_json(cli, result->json);
    else if (spec.dry_run)
        print_dry(cli, result, spec.force);
    else
        answer(cli, result, from);
    return FAULT_OK;
}

const struct command command_merge = {
    .name = "merge",
    .purpose = "bring in what another session of the family changed in files",
    .words = "SESSION FROM",
    .words_min = 2,
    .words_max = 2,
    .options = options,
    .notes = "What FROM changed since the two parted, or since it was merged last, comes into the\n"
             "directory of SESSION, and a message says so. Changes of both to the same lines are\n"
             "conflicts: they are listed, and nothing changes. FROM is not touched.\n",
    .examples = "  tine merge demo demo-bulk --dry-run\n"
                "  tine merge demo demo-bulk\n",
    .run = run,
};
