/* tine doctor: looks at everything a server needs, says what is good and what to do where not. */
#include "agent/preset.h"
#include "cli/commands.h"
#include "cli/in_force.h"
#include "house/lock.h"
#include "http/libraries.h"
#include "workspace/sandbox.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum level { LEVEL_OK, LEVEL_WARN, LEVEL_BAD, LEVEL_COUNT };

static const char *const level_names[LEVEL_COUNT] = {"ok", "warn", "bad"};

/* Free space below which something is said. */
#define DISK_WARN INT64_C(1073741824)
#define DISK_BAD  INT64_C(104857600)

static const struct option options[] = {
    OPTION_CONFIG,
    {NULL, NULL, NULL, 0},
};

struct doctor {
    struct cli *cli;
    struct in_force in_force;
    int64_t count[LEVEL_COUNT];
    int64_t tokens;
    bool users_known;
};

/* ---- findings ---- */

/* `advice` NULL: nothing is to be done. */
static void __attribute__((format(printf, 5, 6)))
finding(struct doctor *doctor, enum level level, const char *what, const char *advice,
        const char *format, ...)
{
    static const enum term_style styles[LEVEL_COUNT] = {STYLE_GOOD, STYLE_WARN, STYLE_BOLD};
    struct cli *cli = doctor->cli;
    char words[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    doctor->count[level]++;
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_string(&cli->json, "level", str_of(level_names[level]));
        json_out_string(&cli->json, "what", str_of(what));
        json_out_string(&cli->json, "detail", cli_valid(cli, words));
        json_out_name(&cli->json, "advice", advice ? cli_valid(cli, advice) : STR_NONE);
        json_out_object_end(&cli->json);
        return;
    }
    cli_style(cli, styles[level]);
    cli_print(cli, "%-4s", level_names[level]);
    cli_style(cli, STYLE_PLAIN);
    cli_print(cli, "  %-8s  ", what);
    cli_print_line(cli, cli_valid(cli, words), 0);
    if (advice) {
        cli_print(cli, ": ");
        cli_print_line(cli, cli_valid(cli, advice), 0);
    }
    cli_print(cli, "\n");
}

/* ---- home, file and database ---- */

static void look_at_home(struct doctor *doctor)
{
    const char *home = doctor->in_force.home.p;
    struct stat st;

    if (stat(home, &st) != 0 && errno == ENOENT)
        finding(doctor, LEVEL_OK, "home", NULL, "%s is not there yet and is made when needed",
                home);
    else if (stat(home, &st) != 0)
        finding(doctor, LEVEL_BAD, "home", "give another one with --home", "%s: %s", home,
                strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        finding(doctor, LEVEL_BAD, "home", "give another one with --home", "%s is no directory",
                home);
    else if (access(home, R_OK | W_OK | X_OK) != 0)
        finding(doctor, LEVEL_BAD, "home", "run tine as its owner", "%s cannot be written", home);
    else if (st.st_mode & 077)
        finding(doctor, LEVEL_WARN, "home", "chmod 700 keeps them out",
                "%s can be entered by other users of this machine (mode %o)", home,
                (unsigned)st.st_mode & 0777);
    else
        finding(doctor, LEVEL_OK, "home", NULL, "%s, for its owner only", home);
}

/* Free space where the home is, or where it would be made. */
static void look_at_disk(struct doctor *doctor)
{
    char *path = (char *)arena_dup(&doctor->cli->arena, doctor->in_force.home).p;
    struct statvfs st;
    int64_t free_bytes;
    char *slash;

    while (statvfs(path, &st) != 0) {
        slash = strrchr(path, '/');
        if (errno != ENOENT || !slash || slash == path)
            return; /* what is wrong with the home is said already */
        *slash = '\0';
    }
    free_bytes = (int64_t)((uint64_t)st.f_bavail * st.f_frsize);
    finding(doctor,
            free_bytes < DISK_BAD    ? LEVEL_BAD
            : free_bytes < DISK_WARN ? LEVEL_WARN
                                     : LEVEL_OK,
            "disk",
            free_bytes < DISK_WARN ? "make room; tine gc gives back what was deleted" : NULL,
            "%" PRId64 " MiB free", free_bytes / INT64_C(1048576));
}

static void look_at_file(struct doctor *doctor)
{
    const struct said *file = &doctor->in_force.file;
    struct fault fault = {0};

    if (in_force_read(doctor->cli, &doctor->in_force, &fault) != FAULT_OK)
        finding(doctor, LEVEL_BAD, "config", "tine serve does not start with it", "%s",
                fault.message);
    else if (!file->value)
        finding(doctor, LEVEL_OK, "config", NULL, "no file, and none is needed");
    else
        finding(doctor, LEVEL_OK, "config", NULL, "%s is good (%s)", file->value, file->by);
}

static enum fault_code count_tokens(void *context, const struct user *user, struct fault *fault)
{
    (void)fault;
    *(int64_t *)context += user->tokens;
    return FAULT_OK;
}

/* The file of the database; NULL when it is kept elsewhere. */
static const char *db_path(const struct doctor *doctor)
{
    const char *db = doctor->in_force.db.value;

    return str_starts(str_of(db), STR("sqlite:")) ? db + strlen("sqlite:") : NULL;
}

static enum fault_code open_db(struct doctor *doctor, struct store_counts *counts,
                               struct fault *fault)
{
    struct cli *cli = doctor->cli;

    if (cli->kinds->open_store(doctor->in_force.db.value, &cli->store, fault) != FAULT_OK ||
        store_count(cli->store, counts, fault) != FAULT_OK ||
        store_user_list(cli->store, count_tokens, &doctor->tokens, fault) != FAULT_OK)
        return fault_pass(fault);
    doctor->users_known = true;
    return FAULT_OK;
}

static void look_at_db(struct doctor *doctor)
{
    struct str words = in_force_db_words(doctor->in_force.db.value, &doctor->cli->arena);
    const char *path = db_path(doctor);
    struct store_counts counts = {0};
    struct fault fault = {0};
    struct stat st = {0};

    if (path && stat(path, &st) != 0 && errno == ENOENT) {
        finding(doctor, LEVEL_OK, "database", NULL, "%s is not there yet and is made when needed",
                words.p);
        doctor->users_known = true;
    } else if (open_db(doctor, &counts, &fault) != FAULT_OK) {
        /* The message of a kind of database that we do not know may name its password. */
        finding(doctor, LEVEL_BAD, "database", "tine backup makes copies to go back to", "%s: %s",
                words.p, path ? fault.message : "this build cannot open it");
    } else if (path && st.st_mode & 077) {
        finding(doctor, LEVEL_WARN, "database", "chmod 600 keeps them out",
                "%s can be read by other users of this machine", words.p);
    } else {
        finding(doctor, LEVEL_OK, "database", NULL,
                "%s opens: %" PRId64 " sessions, %" PRId64 " entries", words.p, counts.sessions,
                counts.entries);
    }
}

/* ---- the server and who may come in ---- */

static void look_at_server(struct doctor *doctor)
{
    struct fault fault = {0};
    struct str address;

    if (lock_find(doctor->in_force.home.p, &doctor->cli->arena, &address, &fault) != FAULT_OK)
        finding(doctor, LEVEL_WARN, "server", NULL, "%s", fault.message);
    else if (address.n)
        finding(doctor, LEVEL_OK, "server", NULL,
                "runs at %.*s; access and agent below are as the next start from this shell would "
                "have them",
                STR_ARG(address));
    else
        finding(doctor, LEVEL_OK, "server", NULL, "none runs; tine serve starts one at %s",
                doctor->in_force.listen.value);
}

static void look_at_access(struct doctor *doctor)
{
    const struct config *config = &doctor->in_force.config;
    const char *listen = doctor->in_force.listen.value;
    bool local = config_is_loopback(listen);

    for (size_t i = 0; local && i < config->door_count; i++) {
        listen = config->doors[i].listen;
        local = config_is_loopback(listen);
    }
    if (local)
        listen = doctor->in_force.listen.value;

    if (!doctor->users_known)
        return;
    if (doctor->tokens)
        finding(doctor, LEVEL_OK, "access", NULL, "users with a token; %" PRId64 " token%s",
                doctor->tokens, doctor->tokens == 1 ? "" : "s");
    else if (local)
        finding(doctor, LEVEL_OK, "access", NULL,
                "open to whoever is on this machine: %s is a loopback address and there are no "
                "users",
                listen);
    else
        finding(doctor, LEVEL_BAD, "access", "tine user add NAME makes one",
                "%s can be reached from other machines, and there are no users", listen);
    if (!doctor->tokens && doctor->in_force.config.user_count)
        finding(doctor, LEVEL_WARN, "access", "tine user add NAME gives one",
                "the configuration names users, and nobody has a token");
}

/* ---- who answers ---- */

static void look_at_sandbox(struct doctor *doctor)
{
    struct fault fault = {0};

    if (doctor->in_force.config.sandbox_off)
        sandbox_turn_off();
    if (sandbox_is_off())
        finding(doctor, LEVEL_WARN, "sandbox", "sandbox: on in the configuration turns it on", "%s",
                sandbox_words());
    else if (sandbox_ready(&fault) != FAULT_OK)
        finding(doctor, LEVEL_WARN, "sandbox", "agents that run commands are refused until then",
                "%s", fault.message);
    else
        finding(doctor, LEVEL_OK, "sandbox", NULL, "%s", sandbox_words());
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* The agent of a session that names none, and why it is that one. */
static const struct agent_def *look_at_default(struct doctor *doctor, struct presets *presets)
{
    const struct config *config = &doctor->in_force.config;
    const struct agent_def *agent = NULL;

    presets_find(environment, &doctor->cli->arena, presets);
    for (size_t i = 0; i < config->agent_count; i++)
        if (config->agents[i].is_default)
            agent = &config->agents[i];
    if (agent)
        finding(doctor, LEVEL_OK, "agent", NULL,
                "%.*s is the default, as the configuration says (%.*s%s%.*s)", STR_ARG(agent->name),
                STR_ARG(agent->kind), agent->model.n ? ", " : "", STR_ARG(agent->model));
    /* An address that somebody put a password into is not shown. */
    else if (memchr(presets->words.p, '@', presets->words.n))
        finding(doctor, LEVEL_OK, "agent", NULL, "%.*s is the default, because of the environment",
                STR_ARG(presets->defs[0].name));
    else
        finding(doctor, LEVEL_OK, "agent", NULL, "%.*s is the default: %.*s",
                STR_ARG(presets->defs[0].name), STR_ARG(presets->words));
    return agent ? agent : &presets->defs[0];
}

static void look_at_agents(struct doctor *doctor)
{
    const struct config *config = &doctor->in_force.config;
    struct presets presets;
    const struct agent_def *by_default = look_at_default(doctor, &presets);

    for (size_t i = 0; i < config->agent_count; i++) {
        const struct agent_def *agent = &config->agents[i];

        if (agent->key_env.n && !environment(agent->key_env.p))
            finding(doctor, agent == by_default ? LEVEL_BAD : LEVEL_WARN, "agent",
                    "set it where the server starts", "%.*s has its key in %.*s, which is not set",
                    STR_ARG(agent->name), STR_ARG(agent->key_env));
    }
}

/* ---- all of it ---- */

static void look_at_libraries(struct doctor *doctor)
{
    finding(doctor, LEVEL_OK, "version", NULL,
            "tine %s, SQLite %s, libmicrohttpd %s, libuv %s, libcurl %s", TINE_VERSION,
            doctor->cli->kinds->sqlite_version(), libraries_microhttpd(), libraries_uv(),
            curl_version_info(CURLVERSION_NOW)->version);
}

static enum fault_code run(struct cli *cli, struct fault *fault)
{
    struct doctor doctor = {.cli = cli};

    if (in_force_find(cli, &doctor.in_force, fault) != FAULT_OK)
        return fault_pass(fault);
    if (cli->as_json) {
        json_out_object(&cli->json, NULL);
        json_out_array(&cli->json, "findings");
    }
    look_at_libraries(&doctor);
    look_at_home(&doctor);
    look_at_disk(&doctor);
    look_at_file(&doctor);
    look_at_db(&doctor);
    look_at_server(&doctor);
    look_at_access(&doctor);
    look_at_sandbox(&doctor);
    look_at_agents(&doctor);
    cli->found_wrong = doctor.count[LEVEL_BAD] > 0;
    if (!cli->as_json)
        return FAULT_OK;
    json_out_array_end(&cli->json);
    for (int i = 0; i < LEVEL_COUNT; i++)
        json_out_int(&cli->json, level_names[i], doctor.count[i]);
    json_out_object_end(&cli->json);
    return FAULT_OK;
}

const struct command command_doctor = {
    .name = "doctor",
    .purpose = "look at everything a server needs, and say what to do",
    .words = "",
    .options = options,
    .notes = "One line for each finding: ok, warn or bad. It opens the database and tries the\n"
             "sandbox; no key or token is shown. The exit code is 1 when something is bad.\n",
    .examples = "  tine doctor\n",
    .run = run,
};
