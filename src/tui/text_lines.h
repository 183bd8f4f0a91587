/* The lines of a text, one after the other. */
#ifndef TUI_TEXT_LINES_H
#define TUI_TEXT_LINES_H

#include "base/str.h"

/* Takes the next line from the rest, without its "\n"; false: there is none. */
bool text_lines_next(struct str *rest, struct str *line);

size_t text_lines_count(struct str text);

#endif
