/*
 * A list on the screen: items of one or more rows each, of which one is marked and always seen. The
 * items themselves are the caller's; this knows how many there are.
 */
#ifndef TUI_ROWS_H
#define TUI_ROWS_H

#include "tui/press.h"
#include "tui/screen.h"

enum {
    ROWS_WHEEL = 3, /* items that a turn of the wheel moves by */
    ROWS_BAR = 2    /* columns at the right edge that are kept for the bar */
};

/* Set to zero at the beginning. */
struct rows {
    size_t count;     /* of items: set by rows_count */
    size_t marked;    /* < count, unless there are none */
    size_t top;       /* the first one that is seen */
    size_t page;      /* items that were seen when it was drawn last */
    int tall;         /* rows of an item; 0: one */
    struct pane pane; /* that it was drawn in last: for clicks */
};

/* There are so many items now: the mark stays where it is, if it can. */
void rows_count(struct rows *rows, size_t count);
void rows_mark(struct rows *rows, size_t index);

/* Up, Down, PageUp, PageDown, Home, End, the wheel, a click on an item; false: none of them. */
bool rows_press(struct rows *rows, const struct press *press);

/* Is the last item among those that were drawn? Then it is time to read more of them. */
bool rows_at_end(const struct rows *rows);

/* Draws one item into a pane of its own; the pane of the marked one is filled already, and
 * what is drawn into it has LOOK_MARKED. */
typedef void rows_draw_item(void *context, struct pane pane, size_t index, bool marked);

/* Draws those that fit, and a bar at the right edge when there are more of them; `empty` stands
 * there when there are none. */
void rows_draw(struct rows *rows, struct pane pane, rows_draw_item *draw, void *context,
               const char *empty);

/* The bar at the right edge of something that is scrolled: nothing when all of it is seen. */
void rows_bar(struct pane pane, size_t top, size_t seen, size_t count);

#endif
