/* Runs every test of the contract on every kind of store. */
#include "contract.h"

#include <stdio.h>

static const struct contract_test *const lists[] = {
    session_contract, entry_contract,  limit_contract,  fork_contract,   move_contract,
    point_contract,   beside_contract, search_contract, delete_contract, house_contract,
    run_contract,     once_contract,   event_contract,  desk_contract,   mark_contract,
    files_contract,   object_contract, within_contract,
};

/* One test on one kind. */
struct pairing {
    const struct contract_test *test;
    const struct rig_kind *kind;
    struct talk talk;
    char name[128];
};

static void run(void **state)
{
    struct pairing *pairing = *state;

    pairing->test->run(&pairing->talk);
    talk_verify(&pairing->talk);
}

static int setup(void **state)
{
    struct pairing *pairing = *state;

    talk_open(&pairing->talk, pairing->kind, 1);
    return 0;
}

static int teardown(void **state)
{
    struct pairing *pairing = *state;

    talk_close(&pairing->talk);
    return 0;
}

static size_t count_all(void)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        for (const struct contract_test *test = lists[i]; test->name; test++)
            count += rig_kind_count;
    return count;
}

int main(void)
{
    size_t count = count_all(), n = 0;
    struct CMUnitTest *tests = calloc(count, sizeof(*tests));
    struct pairing *pairings = calloc(count, sizeof(*pairings));
    int failed;

    if (!tests || !pairings)
        abort();
    for (size_t k = 0; k < rig_kind_count; k++)
        for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
            for (const struct contract_test *test = lists[i]; test->name; test++, n++) {
                pairings[n].test = test;
                pairings[n].kind = &rig_kinds[k];
                snprintf(pairings[n].name, sizeof(pairings[n].name), "%s: %s", rig_kinds[k].name,
                         test->name);
                tests[n] = (struct CMUnitTest){.name = pairings[n].name,
                                               .test_func = run,
                                               .setup_func = setup,
                                               .teardown_func = teardown,
                                               .initial_state = &pairings[n]};
            }
    failed = _cmocka_run_group_tests("store_contract", tests, count, NULL, NULL);
    free(tests);
    free(pairings);
    return failed;
}
