/* The turn that tine runs in a session, in the transaction of what happens to the session. */
#ifndef STORE_SQLITE_RUN_ROW_H
#define STORE_SQLITE_RUN_ROW_H

#include "store/run.h"
#include "store/sqlite/path.h"

/* FAULT_TURN_RUNNING while a turn is active. `session` is the id that the caller used. */
FAULT_CHECK enum fault_code run_refuse(struct db *db, int64_t s, struct str session,
                                       struct fault *fault);

/* May the step be taken? FAULT_TURN_RUNNING, FAULT_TURN_OVER. */
FAULT_CHECK enum fault_code run_check(struct db *db, int64_t s, struct str session,
                                      const struct run_step *step, struct fault *fault);

/* What a step does before its entries are written, and after. `said`: there were entries. */
FAULT_CHECK enum fault_code run_before(struct db *db, const struct link *link,
                                       const struct run_step *step, int64_t at_us,
                                       struct fault *fault);
FAULT_CHECK enum fault_code run_after(struct db *db, const struct link *link,
                                      const struct run_step *step, bool said, int64_t at_us,
                                      struct fault *fault);

#endif
