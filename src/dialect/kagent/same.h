/* Are two JSON values the same, as Python compares them? That decides what a rewind puts back. */
#ifndef DIALECT_KAGENT_SAME_H
#define DIALECT_KAGENT_SAME_H

#include "json/json_in.h"

/*
 * The order of members does not count, that of elements does; 1, 1.0 and true are the same. Of a
 * member that stands twice the last one counts. Both are checked JSON.
 */
bool json_same(struct str a, struct str b, struct arena *arena);

#endif
