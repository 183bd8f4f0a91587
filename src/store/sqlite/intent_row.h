/* What is about to happen to the directory of a session: at most one thing. */
#ifndef STORE_SQLITE_INTENT_ROW_H
#define STORE_SQLITE_INTENT_ROW_H

#include "store/sqlite/db.h"

/*
 * FAULT_WORKSPACE_BUSY when there is an intent and it is not the one named (0: none is);
 * FAULT_NOT_FOUND when the one named is not there. `session` is the id that the caller used.
 */
FAULT_CHECK enum fault_code intent_refuse(struct db *db, int64_t s, struct str session,
                                          int64_t intent, struct fault *fault);

/* It has happened; 0: nothing was to. */
FAULT_CHECK enum fault_code intent_end(struct db *db, int64_t intent, struct fault *fault);

#endif
