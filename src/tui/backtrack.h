/*
 * Backtrack mode of the chat: a mark that steps back through the messages, and what is done there.
 *
 *             Esc                    Esc, Up, Left, k: older       Enter, a: fork
 *   chat ───────────▶ backtrack ◀──────────────────────────┐    ┌──────────▶ chat of the fork
 *    ▲                 │ │  └─────────────────────────────┘    │  r: rewind, d: diff
 *    └─────────────────┘ └─────────────────────────────────────┘
 *      q, Ctrl-C, Esc at the oldest, three Escs in a row
 */
#ifndef TUI_BACKTRACK_H
#define TUI_BACKTRACK_H

#include "tui/scroll.h"
#include "tui/tui.h"

enum {
    BACKTRACK_RUN_MS = 800, /* Escs in a row: each so soon after the one before */
    BACKTRACK_RUN = 3,      /* so many of them leave */
    BACKTRACK_HELD_MS = 500 /* so long tmux holds an Esc back, unless another one follows it */
};

/* Does that key, without alt, mean something there? */
bool backtrack_takes(const struct press *press);

/* `entered_ms` is when the Esc came that opened it: it is the first of a run. */
struct view *backtrack_new(struct tui *tui, struct talk *talk, int64_t entered_ms);

#endif
