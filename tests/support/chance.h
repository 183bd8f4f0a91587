/* Pseudo-random numbers from a seed: the same seed gives the same run. */
#ifndef SUPPORT_CHANCE_H
#define SUPPORT_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t z = chance->state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* 0 … n-1; n is at least 1. */
static inline int chance_below(struct chance *chance, int n)
{
    return (int)(chance_next(chance) % (uint64_t)n);
}

/* True in `percent` of 100 cases. */
static inline bool chance_of(struct chance *chance, int percent)
{
    return chance_below(chance, 100) < percent;
}

#endif
