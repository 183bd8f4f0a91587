/*
 * What a person does to a session from any view: fork, rewind, undo, redo, adopt, merge. Each first
 * shows what it would do where that matters, asks when a turn runs, and tells how it went.
 */
#ifndef TUI_MOVES_H
#define TUI_MOVES_H

#include "tui/tui.h"

struct moves_point {
    const char *before, *after; /* at most one; none: after everything */
};

/* Opens the fork. The text of the message that was cut off goes into the composer when `edit`. */
void moves_fork(struct tui *tui, const char *session, struct moves_point point, bool edit);

/* The same from its end on, with another agent. */
void moves_fork_to(struct tui *tui, const char *session, const char *agent);

/* Shows what would be dropped and which files would change, and asks: conversation, files, both? */
void moves_rewind(struct tui *tui, const char *session, struct moves_point point);

void moves_undo(struct tui *tui, const char *session);
void moves_redo(struct tui *tui, const char *session);
void moves_adopt(struct tui *tui, const char *session, const char *from, const char *from_title);
void moves_merge(struct tui *tui, const char *session, const char *from, const char *from_title);
void moves_label(struct tui *tui, const char *session, const char *message, const char *label);
void moves_title(struct tui *tui, const char *session, const char *title);

#endif
