/* Times of a thing that is done many times over, and what is typical of them. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stddef.h>
#include <stdint.h>

struct timing {
    int64_t *ns;
    size_t count, room;
};

int64_t timing_now_ns(void);

void timing_init(struct timing *timing);
void timing_clear(struct timing *timing);
void timing_add(struct timing *timing, int64_t ns);

/* Adds the time since `start_ns`, which timing_now_ns gave. */
void timing_since(struct timing *timing, int64_t start_ns);

/* The time below which `part` (0 to 1) of them lie; there is at least one. */
double timing_quantile(const struct timing *timing, double part);
double timing_median(const struct timing *timing);

/*
 * What the thing takes when it is let: a quarter of the times lie below. Whatever else the machine
 * does only ever adds, and on a busy one it adds to more than half of them.
 */
double timing_typical(const struct timing *timing);

#endif
