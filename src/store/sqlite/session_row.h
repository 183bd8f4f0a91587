/* Sessions as they are given out, and the small things that belong to them. */
#ifndef STORE_SQLITE_SESSION_ROW_H
#define STORE_SQLITE_SESSION_ROW_H

#include "store/session.h"
#include "store/sqlite/path.h"

enum { TOUCH_LAG_US = 5 * 1000 * 1000 }; /* session.touched_us is at most that much too old */

/* Everything of struct session; the state only when asked for. */
FAULT_CHECK enum fault_code session_get(struct db *db, int64_t s, bool with_state,
                                        struct arena *arena, struct session *out,
                                        struct fault *fault);

/* Only what stands in the session's own row: names, parent, times, metadata. */
FAULT_CHECK enum fault_code session_row_get(struct db *db, int64_t s, struct arena *arena,
                                            struct session *out, struct address *base,
                                            struct fault *fault);

/* FAULT_HEAD_MOVED when the newest entry on the path is not the expected one (p == NULL: any). */
FAULT_CHECK enum fault_code head_expect(struct db *db, const struct act *head, struct str expected,
                                        struct arena *arena, struct fault *fault);

/* Remembers that the session was written to. */
FAULT_CHECK enum fault_code session_touch(struct db *db, const struct link *link, int64_t at_us,
                                          struct fault *fault);

FAULT_CHECK enum fault_code note_insert(struct db *db, const struct link *link,
                                        const struct note *note, struct fault *fault);

#endif
