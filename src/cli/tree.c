/* tine tree: the family of a session. */
#include "cli/commands.h"
#include "cli/connect.h"
#include "cli/tree_draw.h"

static const struct option options[] = {
    {"rewound", NULL, "also what was rewound away", 0},
    {NULL, NULL, NULL, 0},
};

/* The sessions of the tree, with their details. */
static void write_tree(struct cli *cli, const struct tine_result *tree)
{
    json_out_object(&cli->json, NULL);
    json_out_name(&cli->json, "root", str_of(tree->root));
    json_out_array(&cli->json, "sessions");
    for (size_t i = 0; i < tree->session_count; i++)
        json_out_raw(&cli->json, NULL, str_of(tree->sessions[i].json));
    json_out_array_end(&cli->json);
    json_out_object_end(&cli->json);
}

static enum fault_code run_as_json(struct cli *cli, const char *session, struct fault *fault)
{
    struct tine_result *tree;
    struct tine_error error;

    if (!tine_tree(cli->tine, session, args_has(&cli->args, "rewound"), &tree, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, tree);
    write_tree(cli, tree);
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct family family = {0};
    const struct tine_session *session;

    if (cli_session(cli, cli->args.words[0], &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cli->as_json)
        return run_as_json(cli, session->id, fault);
    if (family_read(cli, session->id, &family, fault) != FAULT_OK)
        return fault_pass(fault);
    return tree_draw(cli, &family, args_has(&cli->args, "rewound"), fault);
}

const struct command command_tree = {
    .name = "tree",
    .purpose = "draw the family of a session: its source, its forks and theirs",
    .words = "SESSION",
    .words_min = 1,
    .words_max = 1,
    .options = options,
    .notes = "A line shows where a fork parted (the last message that it shares with its source),\n"
             "its title, its short id, its messages and its labels.\n",
    .examples = "  tine tree demo\n"
                "  tine tree demo --rewound\n",
    .run = run,
};
