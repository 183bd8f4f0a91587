/* Search with the index against reading everything, and what keeping the index costs. */
#include "load.h"
#include "plain.h"
#include "prose.h"
#include "versus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 7, HITS_MAX = 50, KEEP_ROUNDS = 5, KEEP_MS = 800, KEEP_THREADS = 8, PAUSE_MS = 20 };

struct looking {
    struct rig *rig;
    const char *word;
    sqlite3 *db;
    sqlite3_stmt *like;
    int64_t hits[VERSUS_SIDES];
};

static enum fault_code hit_count(void *context, const struct hit *hit, struct fault *fault)
{
    int64_t *hits = context;

    (void)fault;
    *hits += hit->message.n > 0;
    return FAULT_OK;
}

static int64_t search(struct rig *rig, const char *word)
{
    struct search_spec spec = {.owner = rig->owner, .words = str_of(word), .limit = HITS_MAX};
    struct fault fault;
    int64_t hits = 0;

    bench_must(store_search(rig->store, &spec, hit_count, &hits, NULL, &fault), &fault);
    return hits;
}

static int64_t like(struct looking *looking)
{
    char pattern[64];
    int64_t hits = 0;

    snprintf(pattern, sizeof(pattern), "%%%s%%", looking->word);
    sqlite3_bind_text(looking->like, 1, pattern, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int(looking->like, 2, HITS_MAX);
    while (sqlite3_step(looking->like) == SQLITE_ROW)
        hits++;
    sqlite3_reset(looking->like);
    return hits;
}

static void look_once(void *context, enum versus_side side)
{
    struct looking *looking = context;

    looking->hits[side] =
        side == VERSUS_MEASURED ? search(looking->rig, looking->word) : like(looking);
}

static void measure_rare(struct bench *bench, struct looking *looking)
{
    struct timing times[VERSUS_SIDES];
    char note[80];

    looking->word = PROSE_RARE;
    versus_run(look_once, looking, ROUNDS, times);
    snprintf(note, sizeof(note), "%lld and %lld messages found", (long long)looking->hits[0],
             (long long)looking->hits[1]);
    versus_report(bench,
                  (struct table_row){
                      .what = "a word in 10 messages, against LIKE", .inverse = true, .note = note},
                  times);
}

/* Against LIKE it would say little: that finds the newest 50 among the newest 60. */
static void measure_common(struct bench *bench, struct rig *rig)
{
    struct timing timing;

    timing_init(&timing);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = timing_now_ns();

        if (search(rig, PROSE_COMMON) != HITS_MAX)
            bench_fail("the common word is not common");
        timing_since(&timing, start);
    }
    table_add(&bench->table, &(struct table_row){.what = "the newest 50 with a common word",
                                                 .measured = timing_typical(&timing)});
    timing_clear(&timing);
}

static void measure_index(struct bench *bench, struct rig *rig)
{
    int64_t start = timing_now_ns();

    bench_say("indexing");
    search(rig, PROSE_RARE);
    table_add(&bench->table, &(struct table_row){.what = "messages indexed, at the first search",
                                                 .unit = UNIT_RATE,
                                                 .measured = BIG_MESSAGES * 1e9 /
                                                             (double)(timing_now_ns() - start)});
}

/* Searches again and again, which is what keeps the index up to date. */
struct keeper {
    struct rig *rig;
    atomic_bool stop;
    pthread_t thread;
};

static void *keeper_run(void *context)
{
    struct keeper *keeper = context;

    while (!atomic_load(&keeper->stop)) {
        search(keeper->rig, PROSE_RARE);
        usleep(PAUSE_MS * 1000);
    }
    return NULL;
}

static double rate_kept(struct rig *rig)
{
    struct keeper keeper = {.rig = rig, .stop = false};
    double rate;

    search(rig, PROSE_RARE); /* what was left before is not counted */
    if (pthread_create(&keeper.thread, NULL, keeper_run, &keeper) != 0)
        bench_fail("a thread could not be started");
    rate = load_run(rig, KEEP_THREADS, KEEP_MS);
    atomic_store(&keeper.stop, true);
    pthread_join(keeper.thread, NULL);
    return rate;
}

static void measure_keeping(struct bench *bench)
{
    struct timing times[VERSUS_SIDES];
    struct rig rig;

    rig_open(&rig, bench, "kept", 0);
    load_prepare(&rig, KEEP_THREADS);
    timing_init(&times[VERSUS_MEASURED]);
    timing_init(&times[VERSUS_BASELINE]);
    for (int i = 0; i < KEEP_ROUNDS * VERSUS_SIDES; i++) {
        bool kept = (i + i / VERSUS_SIDES) % VERSUS_SIDES == 0;
        double rate = kept ? rate_kept(&rig) : load_run(&rig, KEEP_THREADS, KEEP_MS);

        timing_add(&times[kept ? VERSUS_MEASURED : VERSUS_BASELINE], (int64_t)(1e9 / rate));
    }
    table_add(&bench->table,
              &(struct table_row){.what = "appends by 8 threads, index kept, against not kept",
                                  .unit = UNIT_RATE,
                                  .measured = 1e9 / timing_median(&times[VERSUS_MEASURED]),
                                  .baseline = 1e9 / timing_median(&times[VERSUS_BASELINE]),
                                  .note = "by a search every 20 ms"});
    for (int side = 0; side < VERSUS_SIDES; side++)
        timing_clear(&times[side]);
    rig_remove(&rig);
}

void bench_search(struct bench *bench)
{
    struct looking looking = {0};
    struct rig rig;

    rig_open_big(&rig, bench);
    looking.rig = &rig;
    looking.db = plain_open(rig.path);
    looking.like = plain_prepare(
        looking.db,
        "SELECT e FROM entry WHERE CAST(body AS TEXT) LIKE ?1 ORDER BY e DESC LIMIT ?2");
    measure_index(bench, &rig);
    measure_rare(bench, &looking);
    measure_common(bench, &rig);
    sqlite3_finalize(looking.like);
    sqlite3_close(looking.db);
    rig_close(&rig);
    measure_keeping(bench);
}
