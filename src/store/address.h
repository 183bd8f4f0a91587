/* The place of an act: the n-th of session s. */
#ifndef STORE_ADDRESS_H
#define STORE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

struct address {
    int64_t s; /* number of the session in this store; 0: before everything */
    int64_t n; /* 1, 2, 3 … */
};

#define ADDRESS_START ((struct address){0, 0})

static inline bool address_eq(struct address a, struct address b)
{
    return a.s == b.s && a.n == b.n;
}

#endif
