/* What the terminal can do, and text made safe and fit for it. */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include "base/buf.h"

#include <stdio.h>

struct term {
    bool is_terminal; /* else text goes out as it is, and nothing is wrapped or cut */
    bool color;       /* a terminal, and NO_COLOR is not set */
    bool utf8;        /* box characters can be drawn */
    int width;        /* columns; 0: no limit */
};

enum term_style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_WARN,
    STYLE_NAME,
    STYLE_GONE
};

struct term term_of(FILE *file);

/* What switches to a style; nothing without colours. */
void term_style(const struct term *term, struct buf *out, enum term_style style);

/*
 * Text on one line: control characters, those that turn the direction of writing, and bytes that
 * are no UTF-8, are shown as escapes. Cut, with an ellipsis, to `columns` (0: not cut). Returns the
 * columns it takes.
 */
int term_add_line(const struct term *term, struct buf *out, struct str text, int columns);

/* Text with its line breaks, each line indented; wrapped between words on a terminal. */
void term_add_text(const struct term *term, struct buf *out, struct str text, int indent);

/* The columns that the text from `from` on takes; it is what the functions above have made. */
int term_shown(const struct buf *out, size_t from);

/* The line that begins at `from`, and has no end yet, is cut to a terminal's width. */
void term_fit(const struct term *term, struct buf *out, size_t from);

int term_columns(struct str text); /* that text without control characters takes */

#endif
