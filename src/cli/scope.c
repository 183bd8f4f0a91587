#include "cli/scope.h"

enum fault_code scope_options(struct cli *cli, const char **out, struct fault *fault)
{
    static const char *const scopes[] = {"files", "conversation", "both"};
    int count = 0;

    *out = NULL;
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
        if (args_has(&cli->args, scopes[i])) {
            *out = scopes[i];
            count++;
        }
    if (count > 1)
        return cli_usage(cli, fault, "give only one of --files, --conversation and --both");
    return FAULT_OK;
}
