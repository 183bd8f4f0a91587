/* The newest sessions as a column beside the chat, in wide terminals: forks below their parents. */
#ifndef TUI_SIDEBAR_H
#define TUI_SIDEBAR_H

#include "tui/tui.h"

struct sidebar;

struct sidebar *sidebar_new(struct tui *tui);
void sidebar_free(struct sidebar *sidebar);

void sidebar_draw(struct sidebar *sidebar, struct pane pane);
void sidebar_happened(struct sidebar *sidebar, const struct happening *happening);

/* The session that is drawn in that row of the pane; NULL: none. */
const char *sidebar_at(struct sidebar *sidebar, int row);

#endif
