/* What is looked for while words are still being typed. */
#ifndef TUI_TYPED_H
#define TUI_TYPED_H

#include "base/arena.h"

/* From so many bytes on the last word may be the start of one: a shorter start is that of so many
 * words that it takes long to find them all. */
enum { TYPED_STAR = 3 };

/* The words with a star behind the last one, unless it is ended: "night tra" finds "night train".
 * At most `max` bytes of it, with a NUL behind. */
struct str typed_words(struct str text, size_t max, struct arena *arena);

#endif
