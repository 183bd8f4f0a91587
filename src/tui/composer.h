/*
 * The composer: several lines of text being written, with a history of what was sent and completion
 * of slash commands.
 */
#ifndef TUI_COMPOSER_H
#define TUI_COMPOSER_H

#include "tui/press.h"
#include "tui/screen.h"

enum { COMPOSER_MAX = 4 * 1024 * 1024 /* bytes */ };

enum composer_act {
    COMPOSER_NOTHING, /* the key is not for the composer */
    COMPOSER_TAKEN,
    COMPOSER_SEND, /* Enter: take the text with composer_take; also when there is none */
    COMPOSER_EDIT, /* Ctrl-X Ctrl-E, or Ctrl-O: in the external editor */
    COMPOSER_FULL  /* the text would be too long; nothing was changed */
};

/*
 * Completions of the word before the cursor, by index from 0; false: there are no more. `text` is
 * all that stands before the cursor; `word` comes in place of what stands there behind the last
 * blank. They are looked at before the next one is asked for.
 */
struct composer_offer {
    const char *word, *help;
};
typedef bool composer_complete(void *context, struct str text, size_t index,
                               struct composer_offer *out);

struct composer;

/* `history` is a file that is read and appended to; NULL: none. */
struct composer *composer_new(const char *history, composer_complete *complete, void *context);
void composer_free(struct composer *composer);

enum composer_act composer_press(struct composer *composer, const struct press *press);

bool composer_empty(const struct composer *composer); /* nor is the history searched */
struct str composer_text(const struct composer *composer);
void composer_set(struct composer *composer, struct str text); /* the cursor at its end */
struct str composer_take(struct composer *composer,
                         struct arena *arena); /* emptied; into the history */

/* Esc with text in it: closes the completion or the search, else clears it; undone by Up or Ctrl-_
 * (kept in the history of this run). */
void composer_escape(struct composer *composer);

/* Rows that it wants at that width, its frame included: at most `most`. */
int composer_rows(struct composer *composer, int columns, int most);
void composer_draw(struct composer *composer, struct pane pane, const char *hint, bool active);

/* Rows of the offers that are shown above it; 0: none. */
int composer_offers(struct composer *composer, int columns, int most);
void composer_draw_offers(struct composer *composer, struct pane pane);

#endif
