/* What the disk itself takes, to see the other figures by. */
#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "bench.h"
#include "timing.h"

/* Appends 4 KiB to a file and waits until they are on the disk, so many times. */
void disk_fsync(const struct bench *bench, int times, struct timing *timing);

/* Waits until the disk has come to rest after a lot was written. */
void disk_settle(void);

/* Adds the row, and clears the times. */
void disk_report(struct bench *bench, struct timing *timing);

#endif
