/*
 * The part of a conversation that is seen. It stands on a message and a line of it, not on a number
 * of lines from the top, so that a move costs what is seen and not what is above.
 */
#ifndef TUI_SCROLL_H
#define TUI_SCROLL_H

#include "tui/screen.h"
#include "tui/talk.h"

struct scroll;

struct scroll *scroll_new(struct talk *talk);
void scroll_free(struct scroll *scroll);

/* How it is drawn; may be set at any time. */
struct scroll_look {
    bool numbered;          /* headings "You (message 1)" */
    int64_t marked;         /* in a box, with `mark_words` in its edge; -1: none */
    const char *mark_words; /* "← FORK POINT" */
    bool dim_behind;        /* what stands behind the marked one */
    bool all_open;          /* tool calls and results in full */
    const char *found;      /* words that are shown as found; NULL: none */
};
void scroll_set(struct scroll *scroll, const struct scroll_look *look);

void scroll_draw(struct scroll *scroll, struct pane pane); /* also a bar at its right edge */

void scroll_by(struct scroll *scroll, int lines); /* below 0: towards the beginning */
void scroll_page(struct scroll *scroll, int pages);
void scroll_begin(struct scroll *scroll);
void scroll_end(struct scroll *scroll);               /* and stays there while more is said */
void scroll_to(struct scroll *scroll, int64_t index); /* so that all of it is seen, if it can be */
bool scroll_at_end(const struct scroll *scroll);

/* The place of the message in the middle; of the one at that row of the pane; -1: none. */
int64_t scroll_middle(const struct scroll *scroll);
int64_t scroll_at(const struct scroll *scroll, int row);

void scroll_toggle(struct scroll *scroll, int64_t index); /* opens or folds its tool calls */

#endif
