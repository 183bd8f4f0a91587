/* Forks of forks of forks: what the deepest of them pays for those above it. */
#include "rig.h"
#include "versus.h"

#include <stdio.h>

enum { DEPTH = 1000, ROOT_MESSAGES = 50, ROUNDS = 200, TAIL = 50 };

static struct str name_of(int depth, char out[16])
{
    snprintf(out, 16, "d%d", depth);
    return str_of(out);
}

/* Each fork adds a message of its own; else the next would stand on the same ground as it does. */
static void chain_make(struct rig *rig)
{
    struct arena arena;
    char name[2][16];

    arena_init(&arena);
    rig_create(rig, name_of(0, name[0]));
    rig_fill(rig, name_of(0, name[0]), ROOT_MESSAGES, BIG_BYTES);
    for (int i = 1; i <= DEPTH; i++) {
        struct str id = name_of(i, name[1]);

        rig_fork(rig, name_of(i - 1, name[0]), id, (struct point_spec){.by = POINT_END}, &arena);
        rig_say(rig, id, STR("one more"), &arena);
    }
    arena_clear(&arena);
}

struct pair {
    struct rig *rig;
    struct str id[VERSUS_SIDES];
    struct point_spec point;
};

static void fork_once(void *context, enum versus_side side)
{
    struct pair *pair = context;
    struct arena arena;

    arena_init(&arena);
    rig_fork(pair->rig, pair->id[side], STR_NONE, pair->point, &arena);
    arena_clear(&arena);
}

static void tail_read(void *context, enum versus_side side)
{
    struct pair *pair = context;

    if (rig_read(pair->rig, pair->id[side], TAIL) != TAIL)
        bench_fail("the last messages of \"%.*s\" are not there", STR_ARG(pair->id[side]));
}

void bench_depth(struct bench *bench)
{
    char deep[16], shallow[16];
    struct pair pair = {.id = {name_of(DEPTH, deep), name_of(1, shallow)}};
    struct timing times[VERSUS_SIDES];
    struct rig rig;

    rig_open(&rig, bench, "depth", 0);
    pair.rig = &rig;
    bench_say("making %d forks of forks", DEPTH);
    chain_make(&rig);
    versus_run(fork_once, &pair, ROUNDS, times);
    versus_report(bench,
                  (struct table_row){.what = "fork at depth 1,000 against depth 1",
                                     .bar = BAR_AT_MOST,
                                     .limit = 2.0},
                  times);
    pair.point = (struct point_spec){.by = POINT_INDEX, .side = SIDE_AFTER, .ordinal = 0};
    versus_run(fork_once, &pair, ROUNDS, times);
    versus_report(bench, (struct table_row){.what = "fork after the first message there, likewise"},
                  times);
    versus_run(tail_read, &pair, ROUNDS, times);
    versus_report(bench, (struct table_row){.what = "reading the last 50 messages, likewise"},
                  times);
    rig_remove(&rig);
}
