/* Keys by which the server knows an act again that was sent twice. */
#ifndef TUI_ACT_KEY_H
#define TUI_ACT_KEY_H

#include "base/arena.h"

/* Another one each time. */
const char *act_key(struct arena *arena);

#endif
