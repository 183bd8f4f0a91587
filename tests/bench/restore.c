/* Ten changed files of a large directory brought back in place, against git on the same one. */
#include "folder.h"
#include "rig.h"
#include "versus.h"

#include "workspace/restore.h"
#include "workspace/snapshot.h"

#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 21, CHANGED = 10 };

struct restoring {
    struct folder folder;
    struct rig rig;
    char index[600];
    unsigned char before[HASH_BYTES], after[HASH_BYTES];
};

static void keep(struct restoring *restoring, unsigned char out[HASH_BYTES])
{
    struct snapshot_spec spec = {.store = restoring->rig.store,
                                 .dir = restoring->folder.fd,
                                 .index = restoring->index,
                                 .cancel_fd = -1};
    struct snapshot snapshot;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    bench_must(snapshot_take(&spec, &arena, &snapshot, &fault), &fault);
    memcpy(out, snapshot.tree.hash, HASH_BYTES);
    arena_clear(&arena);
}

static enum fault_code deed_count(void *context, enum restore_deed deed, struct str path,
                                  struct fault *fault)
{
    int *written = context;

    (void)path, (void)fault;
    *written += deed == RESTORE_WRITTEN;
    return FAULT_OK;
}

static void bring(struct restoring *restoring, const unsigned char *from, const unsigned char *to)
{
    int written = 0;
    struct restore_spec spec = {.store = restoring->rig.store,
                                .dir = restoring->folder.fd,
                                .visit = deed_count,
                                .context = &written};
    struct fault fault;

    memcpy(spec.from, from, HASH_BYTES);
    memcpy(spec.to, to, HASH_BYTES);
    bench_must(restore_apply(&spec, &fault), &fault);
    if (written != CHANGED)
        bench_fail("%d files were restored in place of %d", written, CHANGED);
}

/* There in measured time, and back. Git's index knows the files as they are before it begins. */
static void round_run(struct restoring *restoring, enum versus_side side, struct timing *timing)
{
    int64_t start;

    if (side == VERSUS_MEASURED) {
        start = timing_now_ns();
        bring(restoring, restoring->after, restoring->before);
        timing_since(timing, start);
        bring(restoring, restoring->before, restoring->after);
        return;
    }
    folder_run(&restoring->folder, "git update-index -q --refresh");
    start = timing_now_ns();
    folder_run(&restoring->folder, "git read-tree -u --reset before");
    timing_since(timing, start);
    folder_run(&restoring->folder, "git read-tree -u --reset after");
}

void bench_restore(struct bench *bench)
{
    struct restoring restoring = {0};
    struct timing times[VERSUS_SIDES];

    folder_make(&restoring.folder, bench);
    folder_git_init(&restoring.folder);
    snprintf(restoring.index, sizeof(restoring.index), "%s/restore.index", bench->directory);
    rig_open(&restoring.rig, bench, "restore", 0);
    keep(&restoring, restoring.before);
    folder_run(&restoring.folder, "git add -A && git tag before $(git write-tree)");
    folder_change(&restoring.folder, CHANGED);
    keep(&restoring, restoring.after);
    folder_run(&restoring.folder, "git add -A && git tag after $(git write-tree)");
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_init(&times[side]);
    for (int i = 0; i < ROUNDS; i++) {
        enum versus_side first = i % 2 ? VERSUS_BASELINE : VERSUS_MEASURED;
        enum versus_side second = i % 2 ? VERSUS_MEASURED : VERSUS_BASELINE;

        round_run(&restoring, first, &times[first]);
        round_run(&restoring, second, &times[second]);
    }
    versus_report(bench,
                  (struct table_row){.what = "restoring 10 changed files against git (no fsync)",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.3},
                  times);
    rig_remove(&restoring.rig);
    unlink(restoring.index);
    folder_remove(&restoring.folder);
}
