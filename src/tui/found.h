/* Words found in a text, whatever their case. */
#ifndef TUI_FOUND_H
#define TUI_FOUND_H

#include "tui/screen.h"

/* The next place at or behind `from` where the words stand; *out is what stands there. */
bool found_next(struct str text, size_t from, struct str words, struct str *out);

/* Does a line have them? */
bool found_in_line(const struct line *line, struct str words, struct arena *arena);

/* Draws `look` over the places of a line, drawn at that column, where the words stand. */
void found_draw(struct pane pane, int row, int column, const struct line *line, struct str words,
                struct look look);

#endif
