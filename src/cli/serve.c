/* tine serve: the server, until it is told to stop. */
#include "cli/commands.h"
#include "cli/demo.h"
#include "cli/demo_steps.h"
#include "cli/home.h"
#include "cli/in_force.h"

static const struct option options[] = {
    {"listen", "ADDR:PORT",
     "where to listen (TINE_LISTEN; default " CONFIG_LISTEN_DEFAULT "); port 0: any", 0},
    OPTION_CONFIG,
    {"log", "text|json|off", "how each request is logged on stderr", 0},
    {"demo", NULL, "lay out the example family when the home is empty", 0},
    {NULL, NULL, NULL, 0},
};

/* The configuration with what the command line says laid over it. */
static enum fault_code settle(struct cli *cli, struct in_force *out, struct fault *fault)
{
    const char *listen = args_value(&cli->args, "listen"), *log = args_value(&cli->args, "log");

    if (log && strcmp(log, "text") != 0 && strcmp(log, "json") != 0 && strcmp(log, "off") != 0)
        return cli_usage(cli, fault, "--log must be text, json or off, not \"%s\"", log);
    if (listen && !*listen)
        return cli_usage(cli, fault, "--listen is empty");
    if (in_force_find(cli, out, fault) != FAULT_OK || in_force_read(cli, out, fault) != FAULT_OK)
        return fault_pass(fault);
    out->config.listen = listen ? listen : out->listen.value;
    out->config.log = log ? log : out->log.value;
    return home_dir(args_value(&cli->args, "home"), &cli->arena, &out->home, fault);
}

static enum fault_code furnish(struct cli *cli, const char *db, struct fault *fault)
{
    struct store_counts counts = {0};
    struct store *store;
    enum fault_code code = cli->kinds->open_store(db, &store, fault);

    if (code)
        return code;
    code = store_count(store, &counts, fault);
    store_close(store);
    if (code || counts.sessions)
        return code;
    return demo_furnish(cli, fault);
}

static void print_start(struct cli *cli, struct house *house, const struct in_force *in_force)
{
    struct str address = house_address(house, &cli->arena);

    cli_print(cli, "listening on %s\n", address.p);
    cli_print(cli, "home     %.*s\n", STR_ARG(cli_valid(cli, in_force->home.p)));
    if (in_force->file.value)
        cli_print(cli, "config   %.*s\n", STR_ARG(cli_valid(cli, in_force->file.value)));
    cli_print(cli, "%.*s", STR_ARG(house_words(house, &cli->arena)));
    cli_print(cli, "api      %s/docs\n", address.p);
    if (args_has(&cli->args, "demo"))
        cli_print(cli,
                  "try      curl -X POST %s/api/v1/sessions/" DEMO_ROOT
                  "/fork -H 'Content-Type: application/json' -d '{\"after\": 2}'\n",
                  address.p);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct house_options house_options = {.kinds = cli->kinds, .serve = true};
    struct in_force in_force = {0};
    struct house *house;
    enum fault_code code;

    if (settle(cli, &in_force, fault) != FAULT_OK)
        return fault_pass(fault);
    if (args_has(&cli->args, "demo") && furnish(cli, in_force.db.value, fault) != FAULT_OK)
        return fault_pass(fault);
    house_options.config = &in_force.config;
    house_options.home = in_force.home.p;
    house_options.db = in_force.db.value;
    if (house_open(&house_options, &house, fault) != FAULT_OK)
        return fault_pass(fault);
    print_start(cli, house, &in_force);
    code = cli_flush(cli, fault);
    if (code == FAULT_OK)
        house_run(house);
    house_close(house);
    return code;
}

const struct command command_serve = {
    .name = "serve",
    .purpose = "run the server until SIGTERM or Ctrl-C",
    .words = "",
    .options = options,
    .notes = "A home has one server at a time; the other commands find it there and speak to it.\n"
             "On an address that other machines can reach it starts only when there are users:\n"
             "tine user add NAME.\n",
    .examples = "  tine serve\n"
                "  tine serve --listen 127.0.0.1:0 --log json\n"
                "  tine serve --listen 0.0.0.0:8463 --config /etc/tine.yaml\n",
    .run = run,
};
