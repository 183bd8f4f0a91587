#include "cli/family.h"

#include "cli/connect.h"

/* The source of a root is not in the family any more; the session itself knows what it was. */
static enum fault_code source_read(struct cli *cli, struct family_member *member,
                                   struct fault *fault)
{
    struct tine_result *result;
    struct tine_error error;

    if (!tine_session(cli->tine, member->kin.session->id, false, &result, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, result);
    member->lost = result->session->parent;
    return FAULT_OK;
}

enum fault_code family_read(struct cli *cli, const char *session, struct family *out,
                            struct fault *fault)
{
    struct family family = {0};
    struct kin *kin;
    struct tine_result *tree;
    struct tine_error error;

    if (!tine_tree(cli->tine, session, true, &tree, &error))
        return cli_fault(&error, fault);
    cli_keep(cli, tree);
    family.count = tree->session_count;
    kin = kin_order(tree->sessions, &family.count, &cli->arena);
    family.members = arena_array(&cli->arena, family.count, sizeof(*family.members));
    for (size_t i = 0; i < family.count; i++) {
        struct family_member *member = &family.members[i];

        member->kin = kin[i];
        if (kin[i].depth == 0 && kin[i].session->parent &&
            source_read(cli, member, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = family;
    return FAULT_OK;
}
