/* tree_plan for those who work in the directories: every directory on the way is told, too. */
#ifndef WORKSPACE_TREE_DESCEND_H
#define WORKSPACE_TREE_DESCEND_H

#include "workspace/tree_diff.h"

FAULT_CHECK enum fault_code tree_descend(struct store *store, const unsigned char was[HASH_BYTES],
                                         const unsigned char is[HASH_BYTES],
                                         tree_change_visit *visit, void *context,
                                         struct fault *fault);

#endif
