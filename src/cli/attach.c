#include "cli/attach.h"

#include "base/utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum fault_code attach_dir(struct cli *cli, const char *word, const char **out, struct fault *fault)
{
    char path[PATH_MAX];

    if (!*word || !utf8_valid(str_of(word)))
        return cli_usage(cli, fault, "the name of the directory is %s",
                         *word ? "not valid UTF-8" : "empty");
    if (realpath(word, path)) {
        *out = arena_dup(&cli->arena, str_of(path)).p;
        return FAULT_OK;
    }
    if (*word == '/') { /* it may be there for the server */
        *out = word;
        return FAULT_OK;
    }
    return fault_set(fault, FAULT_INVALID, "cannot attach the directory \"%s\": %s", word,
                     strerror(errno));
}
