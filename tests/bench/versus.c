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

static void spread_format(char *out, size_t room, const struct timing times[VERSUS_SIDES])
{
    char quarter[VERSUS_SIDES][2][16];

    for (int side = 0; side < VERSUS_SIDES; side++)
        for (int i = 0; i < 2; i++)
            table_figure(quarter[side][i], sizeof(quarter[side][i]), UNIT_NS,
                         timing_quantile(&times[side], i ? 0.75 : 0.25));
    snprintf(out, room, "half lie in %s to %s, %s to %s", quarter[0][0], quarter[0][1],
             quarter[1][0], quarter[1][1]);
}

void versus_report(struct bench *bench, struct table_row row, struct timing times[VERSUS_SIDES])
{
    char spread[128];

    row.measured = timing_median(&times[VERSUS_MEASURED]);
    row.baseline = timing_median(&times[VERSUS_BASELINE]);
    spread_format(spread, sizeof(spread), times);
    if (!row.note)
        row.note = spread;
    table_add(&bench->table, &row);
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_clear(&times[side]);
}
