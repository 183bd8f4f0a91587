/* Entities of HTML, as markdown has them: &amp; &#8212; &#x2014;. */
#ifndef TUI_ENTITY_H
#define TUI_ENTITY_H

#include "base/arena.h"

/* The character that it stands for; the entity as it is when it is not known. */
struct str entity_text(struct str entity, struct arena *arena);

#endif
