#include "timing.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t timing_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void timing_init(struct timing *timing)
{
    *timing = (struct timing){0};
}

void timing_clear(struct timing *timing)
{
    free(timing->ns);
    timing_init(timing);
}

void timing_add(struct timing *timing, int64_t ns)
{
    if (timing->count == timing->room) {
        timing->room = timing->room ? 2 * timing->room : 64;
        timing->ns = realloc(timing->ns, timing->room * sizeof(*timing->ns));
        if (!timing->ns)
            abort();
    }
    timing->ns[timing->count++] = ns;
}

void timing_since(struct timing *timing, int64_t start_ns)
{
    timing_add(timing, timing_now_ns() - start_ns);
}

static int by_length(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

double timing_quantile(const struct timing *timing, double part)
{
    int64_t *sorted = malloc(timing->count * sizeof(*sorted));
    double found;

    assert(timing->count > 0);
    if (!sorted)
        abort();
    memcpy(sorted, timing->ns, timing->count * sizeof(*sorted));
    qsort(sorted, timing->count, sizeof(*sorted), by_length);
    found = (double)sorted[(size_t)(part * (double)(timing->count - 1))];
    free(sorted);
    return found;
}

double timing_median(const struct timing *timing)
{
    return timing_quantile(timing, 0.5);
}

double timing_typical(const struct timing *timing)
{
    return timing_quantile(timing, 0.25);
}
