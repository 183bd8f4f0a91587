/* A conversation written to a file of the person's. */
#ifndef TUI_TALK_EXPORT_H
#define TUI_TALK_EXPORT_H

#include "tui/tui.h"

/*
 * In the background, page by page. `path` "": a name made of the title, in the directory where the
 * program was started; one that ends with .jsonl gets a message a line as the API gives it, any
 * other markdown. A file that exists is not written over. How it went is told.
 */
void talk_export(struct tui *tui, const char *session, const char *path);

/* The name of that file; "~/" is the home directory. False: it does not fit. */
bool talk_export_path(const char *path, const char *title, char *out, size_t bytes);

#endif
