/* Words within one conversation: a search that must not grow with the conversation. */
#include "prose.h"
#include "rig.h"
#include "versus.h"

#include <stdio.h>
#include <string.h>

#define NEEDLE "needlework"

enum { ROUNDS = 200, STAR_ROUNDS = 10 };

#define LONG  STR("long")
#define SHORT STR("short")

struct looking {
    struct rig *rig;
    const char *words;
    enum search_way way;
    bool middle; /* from the middle message on; else from the end of the list */
    int64_t limit, hits[VERSUS_SIDES];
};

static enum fault_code hit_count(void *context, const struct hit *hit, struct fault *fault)
{
    int64_t *hits = context;

    (void)fault;
    *hits += hit->index >= 0;
    return FAULT_OK;
}

static void look(void *context, enum versus_side side)
{
    struct looking *looking = context;
    int64_t messages = side == VERSUS_MEASURED ? BIG_MESSAGES : SOME_MESSAGES;
    struct search_spec spec = {
        .owner = looking->rig->owner,
        .words = str_of(looking->words),
        .session = side == VERSUS_MEASURED ? LONG : SHORT,
        .way = looking->way,
        .place = looking->middle                ? messages / 2
                 : looking->way == SEARCH_AFTER ? -1
                                                : messages,
        .limit = looking->limit,
    };
    struct fault fault;

    looking->hits[side] = 0;
    bench_must(
        store_search(looking->rig->store, &spec, hit_count, &looking->hits[side], NULL, &fault),
        &fault);
}

static void measure(struct bench *bench, struct rig *rig, struct looking looking,
                    struct table_row row)
{
    struct timing times[VERSUS_SIDES];
    char note[80];

    looking.rig = rig;
    versus_run(look, &looking, strchr(looking.words, '*') ? STAR_ROUNDS : ROUNDS, times);
    if (looking.hits[0] != looking.hits[1])
        bench_fail("\"%s\" was found %lld and %lld times", looking.words,
                   (long long)looking.hits[0], (long long)looking.hits[1]);
    snprintf(note, sizeof(note), "%lld found", (long long)looking.hits[0]);
    row.note = note;
    versus_report(bench, row, times);
}

/* A fork of the session with one message of its own, the only one that has the needle. */
static void branch(struct rig *rig, struct str source, struct str id)
{
    struct arena arena;

    arena_init(&arena);
    rig_fork(rig, source, id, (struct point_spec){.by = POINT_END}, &arena);
    arena_clear(&arena);
    rig_say(rig, id, STR("the " NEEDLE), &arena);
}

void bench_within(struct bench *bench)
{
    struct rig rig;

    rig_open_big(&rig, bench);
    branch(&rig, BIG, LONG);
    branch(&rig, SOME, SHORT);
    measure(bench, &rig, (struct looking){.words = NEEDLE, .way = SEARCH_AFTER, .limit = 1},
            (struct table_row){.what = "the only match, the last of 100,000, against 100",
                               .bar = BAR_AT_MOST,
                               .limit = 4});
    measure(bench, &rig, (struct looking){.words = "nowhere", .limit = 1},
            (struct table_row){.what = "a word that is not there, likewise"});
    measure(bench, &rig, (struct looking){.words = PROSE_COMMON, .limit = 1},
            (struct table_row){.what = "the newest match of a common word, likewise",
                               .bar = BAR_AT_MOST,
                               .limit = 4});
    measure(
        bench, &rig,
        (struct looking){.words = PROSE_COMMON, .way = SEARCH_AFTER, .middle = true, .limit = 1},
        (struct table_row){
            .what = "the next one from the middle on, likewise", .bar = BAR_AT_MOST, .limit = 4});
    measure(
        bench, &rig,
        (struct looking){.words = PROSE_COMMON, .way = SEARCH_BEFORE, .middle = true, .limit = 20},
        (struct table_row){.what = "20 before the middle, likewise"});
    measure(bench, &rig, (struct looking){.words = "tab*", .limit = 1},
            (struct table_row){.what = "a start of words, likewise"});
    rig_close(&rig);
}
