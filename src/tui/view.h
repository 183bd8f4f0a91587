/*
 * A view: what is on the screen and what keys do there. Views stand one on another; the topmost one
 * gets the keys.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "tui/feed.h"
#include "tui/press.h"
#include "tui/screen.h"

struct tui;
struct view;

struct view_ops {
    void (*draw)(struct view *view, struct pane pane);
    void (*press)(struct view *view, const struct press *press);
    void (*happened)(struct view *view, const struct happening *happening); /* to any session */
    void (*free)(struct view *view); /* of everything, the view itself too */
};

struct view {
    const struct view_ops *ops;
    struct tui *tui;
    struct view *below; /* of the stack */
    bool part;          /* leaves some of the screen to the view below, which is drawn first */
    bool closed;
};

/* For views that do not follow what happens. */
void view_happened_ignore(struct view *view, const struct happening *happening);

#endif
