/*
 * The terminal as a grid of cells, by ncurses: drawn anew in each frame, of which only what changed
 * is sent. The only file that knows ncurses.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "base/fault.h"
#include "tui/flow.h"

struct screen;

/*
 * Takes over the terminal: alternate screen, raw keys, bracketed paste, mouse wheel. Colours as the
 * terminal has them (8, 256, true), for a light or a dark ground (TINE_THEME=light|dark, else
 * COLORFGBG, else what the terminal answers within a moment, else dark); none with NO_COLOR.
 * FAULT_INVALID when there is no terminal, or one that cannot do it; the message says why.
 */
FAULT_CHECK enum fault_code screen_open(struct screen **out, struct fault *fault);
void screen_close(struct screen *screen);

/* For a signal that ends the program: gives the terminal back, with nothing but what a signal may
 * call. Does nothing while no screen is open or the terminal has been left. */
void screen_rescue(void);

/* Bytes that the terminal sent while its colours were asked for, and that were typed. */
struct str screen_early(const struct screen *screen);

/* Gives the terminal back, for an editor or a stop, and takes it again. */
void screen_leave(struct screen *screen);
void screen_return(struct screen *screen);

/* After a stop that it was not left for: the shell has had the terminal, and it is taken again. */
void screen_continued(struct screen *screen);

void screen_resized(struct screen *screen); /* after SIGWINCH */
void screen_title(struct screen *screen, struct str title);
void screen_bell(struct screen *screen);

/* Part of the screen. Nothing is drawn outside of it. */
struct pane {
    struct screen *screen;
    int row, column, rows, columns;
};

struct pane screen_begin(struct screen *screen); /* an empty frame: the whole of it */
void screen_show(struct screen *screen);         /* sends it */
void screen_redraw(struct screen *screen); /* … and next time everything, whatever changed */

struct pane pane_rows(struct pane pane, int row, int rows);          /* cut to the pane */
struct pane pane_columns(struct pane pane, int column, int columns); /* likewise */

/* Draws text, cleaned and cut to the pane, an ellipsis at its end; returns the columns behind it.
 */
int pane_text(struct pane pane, int row, int column, struct look look, struct str text);
int pane_format(struct pane pane, int row, int column, struct look look, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Draws a line that was laid out; `over` goes on top of its looks: its bits are added, and its tone
 * taken instead unless it is TONE_TEXT. */
void pane_line(struct pane pane, int row, int column, const struct line *line, struct look over);

void pane_fill(struct pane pane, struct look look);          /* blanks in that look */
void pane_row(struct pane pane, int row, struct look look);  /* one row of blanks */
void pane_rule(struct pane pane, int row, struct look look); /* a line across */
void pane_box(struct pane pane, struct look look,
              struct str title);                         /* round its edge; inside is blanked */
void pane_cursor(struct pane pane, int row, int column); /* the cursor stands there in this frame */
void screen_cursor_off(struct screen *screen); /* … or does not, whoever below has said so */

/* May characters beyond ASCII be drawn: boxes, arrows? Else plain ones are taken by these. */
bool screen_utf8(const struct screen *screen);

#endif
