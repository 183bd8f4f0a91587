/* A session in one row: its state, its title, where it comes from. */
#ifndef TUI_SESSION_ROW_H
#define TUI_SESSION_ROW_H

#include "tui/screen.h"

#include <tine.h>

/* "Untitled" when it has none. */
struct str session_row_title(const struct tine_session *session);

/* Its newest turn, when that is worth a word: "running", "waiting", "failed" …; "": it is not. */
const char *session_row_state(const struct tine_session *session, enum tone *tone);

/* One sign for that, with a blank behind it: two columns. */
struct str session_row_sign(const struct tine_session *session, enum tone *tone);

#endif
