/* The person's own editor ($VISUAL, $EDITOR, else what the machine has) on a text. */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

#include "base/arena.h"
#include "base/fault.h"

/* The terminal must have been left (screen_leave). FAULT_IO when there is none or it failed. */
FAULT_CHECK enum fault_code editor_run(struct str text, struct arena *arena, struct str *out,
                                       struct fault *fault);

#endif
