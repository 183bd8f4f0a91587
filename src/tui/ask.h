/* A line of text to be typed, in a box over the view: a title, an answer to the agent. */
#ifndef TUI_ASK_H
#define TUI_ASK_H

#include "tui/tui.h"

/* NULL: it was given up. Called exactly once, as that of a choice. */
typedef void ask_call(void *context, const char *text);

struct ask_spec {
    const char *title;
    const char *words; /* above the line, wrapped and scrolled when there are many; NULL: none */
    const char *text;  /* that stands there at the beginning; NULL: none */
    bool unasked;      /* as in struct choice_spec */
    ask_call *call;
    void *context;
};

struct view *ask_new(struct tui *tui, const struct ask_spec *spec);

#endif
