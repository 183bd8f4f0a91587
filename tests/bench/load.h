/* Many threads that append as fast as they can, each to a session of its own. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "rig.h"

enum { LOAD_THREADS_MAX = 64, LOAD_BYTES = 1024 };

/* Makes the sessions. */
void load_prepare(struct rig *rig, int threads);

/* Lets them run for some time; returns the appends a second. */
double load_run(struct rig *rig, int threads, int ms);

#endif
