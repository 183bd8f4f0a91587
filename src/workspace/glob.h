/*
 * Patterns with wildcards as .gitignore has them: ? * ** [a-z] [!a] [[:alpha:]] and \ before any of
 * these. A match takes at most as many steps as the pattern and the text have bytes, multiplied.
 */
#ifndef WORKSPACE_GLOB_H
#define WORKSPACE_GLOB_H

#include "base/arena.h"

enum { GLOB_TOKENS = 4096 }; /* of one pattern; a longer one matches nothing */

struct glob;

/* In the arena. A pattern that is broken matches nothing. */
struct glob *glob_make(struct str pattern, struct arena *arena);

bool glob_matches(const struct glob *glob, struct str text);

/* The length of its start up to the first wildcard or backslash. */
size_t glob_plain(struct str pattern);

#endif
