/* tine gc: clears away and gives space back. */
#include "cli/commands.h"
#include "cli/home.h"
#include "cli/progress.h"
#include "engine/workspaces.h"

#include <inttypes.h>

static const struct option options[] = {
    {"keep", "SECONDS", "leave what nobody names any more for so long (86400)", 0},
    {NULL, NULL, NULL, 0},
};

/*
 * Directories of sessions that are gone. Those of a home belong to the database in it: with another
 * one, nobody knows here whose they are.
 */
static enum fault_code sweep(struct cli *cli, int64_t *removed, struct fault *fault)
{
    const char *home_option = args_value(&cli->args, "home");
    struct workspaces_options spec = {.engine = cli->engine};
    struct workspaces *workspaces;
    struct str home, db, its_db;
    enum fault_code code;

    *removed = 0;
    if (home_dir(home_option, &cli->arena, &home, fault) != FAULT_OK ||
        home_db(home_option, args_value(&cli->args, "db"), &cli->arena, &db, fault) != FAULT_OK ||
        home_db(home.p, NULL, &cli->arena, &its_db, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!str_eq(db, its_db))
        return FAULT_OK;
    spec.home = home.p;
    if (workspaces_open(&spec, &workspaces, fault) != FAULT_OK)
        return fault_pass(fault);
    code = workspaces_sweep(workspaces, removed, fault);
    workspaces_close(workspaces);
    return code;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct gc_spec spec = {0};
    struct gc_result result;
    struct progress progress;
    int64_t keep, directories;
    enum fault_code code = cli_int_option(cli, "keep", 0, INT32_MAX, 86400, &keep, fault);

    if (!code)
        code = cli_open(cli, fault);
    if (code)
        return code;
    spec.now_us = engine_now_us(cli->engine);
    spec.keep_us = keep * 1000000;
    progress_begin(&progress, cli);
    code = store_gc(cli->store, &spec, progress_step, &progress, &result, fault);
    progress_end(&progress);
    if (code || sweep(cli, &directories, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_int(&cli->json, "sessions", result.sessions);
        json_out_int(&cli->json, "entries", result.entries);
        json_out_int(&cli->json, "objects", result.objects);
        json_out_int(&cli->json, "notes", result.notes);
        json_out_int(&cli->json, "directories", directories);
        json_out_int(&cli->json, "bytes_before", result.bytes_before);
        json_out_int(&cli->json, "bytes_after", result.bytes_after);
        json_out_object_end(&cli->json);
        return FAULT_OK;
    }
    cli_print(cli,
              "removed: %" PRId64 " sessions, %" PRId64 " entries, %" PRId64 " objects, %" PRId64
              " notes, %" PRId64 " directories; %" PRId64 " bytes before, %" PRId64 " after\n",
              result.sessions, result.entries, result.objects, result.notes, directories,
              result.bytes_before, result.bytes_after);
    return FAULT_OK;
}

const struct command command_gc = {
    .name = "gc",
    .purpose = "clear away what was deleted, and give the space back",
    .words = "",
    .options = options,
    .examples = "  tine gc\n",
    .run = run,
};
