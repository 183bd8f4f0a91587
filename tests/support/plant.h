/* Trees of files in a store, without a directory that they were in. */
#ifndef SUPPORT_PLANT_H
#define SUPPORT_PLANT_H

#include "store/store.h"
#include "store/tree.h"

/* Used by one thread. What it makes lives in the arena. */
struct plant {
    struct store *store;
    struct arena *arena;
    struct hasher *hasher;
    struct packer *packer;
    int64_t objects; /* that were put */
};

void plant_init(struct plant *plant, struct store *store, struct arena *arena);
void plant_clear(struct plant *plant);

/* An object of some content; it is not put. */
struct object plant_make(struct plant *plant, enum object_kind kind, struct str content);

/* Names it, and puts it when it is not there. */
FAULT_CHECK enum fault_code plant_put(struct plant *plant, enum object_kind kind,
                                      struct str content, unsigned char hash[HASH_BYTES],
                                      struct fault *fault);

/* An entry for a directory: a file in one piece or in several, or another directory. */
FAULT_CHECK enum fault_code plant_file(struct plant *plant, struct str name, struct str content,
                                       struct tree_entry *out, struct fault *fault);
FAULT_CHECK enum fault_code plant_dir(struct plant *plant, struct str name,
                                      const struct tree_entry *entries, size_t count,
                                      struct tree_entry *out, struct fault *fault);

/*
 * Looks at everything of a tree through the store: all is there, of its kind and size, and has the
 * hash that names it. FAULT_CORRUPT, FAULT_NOT_FOUND.
 */
FAULT_CHECK enum fault_code plant_check(struct plant *plant, const unsigned char tree[HASH_BYTES],
                                        struct fault *fault);

#endif
