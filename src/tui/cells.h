/*
 * Text measured in cells of a terminal. What a person sees as one character (a letter with its
 * marks, an emoji of several code points) is one cluster. Terminals do not agree on how wide an
 * emoji is that was put together of several, so a cluster is shown in a form on which they do: of
 * such an emoji its first one. What base/control.h names (control characters, those that turn the
 * direction of writing or hide text) and bytes that are no UTF-8 are shown as escapes. Where the
 * locale has no UTF-8, all that is shown is ASCII.
 */
#ifndef TUI_CELLS_H
#define TUI_CELLS_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

enum { CLUSTER_SHOWN_MAX = 64 };

struct cluster {
    struct str bytes;              /* as they stand in the text */
    char shown[CLUSTER_SHOWN_MAX]; /* what is drawn for them, UTF-8 */
    uint8_t shown_bytes;
    uint8_t columns; /* of `shown`; 0 for a line break only, which is shown as nothing */
};

/* The cluster that begins at *at, which moves behind it. *at < text.n. "\r\n" is one. */
void cells_next(struct str text, size_t *at, struct cluster *out);

/* Where the cluster before `at` begins; 0 at the beginning. */
size_t cells_before(struct str text, size_t at);

/* The columns that the text takes on one line; a tab counts as one column. */
int cells_count(struct str text);

/* The text as it is shown, on one line: line breaks and tabs become spaces. */
struct str cells_clean(struct str text, struct arena *arena);

/*
 * The same, cut to `columns` with an ellipsis. *used, unless it is NULL, becomes the columns that
 * it takes.
 */
struct str cells_fit(struct str text, int columns, struct arena *arena, int *used);

#endif
