/* Rewind and undo: one row each, whatever the length of the history. */
#include "rig.h"
#include "versus.h"

enum { ROUNDS = 200 };

typedef enum fault_code move_verb(struct engine *engine, struct move_spec *spec,
                                  struct arena *arena, struct move_result *out,
                                  struct fault *fault);

static void move_once(struct rig *rig, move_verb *verb, struct str id, int64_t ordinal,
                      struct timing *timing)
{
    struct move_spec spec = {
        .owner = rig->owner,
        .session = id,
        .scope = SCOPE_CONVERSATION,
        .point = {.by = POINT_INDEX, .side = SIDE_BEFORE, .ordinal = ordinal},
    };
    int64_t start = timing_now_ns();
    struct move_result result;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    bench_must(verb(rig->engine, &spec, &arena, &result, &fault), &fault);
    timing_since(timing, start);
    arena_clear(&arena);
}

/* To the middle and back. */
static void round_run(struct rig *rig, enum versus_side side, struct timing *rewind,
                      struct timing *undo)
{
    struct str id = side == VERSUS_MEASURED ? BIG : SMALL;
    int64_t ordinal = (side == VERSUS_MEASURED ? BIG_MESSAGES : SMALL_MESSAGES) / 2;

    move_once(rig, engine_rewind, id, ordinal, &rewind[side]);
    move_once(rig, engine_undo, id, 0, &undo[side]);
}

void bench_move(struct bench *bench)
{
    struct timing rewind[VERSUS_SIDES], undo[VERSUS_SIDES];
    struct rig rig;

    rig_open_big(&rig, bench);
    for (int side = 0; side < VERSUS_SIDES; side++) {
        timing_init(&rewind[side]);
        timing_init(&undo[side]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        round_run(&rig, i % 2 ? VERSUS_BASELINE : VERSUS_MEASURED, rewind, undo);
        round_run(&rig, i % 2 ? VERSUS_MEASURED : VERSUS_BASELINE, rewind, undo);
    }
    versus_report(bench,
                  (struct table_row){.what = "rewind to the middle of 100,000 messages against 10",
                                     .bar = BAR_AT_MOST,
                                     .limit = 1.5},
                  rewind);
    versus_report(
        bench,
        (struct table_row){.what = "undo of that, likewise", .bar = BAR_AT_MOST, .limit = 1.5},
        undo);
    rig_close(&rig);
}
