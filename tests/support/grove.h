/* A handful of tiny trees of files, as objects of a store. */
#ifndef SUPPORT_GROVE_H
#define SUPPORT_GROVE_H

#include "store/store.h"

enum { GROVE_TREES = 6 };

/* Tree 0 is the empty one, which stands for no tree, too. */
struct grove {
    unsigned char trees[GROVE_TREES][HASH_BYTES];
};

void grove_plant(struct grove *grove, struct store *store);

/* A tree of it for a verb to record. */
struct tree_spec grove_tree(const struct grove *grove, struct store *store, int tree);

/* Which one it is; -1: none of them. */
int grove_which(const struct grove *grove, const unsigned char hash[HASH_BYTES]);

#endif
