#include "house/house.h"

#include "agent/preset.h"
#include "base/clock.h"
#include "base/hash.h"
#include "dialect/native/native.h"
#include "dialect/root.h"
#include "engine/reaper.h"
#include "house/lock.h"
#include "http/limits.h"
#include "workspace/sandbox.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOOK_MS = 250, /* how often another process's commits are looked for */
    STOP_MS = 4000,
    TURNS_MS = 3000, /* of that for turns to end */
    LATE_MS = 500,   /* … and for those that began meanwhile */
    PRIVATE_STOP_MS = 1000
};

struct house {
    struct app app; /* first: what the handlers are given */
    struct house_options options;
    struct arena arena;
    struct presets presets;
    struct lock *lock;
    struct reaper *reaper;
    int64_t owner; /* of what the local operator makes */
    bool open;     /* no tokens */
    int64_t version;
    bool looking; /* on the loop: a worker reads the version */
    bool changed;
    pthread_t loop, closer;
    bool loop_started, closer_started;
};

static const struct page_cache_limits page_limits = {EDGE_PAGES, EDGE_PAGES_BYTES, EDGE_PAGE_BYTES};

static struct house *house_of(void *app)
{
    return app;
}

/* ---- who comes in ---- */

static enum right right_named(const char *name)
{
    static const struct {
        const char *name;
        enum right right;
    } rights[] = {
        {"read", RIGHT_READ}, {"write", RIGHT_WRITE}, {"run", RIGHT_RUN}, {"admin", RIGHT_ADMIN}};

    for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++)
        if (strcmp(name, rights[i].name) == 0)
            return rights[i].right;
    return RIGHT_NONE;
}

/* What the configuration says of a user; one that it does not name may let agents answer. */
static void right_find(const struct house *house, struct caller *caller)
{
    const struct config *config = house->options.config;

    caller->right = RIGHT_RUN;
    for (size_t i = 0; i < config->user_count; i++)
        if (str_eq(caller->name, str_of(config->users[i].name))) {
            caller->right = right_named(config->users[i].right);
            caller->speaks_for_others = config->users[i].proxy;
        }
}

static enum fault_code identify(void *app, const struct request *request, struct str token,
                                struct arena *arena, struct caller *out, struct fault *fault)
{
    struct house *house = house_of(app);
    unsigned char digest[HASH_BYTES];
    struct user user;

    if (request->caller.open) {
        *out = (struct caller){.owner = house->owner,
                               .sees = OWNER_ANY,
                               .name = STR("local"),
                               .right = RIGHT_ADMIN,
                               .open = true,
                               .speaks_for_others = true};
        return FAULT_OK;
    }
    if (token.n == 0)
        return fault_set(fault, FAULT_UNAUTHORIZED,
                         "a token is needed: send the header Authorization: Bearer TOKEN");
    hash_whole(token, digest);
    if (store_user_find(house->app.store, digest, arena, &user, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct caller){.owner = user.owner, .sees = user.owner, .name = user.name};
    right_find(house, out);
    return FAULT_OK;
}

static enum fault_code count_tokens(void *context, const struct user *user, struct fault *fault)
{
    (void)fault;
    *(int64_t *)context += user->tokens;
    return FAULT_OK;
}

/* The first address that other machines can reach; NULL: none. */
static const char *public_address(const struct config *config)
{
    if (!config_is_loopback(config->listen))
        return config->listen;
    for (size_t i = 0; i < config->door_count; i++)
        if (!config_is_loopback(config->doors[i].listen))
            return config->doors[i].listen;
    return NULL;
}

/* Open to the local user when only this machine reaches it and nobody has a token. */
static enum fault_code decide_open(struct house *house, const char *listen, struct fault *fault)
{
    const char *reached;
    int64_t tokens = 0;

    if (!*listen) {
        house->open = true;
        return FAULT_OK;
    }
    if (store_user_list(house->app.store, count_tokens, &tokens, fault) != FAULT_OK)
        return fault_pass(fault);
    house->open = tokens == 0;
    reached = public_address(house->options.config);
    if (house->open && reached)
        return fault_set(fault, FAULT_INVALID,
                         "\"%s\" can be reached from other machines, and there are no users yet: "
                         "tine user add NAME makes one",
                         reached);
    return FAULT_OK;
}

/* ---- commits, by this process and by others ---- */

static void host_post(void *context, void (*run)(void *), void *arg)
{
    server_post(context, run, arg);
}

static void host_work(void *context, void (*work)(void *), void (*done)(void *), void *arg)
{
    server_work(context, work, done, arg);
}

static void committed(void *context)
{
    hub_wake(context);
}

static void look_work(void *context)
{
    struct house *house = context;
    struct fault fault;
    int64_t version;

    if (store_version(house->app.store, &version, &fault) != FAULT_OK)
        return;
    house->changed = version != house->version;
    house->version = version;
}

static void look_done(void *context)
{
    struct house *house = context;

    house->looking = false;
    if (house->changed)
        hub_wake(house->app.hub);
    house->changed = false;
}

static void look(void *context)
{
    struct house *house = context;

    hub_tick(house->app.hub);
    if (house->looking)
        return;
    house->looking = true;
    server_work(house->app.server, look_work, look_done, house);
}

/* ---- opening ---- */

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static enum fault_code open_agents(struct house *house, struct fault *fault)
{
    const struct config *config = house->options.config;
    bool has_default = false;

    house->app.agents = agents_new(house->app.store, house->options.kinds->agents);
    for (size_t i = 0; i < config->agent_count; i++) {
        has_default = has_default || config->agents[i].is_default;
        if (agents_fix(house->app.agents, &config->agents[i], fault) != FAULT_OK)
            return fault_pass(fault);
    }
    presets_find(environment, &house->arena, &house->presets);
    for (size_t i = 0; i < house->presets.count; i++) {
        struct agent_def def = house->presets.defs[i];
        enum fault_code code;

        def.is_default = i == 0 && !has_default;
        code = agents_fix(house->app.agents, &def, fault);
        if (code != FAULT_OK && code != FAULT_EXISTS)
            return code;
    }
    return agents_load(house->app.agents, fault);
}

static struct server_limits edge_limits(const struct config_limits *limits)
{
    return (struct server_limits){
        .connections = (int)limits->connections,
        .connections_peer = (int)limits->connections_per_address,
        .streams = (int)limits->streams,
        .header_bytes = (int)limits->header_bytes,
        .request_ms = (int)limits->request_seconds * 1000,
        .idle_ms = (int)limits->idle_seconds * 1000,
        .pending_bytes = limits->pending_bytes,
        .workers = (int)limits->workers,
    };
}

static enum server_log log_named(const char *name)
{
    if (name && strcmp(name, "json") == 0)
        return SERVER_LOG_JSON;
    if (name && strcmp(name, "off") == 0)
        return SERVER_LOG_OFF;
    return SERVER_LOG_TEXT;
}

static void stopping(void *app);

/* Those of the configuration; a house without a port has no doors either. */
static enum fault_code doors_fill(const struct house *house, struct server_door *doors,
                                  size_t *count, struct fault *fault)
{
    const struct config *config = house->options.config;

    static_assert((int)CONFIG_DOORS <= (int)SERVER_DOORS_MAX, "every door of the file is opened");
    for (size_t i = 0; house->options.serve && i < config->door_count; i++) {
        const struct config_door *door = &config->doors[i];

        if (!root_knows(str_of(door->name)))
            return fault_set(fault, FAULT_INVALID, "there is no dialect \"%s\" for \"%s\"",
                             door->name, door->listen);
        doors[(*count)++] = (struct server_door){str_of(door->listen), door->name};
    }
    if (config->root && !root_knows(str_of(config->root)))
        return fault_set(fault, FAULT_INVALID, "there is no dialect \"%s\" for the root",
                         config->root);
    return FAULT_OK;
}

static enum fault_code open_edge(struct house *house, struct fault *fault)
{
    const struct config *config = house->options.config;
    const char *listen = house->options.serve ? config->listen : "";
    struct server_door doors[SERVER_DOORS_MAX];
    struct server_options options = {
        .doors = doors,
        .listen = str_of(listen),
        .limits = edge_limits(&config->limits),
        .log = house->options.serve ? log_named(config->log) : SERVER_LOG_OFF,
        .app = &house->app,
        .identify = identify,
        .hosts = config->hosts,
        .stopping = stopping,
    };
    struct hub_host host = {host_post, host_work, NULL};

    if (doors_fill(house, doors, &options.door_count, fault) != FAULT_OK ||
        decide_open(house, listen, fault) != FAULT_OK)
        return fault_pass(fault);
    options.tables = root_tables(&options.table_count);
    house->app.root = config->root;
    options.open = house->open;
    if (server_open(&options, &house->app.server, fault) != FAULT_OK)
        return fault_pass(fault);
    host.context = house->app.server;
    house->app.hub = hub_new(house->app.store, native_event_render, &host);
    store_watch(house->app.store, committed, house->app.hub);
    return FAULT_OK;
}

/* Before turns: what a crash left half done to files is settled when the first one begins. */
static enum fault_code open_workspaces(struct house *house, struct fault *fault)
{
    struct workspaces_options options = {.engine = house->app.engine, .home = house->options.home};
    int64_t left;

    if (workspaces_open(&options, &house->app.workspaces, fault) != FAULT_OK)
        return fault_pass(fault);
    return workspaces_recover(house->app.workspaces, &left, fault);
}

static enum fault_code open_turns(struct house *house, struct fault *fault)
{
    const struct config_limits *limits = &house->options.config->limits;
    struct turns_options options = {.engine = house->app.engine,
                                    .agents = house->app.agents,
                                    .workspaces = house->app.workspaces,
                                    .hub = house->app.hub,
                                    .render = native_piece_render,
                                    .home = house->options.home,
                                    .running_max = (int)limits->turns,
                                    .queued_max = (int)limits->queued_sends};

    if (turns_open(&options, &house->app.turns, fault) != FAULT_OK)
        return fault_pass(fault);
    return turns_recover(house->app.turns, fault);
}

static enum fault_code open_all(struct house *house, struct fault *fault)
{
    const struct house_options *options = &house->options;

    if (options->serve && lock_take(options->home, &house->lock, fault) != FAULT_OK)
        return fault_pass(fault);
    if (options->kinds->open_store(options->db, &house->app.store, fault) != FAULT_OK)
        return fault_pass(fault);
    house->app.engine = engine_new(house->app.store, NULL);
    house->reaper = reaper_new(house->app.store);
    engine_use_reaper(house->app.engine, house->reaper);
    house->app.pages = page_cache_new(&page_limits);
    if (options->config->limits.sessions_per_user)
        engine_limit_sessions(house->app.engine, options->config->limits.sessions_per_user);
    if (options->config->sandbox_off)
        sandbox_turn_off();
    if (store_owner(house->app.store, STR("local"), &house->owner, fault) != FAULT_OK ||
        open_agents(house, fault) != FAULT_OK || open_edge(house, fault) != FAULT_OK ||
        open_workspaces(house, fault) != FAULT_OK || open_turns(house, fault) != FAULT_OK)
        return fault_pass(fault);
    server_every(house->app.server, LOOK_MS, look, house);
    if (!options->serve)
        return FAULT_OK;
    reaper_wake(house->reaper); /* for what an earlier process did not get to clear away */
    return lock_say(house->lock, house_address(house, &house->arena).p, fault);
}

enum fault_code house_open(const struct house_options *options, struct house **out,
                           struct fault *fault)
{
    struct house *house = calloc(1, sizeof(*house));

    if (!house)
        abort();
    house->options = *options;
    house->app.version = TINE_VERSION;
    house->app.started_ms = clock_ms();
    arena_init(&house->arena);
    if (open_all(house, fault) != FAULT_OK) {
        house_close(house);
        return fault_pass(fault);
    }
    *out = house;
    return FAULT_OK;
}

/* ---- running and stopping ---- */

static void *close_turns(void *context)
{
    struct house *house = context;

    turns_stop(house->app.turns, TURNS_MS);
    return NULL;
}

/* On the loop, which must not wait for turns to end. */
static void stopping(void *app)
{
    struct house *house = house_of(app);

    atomic_store(&house->app.stopping, true);
    workspaces_stop(house->app.workspaces);
    house->closer_started = pthread_create(&house->closer, NULL, close_turns, house) == 0;
}

void house_run(struct house *house)
{
    server_run(house->app.server, true);
}

static void *loop_thread(void *context)
{
    struct house *house = context;

    server_run(house->app.server, false);
    return NULL;
}

enum fault_code house_start(struct house *house, struct fault *fault)
{
    if (pthread_create(&house->loop, NULL, loop_thread, house) != 0)
        return fault_set(fault, FAULT_INTERNAL, "the server's thread could not be started");
    house->loop_started = true;
    return FAULT_OK;
}

void house_close(struct house *house)
{
    if (!house)
        return;
    if (house->loop_started) {
        server_stop(house->app.server, PRIVATE_STOP_MS);
        pthread_join(house->loop, NULL);
    }
    if (house->closer_started)
        pthread_join(house->closer, NULL);
    if (house->app.store)
        store_watch(house->app.store, NULL, NULL);
    if (house->app.turns && !house->closer_started)
        turns_stop(house->app.turns, TURNS_MS);
    server_close(house->app.server); /* its workers end here: nobody sends any more */
    if (!turns_close(house->app.turns, LATE_MS)) {
        lock_free(house->lock);
        return; /* a turn still runs, on the store and all; the process is about to end */
    }
    workspaces_close(house->app.workspaces);
    hub_free(house->app.hub);
    agents_free(house->app.agents);
    /* A command that deletes is done when all is; a server leaves the rest to the next one. */
    reaper_free(house->reaper, !house->options.serve);
    engine_free(house->app.engine);
    page_cache_free(house->app.pages);
    store_close(house->app.store);
    lock_free(house->lock);
    arena_clear(&house->arena);
    free(house);
}

struct server *house_server(struct house *house)
{
    return house->app.server;
}

struct engine *house_engine(struct house *house)
{
    return house->app.engine;
}

struct app *house_app(struct house *house)
{
    return &house->app;
}

/* ---- words ---- */

/* The address as this machine reaches it: one that stands for all is this machine itself. */
static struct str address(struct str listen, int port, struct arena *arena)
{
    const char *colon = memrchr(listen.p, ':', listen.n);
    struct str host = {listen.p, colon ? (size_t)(colon - listen.p) : listen.n};

    if (str_eq(host, STR("0.0.0.0")) || host.n == 0)
        host = STR("127.0.0.1");
    else if (str_eq(host, STR("[::]")))
        host = STR("[::1]");
    return arena_printf(arena, "http://%.*s:%d", STR_ARG(host), port);
}

struct str house_address(struct house *house, struct arena *arena)
{
    return address(str_of(house->options.config->listen), server_port(house->app.server), arena);
}

struct str house_door_address(struct house *house, size_t door, struct arena *arena)
{
    return address(str_of(house->options.config->doors[door].listen),
                   server_door_port(house->app.server, door), arena);
}

static struct str safety_words(struct arena *arena)
{
    struct fault fault;

    if (sandbox_is_off())
        return STR("off, as the configuration says: commands run as the user of this server");
    if (sandbox_ready(&fault) != FAULT_OK)
        return arena_printf(arena, "no commands: %s", fault.message);
    return STR("commands of agents run in it");
}

static struct str agent_words(struct house *house, struct arena *arena)
{
    struct agent_def def;
    struct fault fault;
    struct str words;

    if (agents_get(house->app.agents, STR_NONE, arena, &def, &fault) != FAULT_OK)
        return STR("none");
    words = arena_printf(arena, "%.*s (%.*s%s%.*s)", STR_ARG(def.name), STR_ARG(def.kind),
                         def.model.n ? ", " : "", STR_ARG(def.model));
    if (def.key_env.n && !environment(def.key_env.p))
        return arena_printf(arena,
                            "%.*s\n         it cannot answer: %.*s, which has its key, is not set",
                            STR_ARG(words), STR_ARG(def.key_env));
    if (!str_eq(def.name, house->presets.defs[0].name) ||
        memchr(house->presets.words.p, '@', house->presets.words.n)) /* a password, perhaps */
        return words;
    return arena_printf(arena, "%.*s\n         %.*s", STR_ARG(words),
                        STR_ARG(house->presets.words));
}

struct str house_words(struct house *house, struct arena *arena)
{
    return arena_printf(arena, "agent    %.*s\nsandbox  %.*s\naccess   %s\n",
                        STR_ARG(agent_words(house, arena)), STR_ARG(safety_words(arena)),
                        house->open ? "open to whoever is on this machine" : "users with a token");
}
