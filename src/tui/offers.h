/* What could stand in place of the word before the cursor, to choose from. */
#ifndef TUI_OFFERS_H
#define TUI_OFFERS_H

#include "tui/composer.h"
#include "tui/text_edit.h"

enum { OFFERS_MAX = 200 };

struct offers {
    composer_complete *complete; /* NULL: there are none, ever */
    void *context;
    bool open;
    bool asked;     /* for, by Tab or by choosing one: Enter takes it */
    bool dismissed; /* they do not open by themselves until there is another text */
    size_t count, marked;
};

/* Something was typed: those of a command open by themselves. */
void offers_typed(struct offers *offers, const struct text_edit *edit);
void offers_close(struct offers *offers);

/* Tab, where none are open: completes what is common to all of them. False: there are none. */
bool offers_ask(struct offers *offers, struct text_edit *edit);

/* A press while they are open; false: it is not for them. */
bool offers_press(struct offers *offers, struct text_edit *edit, const struct press *press);

/* The one at that place; the text must be that of the last call. */
bool offers_at(const struct offers *offers, const struct text_edit *edit, size_t index,
               struct composer_offer *out);

#endif
