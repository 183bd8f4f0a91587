/* tine serve: the server, until it is told to stop. */
#include "cli/commands.h"
#include "cli/demo.h"
#include "cli/demo_steps.h"
#include "cli/home.h"
#include "cli/in_force.h"

#include <errno.h>
#include <stdlib.h>

static const struct option options[] = {
    {"listen", "ADDR:PORT...",
     "where to listen (TINE_LISTEN; default " CONFIG_LISTEN_DEFAULT "); port 0: any;\n"
     "                          NAME=ADDR:PORT is a further port, which speaks that dialect",
     0},
    {"root", "NAME", "the dialect that answers at the root; else it is found for each request", 0},
    OPTION_CONFIG,
    {"log", "text|json|off", "how each request is logged on stderr", 0},
    {"demo", NULL, "lay out the example family when the home is empty", 0},
    {NULL, NULL, NULL, 0},
};

static enum fault_code dialect_check(struct cli *cli, struct str name, struct fault *fault)
{
    for (size_t i = 0; config_dialects[i]; i++)
        if (str_eq(name, str_of(config_dialects[i])))
            return FAULT_OK;
    return cli_usage(cli, fault,
                     "there is no dialect \"%.*s\" (there are: kagent, docker-agent, ash, esc)",
                     STR_ARG(name));
}

/* Does the command line name this dialect? Then the file's port for it does not count. */
static bool line_has_door(const struct cli *cli, const char *name)
{
    const char *value;
    size_t n = strlen(name);

    for (size_t i = 0; (value = args_value_at(&cli->args, "listen", i)); i++)
        if (strncmp(value, name, n) == 0 && value[n] == '=')
            return true;
    return false;
}

static void drop_file_doors(const struct cli *cli, struct config *config)
{
    size_t kept = 0;

    for (size_t i = 0; i < config->door_count; i++)
        if (!line_has_door(cli, config->doors[i].name))
            config->doors[kept++] = config->doors[i];
    config->door_count = kept;
}

enum { PORT_DIGITS = 5, PORT_MAX = 65535 };

static bool is_port(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && n <= PORT_DIGITS && strspn(text, "0123456789") == n &&
           strtol(text, NULL, 10) <= PORT_MAX;
}

/* Does it look like ADDR:PORT? What else is wrong with the address is found when it is opened. */
static enum fault_code listen_check(struct cli *cli, const char *by, const char *listen,
                                    struct fault *fault)
{
    const char *colon = strrchr(listen, ':');

    if (!colon || colon == listen || strpbrk(listen, " \t\r\n\v\f"))
        return cli_usage(cli, fault, "%s: \"%s\" is no address with a port", by, listen);
    if (!is_port(colon + 1))
        return cli_usage(cli, fault,
                         "%s: \"%s\" has the port \"%s\", which is no number from 0 to %d", by,
                         listen, colon + 1, PORT_MAX);
    return FAULT_OK;
}

/* NAME=ADDR:PORT */
static enum fault_code door_add(struct cli *cli, struct str name, const char *listen,
                                struct config *config, struct fault *fault)
{
    const char *by = arena_printf(&cli->arena, "--listen %.*s", STR_ARG(name)).p;

    if (dialect_check(cli, name, fault) != FAULT_OK ||
        listen_check(cli, by, listen, fault) != FAULT_OK)
        return fault_pass(fault);
    if (config->door_count == CONFIG_DOORS)
        return cli_usage(cli, fault, "there may be %d further ports", CONFIG_DOORS);
    config->doors[config->door_count++] =
        (struct config_door){arena_dup(&cli->arena, name).p, listen};
    return FAULT_OK;
}

/* All that --listen says. */
static enum fault_code settle_listen(struct cli *cli, struct in_force *out, struct fault *fault)
{
    const char *value, *main_one = NULL;

    drop_file_doors(cli, &out->config);
    for (size_t i = 0; (value = args_value_at(&cli->args, "listen", i)); i++) {
        const char *equals = strchr(value, '=');

        if (equals) {
            struct str name = {value, (size_t)(equals - value)};

            if (door_add(cli, name, equals + 1, &out->config, fault) != FAULT_OK)
                return fault_pass(fault);
            continue;
        }
        if (!*value)
            return cli_usage(cli, fault, "--listen is empty");
        if (listen_check(cli, "--listen", value, fault) != FAULT_OK)
            return fault_pass(fault);
        if (main_one)
            return cli_usage(cli, fault, "--listen is given twice without a NAME=");
        main_one = value;
    }
    out->config.listen = main_one ? main_one : out->listen.value;
    return main_one ? FAULT_OK : listen_check(cli, out->listen.by, out->listen.value, fault);
}

/* The configuration with what the command line says laid over it. */
static enum fault_code settle(struct cli *cli, struct in_force *out, struct fault *fault)
{
    const char *log = args_value(&cli->args, "log"), *root = args_value(&cli->args, "root");

    if (log && strcmp(log, "text") != 0 && strcmp(log, "json") != 0 && strcmp(log, "off") != 0)
        return cli_usage(cli, fault, "--log must be text, json or off, not \"%s\"", log);
    if (root && dialect_check(cli, str_of(root), fault) != FAULT_OK)
        return fault_pass(fault);
    if (in_force_find(cli, out, fault) != FAULT_OK || in_force_read(cli, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (settle_listen(cli, out, fault) != FAULT_OK)
        return fault_pass(fault);
    out->config.log = log ? log : out->log.value;
    if (root)
        out->config.root = root;
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

/* How to talk to it from another terminal: by the name under which this program was started. */
static void print_chat(struct cli *cli)
{
    const char *home = args_value(&cli->args, "home");

    cli_print(cli, "chat     %.*s chat%s", STR_ARG(cli_valid(cli, program_invocation_name)),
              args_has(&cli->args, "demo") ? " " DEMO_ROOT : "");
    if (home)
        cli_print(cli, " --home '%.*s'", STR_ARG(cli_valid(cli, home)));
    cli_print(cli, "\n");
}

static void print_start(struct cli *cli, struct house *house, const struct in_force *in_force)
{
    struct str address = house_address(house, &cli->arena);

    cli_print(cli, "listening on %s\n", address.p);
    for (size_t i = 0; i < in_force->config.door_count; i++)
        cli_print(cli, "%-8s %s\n", in_force->config.doors[i].name,
                  house_door_address(house, i, &cli->arena).p);
    cli_print(cli, "home     %.*s\n", STR_ARG(cli_valid(cli, in_force->home.p)));
    if (in_force->file.value)
        cli_print(cli, "config   %.*s\n", STR_ARG(cli_valid(cli, in_force->file.value)));
    cli_print(cli, "%.*s", STR_ARG(house_words(house, &cli->arena)));
    cli_print(cli, "api      %s/docs\n", address.p);
    print_chat(cli);
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
             "tine user add NAME.\n"
             "The dialects, for --root and before ADDR: kagent, docker-agent, ash, esc.\n",
    .examples = "  tine serve\n"
                "  tine serve --listen 127.0.0.1:0 --log json\n"
                "  tine serve --listen 0.0.0.0:8463 --config /etc/tine.yaml\n"
                "  tine serve --listen kagent=127.0.0.1:8083 --listen ash=127.0.0.1:4100\n",
    .run = run,
};
