/* A box in the middle of a pane, over what is there. */
#ifndef TUI_BOX_H
#define TUI_BOX_H

#include "tui/screen.h"

enum { BOX_COLUMNS_MAX = 76, BOX_EDGE = 2 /* columns between its side and what stands inside */ };

/* The columns inside of it that there are room for. */
int box_room(struct pane pane);

/* Draws a box for so many rows and columns inside, as far as there is room; returns its inside. */
struct pane box_draw(struct pane pane, int rows, int columns, const char *title);

#endif
