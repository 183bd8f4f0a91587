/* The two lines that say how things are: what is talked about, and what it has cost. */
#ifndef TUI_STATUS_H
#define TUI_STATUS_H

#include "tui/talk.h"
#include "tui/tui.h"

/* Title, branch and fork point. `agent` and `title` are those of a session that is not made yet. */
void status_head(struct pane pane, int row, const struct talk *talk, const char *title);

/* Agent, state of the turn, tokens and cost, own and inherited; `place`, when it is above 0, is
 * where the reader is. */
void status_line(struct pane pane, int row, const struct talk *talk, const char *agent,
                 int64_t place);

/* "9500", "12.3k", "4.5M": at most 5 columns. */
struct str status_count(int64_t count, struct arena *arena);

/* "0.0123", "12.35", "1234"; "<0.0001" for less. In 1e-9 of the unit. */
struct str status_cost(int64_t nano, struct arena *arena);

#endif
