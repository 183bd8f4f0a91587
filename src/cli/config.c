/* tine config: is the configuration file good, and what is in force? */
#include "cli/commands.h"
#include "cli/in_force.h"

#include <inttypes.h>
#include <stdlib.h>

static const struct option options[] = {
    OPTION_CONFIG,
    {NULL, NULL, NULL, 0},
};

/* ---- check ---- */

static enum fault_code check(struct cli *cli, const char *path, struct fault *fault)
{
    struct in_force in_force;
    const struct config *config = &in_force.config;
    enum fault_code code = in_force_find(cli, &in_force, fault);

    if (code)
        return code;
    if (path)
        in_force.file.value = path;
    code = in_force_read(cli, &in_force, fault);
    if (code)
        return code;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_name(&cli->json, "file", config->path ? cli_valid(cli, config->path) : STR_NONE);
        json_out_int(&cli->json, "agents", (int64_t)config->agent_count);
        json_out_int(&cli->json, "users", (int64_t)config->user_count);
        json_out_object_end(&cli->json);
        return FAULT_OK;
    }
    if (!config->path) {
        cli_print(cli, "there is no configuration file, and none is needed\n");
        return FAULT_OK;
    }
    cli_print_line(cli, cli_valid(cli, config->path), 0);
    cli_print(cli, " is good: ");
    cli_print_count(cli, (int64_t)config->agent_count, "agent");
    cli_print(cli, ", ");
    cli_print_count(cli, (int64_t)config->user_count, "user");
    cli_print(cli, "\n");
    return FAULT_OK;
}

/* ---- show ---- */

/* The limits, by the names that they have in the file. */
static const struct limit_name {
    const char *key;
    size_t at;
} limit_names[] = {
#define LIMIT(member)                                   \
    {                                                   \
#member, offsetof(struct config_limits, member) \
    }
    LIMIT(connections),
    LIMIT(connections_per_address),
    LIMIT(streams),
    LIMIT(header_bytes),
    LIMIT(request_seconds),
    LIMIT(idle_seconds),
    LIMIT(pending_bytes),
    LIMIT(workers),
    LIMIT(turns),
    LIMIT(queued_sends),
    LIMIT(sessions_per_user),
#undef LIMIT
};

static int64_t limit_at(const struct config_limits *limits, size_t i)
{
    int64_t value;

    memcpy(&value, (const char *)limits + limit_names[i].at, sizeof(value));
    return value;
}

static bool key_is_set(const struct agent_def *agent)
{
    const char *value = agent->key_env.n ? getenv(agent->key_env.p) : NULL;

    return value && *value;
}

static void json_said(struct cli *cli, const char *key, struct str value, const char *by)
{
    json_out_object(&cli->json, key);
    json_out_name(&cli->json, "value", value);
    json_out_string(&cli->json, "by", str_of(by));
    json_out_object_end(&cli->json);
}

static void json_agent(struct cli *cli, const struct agent_def *agent)
{
    struct json_out *json = &cli->json;

    json_out_object(json, NULL);
    json_out_string(json, "id", agent->name);
    json_out_string(json, "kind", agent->kind);
    json_out_name(json, "model", agent->model);
    json_out_name(json, "base_url", agent->base_url);
    json_out_name(json, "key_env", agent->key_env);
    json_out_bool(json, "key_is_set", key_is_set(agent));
    json_out_bool(json, "network", agent->network);
    json_out_bool(json, "default", agent->is_default);
    json_out_object_end(json);
}

static void show_json(struct cli *cli, const struct in_force *in_force)
{
    const struct config *config = &in_force->config;
    struct json_out *json = &cli->json;

    json_out_object(json, NULL);
    json_out_string(json, "home", cli_valid(cli, in_force->home.p));
    json_out_name(json, "file", config->path ? cli_valid(cli, config->path) : STR_NONE);
    json_said(cli, "listen", cli_valid(cli, in_force->listen.value), in_force->listen.by);
    json_out_name(json, "root", config->root ? str_of(config->root) : STR_NONE);
    json_out_object(json, "listen_as");
    for (size_t i = 0; i < config->door_count; i++)
        json_out_string(json, config->doors[i].name, cli_valid(cli, config->doors[i].listen));
    json_out_object_end(json);
    json_said(cli, "db", cli_valid(cli, in_force_db_words(in_force->db.value, &cli->arena).p),
              in_force->db.by);
    json_said(cli, "log", str_of(in_force->log.value), in_force->log.by);
    json_out_bool(json, "sandbox", !config->sandbox_off);
    json_out_array(json, "hosts");
    for (size_t i = 0; config->hosts[i]; i++)
        json_out_string(json, NULL, str_of(config->hosts[i]));
    json_out_array_end(json);
    json_out_object(json, "limits");
    for (size_t i = 0; i < sizeof(limit_names) / sizeof(limit_names[0]); i++)
        if (limit_at(&config->limits, i))
            json_out_int(json, limit_names[i].key, limit_at(&config->limits, i));
    json_out_object_end(json);
    json_out_array(json, "users");
    for (size_t i = 0; i < config->user_count; i++) {
        json_out_object(json, NULL);
        json_out_string(json, "name", str_of(config->users[i].name));
        json_out_string(json, "right", str_of(config->users[i].right));
        json_out_bool(json, "proxy", config->users[i].proxy);
        json_out_object_end(json);
    }
    json_out_array_end(json);
    json_out_array(json, "agents");
    for (size_t i = 0; i < config->agent_count; i++)
        json_agent(cli, &config->agents[i]);
    json_out_array_end(json);
    json_out_object_end(json);
}

/* One line: its name, its value and who said it. */
static void row(struct cli *cli, const char *name, const char *value, const char *by)
{
    cli_print(cli, "%-8s ", name);
    cli_print_line(cli, cli_valid(cli, value), 0);
    if (by)
        cli_print(cli, "  (%s)", by);
    cli_print(cli, "\n");
}

static void show_agent(struct cli *cli, const struct agent_def *agent)
{
    cli_print(cli, "agent    %.*s: %.*s", STR_ARG(agent->name), STR_ARG(agent->kind));
    if (agent->model.n) {
        cli_print(cli, ", model ");
        cli_print_line(cli, agent->model, 0);
    }
    if (agent->base_url.n)
        cli_print(cli, " at %.*s", STR_ARG(agent->base_url));
    if (agent->key_env.n)
        cli_print(cli, ", key in %.*s (%s)", STR_ARG(agent->key_env),
                  key_is_set(agent) ? "set" : "not set");
    cli_print(cli, "%s%s\n", agent->network ? ", network" : "",
              agent->is_default ? ", the default" : "");
}

static void show_text(struct cli *cli, const struct in_force *in_force)
{
    const struct config *config = &in_force->config;

    row(cli, "home", in_force->home.p, NULL);
    row(cli, "file", config->path ? config->path : "none", config->path ? in_force->file.by : NULL);
    row(cli, "listen", in_force->listen.value, in_force->listen.by);
    for (size_t i = 0; i < config->door_count; i++)
        cli_print(cli, "listen   %s as %s  (the file)\n", config->doors[i].listen,
                  config->doors[i].name);
    if (config->root)
        row(cli, "root", config->root, "the file");
    row(cli, "db", in_force_db_words(in_force->db.value, &cli->arena).p, in_force->db.by);
    row(cli, "log", in_force->log.value, in_force->log.by);
    row(cli, "sandbox", config->sandbox_off ? "off" : "on",
        config->sandbox_off ? "the file" : "the default");
    for (size_t i = 0; config->hosts[i]; i++)
        row(cli, "host", config->hosts[i], NULL);
    for (size_t i = 0; i < sizeof(limit_names) / sizeof(limit_names[0]); i++)
        if (limit_at(&config->limits, i))
            cli_print(cli, "limit    %s: %" PRId64 "\n", limit_names[i].key,
                      limit_at(&config->limits, i));
    for (size_t i = 0; i < config->user_count; i++)
        cli_print(cli, "user     %s: %s%s\n", config->users[i].name, config->users[i].right,
                  config->users[i].proxy ? ", speaks for others" : "");
    for (size_t i = 0; i < config->agent_count; i++)
        show_agent(cli, &config->agents[i]);
}

static enum fault_code show(struct cli *cli, struct fault *fault)
{
    struct in_force in_force;
    enum fault_code code = in_force_find(cli, &in_force, fault);

    if (!code)
        code = in_force_read(cli, &in_force, fault);
    if (code)
        return code;
    if (cli->as_json)
        show_json(cli, &in_force);
    else
        show_text(cli, &in_force);
    return FAULT_OK;
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    const char *verb = cli->args.words[0];
    const char *path = cli->args.word_count > 1 ? cli->args.words[1] : NULL;

    if (strcmp(verb, "check") == 0) {
        if (path && (!*path || args_has(&cli->args, "config")))
            return cli_usage(cli, fault, "name one FILE");
        return check(cli, path, fault);
    }
    if (strcmp(verb, "show") != 0)
        return cli_usage(cli, fault, "\"%s\" is neither check nor show", verb);
    if (path)
        return cli_usage(cli, fault, "unexpected argument \"%s\"", path);
    return show(cli, fault);
}

const struct command command_config = {
    .name = "config",
    .purpose = "check the configuration file, or show what is in force",
    .words = "check|show [FILE]",
    .words_min = 1,
    .words_max = 2,
    .options = options,
    .notes =
        "check says whether FILE is good, or which line and key is not; without FILE it looks at\n"
        "the file that tine serve would read. show prints what that server would do, and who said\n"
        "so. Neither starts, makes or changes anything, and keys are never shown.\n",
    .examples = "  tine config check tine.yaml\n"
                "  tine config show\n",
    .run = run,
};
