/* A directory as one file, tar with gzip: written and read in memory. */
#ifndef WORKSPACE_BUNDLE_H
#define WORKSPACE_BUNDLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/tree.h"

struct bundle_out;

/* Everything goes into `out`, which is complete after bundle_out_end. */
FAULT_CHECK enum fault_code bundle_out_new(struct buf *out, struct bundle_out **bundle,
                                           struct fault *fault);
void bundle_out_free(struct bundle_out *bundle);

/* Begins the entry of a file, a directory or a link; of a file its bytes follow. FAULT_TOO_LARGE.
 */
FAULT_CHECK enum fault_code bundle_out_entry(struct bundle_out *bundle, struct str path,
                                             const struct tree_entry *entry, struct fault *fault);
FAULT_CHECK enum fault_code bundle_out_bytes(struct bundle_out *bundle, struct str bytes,
                                             struct fault *fault);
FAULT_CHECK enum fault_code bundle_out_end(struct bundle_out *bundle, struct fault *fault);

struct bundle_limits {
    int64_t files, bytes; /* of all of them together, unpacked */
};

/* A file of a bundle: a path that path_check lets pass; all in the arena. */
typedef enum fault_code bundle_visit(void *context, struct str path, unsigned mode,
                                     struct str content, struct fault *fault);

/*
 * The plain files of a bundle, in its order, and then what are other names of them; what else it
 * has is passed over. FAULT_INVALID, FAULT_PATH_INVALID, FAULT_TOO_LARGE.
 */
FAULT_CHECK enum fault_code bundle_read(struct str bytes, const struct bundle_limits *limits,
                                        struct arena *arena, bundle_visit *visit, void *context,
                                        struct fault *fault);

#endif
