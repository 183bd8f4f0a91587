#include "versus.h"

#include <stdio.h>

void versus_run(versus_act *act, void *context, int rounds, struct timing times[VERSUS_SIDES])
{
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_init(&times[side]);
    for (int i = 0; i < rounds * VERSUS_SIDES; i++) {
        enum versus_side side =
            (i + i / VERSUS_SIDES) % VERSUS_SIDES ? VERSUS_BASELINE : VERSUS_MEASURED;
        int64_t start = timing_now_ns();

        act(context, side);
        timing_since(&times[side], start);
    }
}

void versus_report(struct bench *bench, struct table_row row, struct timing times[VERSUS_SIDES])
{
    char median[VERSUS_SIDES][16], beside[64];

    for (int side = 0; side < VERSUS_SIDES; side++)
        table_figure(median[side], sizeof(median[side]), UNIT_NS, timing_median(&times[side]));
    snprintf(beside, sizeof(beside), "medians %s, %s", median[VERSUS_MEASURED],
             median[VERSUS_BASELINE]);
    row.measured = timing_typical(&times[VERSUS_MEASURED]);
    row.baseline = timing_typical(&times[VERSUS_BASELINE]);
    if (!row.note)
        row.note = beside;
    table_add(&bench->table, &row);
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_clear(&times[side]);
}
