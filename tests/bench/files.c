/* What files cost, against git on the same directory: `git add -A && git write-tree`. */
#include "disk.h"
#include "folder.h"
#include "rig.h"
#include "versus.h"

#include "workspace/snapshot.h"

#include <stdio.h>
#include <unistd.h>

enum { FIRST_ROUNDS = 3, ROUNDS = 15, CHANGED = 10 };

struct snapping {
    struct bench *bench;
    struct folder folder;
    struct rig rig;
    char index[600];
    struct snapshot last;
};

static void snap(struct snapping *snapping)
{
    struct snapshot_spec spec = {
        .store = snapping->rig.store,
        .dir = snapping->folder.fd,
        .index = snapping->index,
        .cancel_fd = -1,
    };
    struct fault fault;
    struct arena arena;

    arena_init(&arena);
    bench_must(snapshot_take(&spec, &arena, &snapping->last, &fault), &fault);
    arena_clear(&arena);
    if (snapping->last.files != FOLDER_FILES)
        bench_fail("the snapshot has %lld files", (long long)snapping->last.files);
}

static void snap_or_git(void *context, enum versus_side side)
{
    struct snapping *snapping = context;

    if (side == VERSUS_MEASURED)
        snap(snapping);
    else
        folder_git_add(&snapping->folder);
}

/* Both sides in turns, each after `prepare`, which is not counted. */
static void in_turns(struct snapping *snapping, int rounds,
                     void (*prepare)(struct snapping *snapping, enum versus_side side),
                     struct timing times[VERSUS_SIDES])
{
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_init(&times[side]);
    for (int i = 0; i < rounds * VERSUS_SIDES; i++) {
        enum versus_side side =
            (i + i / VERSUS_SIDES) % VERSUS_SIDES ? VERSUS_BASELINE : VERSUS_MEASURED;
        int64_t start;

        prepare(snapping, side);
        start = timing_now_ns();
        snap_or_git(snapping, side);
        timing_since(&times[side], start);
    }
}

static void prepare_first(struct snapping *snapping, enum versus_side side)
{
    if (side == VERSUS_MEASURED) {
        if (snapping->rig.store)
            rig_remove(&snapping->rig);
        unlink(snapping->index);
        rig_open(&snapping->rig, snapping->bench, "files", 0);
    } else {
        folder_git_init(&snapping->folder);
    }
    disk_settle();
}

static void prepare_nothing(struct snapping *snapping, enum versus_side side)
{
    (void)snapping, (void)side;
}

static void prepare_change(struct snapping *snapping, enum versus_side side)
{
    (void)side;
    folder_change(&snapping->folder, CHANGED);
}

void bench_files(struct bench *bench)
{
    struct snapping snapping = {.bench = bench};
    struct timing times[VERSUS_SIDES];

    folder_make(&snapping.folder, bench);
    snprintf(snapping.index, sizeof(snapping.index), "%s/files.index", bench->directory);
    in_turns(&snapping, FIRST_ROUNDS, prepare_first, times);
    versus_report(bench,
                  (struct table_row){.what = "first snapshot against git in a new repository",
                                     .bar = BAR_AT_MOST,
                                     .limit = 0.5},
                  times);
    disk_settle();
    snap(&snapping); /* what was written just before the first one is read again */
    in_turns(&snapping, ROUNDS, prepare_nothing, times);
    if (snapping.last.read != 0)
        bench_fail("%lld files were read though none was changed", (long long)snapping.last.read);
    versus_report(bench,
                  (struct table_row){.what = "snapshot with nothing changed against git",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.3},
                  times);
    in_turns(&snapping, ROUNDS, prepare_change, times);
    if (snapping.last.read < CHANGED)
        bench_fail("only %lld files were read", (long long)snapping.last.read);
    versus_report(bench,
                  (struct table_row){.what = "snapshot with 10 files changed against git",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.3},
                  times);
    rig_remove(&snapping.rig);
    unlink(snapping.index);
    folder_remove(&snapping.folder);
}
