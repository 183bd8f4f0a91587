/* What the files of the moves share. */
#ifndef TUI_MOVES_OWN_H
#define TUI_MOVES_OWN_H

#include "tui/plan.h"

/* Is it the session in the chat? */
bool moves_is_here(const struct plan *plan);

/* "rewound in “Title”: 4 messages dropped; /undo takes it back"; where only when not in the chat.
 */
void moves_tell(struct plan *plan, const struct tine_result *result, const char *what,
                const char *back);

/*
 * Shows the dry run of a move of conversation and files and asks which of them; goes on with the
 * plan. `title` is that of the box.
 */
void moves_ask_scope(struct plan *plan, const struct tine_result *dry, const char *title);

#endif
