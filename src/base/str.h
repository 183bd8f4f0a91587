/* A view of bytes that somebody else owns. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_NONE     ((struct str){NULL, 0})
#define STR_ARG(s)   ((int)(s).n), ((s).p ? (s).p : "") /* for %.*s */

static inline struct str str_of(const char *cstring)
{
    return (struct str){cstring, cstring ? strlen(cstring) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str s, struct str start)
{
    return s.n >= start.n && (start.n == 0 || memcmp(s.p, start.p, start.n) == 0);
}

/* Order of bytes, a shorter one first when it is the start of the other. */
static inline int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;

    if (order)
        return order;
    return a.n < b.n ? -1 : a.n > b.n;
}

#endif
