/* The content hash of a stored act. */
#ifndef STORE_SQLITE_CONTENT_ROW_H
#define STORE_SQLITE_CONTENT_ROW_H

#include "store/sqlite/act.h"

/* Computed from what is stored; of an erased entry what was kept of it. FAULT_CORRUPT. */
FAULT_CHECK enum fault_code stored_content(struct db *db, const struct act_row *row,
                                           struct arena *arena, unsigned char out[HASH_BYTES],
                                           struct fault *fault);

#endif
