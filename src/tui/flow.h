/*
 * Text laid out in lines of a given width. What is written runs on and is wrapped between words; a
 * prefix (an indent, a bar, a bullet) stands before each line. Everything lives in the arena.
 */
#ifndef TUI_FLOW_H
#define TUI_FLOW_H

#include "tui/cells.h"
#include "tui/look.h"

struct span {
    struct str text; /* as cells.h shows it */
    int columns;
    struct look look;
};

struct line {
    const struct span *spans;
    size_t count;
    int columns;
};

struct flow; /* being written */

/* What was laid out. */
struct laid {
    const struct line *lines;
    size_t count;
};

/* `width` is at least 1; a word that is longer is broken. */
struct flow *flow_new(struct arena *arena, int width);
struct laid flow_end(struct flow *flow);
struct arena *flow_arena(struct flow *flow);

/*
 * What stands before each line from the next one on: `first` before that one, `rest` before those
 * behind it, which are filled up to the width of the wider one. Prefixes stand one inside another;
 * one that would leave hardly any room is left out. `first` is written in any case, on a line of
 * its own when nothing stands behind it.
 */
void flow_push(struct flow *flow, struct str first, struct str rest, struct look look);
void flow_pop(struct flow *flow);

/* Running text: blanks between words may become line breaks; a line break in it is one. */
void flow_text(struct flow *flow, struct str text, struct look look);

/*
 * Text whose blanks count, but for those at the end of a line: code. Wrapped only where it must be;
 * tabs stand at every fourth.
 */
void flow_exact(struct flow *flow, struct str text, struct look look);

void flow_break(struct flow *flow); /* ends the line, when something stands in it */
/* … and leaves one empty line, unless there is one already, or nothing at all. */
void flow_blank(struct flow *flow);

int flow_room(const struct flow *flow); /* columns behind the prefixes */

/* Cuts lines that were laid out elsewhere, at the same width or less, into this flow. */
void flow_lines(struct flow *flow, struct laid lines);

#endif
