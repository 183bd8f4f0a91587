#include "tui/calm.h"

void calm_shown(struct calm *calm)
{
    if (!calm->begun)
        calm->last_ms = tui_now_ms();
    calm->begun = true;
}

bool calm_takes(struct calm *calm, struct view *box, const struct press *press)
{
    bool typed = press->kind == PRESS_CHAR && !press->ctrl;
    bool pasted = press->kind == PRESS_PASTE || press->kind == PRESS_BACKSPACE;

    if (!calm->unasked || (!typed && !pasted && press->kind != PRESS_ENTER))
        return true;
    if (calm->begun && press->at_ms - calm->last_ms >= CHOICE_CALM_MS) {
        calm->unasked = false; /* what comes now was written to it */
        return true;
    }
    calm->last_ms = press->at_ms;
    if (press->kind != PRESS_ENTER && box->below)
        box->below->ops->press(box->below, press);
    return false;
}
