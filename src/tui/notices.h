/*
 * What the program has to say: a sentence that goes away by itself, and failures, which stay until
 * the person says that they were read.
 */
#ifndef TUI_NOTICES_H
#define TUI_NOTICES_H

#include "tui/screen.h"

enum {
    NOTICE_BYTES = 1024,
    NOTICE_FAILURES = 8, /* that are kept, the oldest ones; the others are counted */
    NOTICE_SAID_MS = 8000
};

struct notices {
    char said[NOTICE_BYTES];
    int64_t said_until_ms;
    char failures[NOTICE_FAILURES][NOTICE_BYTES]; /* the oldest first */
    size_t count;
    size_t dropped; /* that came when those were unread */
};

void notices_say(struct notices *notices, const char *text, int64_t now_ms);
void notices_fail(struct notices *notices, const char *text);
bool notices_read(struct notices *notices); /* the oldest failure; false: there was none */

/* Forgets a sentence whose time is over; milliseconds until that of the present one, or -1. */
int notices_wait_ms(struct notices *notices, int64_t now_ms, bool *changed);

/* Rows that the failure takes at the bottom of a screen so wide and high; 0: there is none. */
int notices_rows(const struct notices *notices, int columns, int rows);
void notices_draw(const struct notices *notices, struct pane pane);

/* The sentence, over the last row of the pane. */
void notices_draw_said(const struct notices *notices, struct pane pane);

#endif
