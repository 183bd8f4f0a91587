/* tine backup: a copy of the database. */
#include "cli/commands.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <sys/stat.h>

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const char *path = cli->args.words[0];
    struct progress progress;
    struct stat st = {0};
    enum fault_code code;

    if (!*path)
        return cli_usage(cli, fault, "the name of the file is empty");
    code = cli_open(cli, fault);
    if (code)
        return code;
    progress_begin(&progress, cli);
    code = store_backup(cli->store, path, progress_step, &progress, fault);
    progress_end(&progress);
    if (code)
        return code;
    (void)stat(path, &st); /* only for the answer */
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "path", cli_valid(cli, path));
        json_out_int(&cli->json, "bytes", st.st_size);
        json_out_object_end(&cli->json);
        return FAULT_OK;
    }
    cli_print(cli, "%s\n", path);
    cli_tell(cli, "%" PRId64 " bytes; to use it: tine --db sqlite:%s sessions", (int64_t)st.st_size,
             path);
    return FAULT_OK;
}

const struct command command_backup = {
    .name = "backup",
    .purpose = "write a consistent copy of the database into a new file",
    .words = "FILE",
    .words_min = 1,
    .words_max = 1,
    .notes =
        "Others may go on working meanwhile. FILE must not exist; it is there when it is whole.\n",
    .examples = "  tine backup tine-$(date +%F).db\n",
    .run = run,
};
