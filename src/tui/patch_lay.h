/* Differences laid out: files with their patches, coloured. */
#ifndef TUI_PATCH_LAY_H
#define TUI_PATCH_LAY_H

#include "tui/flow.h"

#include <tine.h>

/* Each file with its status and counts, then its patch, if there is one. */
void patch_lay_files(struct flow *flow, const struct tine_file *files, size_t count, bool more);

#endif
