/* The configuration file: what is taken keeps its promises, what is not is told where. */
#include "fuzz.h"

#include "config/config.h"

#include <assert.h>

static void check_agents(const struct config *config)
{
    size_t defaults = 0;

    for (size_t i = 0; i < config->agent_count; i++) {
        const struct agent_def *agent = &config->agents[i];

        assert(agent->fixed && agent->kind.n > 0);
        assert(agent->name.n >= 3 && memchr(agent->name.p, '/', agent->name.n));
        assert(agent->timeout_ms >= 0 && agent->timeout_ms % 1000 == 0);
        assert(agent->input_price >= 0 && agent->output_price >= 0);
        defaults += agent->is_default;
        for (size_t j = 0; j < i; j++)
            assert(!str_eq(agent->name, config->agents[j].name));
    }
    assert(defaults <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    if (config_parse((struct str){(const char *)data, size}, "f", &arena, &config, &fault) ==
        FAULT_OK) {
        check_agents(&config);
        assert(config.hosts && config.limits.workers >= 0);
        if (config.listen)
            (void)config_is_loopback(config.listen);
    } else {
        assert(fault.code == FAULT_INVALID && strncmp(fault.message, "f:", 2) == 0);
    }
    arena_clear(&arena);
    return 0;
}
