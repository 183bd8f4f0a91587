/*
 * The rows in which a text stands at a width: wrapped between words, laid out as far as they were
 * asked for and kept until the text changes there. A row is never wider than the width; blanks at
 * its end that do not fit are not seen.
 */
#ifndef TUI_TEXT_ROWS_H
#define TUI_TEXT_ROWS_H

#include "tui/cells.h"

enum { TEXT_ROWS_TAB = 4 };

/* Set to zero at the beginning. */
struct text_rows {
    size_t *starts; /* of each row, in bytes; row 0 begins at 0 */
    size_t count, room;
    bool whole; /* the last row is the last of the text */
    int width;
};

void text_rows_clear(struct text_rows *rows);

void text_rows_set_width(struct text_rows *rows, int width); /* at least 1 */
void text_rows_stale(struct text_rows *rows, size_t from);   /* the text is another from there on */

/* How many there are, of which only `most` are counted. */
size_t text_rows_count(struct text_rows *rows, struct str text, size_t most);

/* The bytes of that row without its line break, and where it begins; false: there is none. */
bool text_rows_at(struct text_rows *rows, struct str text, size_t row, size_t *start,
                  struct str *out);

/* The row and the column of a place in the text. */
size_t text_rows_find(struct text_rows *rows, struct str text, size_t at, int *column);

/* The place in that row at the column, or the last one before it. */
size_t text_rows_place(struct text_rows *rows, struct str text, size_t row, int column);

/* Columns that the cluster at `at` takes in a row, of which `column` are taken; *at moves on. */
int text_rows_step(struct str text, size_t *at, int column);

#endif
