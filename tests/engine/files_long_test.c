/* Many shorter runs of the game of files, from as many seeds. */
#include "files_game.h"
#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { SEEDS = 150, OPERATIONS = 1500 };

static void many_seeds(void **state)
{
    uint64_t first = files_game_seed();

    (void)state;
    for (uint64_t i = 0; i < SEEDS; i++) {
        const struct rig_kind *kind = &rig_kinds[i % 8 == 7 ? rig_kind_count - 1 : 0];

        printf("# %s: TINE_SEED=%" PRIu64 "\n", kind->name, first + i);
        fflush(stdout);
        files_game_play(kind, first + i, files_game_operations(OPERATIONS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_seeds)};

    return cmocka_run_group_tests_name("files_long", tests, NULL, NULL);
}
