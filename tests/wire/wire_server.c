/*
 * A server for the wire tests: a whole house that also knows the scripted kind of agent,
 * so that every answer is known beforehand.
 *
 *   wire_server HOME LISTEN CONFIG [NAME=TOKEN …]
 *
 * Prints "listening on http://127.0.0.1:PORT", and before it "NAME at PORT" for each further port
 * of the configuration, and runs until SIGTERM. With a NAME=TOKEN it asks for tokens. SIGUSR1 makes
 * /readyz say that it is stopping, which a test could otherwise hardly see.
 */
#include "agent/external/external.h"
#include "agent/openai/openai.h"
#include "agent/scripted/scripted.h"
#include "agent/shell/shell.h"
#include "base/hash.h"
#include "config/config.h"
#include "dialect/app.h"
#include "house/house.h"
#include "store/sqlite/sqlite_store.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_bool *stopping;

static void say_stopping(int signal_)
{
    (void)signal_;
    atomic_store(stopping, !atomic_load(stopping));
}

static enum fault_code open_store(const char *db, struct store **out, struct fault *fault)
{
    struct sqlite_store_options options = {.path = db};

    return sqlite_store_open(&options, out, fault);
}

static enum fault_code add_users(const char *db, int count, char **words, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct store *store;

    if (count == 0)
        return FAULT_OK;
    if (open_store(db, &store, fault) != FAULT_OK)
        return fault_pass(fault);
    for (int i = 0; i < count && !code; i++) {
        const char *equals = strchr(words[i], '=');
        struct user_spec spec = {.name = {words[i], (size_t)(equals - words[i])}, .at_us = 1};
        int64_t owner;

        hash_whole(str_of(equals + 1), spec.token);
        code = store_user_add(store, &spec, &owner, fault);
    }
    store_close(store);
    return code;
}

static enum fault_code run(int argc, char **argv, struct fault *fault)
{
    const struct agent_kind agents[] = {
        agent_scripted, agent_external, agent_shell, agent_openai, {0}};
    struct house_kinds kinds = {.open_store = open_store, .agents = agents};
    struct house_options options = {.kinds = &kinds, .home = argv[1], .serve = true};
    struct config config = {0};
    struct house *house;
    struct arena arena;
    struct str db;

    arena_init(&arena);
    db = arena_printf(&arena, "%s/tine.db", argv[1]);
    options.db = db.p;
    options.config = &config;
    if (config_read(argv[3], &arena, &config, fault) != FAULT_OK)
        return fault_pass(fault);
    config.listen = argv[2];
    config.log = "off";
    if (add_users(options.db, argc - 4, argv + 4, fault) != FAULT_OK ||
        house_open(&options, &house, fault) != FAULT_OK)
        return fault_pass(fault);
    stopping = &house_app(house)->stopping;
    signal(SIGUSR1, say_stopping);
    for (size_t i = 0; i < config.door_count; i++)
        printf("%s at %d\n", config.doors[i].name, server_door_port(house_server(house), i));
    printf("listening on http://127.0.0.1:%d\n", server_port(house_server(house)));
    fflush(stdout);
    house_run(house);
    house_close(house);
    arena_clear(&arena);
    return FAULT_OK;
}

int main(int argc, char **argv)
{
    struct fault fault;

    if (argc < 4) {
        fprintf(stderr, "usage: wire_server HOME LISTEN CONFIG [NAME=TOKEN …]\n");
        return 2;
    }
    if (run(argc, argv, &fault) != FAULT_OK) {
        fprintf(stderr, "wire_server: %s\n", fault.message);
        return 1;
    }
    return 0;
}
