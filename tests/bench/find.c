/* A message by its place in the list: a search that must not grow with the list. */
#include "rig.h"
#include "versus.h"

enum { ROUNDS = 100, LOOKS = 100 };

struct finding {
    struct rig *rig;
    bool anywhere; /* else the one in the middle */
    uint64_t chance;
};

static int64_t ordinal_of(struct finding *finding, int64_t messages)
{
    if (!finding->anywhere)
        return messages / 2;
    finding->chance = finding->chance * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)(finding->chance >> 33) % messages;
}

static void find_some(void *context, enum versus_side side)
{
    struct finding *finding = context;
    struct str id = side == VERSUS_MEASURED ? BIG : SOME;
    int64_t messages = side == VERSUS_MEASURED ? BIG_MESSAGES : SOME_MESSAGES;
    struct point_spec point = {.by = POINT_INDEX};
    struct arena arena;
    struct entry entry;
    struct fault fault;

    arena_init(&arena);
    for (int i = 0; i < LOOKS; i++) {
        point.ordinal = ordinal_of(finding, messages);
        bench_must(store_entry_get(finding->rig->store, finding->rig->owner, id, &point, &arena,
                                   &entry, &fault),
                   &fault);
        if (entry.index != point.ordinal)
            bench_fail("message %lld was found at %lld", (long long)point.ordinal,
                       (long long)entry.index);
    }
    arena_clear(&arena);
}

static void measure(struct bench *bench, struct finding *finding, struct table_row row)
{
    struct timing times[VERSUS_SIDES];

    versus_run(find_some, finding, ROUNDS, times);
    for (int side = 0; side < VERSUS_SIDES; side++)
        for (size_t i = 0; i < times[side].count; i++)
            times[side].ns[i] /= LOOKS;
    versus_report(bench, row, times);
}

void bench_find(struct bench *bench)
{
    struct finding finding = {0};
    struct rig rig;

    rig_open_big(&rig, bench);
    finding.rig = &rig;
    measure(bench, &finding,
            (struct table_row){.what = "the middle one of 100,000 messages against 100",
                               .bar = BAR_AT_MOST,
                               .limit = 4});
    finding.anywhere = true;
    measure(bench, &finding, (struct table_row){.what = "any one of them, likewise"});
    rig_close(&rig);
}
