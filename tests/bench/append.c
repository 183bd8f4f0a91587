/* Durable appends of many threads: committed together, against one commit for each. */
#include "disk.h"
#include "load.h"
#include "versus.h"

enum { THREADS = 64, ROUNDS = 7, ROUND_MS = 800, FSYNCS = 40 };

/* Rates are kept as the time of one append. */
static void round_run(struct rig *rig, struct timing *timing)
{
    timing_add(timing, (int64_t)(1e9 / load_run(rig, THREADS, ROUND_MS)));
}

void bench_append(struct bench *bench)
{
    struct timing times[VERSUS_SIDES], fsyncs;
    struct rig together, alone;

    rig_open(&together, bench, "together", 0);
    rig_open(&alone, bench, "alone", 1);
    load_prepare(&together, THREADS);
    load_prepare(&alone, THREADS);
    timing_init(&times[VERSUS_MEASURED]);
    timing_init(&times[VERSUS_BASELINE]);
    timing_init(&fsyncs);
    bench_say("%d rounds of %.1f s each", ROUNDS, ROUND_MS / 1e3);
    for (int i = 0; i < ROUNDS; i++) {
        round_run(i % 2 ? &alone : &together, &times[i % 2]);
        disk_fsync(bench, FSYNCS, &fsyncs);
        round_run(i % 2 ? &together : &alone, &times[!(i % 2)]);
    }
    table_add(&bench->table,
              &(struct table_row){.what = "committed together against one commit each",
                                  .unit = UNIT_RATE,
                                  .measured = 1e9 / timing_median(&times[VERSUS_MEASURED]),
                                  .baseline = 1e9 / timing_median(&times[VERSUS_BASELINE]),
                                  .bar = BAR_AT_LEAST,
                                  .limit = 6});
    disk_report(bench, &fsyncs);
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_clear(&times[side]);
    rig_remove(&together);
    rig_remove(&alone);
}
