#include "cli/owner.h"

/* A user that is looked for, and what the others have. */
struct finding {
    struct str name;
    int64_t owner; /* 0: not found */
    int64_t but;   /* sessions are counted of all users but this one */
    int64_t others;
};

static enum fault_code see(void *context, const struct user *user, struct fault *fault)
{
    struct finding *finding = context;

    (void)fault;
    if (str_eq(user->name, finding->name))
        finding->owner = user->owner;
    if (user->owner != finding->but)
        finding->others += user->sessions;
    return FAULT_OK;
}

enum fault_code owner_choose(struct cli *cli, bool make, struct fault *fault)
{
    struct finding finding = {0};
    struct str name;

    if (cli_text_option(cli, "user", &name, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!name.p)
        return FAULT_OK;
    if (make)
        return store_owner(cli->store, name, &cli->owner, fault);
    finding.name = name;
    if (store_user_list(cli->store, see, &finding, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!finding.owner)
        return fault_set(fault, FAULT_USER_NOT_FOUND, "there is no user \"%.*s\"", STR_ARG(name));
    cli->owner = finding.owner;
    return FAULT_OK;
}

enum fault_code owner_others(struct cli *cli, int64_t *out, struct fault *fault)
{
    struct finding finding = {.but = cli->owner};

    if (store_user_list(cli->store, see, &finding, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = finding.others;
    return FAULT_OK;
}
