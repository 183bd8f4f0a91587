/* The tree of a family, drawn with lines. */
#ifndef CLI_TREE_DRAW_H
#define CLI_TREE_DRAW_H

#include "cli/family.h"

FAULT_CHECK enum fault_code tree_draw(struct cli *cli, const struct family *family,
                                      bool with_rewound, struct fault *fault);

#endif
