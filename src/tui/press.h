/* What a person does: a key, a paste, the mouse wheel. */
#ifndef TUI_PRESS_H
#define TUI_PRESS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum press_kind {
    PRESS_CHAR, /* a character, `c`; Ctrl-A is 'a' with ctrl */
    PRESS_ENTER,
    PRESS_ESCAPE,
    PRESS_TAB, /* with shift: Shift-Tab */
    PRESS_BACKSPACE,
    PRESS_DELETE,
    PRESS_INSERT,
    PRESS_UP,
    PRESS_DOWN,
    PRESS_LEFT,
    PRESS_RIGHT,
    PRESS_HOME,
    PRESS_END,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_FUNCTION, /* F1 …: `c` is the number */
    PRESS_PASTE,    /* `text`, line breaks as \n; lives until the next bytes are taken */
    PRESS_WHEEL_UP,
    PRESS_WHEEL_DOWN,
    PRESS_CLICK, /* button 1, at row and column */
    PRESS_FOCUS  /* the terminal says something that nobody here listens to */
};

struct press {
    enum press_kind kind;
    uint32_t c;
    bool ctrl, alt, shift;
    int row, column; /* of the mouse, from 0 */
    struct str text;
    int64_t at_ms; /* when it came: monotonic */
};

static inline bool press_is(const struct press *press, uint32_t c)
{
    return press->kind == PRESS_CHAR && press->c == c && !press->ctrl && !press->alt;
}

static inline bool press_is_ctrl(const struct press *press, uint32_t c)
{
    return press->kind == PRESS_CHAR && press->c == c && press->ctrl && !press->alt;
}

#endif
