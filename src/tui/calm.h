/* Boxes that open unasked take nothing that was meant for what stood there before. */
#ifndef TUI_CALM_H
#define TUI_CALM_H

#include "tui/choice.h"

/* Set to zero, `unasked` as the box is. */
struct calm {
    bool unasked;
    bool begun;
    int64_t last_ms; /* when the box opened, or something was typed */
};

/* Is the press meant for the box? One that is not goes to the view below, unless it is Enter. */
bool calm_takes(struct calm *calm, struct view *box, const struct press *press);

/* The box was drawn for the first time: from now on it can be seen. */
void calm_shown(struct calm *calm);

#endif
