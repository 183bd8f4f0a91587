/* The bar above a view and the line of keys below it, the same in all views. */
#ifndef TUI_BARS_H
#define TUI_BARS_H

#include "tui/screen.h"

/* The title at the left; `right` (NULL: nothing) at the right edge, as far as there is room. */
void bars_title(struct pane pane, int row, const char *title, const char *right);

/*
 * "Enter: Open|Ctrl-N: New" is drawn as [Enter: Open] [Ctrl-N: New]. What does not fit is left out
 * from the end, but the last one stays: it says how to leave.
 */
void bars_keys(struct pane pane, int row, const char *keys);

#endif
