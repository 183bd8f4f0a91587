/* New objects of a tree on their way into the store, gathered into few transactions. */
#ifndef WORKSPACE_TREE_PUT_H
#define WORKSPACE_TREE_PUT_H

#include "store/store.h"
#include "store/tree.h"

struct tree_put;

struct tree_put *tree_put_new(struct store *store);
void tree_put_free(struct tree_put *put); /* what was not finished is not kept */

/* Adds an object; its name comes out. Now and then it writes what it has. */
FAULT_CHECK enum fault_code tree_put_add(struct tree_put *put, enum object_kind kind,
                                         struct str content, unsigned char hash[HASH_BYTES],
                                         struct fault *fault);

/* Adds the content of a file: fills in type, size and hash. */
FAULT_CHECK enum fault_code tree_put_content(struct tree_put *put, struct str content,
                                             struct tree_entry *out, struct fault *fault);

/* Writes what is left. */
FAULT_CHECK enum fault_code tree_put_finish(struct tree_put *put, struct fault *fault);

#endif
