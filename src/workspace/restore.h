/*
 * Makes a directory what a tree says, path by path, each by a rename. It writes over a path only
 * what it expects to find there, so it can be cut off at any instant and begun again: what is
 * already as it should be is passed over, what is neither is left alone and told.
 */
#ifndef WORKSPACE_RESTORE_H
#define WORKSPACE_RESTORE_H

#include "store/store.h"
#include "store/tree.h"

enum restore_deed {
    RESTORE_WRITTEN, /* made, changed or given another mode */
    RESTORE_DELETED,
    RESTORE_LEFT /* left alone: somebody changed it meanwhile, or what is there is not kept */
};

typedef enum fault_code restore_visit(void *context, enum restore_deed deed, struct str path,
                                      struct fault *fault);

struct restore_spec {
    struct store *store;
    int dir; /* the directory, open */
    unsigned char from[HASH_BYTES], to[HASH_BYTES];
    bool (*skips)(void *context,
                  struct str path); /* paths that are not to be touched; NULL: none */
    void *skips_context;
    restore_visit *visit; /* told of each path; NULL: nobody is */
    void *context;
};

/*
 * Everything is on the disk when it returns. A crash, or a fault on the way, leaves each path as it
 * is in one of the two trees; the same call again finishes it, and with `from` and `to` changed
 * round it takes it back. Temporary names begin with RESTORE_TEMP; a snapshot does not see them,
 * and a restore removes what an earlier one left of them.
 */
FAULT_CHECK enum fault_code restore_apply(const struct restore_spec *spec, struct fault *fault);

#define RESTORE_TEMP ".tine-tmp-"

/*
 * Makes a new directory at `path` with what is in the tree, whole or not at all (under another name
 * first); and its index, so that the next snapshot reads nothing again. FAULT_EXISTS.
 */
FAULT_CHECK enum fault_code restore_layout(struct store *store,
                                           const unsigned char tree[HASH_BYTES], const char *path,
                                           const char *index, struct fault *fault);

/* Writes one file in place of whatever file or link is there, or deletes one. */
FAULT_CHECK enum fault_code restore_put(int dir, struct str path, unsigned mode, struct str content,
                                        struct fault *fault);
FAULT_CHECK enum fault_code restore_delete(int dir, struct str path, struct fault *fault);

#endif
