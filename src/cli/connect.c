#include "cli/connect.h"

#include "cli/home.h"
#include "config/config.h"
#include "house/lock.h"

#include <signal.h>
#include <stdlib.h>

/* A result that lives as long as the command. */
struct cli_kept {
    struct tine_result *result;
    struct cli_kept *before;
};

void cli_keep(struct cli *cli, struct tine_result *result)
{
    struct cli_kept *kept = arena_alloc(&cli->arena, sizeof(*kept));

    *kept = (struct cli_kept){result, cli->kept};
    cli->kept = kept;
}

/* ---- errors ---- */

static enum fault_code code_of(const struct tine_error *error)
{
    for (int code = FAULT_OK + 1; code < FAULT_COUNT; code++)
        if (error->status && strcmp(error->code, fault_name((enum fault_code)code)) == 0)
            return (enum fault_code)code;
    if (strcmp(error->code, "interrupted") == 0)
        return FAULT_INTERRUPTED;
    if (strcmp(error->code, "usage") == 0)
        return FAULT_INVALID;
    if (error->status == 404)
        return FAULT_NOT_FOUND;
    return FAULT_IO;
}

enum fault_code cli_fault(const struct tine_error *error, struct fault *fault)
{
    enum fault_code code = code_of(error);

    if (code == FAULT_UNAUTHORIZED)
        return fault_set(fault, code, "%s (tine takes one from TINE_TOKEN or --token)",
                         error->detail);
    return fault_set(fault, code, "%s", error->detail);
}

/* ---- signals ---- */

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    (void)number;
    signalled = 1;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_was_signalled(void)
{
    return signalled != 0;
}

void cli_forget_signal(void)
{
    signalled = 0;
}

static bool stop(void *context)
{
    (void)context;
    return cli_was_signalled();
}

/* ---- where the server is ---- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* What --server says, else TINE_SERVER, unless a home or a database is named. */
static const char *server_named(const struct cli *cli)
{
    const char *server = args_value(&cli->args, "server");

    if (server || args_value(&cli->args, "home") || args_value(&cli->args, "db"))
        return server;
    return environment("TINE_SERVER");
}

enum fault_code cli_needs_home(struct cli *cli, struct fault *fault)
{
    if (!server_named(cli))
        return FAULT_OK;
    return cli_usage(cli, fault, "this works on a home itself, not through a server: give --home");
}

/* A handle with what the command line says about it. */
static struct tine *handle_make(const struct cli *cli, struct tine_options *options,
                                struct tine_error *error)
{
    const char *token = args_value(&cli->args, "token");

    options->token = token ? token : environment("TINE_TOKEN");
    options->user_agent = "tine/" TINE_VERSION;
    return tine_connect(options, error);
}

static enum fault_code connect_to(struct cli *cli, struct tine_options *options,
                                  struct fault *fault)
{
    struct tine_error error;

    options->stop = stop;
    cli->tine = handle_make(cli, options, &error);
    if (!cli->tine)
        return cli_fault(&error, fault);
    cli->address = arena_dup(&cli->arena, str_of(options->server)).p;
    return FAULT_OK;
}

/* A database that is named goes before the server that has the home: it may be another one. */
static bool names_db(const struct cli *cli)
{
    return args_value(&cli->args, "db") ||
           (!args_value(&cli->args, "home") && environment("TINE_DB"));
}

/* ---- the server inside ---- */

#define INSIDE "http://127.0.0.1"

static int socket_inside(void *context)
{
    const struct cli *cli = context;
    struct fault ignored;
    int fd;

    return server_connect(house_server(cli->house), &fd, &ignored) == FAULT_OK ? fd : -1;
}

/* --config, where the command has it. */
static const char *config_given(const struct cli *cli)
{
    for (const struct option *option = cli->args.own; option && option->name; option++)
        if (strcmp(option->name, "config") == 0)
            return args_value(&cli->args, "config");
    return NULL;
}

static enum fault_code house_begin(struct cli *cli, const char *home, struct fault *fault)
{
    struct house_options options = {.kinds = cli->kinds, .home = home};
    struct config *config = arena_alloc(&cli->arena, sizeof(*config));
    const char *db_given = args_value(&cli->args, "db");
    struct str db;

    if (config_read(config_find(config_given(cli), home, &cli->arena), &cli->arena, config,
                    fault) != FAULT_OK)
        return fault_pass(fault);
    if (!names_db(cli) && !args_value(&cli->args, "home"))
        db_given = config->db;
    if (home_db(args_value(&cli->args, "home"), db_given, &cli->arena, &db, fault) != FAULT_OK)
        return fault_pass(fault);
    options.config = config;
    options.db = db.p;
    if (house_open(&options, &cli->house, fault) != FAULT_OK)
        return fault_pass(fault);
    return house_start(cli->house, fault);
}

static enum fault_code connect_inside(struct cli *cli, const char *home, struct fault *fault)
{
    struct tine_options options = {
        .server = INSIDE, .socket = socket_inside, .socket_context = cli};

    if (!cli->house && house_begin(cli, home, fault) != FAULT_OK)
        return fault_pass(fault);
    return connect_to(cli, &options, fault);
}

enum fault_code cli_connect(struct cli *cli, struct fault *fault)
{
    struct tine_options options = {.server = server_named(cli)};
    struct str home, address = STR_NONE;

    if (cli->tine)
        return FAULT_OK;
    if (options.server && !cli->at_home)
        return connect_to(cli, &options, fault);
    if (home_dir(args_value(&cli->args, "home"), &cli->arena, &home, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!names_db(cli) && !cli->at_home &&
        lock_find(home.p, &cli->arena, &address, fault) != FAULT_OK)
        return fault_pass(fault);
    if (address.n == 0)
        return connect_inside(cli, home.p, fault);
    options.server = address.p;
    return connect_to(cli, &options, fault);
}

/* ---- further handles ---- */

/* Where the server that has the home is now; where it was, when none has it. */
static struct str address_now(struct cli *cli, struct arena *arena)
{
    struct str home, address = STR_NONE;
    struct fault ignored;

    if (!server_named(cli) && !names_db(cli) &&
        home_find(args_value(&cli->args, "home"), arena, &home, &ignored) == FAULT_OK &&
        lock_find(home.p, arena, &address, &ignored) == FAULT_OK && address.n)
        return address;
    return str_of(cli->address);
}

struct tine *cli_handle(struct cli *cli, bool (*stop_asked)(void *), void *context,
                        struct tine_error *error)
{
    struct tine_options options = {.stop = stop_asked, .context = context};
    struct arena arena;
    struct tine *tine;

    arena_init(&arena);
    if (cli->house) {
        options.server = INSIDE;
        options.socket = socket_inside;
        options.socket_context = cli;
    } else {
        options.server = address_now(cli, &arena).p;
    }
    tine = handle_make(cli, &options, error);
    arena_clear(&arena);
    return tine;
}

void cli_disconnect(struct cli *cli)
{
    for (; cli->kept; cli->kept = cli->kept->before)
        tine_result_free(cli->kept->result);
    tine_free(cli->tine);
    house_close(cli->house);
    cli->tine = NULL;
    cli->house = NULL;
}
