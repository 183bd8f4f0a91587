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

enum {
    CHOICE_TEXT_MAX = 64 * 1024, /* bytes of its text that are shown */
    CHOICE_CALM_MS = 800
};

struct choice_spec {
    const char *title;
    const char *text; /* lines above the answers, wrapped and scrolled when there are many; NULL */
    const struct choice_answer *answers; /* copied; the first one is marked at the beginning */
    size_t count;
    /* It opens unasked: letters and Enter count only after CHOICE_CALM_MS in which none came, so
     * that nobody answers by what he is writing. Until then letters go to the view below. */
    bool unasked;
    choice_call *call;
    void *context;
};

struct view *choice_new(struct tui *tui, const struct choice_spec *spec);

#endif
