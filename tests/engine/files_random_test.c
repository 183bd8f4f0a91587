/*
 * The files of sessions against the naive model: thousands of random operations, equal after each.
 * TINE_SEED and TINE_OPS play a run again.
 */
#include "files_game.h"
#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPERATIONS = 6000, ON_DISK = 700 };

static void the_files_are_equal_to_the_model(void **state)
{
    const struct rig_kind *kind = *state;
    uint64_t seed = files_game_seed();
    int operations = files_game_operations(kind->lasts ? ON_DISK : OPERATIONS);

    printf("# %s: TINE_SEED=%" PRIu64 " TINE_OPS=%d\n", kind->name, seed, operations);
    fflush(stdout);
    files_game_play(kind, seed, operations);
}

int main(void)
{
    struct CMUnitTest tests[8] = {0};

    for (size_t i = 0; i < rig_kind_count; i++)
        tests[i] = (struct CMUnitTest){.name = rig_kinds[i].name,
                                       .test_func = the_files_are_equal_to_the_model,
                                       .initial_state = (void *)(uintptr_t)&rig_kinds[i]};
    return _cmocka_run_group_tests("files_random", tests, rig_kind_count, NULL, NULL);
}
