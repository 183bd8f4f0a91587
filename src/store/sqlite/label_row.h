/* Labels as a session sees them: its own, and those of the sessions it stands on. */
#ifndef STORE_SQLITE_LABEL_ROW_H
#define STORE_SQLITE_LABEL_ROW_H

#include "store/session.h"
#include "store/sqlite/path.h"

/*
 * All labels that count, the nearest session's first. A text or a message that a nearer label has
 * hides the further one's. Only text, place and `inherited` are filled in.
 */
FAULT_CHECK enum fault_code labels_seen(struct db *db, const struct link *link, struct arena *arena,
                                        struct label **out, size_t *count, struct fault *fault);

#endif
