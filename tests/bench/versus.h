/* Two things done in turns, so that whatever else the machine does meets both alike. */
#ifndef BENCH_VERSUS_H
#define BENCH_VERSUS_H

#include "bench.h"
#include "timing.h"

enum versus_side { VERSUS_MEASURED, VERSUS_BASELINE, VERSUS_SIDES };

/* Does the thing of that side once. */
typedef void versus_act(void *context, enum versus_side side);

/* Each side `rounds` times; which goes first changes from round to round. */
void versus_run(versus_act *act, void *context, int rounds, struct timing times[VERSUS_SIDES]);

/* Adds the row with what both sides typically take, and clears them; the medians stand beside it.
 */
void versus_report(struct bench *bench, struct table_row row, struct timing times[VERSUS_SIDES]);

#endif
