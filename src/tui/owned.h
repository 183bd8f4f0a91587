/* Text that somebody keeps: a copy of their own, NULL where there is none. */
#ifndef TUI_OWNED_H
#define TUI_OWNED_H

#include <stdbool.h>

char *owned_copy(const char *text);            /* to be freed */
void owned_set(char **at, const char *text);   /* a copy in place of what was there */
bool owned_same(const char *a, const char *b); /* none is the same as none */

#endif
