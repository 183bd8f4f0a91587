/* A screen on a terminal that nobody looks at, and what was sent to it. */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

#include "tui/screen.h"

struct stage;

/* Standard input and output are the terminal until it is closed. */
struct stage *stage_open(int rows, int columns);
void stage_close(struct stage *stage);
struct screen *stage_screen(struct stage *stage);
void stage_size(struct stage *stage, int rows, int columns);

/* Shows the frame whole; the characters of it in the order in which they were sent, without what
 * steers the terminal. Valid until the next call. */
const char *stage_show(struct stage *stage);

#endif
