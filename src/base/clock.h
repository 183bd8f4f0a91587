/* Time that only grows, for measuring and waiting. What the clock on the wall says, the engine
 * knows. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static inline int64_t clock_ms(void)
{
    return clock_us() / 1000;
}

static inline void clock_pause_ms(int ms)
{
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};

    nanosleep(&time, NULL);
}

#endif
