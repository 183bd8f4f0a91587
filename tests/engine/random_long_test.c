/* Many shorter runs of the random game, from as many seeds. */
#include "game.h"
#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { SEEDS = 200, OPERATIONS = 5000 };

static void two_hundred_seeds(void **state)
{
    uint64_t first = game_seed();

    (void)state;
    for (uint64_t i = 0; i < SEEDS; i++) {
        const struct rig_kind *kind = &rig_kinds[i % 8 == 7 ? rig_kind_count - 1 : 0];

        printf("# %s: TINE_SEED=%" PRIu64 "\n", kind->name, first + i);
        fflush(stdout);
        game_play(kind, first + i, game_operations(OPERATIONS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_hundred_seeds)};

    return cmocka_run_group_tests_name("random_long", tests, NULL, NULL);
}
