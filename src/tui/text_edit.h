/* A text with a cursor, as a person edits it: moves, deletes, what was cut last, and undo. */
#ifndef TUI_TEXT_EDIT_H
#define TUI_TEXT_EDIT_H

#include "base/buf.h"

enum {
    TEXT_EDIT_UNDO_MAX = 500,                    /* changes that can be taken back */
    TEXT_EDIT_UNDO_BYTES_MAX = 16 * 1024 * 1024, /* of text that was removed by them */
};

struct text_change;

struct text_edit {
    struct buf text;
    size_t cursor; /* between characters as a person sees them */
    size_t stale;  /* the text from here on is another than when this was set to SIZE_MAX */
    struct buf killed;
    struct text_change *changes; /* oldest first */
    size_t change_count, change_room, change_bytes;
    bool typing, killing; /* the last act was that: the next one may join it */
};

void text_edit_init(struct text_edit *edit, size_t max_bytes);
void text_edit_clear(struct text_edit *edit);

struct str text_edit_text(const struct text_edit *edit); /* valid until the next change */

/*
 * Another text for the bytes from `from` to `to`, the cursor behind it. False: it would be too
 * long, and nothing was changed.
 */
bool text_edit_replace(struct text_edit *edit, size_t from, size_t to, struct str with);
bool text_edit_insert(struct text_edit *edit, struct str text);
bool text_edit_set(struct text_edit *edit, struct str text); /* all of it; can be undone */
void text_edit_forget(struct text_edit *edit);               /* emptied, and no undo */

/* Removes it and keeps it for text_edit_yank, with what was killed just before beside it. */
void text_edit_kill(struct text_edit *edit, size_t from, size_t to);
bool text_edit_yank(struct text_edit *edit);

bool text_edit_undo(struct text_edit *edit); /* false: there is nothing to take back */

/* The cursor goes there; what is done next is another act. */
void text_edit_move(struct text_edit *edit, size_t to);

/* Places in the text, as seen from `at`. */
size_t text_edit_after(const struct text_edit *edit, size_t at); /* of the next character */
size_t text_edit_before(const struct text_edit *edit, size_t at);
size_t text_edit_word_after(const struct text_edit *edit, size_t at);
size_t text_edit_word_before(const struct text_edit *edit, size_t at);
size_t text_edit_blank_before(const struct text_edit *edit, size_t at); /* words between blanks */
size_t text_edit_line_begin(const struct text_edit *edit, size_t at);
size_t text_edit_line_end(const struct text_edit *edit, size_t at);

#endif
