/* What differs between two trees, found by going down only where hashes differ. */
#ifndef WORKSPACE_TREE_DIFF_H
#define WORKSPACE_TREE_DIFF_H

#include "store/store.h"
#include "store/tree.h"

/* A path that is not the same in both. `was` or `is` is NULL where there is nothing. */
struct tree_change {
    struct str path; /* below the top, any bytes */
    const struct tree_entry *was, *is;
};

/* It may call the store; what it is given is valid during the call. */
typedef enum fault_code tree_change_visit(void *context, const struct tree_change *change,
                                          struct fault *fault);

/*
 * Every path that differs, in the order of paths, a directory before what is in it; a directory
 * that is in both is told only when its mode differs, one that came or went together with all that
 * is in it. Where a directory became something else, both are told: first what went.
 */
FAULT_CHECK enum fault_code tree_diff(struct store *store, const unsigned char was[HASH_BYTES],
                                      const unsigned char is[HASH_BYTES], tree_change_visit *visit,
                                      void *context, struct fault *fault);

/*
 * The same as a restore goes about it: where one side has something that was not kept (TREE_LEFT),
 * nobody knows what was in it, so that is told once and nothing in it is.
 */
FAULT_CHECK enum fault_code tree_plan(struct store *store, const unsigned char was[HASH_BYTES],
                                      const unsigned char is[HASH_BYTES], tree_change_visit *visit,
                                      void *context, struct fault *fault);

/* The entry at a path of a tree. FAULT_FILE_NOT_FOUND; an empty path is the top, a directory. */
FAULT_CHECK enum fault_code tree_find(struct store *store, const unsigned char tree[HASH_BYTES],
                                      struct str path, struct arena *arena, struct tree_entry *out,
                                      struct fault *fault);

typedef enum fault_code tree_entry_visit(void *context, struct str path,
                                         const struct tree_entry *entry, struct fault *fault);

/* What is in a directory of a tree, by name; with `deep` all below it, too, each by its path. */
FAULT_CHECK enum fault_code tree_list(struct store *store, const unsigned char tree[HASH_BYTES],
                                      struct str path, bool deep, tree_entry_visit *visit,
                                      void *context, struct fault *fault);

/* The content of a file, at most `max` bytes: FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code tree_file(struct store *store, const struct tree_entry *entry,
                                      int64_t max, struct arena *arena, struct str *out,
                                      struct fault *fault);

/* A tree with one path put in or, with `is` NULL, taken out: made and kept. For merges. */
struct tree_edit {
    struct str path;
    const struct tree_entry *is; /* its name is not looked at */
};

/*
 * `edits` in the order of paths as tree_diff tells them (path_cmp); directories that are missing
 * are made (mode 0755), one that an edit takes out goes with all that is in it. An edit that is a
 * directory gives one its mode, and makes an empty one where there is none: its hash is not looked
 * at. FAULT_PATH_INVALID when a file is in the way of a path.
 */
FAULT_CHECK enum fault_code tree_edit(struct store *store, const unsigned char tree[HASH_BYTES],
                                      const struct tree_edit *edits, size_t count,
                                      struct tree_spec *out, struct fault *fault);

/* Keeps bytes as a file: fills in type, size and hash of the entry. */
FAULT_CHECK enum fault_code tree_put_file(struct store *store, struct str content,
                                          struct tree_entry *out, struct fault *fault);

#endif
