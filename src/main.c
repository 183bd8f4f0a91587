/* Wires the program: the only file that knows which kinds of store and agent there are. */
#include "agent/external/external.h"
#include "agent/openai/openai.h"
#include "agent/scripted/scripted.h"
#include "agent/shell/shell.h"
#include "cli/cli.h"
#include "store/sqlite/sqlite_store.h"

static enum fault_code open_store(const char *db, struct store **out, struct fault *fault)
{
    struct sqlite_store_options options = {0};
    struct str name = str_of(db), sqlite = STR("sqlite:");

    if (str_starts(name, STR("postgres:")) || str_starts(name, STR("postgresql:")))
        return fault_set(fault, FAULT_INVALID,
                         "\"%s\": this build knows only sqlite:PATH, not PostgreSQL", db);
    if (!str_starts(name, sqlite))
        return fault_set(fault, FAULT_INVALID, "\"%s\" names no database: write sqlite:PATH", db);
    if (name.n == sqlite.n)
        return fault_set(fault, FAULT_INVALID, "\"%s\" names no file: write sqlite:PATH", db);
    options.path = db + sqlite.n;
    return sqlite_store_open(&options, out, fault);
}

int main(int argc, char **argv)
{
    const struct agent_kind agents[] = {
        agent_shell, agent_openai, agent_external, agent_scripted, {0}};
    const struct house_kinds kinds = {open_store, agents, sqlite_store_version};

    return cli_main(argc, argv, &kinds);
}
