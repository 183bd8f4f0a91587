/* Answers that are given again, in the transaction of the act itself (store/once.h). */
#ifndef STORE_SQLITE_ONCE_ROW_H
#define STORE_SQLITE_ONCE_ROW_H

#include "store/once.h"
#include "store/sqlite/db.h"

/* An answer is given again that long. */
#define ONCE_KEEP_US (INT64_C(24) * 3600 * 1000000)

/*
 * Looks the key up before anything is done; `once` may be NULL. *repeated: there is an answer, and
 * nothing is to be done. FAULT_KEY_REUSED.
 */
FAULT_CHECK enum fault_code once_find(struct db *db, struct once *once, int64_t now_us,
                                      struct arena *arena, bool *repeated, struct fault *fault);

/* Keeps the answer after all is done, and lets a few old ones go. FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code once_keep(struct db *db, struct once *once, int64_t now_us,
                                      struct arena *arena, struct fault *fault);

/* Lets answers go that are older than they are given again, at most `max` of them (-1: all).
 */
FAULT_CHECK enum fault_code once_expire(struct db *db, int64_t now_us, int64_t max,
                                        struct fault *fault);

#endif
