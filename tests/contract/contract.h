/*
 * The contract of a store, in words of src/store/store.h and src/engine/engine.h. Every test is
 * given a new, empty store of each kind in support/rig.h; none knows which.
 */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "support/talk.h"

#include <stdlib.h>

struct contract_test {
    const char *name;
    void (*run)(struct talk *t);
};

/* A row of a list of tests; the list ends with an empty row. */
#define CONTRACT(function)  \
    {                       \
#function, function \
    }

extern const struct contract_test session_contract[];
extern const struct contract_test entry_contract[];
extern const struct contract_test limit_contract[];
extern const struct contract_test fork_contract[];
extern const struct contract_test move_contract[];
extern const struct contract_test files_contract[];
extern const struct contract_test mark_contract[];
extern const struct contract_test point_contract[];
extern const struct contract_test beside_contract[];
extern const struct contract_test search_contract[];
extern const struct contract_test within_contract[];
extern const struct contract_test delete_contract[];
extern const struct contract_test house_contract[];
extern const struct contract_test run_contract[];
extern const struct contract_test once_contract[];
extern const struct contract_test event_contract[];
extern const struct contract_test desk_contract[];
extern const struct contract_test object_contract[];

#endif
