/* Merges that stand on a path, and from where the next one counts. */
#ifndef STORE_SQLITE_MERGE_ROW_H
#define STORE_SQLITE_MERGE_ROW_H

#include "store/sqlite/path.h"

/* The place that the entry at an address merged; ADDRESS_START: none, or not known. */
FAULT_CHECK enum fault_code merged_at(struct db *db, struct address at, struct address *out,
                                      struct fault *fault);

/*
 * The newest place on the path of `theirs` that `ours` has the files of: where the two part, or the
 * place that was merged into the path of `ours` last. A merge that was rewound away is not there.
 */
FAULT_CHECK enum fault_code merge_base(struct db *db, const struct act *ours,
                                       const struct act *theirs, struct arena *arena,
                                       struct address *out, struct fault *fault);

#endif
