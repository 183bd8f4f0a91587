/* What the files of the composer share. */
#ifndef TUI_COMPOSER_OWN_H
#define TUI_COMPOSER_OWN_H

#include "tui/composer.h"
#include "tui/history.h"
#include "tui/offers.h"
#include "tui/rows.h"
#include "tui/text_edit.h"
#include "tui/text_rows.h"

enum {
    COMPOSER_PROMPT = 2,      /* columns of the sign before the text */
    COMPOSER_WORDS_MAX = 1024 /* bytes that the history is searched for */
};

/* Ctrl-R: words, and the newest entry of the history that has them. */
struct composer_search {
    bool open;
    struct buf words;
    size_t found; /* place in the history; its count: none */
};

struct composer {
    struct text_edit edit;
    struct text_rows rows; /* of what is shown */
    size_t top;            /* the first row that is seen */
    int goal;              /* the column that Up and Down keep to; -1: that of the cursor */

    struct history *history;
    bool walked;      /* an entry of the history is shown: */
    size_t walk;      /* … that one */
    bool walking;     /* the last press went there: Up goes on, whatever the row */
    struct buf draft; /* what was being written */

    struct composer_search search;
    struct offers offers;
    struct rows offer_rows;
    bool after_x; /* Ctrl-X was pressed */
};

/* What is shown: what is found, while the history is searched. */
struct str composer_shown(const struct composer *composer);
size_t composer_cursor(const struct composer *composer);

/* The rows are those of the shown text at that width of the composer. */
void composer_lay(struct composer *composer, int columns);

void composer_search_begin(struct composer *composer);
void composer_search_end(struct composer *composer, bool take);

/* False: the search has ended, and the press means what it means elsewhere. */
bool composer_search_press(struct composer *composer, const struct press *press,
                           enum composer_act *act);

#endif
