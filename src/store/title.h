/* Titles of forks: `<base> (fork N)`. */
#ifndef STORE_TITLE_H
#define STORE_TITLE_H

#include "base/arena.h"

#include <stdint.h>

enum { TITLE_FORK_MAX = 999999999 };

/* A title taken apart: "T (fork 7)" is base "T", number 7; "T" is base "T", number 0. */
struct title {
    struct str base;
    int64_t number;
};

/* `(fork N)` counts only at the end, with N of 1 to 9 digits; blanks before it belong to it. */
struct title title_parse(struct str text);

/* The base for the forks of a title: cut, between characters, so that every suffix fits. */
struct str title_fork_base(struct str text);

/* `<base> (fork N)`. */
struct str title_make(struct str base, int64_t number, struct arena *arena);

#endif
