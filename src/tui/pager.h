/* A text that is read: scrolled with the usual keys, searched with /, left with q or Esc. */
#ifndef TUI_PAGER_H
#define TUI_PAGER_H

#include "tui/tui.h"

/* Lays the text out anew when the width changes. */
typedef struct laid pager_lay(void *context, int width, struct arena *arena);

struct pager_spec {
    const char *title;
    const char *keys; /* further keys for the key line; NULL: none */
    pager_lay *lay;
    bool (*press)(void *context, struct view *pager,
                  const struct press *press); /* NULL; true: done */
    void (*free)(void *context);              /* NULL: nothing to free */
    void *context;
};

struct view *pager_new(struct tui *tui, const struct pager_spec *spec);
void pager_changed(struct view *pager); /* lay out again */

/* The line that is seen first; and to go to one: what is too far becomes the last page. */
size_t pager_top(const struct view *pager);
void pager_go(struct view *pager, size_t line);

/* Of text that is there already: markdown, or as it is. Copied. */
struct view *pager_text(struct tui *tui, const char *title, struct str text, bool markdown);

#endif
