/*
 * Lanes. What must hold:
 * 1. An errand is in one place at a time: waiting in a lane, running there, done, or in the hands
 *    of the screen's thread. Whoever takes it out of one place (under the lock) owns it.
 * 2. A lane's handle is used by the lane's thread alone. When a call of any lane has found the
 *    server gone, each lane makes its handle anew before its next errand: the server may have come
 *    back elsewhere. What only reads is tried once more at once.
 * 3. The lock is never held while a call runs, or while anybody is called.
 */
#include "tui/errand.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct list {
    struct errand *first, **last;
};

struct line_of_work {
    struct errands *errands;
    enum lane lane;
    pthread_t thread;
    bool begun; /* has a thread */
    pthread_cond_t more;
    struct list waiting;
    struct errand *running; /* NULL: none */
    bool forgotten;         /* the running one is told to nobody */
    atomic_bool stop;       /* … and its call ends */
    /* of the thread */
    struct tine *tine; /* NULL: none yet */
    unsigned losses;   /* that were known when the handle was made */
};

struct errands {
    struct tui_door door;
    void (*wake)(void *);
    void *context;
    atomic_bool over;
    atomic_uint losses; /* calls that found the server gone */
    pthread_mutex_t lock;
    struct line_of_work lanes[LANE_COUNT];
    struct list done;
};

/* ---- lists ---- */

static void list_init(struct list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

static void list_push(struct list *list, struct errand *errand)
{
    errand->next = NULL;
    *list->last = errand;
    list->last = &errand->next;
}

static struct errand *list_pop(struct list *list)
{
    struct errand *errand = list->first;

    if (!errand)
        return NULL;
    list->first = errand->next;
    if (!list->first)
        list->last = &list->first;
    return errand;
}

/* Moves those of the owner to `to`. */
static void list_sift(struct list *list, const void *owner, struct list *to)
{
    struct errand *next;
    struct list rest;

    list_init(&rest);
    for (struct errand *errand = list->first; errand; errand = next) {
        next = errand->next;
        list_push(errand->owner == owner ? to : &rest, errand);
    }
    list_init(list);
    while ((next = list_pop(&rest)))
        list_push(list, next);
}

static bool list_has(const struct list *list, const void *owner)
{
    for (const struct errand *errand = list->first; errand; errand = errand->next)
        if (errand->owner == owner)
            return true;
    return false;
}

/* ---- errands ---- */

void *errand_new(size_t bytes, errand_run *run, errand_done *done, void *owner)
{
    struct errand *errand = calloc(1, bytes);

    if (!errand)
        abort();
    errand->run = run;
    errand->done = done;
    errand->owner = owner;
    arena_init(&errand->arena);
    return errand;
}

static void errand_free(struct errand *errand)
{
    if (errand->drop)
        errand->drop(errand);
    tine_result_free(errand->result);
    arena_clear(&errand->arena);
    free(errand);
}

static void list_free(struct list *list)
{
    struct errand *errand;

    while ((errand = list_pop(list)))
        errand_free(errand);
}

/* ---- on a lane's thread ---- */

/* What only reads may be given up at any time, and done again. */
static bool only_reads(const struct line_of_work *line)
{
    return line->lane == LANE_READ || line->lane == LANE_LOOK || line->lane == LANE_LONG;
}

static bool stop(void *context)
{
    struct line_of_work *line = context;

    return atomic_load(&line->errands->over) || atomic_load(&line->stop);
}

static bool handle_make(struct line_of_work *line, struct tine_error *error)
{
    struct errands *errands = line->errands;
    unsigned losses = atomic_load(&errands->losses);

    if (line->tine && line->losses == losses)
        return true;
    tine_free(line->tine);
    line->losses = losses;
    line->tine = errands->door.connect(errands->door.context, stop, line, error);
    return line->tine != NULL;
}

static bool try_once(struct line_of_work *line, struct errand *errand)
{
    errand->error = (struct tine_error){0};
    if (!handle_make(line, &errand->error))
        return false;
    if (errand->run(errand, line->tine))
        return true;
    if (errand->error.status == 0 && strcmp(errand->error.code, "connection") == 0)
        atomic_fetch_add(&line->errands->losses, 1);
    return false;
}

static void run(struct line_of_work *line, struct errand *errand)
{
    unsigned losses = atomic_load(&line->errands->losses);
    bool had_handle = line->tine != NULL;

    errand->ok = try_once(line, errand);
    if (!errand->ok && had_handle && only_reads(line) && !stop(line) &&
        atomic_load(&line->errands->losses) != losses)
        errand->ok = try_once(line, errand);
}

/* The next errand, which is running from now on; NULL: it is over. */
static struct errand *begin(struct line_of_work *line)
{
    struct errands *errands = line->errands;
    struct errand *errand = NULL;

    pthread_mutex_lock(&errands->lock);
    while (!atomic_load(&errands->over) && !line->waiting.first)
        pthread_cond_wait(&line->more, &errands->lock);
    if (!atomic_load(&errands->over)) {
        errand = list_pop(&line->waiting);
        line->running = errand;
        line->forgotten = false;
        atomic_store(&line->stop, false);
    }
    pthread_mutex_unlock(&errands->lock);
    return errand;
}

static void end(struct line_of_work *line, struct errand *errand)
{
    struct errands *errands = line->errands;
    bool forgotten;

    pthread_mutex_lock(&errands->lock);
    forgotten = line->forgotten;
    line->running = NULL;
    if (!forgotten)
        list_push(&errands->done, errand);
    pthread_mutex_unlock(&errands->lock);
    if (forgotten)
        errand_free(errand);
    else
        errands->wake(errands->context);
}

static void *work(void *context)
{
    struct line_of_work *line = context;
    struct errand *errand;

    while ((errand = begin(line))) {
        run(line, errand);
        end(line, errand);
    }
    tine_free(line->tine);
    return NULL;
}

/* ---- on the screen's thread ---- */

struct errands *errands_new(const struct tui_door *door, void (*wake)(void *), void *context)
{
    struct errands *errands = calloc(1, sizeof(*errands));

    if (!errands)
        abort();
    errands->door = *door;
    errands->wake = wake;
    errands->context = context;
    pthread_mutex_init(&errands->lock, NULL);
    list_init(&errands->done);
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        struct line_of_work *line = &errands->lanes[lane];

        line->errands = errands;
        line->lane = (enum lane)lane;
        pthread_cond_init(&line->more, NULL);
        list_init(&line->waiting);
    }
    return errands;
}

void errands_free(struct errands *errands)
{
    if (!errands)
        return;
    pthread_mutex_lock(&errands->lock);
    atomic_store(&errands->over, true);
    for (int lane = 0; lane < LANE_COUNT; lane++)
        pthread_cond_signal(&errands->lanes[lane].more);
    pthread_mutex_unlock(&errands->lock);
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        struct line_of_work *line = &errands->lanes[lane];

        if (line->begun)
            pthread_join(line->thread, NULL);
        list_free(&line->waiting);
        pthread_cond_destroy(&line->more);
    }
    list_free(&errands->done);
    pthread_mutex_destroy(&errands->lock);
    free(errands);
}

void errands_send(struct errands *errands, enum lane lane, struct errand *errand)
{
    struct line_of_work *line = &errands->lanes[lane];

    if (!line->begun && pthread_create(&line->thread, NULL, work, line) != 0)
        abort();
    line->begun = true;
    pthread_mutex_lock(&errands->lock);
    list_push(&line->waiting, errand);
    pthread_cond_signal(&line->more);
    pthread_mutex_unlock(&errands->lock);
}

void errands_take(struct errands *errands)
{
    for (;;) {
        struct errand *errand;

        pthread_mutex_lock(&errands->lock);
        errand = list_pop(&errands->done);
        pthread_mutex_unlock(&errands->lock);
        if (!errand)
            return;
        errand->done(errand);
        errand_free(errand);
    }
}

void errands_forget(struct errands *errands, const void *owner)
{
    struct list gone;

    list_init(&gone);
    pthread_mutex_lock(&errands->lock);
    list_sift(&errands->done, owner, &gone);
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        struct line_of_work *line = &errands->lanes[lane];

        list_sift(&line->waiting, owner, &gone);
        if (!line->running || line->running->owner != owner)
            continue;
        line->forgotten = true;
        if (only_reads(line))
            atomic_store(&line->stop, true);
    }
    pthread_mutex_unlock(&errands->lock);
    list_free(&gone);
}

bool errands_busy(const struct errands *errands_, const void *owner)
{
    struct errands *errands = (struct errands *)errands_; /* for its lock */
    bool busy;

    pthread_mutex_lock(&errands->lock);
    busy = list_has(&errands->done, owner);
    for (int lane = 0; lane < LANE_COUNT && !busy; lane++) {
        const struct line_of_work *line = &errands->lanes[lane];

        busy = list_has(&line->waiting, owner) ||
               (line->running && !line->forgotten && line->running->owner == owner);
    }
    pthread_mutex_unlock(&errands->lock);
    return busy;
}
