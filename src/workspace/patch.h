/* What changed in a file, as a patch that `patch` and `git apply` take (libgit2 makes it). */
#ifndef WORKSPACE_PATCH_H
#define WORKSPACE_PATCH_H

#include "store/store.h"
#include "workspace/tree_diff.h"

enum {
    PATCH_FILE_BYTES =
        4 * 1024 * 1024,      /* of a file that is compared; a larger one counts as binary */
    PATCH_BYTES = 1024 * 1024 /* of one patch; a longer one is left out */
};

struct patch {
    int64_t additions, deletions; /* lines */
    bool binary;                  /* not text, or too large: no lines, no patch */
    struct str text;              /* empty: none, or too long */
    bool too_long;
};

/* Of a change of a file or a link, or of a mode; with `lines_only` without its text. */
FAULT_CHECK enum fault_code patch_make(struct store *store, const struct tree_change *change,
                                       bool lines_only, struct arena *arena, struct patch *out,
                                       struct fault *fault);

#endif
