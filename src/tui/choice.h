/* A question with a few answers, in a box over the view: one is chosen by its key or by Enter. */
#ifndef TUI_CHOICE_H
#define TUI_CHOICE_H

#include "tui/tui.h"

struct choice_answer {
    char key;          /* 'y' */
    const char *words; /* "yes, stop it" */
};

/*
 * `key` is that of the answer; 0: none was chosen (Esc, q, Ctrl-C, or the box was closed by
 * somebody else, from its free). Called exactly once, so that the context can be given back there.
 */
typedef void choice_call(void *context, char key);

struct choice_spec {
    const char *title;
    const char *text; /* lines above the answers, wrapped and scrolled when there are many; NULL */
    const struct choice_answer *answers; /* copied; the first one is marked at the beginning */
    size_t count;
    choice_call *call;
    void *context;
};

struct view *choice_new(struct tui *tui, const struct choice_spec *spec);

/*
 * A line of text to be typed: title, session name, words to search for. NULL: it was given up.
 * Called exactly once, as that of a choice.
 */
typedef void ask_call(void *context, const char *text);
struct view *ask_new(struct tui *tui, const char *title, const char *text, ask_call *call,
                     void *context);

#endif
