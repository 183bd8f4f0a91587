/* The tree of a family, drawn with lines. */
#ifndef CLI_TREE_DRAW_H
#define CLI_TREE_DRAW_H

#include "cli/family.h"

/* `current` is the id of the session that is marked. */
FAULT_CHECK enum fault_code tree_draw(struct cli *cli, const struct family *family,
                                      struct str current, struct fault *fault);

#endif
