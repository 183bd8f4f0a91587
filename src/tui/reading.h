/* A text being read: laid-out lines, the part of them that is seen, and what is looked for. */
#ifndef TUI_READING_H
#define TUI_READING_H

#include "base/buf.h"
#include "tui/press.h"
#include "tui/screen.h"

enum { READING_WHEEL = 3, READING_WORDS_MAX = 1024 };

struct reading {
    struct laid laid; /* the caller's */
    size_t top;       /* the first line that is seen */
    size_t page;      /* lines that were seen when it was drawn last */
    struct buf words; /* that are looked for; none: nothing is */
    size_t hit;       /* the line of the newest hit */
    bool has_hit;
};

void reading_init(struct reading *reading);
void reading_clear(struct reading *reading);

/* Other lines, or the same ones laid out anew: it stays about where it was. */
void reading_set(struct reading *reading, struct laid laid);

/* Up, Down, PageUp, PageDown, Home, End, the wheel; with `letters` also j k b g G and Space. */
bool reading_press(struct reading *reading, const struct press *press, bool letters);

/* The line with the words that is next, from the first one seen on; false: there is none, and
 * nothing moves. No words: nothing is looked for any more. */
bool reading_find(struct reading *reading, struct str words);
bool reading_again(struct reading *reading, bool back); /* goes round at the ends */

void reading_draw(struct reading *reading, struct pane pane); /* with a bar at its right edge */

/* How much of it has been seen, 0 to 100. */
int reading_percent(const struct reading *reading);

#endif
