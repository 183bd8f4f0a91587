/* tine tree: the family of a session. */
#include "cli/commands.h"
#include "cli/tree_draw.h"
#include "dialect/native/object.h"

static const struct option options[] = {
    {"rewound", NULL, "also what was rewound away", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code write_member(struct cli *cli, const struct family_member *member,
                                    struct str current, bool with_rewound, struct fault *fault)
{
    object_begin_node(&cli->json, &member->session, str_eq(member->session.id, current));
    if (with_rewound) {
        json_out_array(&cli->json, "labels");
        for (size_t i = 0; i < member->label_count; i++)
            object_write_label(&cli->json, NULL, &member->labels[i]);
        json_out_array_end(&cli->json);
        json_out_array(&cli->json, "rewound");
        for (size_t i = 0; i < member->rewound_count; i++)
            object_write_rewound(&cli->json, NULL, &member->rewound[i]);
        json_out_array_end(&cli->json);
    }
    json_out_object_end(&cli->json);
    return cli_flush_some(cli, fault);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    bool with_rewound = args_has(&cli->args, "rewound");
    struct family family = {0};
    struct session session;
    enum fault_code code = cli_open(cli, fault);

    if (!code)
        code = cli_session(cli, cli->args.words[0], &session, fault);
    if (!code)
        code = family_read(cli, session.id, with_rewound, &family, fault);
    if (code)
        return code;
    if (!cli->as_json)
        return tree_draw(cli, &family, session.id, fault);
    json_out_object(&cli->json, NULL);
    json_out_name(&cli->json, "root", family.count ? family.members[0].session.id : STR_NONE);
    json_out_array(&cli->json, "sessions");
    for (size_t i = 0; !code && i < family.count; i++)
        code = write_member(cli, &family.members[i], session.id, with_rewound, fault);
    json_out_array_end(&cli->json);
    json_out_object_end(&cli->json);
    return code;
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
