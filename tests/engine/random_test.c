/*
 * The engine on each kind of store against the naive model: thousands of random operations, equal
 * after each. TINE_SEED and TINE_OPS play a run again.
 */
#include "game.h"
#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPERATIONS = 20000 };

static void the_engine_is_equal_to_the_model(void **state)
{
    const struct rig_kind *kind = *state;
    uint64_t seed = game_seed();

    printf("# %s: TINE_SEED=%" PRIu64 " TINE_OPS=%d\n", kind->name, seed,
           game_operations(OPERATIONS));
    fflush(stdout);
    game_play(kind, seed, game_operations(OPERATIONS));
}

int main(void)
{
    struct CMUnitTest tests[8] = {0};

    for (size_t i = 0; i < rig_kind_count; i++)
        tests[i] = (struct CMUnitTest){.name = rig_kinds[i].name,
                                       .test_func = the_engine_is_equal_to_the_model,
                                       .initial_state = (void *)(uintptr_t)&rig_kinds[i]};
    return _cmocka_run_group_tests("random", tests, rig_kind_count, NULL, NULL);
}
