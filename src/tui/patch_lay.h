/* Differences laid out: files with their patches, coloured, and what a move would do to files. */
#ifndef TUI_PATCH_LAY_H
#define TUI_PATCH_LAY_H

#include "tui/flow.h"

#include <tine.h>

/* Each file with its status and counts, then its patch, if there is one. */
void patch_lay_files(struct flow *flow, const struct tine_file *files, size_t count, bool more);

/* "3 files change: …" with the paths: restored, deleted, conflicts, skipped. */
void patch_lay_report(struct flow *flow, const struct tine_files_report *report);

#endif
