/* The files of a session, now or as they were at a message: a list, and each of them to be read. */
#ifndef TUI_FILES_VIEW_H
#define TUI_FILES_VIEW_H

#include "tui/tui.h"

/* `at` names a message as libtine does; NULL: now. */
struct view *files_view_new(struct tui *tui, const char *session, const char *at);

#endif
