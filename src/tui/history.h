/*
 * What was sent before, oldest first, kept in a file: a JSON string a line. Several programs may
 * have the same file; each adds to it. A line that cannot be understood is passed over. A file that
 * cannot be read or written costs nothing but the history of other times.
 */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

#include "base/str.h"

enum {
    HISTORY_MAX = 1000,                /* entries that are kept */
    HISTORY_BYTES_MAX = 1024 * 1024,   /* of all of them; a longer one is not kept */
    HISTORY_FILE_MAX = 4 * 1024 * 1024 /* bytes; rewritten before it grows beyond that */
};

struct history;

struct history *history_new(const char *path); /* NULL: it is in memory only */
void history_free(struct history *history);

/* Unless it is blank, too long, or what was added last; `kept`: also in the file. */
void history_add(struct history *history, struct str text, bool kept);

size_t history_count(const struct history *history);

/* The entry at that place from the oldest, which is 0; valid until the next one is added. */
struct str history_at(const struct history *history, size_t index);

#endif
