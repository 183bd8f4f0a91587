/* Trees of files as the numbers of their objects. No tree, 0, and the empty one mean the same. */
#ifndef STORE_SQLITE_TREE_ROW_H
#define STORE_SQLITE_TREE_ROW_H

#include "store/files.h"
#include "store/sqlite/db.h"

/* Do both numbers mean the same files? */
FAULT_CHECK enum fault_code tree_same(struct db *db, int64_t a, int64_t b, bool *same,
                                      struct fault *fault);

/* The hash of a tree; tree_empty for 0. */
FAULT_CHECK enum fault_code tree_hash(struct db *db, int64_t tree, unsigned char out[HASH_BYTES],
                                      struct fault *fault);

/* A number that an entry can bring, so that it counts from there on: for 0 the empty tree's. */
FAULT_CHECK enum fault_code tree_solid(struct db *db, int64_t tree, int64_t at_us, int64_t *out,
                                       struct fault *fault);

/* The files that an act leaves go into the table `files` when the act before it left others. */
FAULT_CHECK enum fault_code files_changed(struct db *db, struct address at, int64_t was,
                                          int64_t now, bool foreign, struct fault *fault);

#endif
