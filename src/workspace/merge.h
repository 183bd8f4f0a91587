/* Three-way merge of trees: ours and theirs, since what both came from. */
#ifndef WORKSPACE_MERGE_H
#define WORKSPACE_MERGE_H

#include "store/store.h"
#include "store/tree.h"

enum {
    MERGE_FILE_BYTES = 16 * 1024 * 1024
}; /* a larger text is merged as a whole, like a binary */

enum merge_clash {
    CLASH_TEXT = 1, /* both changed the same lines */
    CLASH_BINARY,   /* both changed it, and it is no text */
    CLASH_DELETED,  /* one changed what the other deleted */
    CLASH_ADDED,    /* both added it, with other content */
    CLASH_KIND,     /* a file here, a directory or a link there */
    CLASH_MODE      /* both changed the mode, each to another */
};

struct merge_conflict {
    struct str path;
    enum merge_clash clash;
};

struct merge_trees {
    struct tree_spec tree; /* what came of it; not given when there are conflicts and no force */
    struct merge_conflict *conflicts; /* in the arena, in the order of paths */
    size_t conflict_count;
    int64_t changed; /* paths of ours that it changes */
};

/* With `force`, theirs wins where both changed the same. Nothing is written when it conflicts. */
FAULT_CHECK enum fault_code merge_trees(struct store *store, const unsigned char base[HASH_BYTES],
                                        const unsigned char ours[HASH_BYTES],
                                        const unsigned char theirs[HASH_BYTES], bool force,
                                        struct arena *arena, struct merge_trees *out,
                                        struct fault *fault);

const char *merge_clash_words(enum merge_clash clash); /* "both changed the same lines" … */
const char *merge_clash_name(enum merge_clash clash);  /* "text", "binary" … for the API */

#endif
