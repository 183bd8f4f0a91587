/* The agents of the server, of which one is chosen. */
#ifndef TUI_AGENTS_VIEW_H
#define TUI_AGENTS_VIEW_H

#include "tui/tui.h"

/* NULL: none was chosen. Called exactly once, as that of a choice. */
typedef void agent_call(void *context, const char *agent);

struct view *agents_view_new(struct tui *tui, agent_call *call, void *context);

#endif
