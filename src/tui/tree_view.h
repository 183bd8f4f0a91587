/* The family of a session as a tree: opened, forked, rewound, merged, compared, adopted there. */
#ifndef TUI_TREE_VIEW_H
#define TUI_TREE_VIEW_H

#include "tui/tui.h"

struct view *tree_view_new(struct tui *tui, const char *session);

#endif
