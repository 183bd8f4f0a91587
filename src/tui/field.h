/* One line of text being typed: a question's answer, a filter, words to look for. */
#ifndef TUI_FIELD_H
#define TUI_FIELD_H

#include "base/buf.h"
#include "tui/press.h"
#include "tui/screen.h"

enum { FIELD_MAX = 4096 /* bytes; what is beyond is not taken */ };

enum field_act {
    FIELD_NOTHING, /* the press is not for the field: Enter, Esc, Up … */
    FIELD_MOVED,   /* the cursor, or nothing at all; the text is the same */
    FIELD_CHANGED
};

struct field {
    struct buf text;
    size_t at; /* the cursor: between characters as a person sees them */
    int first; /* the column of the text that is drawn first */
};

void field_init(struct field *field);
void field_clear(struct field *field); /* gives the memory back; usable again */

struct str field_text(const struct field *field); /* valid until the next change; NUL behind it */
void field_set(struct field *field, struct str text); /* the cursor at its end; one line of it */

/* Characters and pastes (line breaks become blanks), Left, Right, Home, End, Backspace, Delete,
 * Ctrl-A, Ctrl-E, Ctrl-U, Ctrl-K, Ctrl-W. */
enum field_act field_press(struct field *field, const struct press *press);

/* In the first row of the pane; `hint` stands there, faint, while it is empty (NULL: nothing). */
void field_draw(struct field *field, struct pane pane, const char *hint);

#endif
