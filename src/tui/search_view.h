/* The hits of a search over all sessions; Enter opens the session at the message. */
#ifndef TUI_SEARCH_VIEW_H
#define TUI_SEARCH_VIEW_H

#include "tui/tui.h"

struct view *search_view_new(struct tui *tui, const char *words);

#endif
