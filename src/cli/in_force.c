#include "cli/in_force.h"

#include "cli/connect.h"
#include "cli/home.h"

#include <stdlib.h>

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

enum fault_code in_force_find(struct cli *cli, struct in_force *out, struct fault *fault)
{
    const char *given = args_value(&cli->args, "config");

    *out = (struct in_force){0};
    if (given && !*given)
        return cli_usage(cli, fault, "--config is empty");
    if (home_find(args_value(&cli->args, "home"), &cli->arena, &out->home, fault) != FAULT_OK)
        return fault_pass(fault);
    out->file.value = config_find(given, out->home.p, &cli->arena);
    out->file.by = given ? "--config" : environment("TINE_CONFIG") ? "TINE_CONFIG" : "the home";
    return FAULT_OK;
}

static struct said first_said(const char *variable, const char *in_file, const char *otherwise)
{
    const char *value = environment(variable);

    if (value)
        return (struct said){value, variable};
    if (in_file)
        return (struct said){in_file, "the file"};
    return (struct said){otherwise, "the default"};
}

/* As home_db, and before the home's own database the one of the file. */
static struct said db_said(struct cli *cli, const struct in_force *in_force)
{
    const char *given = args_value(&cli->args, "db");
    const char *own = arena_printf(&cli->arena, "sqlite:%s/tine.db", in_force->home.p).p;

    if (given)
        return (struct said){given, "--db"};
    if (args_value(&cli->args, "home"))
        return (struct said){own, "--home"};
    return first_said("TINE_DB", in_force->config.db, own);
}

enum fault_code in_force_read(struct cli *cli, struct in_force *in_force, struct fault *fault)
{
    enum fault_code code = config_read(in_force->file.value, &cli->arena, &in_force->config, fault);
    struct fault none;

    if (code && config_read(NULL, &cli->arena, &in_force->config, &none) != FAULT_OK)
        return fault_pass(fault);
    in_force->listen = first_said("TINE_LISTEN", in_force->config.listen, CONFIG_LISTEN_DEFAULT);
    in_force->db = db_said(cli, in_force);
    in_force->log = in_force->config.log ? (struct said){in_force->config.log, "the file"}
                                         : (struct said){"text", "the default"};
    return code;
}

enum fault_code in_force_open(struct cli *cli, struct fault *fault)
{
    struct in_force in_force;
    struct str home;
    enum fault_code code = cli_needs_home(cli, fault);

    if (!code)
        code = in_force_find(cli, &in_force, fault);
    if (!code)
        code = in_force_read(cli, &in_force, fault);
    if (!code)
        code = home_dir(args_value(&cli->args, "home"), &cli->arena, &home, fault);
    if (!code)
        code = cli->kinds->open_store(in_force.db.value, &cli->store, fault);
    if (!code)
        cli->engine = engine_new(cli->store, NULL);
    return code;
}

struct str in_force_db_words(const char *db, struct arena *arena)
{
    struct str text = str_of(db);
    const char *at = memrchr(text.p, '@', text.n), *start = strstr(db, "://"), *colon;

    if (!at || !start || start > at)
        return text;
    colon = memchr(start + 3, ':', (size_t)(at - start - 3));
    if (!colon)
        return text;
    return arena_printf(arena, "%.*s:***%s", (int)(colon - db), db, at);
}
