/*
 * From the bytes of a terminal to what a person did. A lone Esc is one that nothing follows within
 * ESCAPE_MS; Esc Esc is Esc twice, however fast; Esc and a key at once is that key with alt.
 */
#ifndef TUI_KEYBOARD_H
#define TUI_KEYBOARD_H

#include "tui/press.h"

enum {
    KEYBOARD_ESCAPE_MS = 40,
    KEYBOARD_PASTE_MAX = 4 * 1024 * 1024 /* bytes; what is beyond is left out */
};

struct keyboard;

struct keyboard *keyboard_new(void);
void keyboard_free(struct keyboard *keyboard);

/* Takes bytes that came from the terminal at that time. */
void keyboard_take(struct keyboard *keyboard, struct str bytes, int64_t now_ms);

/* The next press; false: there is none yet. Call it until then. */
bool keyboard_next(struct keyboard *keyboard, int64_t now_ms, struct press *out);

/* Milliseconds until keyboard_next may have one without further bytes; -1: never. */
int keyboard_wait_ms(const struct keyboard *keyboard, int64_t now_ms);

/* A paste was longer than KEYBOARD_PASTE_MAX since the last time this was asked. */
bool keyboard_paste_cut(struct keyboard *keyboard);

#endif
