/*
 * The line to the terminal: raw keys, the modes that ncurses does not know, the question for its
 * ground, and the way back. Knows no ncurses.
 */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include "base/buf.h"
#include "base/fault.h"
#include "tui/palette.h"

#include <termios.h>

enum {
    TERMINAL_ASK_MS = 100,      /* the longest wait for its answer */
    TERMINAL_EARLY_MAX = 65536, /* bytes that were typed meanwhile; more are not taken */
    TERMINAL_FAREWELL_MAX = 512
};

struct terminal {
    struct termios before, raw;
    struct buf early; /* what was typed while it was asked */
};

/* FAULT_INVALID when standard input and output are no terminal. Changes nothing yet. */
FAULT_CHECK enum fault_code terminal_open(struct terminal *terminal, struct fault *fault);
void terminal_clear(struct terminal *terminal);

void terminal_set_raw(const struct terminal *terminal);  /* every key comes as it is */
void terminal_set_back(const struct terminal *terminal); /* as it was found */

void terminal_modes(bool on); /* bracketed paste, mouse */
void terminal_send(struct str bytes);
bool terminal_size(int *rows, int *columns); /* false: it does not say */

/* Asks for its ground, when raw. */
enum palette_ground terminal_ask_ground(struct terminal *terminal);

/*
 * Takes the answers to that question out of what has come and leaves what was typed. True when the
 * last of them was there: every terminal answers the second question.
 */
bool terminal_sift(struct buf *bytes, enum palette_ground *ground);

/* From now on terminal_rescue sends this and sets the terminal back; without a terminal it does
 * nothing. */
void terminal_arm(const struct terminal *terminal, struct str farewell);
void terminal_rescue(void); /* may be called by a signal */

/* Stops this program and those with it, as Ctrl-Z does; returns when it is continued. Where nobody
 * could continue it, nothing is stopped. */
void terminal_stop(void);

#endif
