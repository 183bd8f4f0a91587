/* The list of sessions: newest first, narrowed by typing, live. */
#ifndef TUI_SESSIONS_VIEW_H
#define TUI_SESSIONS_VIEW_H

#include "tui/tui.h"

struct view *sessions_view_new(struct tui *tui);

#endif
