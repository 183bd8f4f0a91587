/* Wires the program: the only file that knows which kinds of store there are. */
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
    return cli_main(argc, argv, open_store);
}
