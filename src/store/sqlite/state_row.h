/* Changes of state as they are stored: a chain of deltas with a whole copy now and then. */
#ifndef STORE_SQLITE_STATE_ROW_H
#define STORE_SQLITE_STATE_ROW_H

#include "store/sqlite/act.h"

/* The whole state at a place, given its facts. */
FAULT_CHECK enum fault_code state_get(struct db *db, const struct facts *facts, struct arena *arena,
                                      struct state *out, struct fault *fault);

/* The encoded delta that an act brought; p == NULL when it brought none. */
FAULT_CHECK enum fault_code state_delta(struct db *db, struct address at, struct arena *arena,
                                        struct str *out, struct fault *fault);

/* How a delta will be stored on top of a place. */
struct state_plan {
    int64_t hops, since, whole_size;
    struct str whole; /* p == NULL: only the delta */
};

/* FAULT_TOO_LARGE when the whole state would be. Writes nothing. */
FAULT_CHECK enum fault_code state_plan(struct db *db, const struct facts *before, struct str delta,
                                       struct arena *arena, struct state_plan *out,
                                       struct fault *fault);

FAULT_CHECK enum fault_code state_insert(struct db *db, struct address at,
                                         const struct facts *before, struct str delta,
                                         const struct state_plan *plan, struct fault *fault);

#endif
