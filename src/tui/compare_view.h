/* Two places of a family side by side: the messages where they part, then the files. */
#ifndef TUI_COMPARE_VIEW_H
#define TUI_COMPARE_VIEW_H

#include "tui/tui.h"

struct compare_side {
    const char *session; /* id */
    const char *at;      /* a message; NULL: now */
    const char *title;   /* of the session, or words for the place */
};

struct view *compare_view_new(struct tui *tui, const struct compare_side *left,
                              const struct compare_side *right);

#endif
