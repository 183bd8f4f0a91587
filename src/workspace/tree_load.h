/* Objects of a tree as they come out of the store: unpacked, and checked against their names. */
#ifndef WORKSPACE_TREE_LOAD_H
#define WORKSPACE_TREE_LOAD_H

#include "store/store.h"
#include "store/tree.h"

/* Directories below one another that are followed; a snapshot goes less deep. FAULT_CORRUPT. */
enum { TREE_DEPTH = 256, TREE_PATH_BYTES = TREE_DEPTH * (TREE_NAME_BYTES + 1) };

/* The tree without entries: tree_empty, zeros or NULL. */
bool tree_is_empty(const unsigned char *tree);

/* A directory, to be read from its start; nothing in it when tree_is_empty. FAULT_CORRUPT. */
FAULT_CHECK enum fault_code tree_load_dir(struct store *store, const unsigned char *hash,
                                          struct arena *arena, struct tree_reader *out,
                                          struct fault *fault);

typedef enum fault_code tree_bytes_visit(void *context, struct str bytes, struct fault *fault);

/* What is in a file, from its start, piece by piece: none is larger than OBJECT_PIECE_BYTES. */
FAULT_CHECK enum fault_code tree_load_file(struct store *store, const struct tree_entry *entry,
                                           tree_bytes_visit *visit, void *context,
                                           struct fault *fault);

/* A reader that keeps the entry it stands at. */
struct tree_cursor {
    struct tree_reader reader;
    struct tree_entry entry;
    bool end;
};

FAULT_CHECK enum fault_code tree_cursor_open(struct tree_cursor *cursor, struct store *store,
                                             const unsigned char *hash, struct arena *arena,
                                             struct fault *fault);
FAULT_CHECK enum fault_code tree_cursor_next(struct tree_cursor *cursor, struct fault *fault);

#endif
