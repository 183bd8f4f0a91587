/* Markdown laid out for a terminal: headings, emphasis, lists, code, quotes, tables, links. */
#ifndef TUI_MARKDOWN_H
#define TUI_MARKDOWN_H

#include "tui/flow.h"

/*
 * CommonMark with tables, strike-through, task lists and bare links. Never fails: what cannot be
 * read as markdown is laid out as text. `base` is the look of plain text in it.
 */
void markdown_lay(struct flow *flow, struct str text, struct look base);

#endif
