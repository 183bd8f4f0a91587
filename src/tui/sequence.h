/*
 * What the sequences mean that terminals send for keys and for the mouse: xterm, tmux, screen, rxvt
 * and those that tell a key by its code point.
 */
#ifndef TUI_SEQUENCE_H
#define TUI_SEQUENCE_H

#include "tui/press.h"

/*
 * ESC, the introducer ('[' or 'O'), the bytes and the last one. False: it is nothing that a person
 * did. When that was is for the caller to say.
 */
bool sequence_read(char introducer, struct str bytes, char last, struct press *out);

/* The mouse. The place is counted from 1, as the terminal does; 0 is one that it could not say. */
bool sequence_mouse(struct press *out, uint32_t button, uint32_t x, uint32_t y);

#endif
