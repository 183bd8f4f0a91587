#include "tui/owned.h"

#include <stdlib.h>
#include <string.h>

char *owned_copy(const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        abort();
    return copy;
}

void owned_set(char **at, const char *text)
{
    char *copy = owned_copy(text); /* which may be of what is there */

    free(*at);
    *at = copy;
}

bool owned_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}
