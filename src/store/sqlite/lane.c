#include "store/sqlite/lane.h"

#include "base/clock.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    GROUP_PIECES = 256,
    GROUP_US = 20 * 1000, /* no further piece is begun after that long */
    GATHER_TURNS = 3
};

struct piece {
    lane_work *work;
    void *context;
    size_t bytes;
    struct fault *fault;
    enum fault_code code;
    sem_t done;
    struct piece *next;
};

struct lane {
    struct db *db;
    size_t group_max;
    pthread_mutex_t *guard;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t work;
    struct piece *first, **last;
    size_t waiting; /* pieces in the list */
    bool started, stop;
    pthread_t thread;
    pthread_mutex_t watch_lock; /* of the two below; held during the call */
    store_watch_call *watch;
    void *watch_context;
    _Atomic int64_t commits, changes, pieces, commit_us, work_us;
    int64_t before; /* rows changed by the connection before the transaction */
};

static enum fault_code begin(struct lane *lane, struct fault *fault)
{
    struct db *db = lane->db;

    if (db_exec(db, "BEGIN IMMEDIATE", fault) != FAULT_OK)
        return fault_pass(fault);
    lane->before = sqlite3_total_changes64(db->handle);
    db->e = 0;
    if (db_int(db, Q_NUMBER_NEWEST, NULL, 0, &db->e, fault) == FAULT_OK)
        return FAULT_OK;
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return fault_pass(fault);
}

static void roll_back(struct lane *lane)
{
    db_rest(lane->db);
    if (!sqlite3_get_autocommit(lane->db->handle))
        sqlite3_exec(lane->db->handle, "ROLLBACK", NULL, NULL, NULL);
}

static void tell(struct lane *lane)
{
    pthread_mutex_lock(&lane->watch_lock);
    if (lane->watch)
        lane->watch(lane->watch_context);
    pthread_mutex_unlock(&lane->watch_lock);
}

static enum fault_code commit(struct lane *lane, struct fault *fault)
{
    bool changed = sqlite3_total_changes64(lane->db->handle) != lane->before;
    int64_t from = clock_us();

    db_rest(lane->db);
    if (db_exec(lane->db, "COMMIT", fault) != FAULT_OK)
        return fault_pass(fault);
    lane->commits++;
    lane->commit_us += clock_us() - from;
    if (changed) {
        lane->changes++;
        tell(lane);
    }
    return FAULT_OK;
}

/* Runs one piece in the open transaction; false when the transaction cannot be kept. */
static bool piece_run(struct lane *lane, struct piece *piece)
{
    sqlite3 *handle = lane->db->handle;
    int64_t before = sqlite3_total_changes64(handle), from = clock_us();

    piece->code = piece->work(lane->db, piece->context, piece->fault);
    lane->pieces++;
    lane->work_us += clock_us() - from;
    assert(piece->code == FAULT_OK || piece->code == piece->fault->code);
    if (sqlite3_get_autocommit(handle))
        return false;
    return piece->code == FAULT_OK || sqlite3_total_changes64(handle) == before;
}

static void run_alone(struct lane *lane, struct piece *piece)
{
    piece->code = begin(lane, piece->fault);
    if (piece->code != FAULT_OK)
        return;
    if (!piece_run(lane, piece)) {
        if (piece->code == FAULT_OK)
            piece->code = fault_set(piece->fault, FAULT_INTERNAL, "the transaction was taken back");
        roll_back(lane);
        return;
    }
    if (piece->code != FAULT_OK) {
        roll_back(lane);
        return;
    }
    piece->code = commit(lane, piece->fault);
    if (piece->code != FAULT_OK)
        roll_back(lane);
}

/*
 * Runs a group in one transaction; false when nothing of it was kept. When it takes too long the
 * group ends early, and the pieces not yet run are left in *rest.
 */
static bool run_group(struct lane *lane, struct piece *group, struct piece **rest)
{
    int64_t until = clock_us() + GROUP_US;
    struct fault fault;

    if (begin(lane, &fault) != FAULT_OK) {
        for (struct piece *piece = group; piece; piece = piece->next) {
            *piece->fault = fault;
            piece->code = fault.code;
        }
        return true;
    }
    for (struct piece *piece = group; piece; piece = piece->next) {
        if (!piece_run(lane, piece)) {
            roll_back(lane);
            return false;
        }
        if (piece->next && clock_us() > until) {
            *rest = piece->next;
            piece->next = NULL;
        }
    }
    if (commit(lane, &fault) == FAULT_OK)
        return true;
    roll_back(lane);
    return false;
}

/* Takes from the front of what is waiting. */
static struct piece *take_group(struct lane *lane, size_t *taken)
{
    struct piece *group = lane->first, *last = group;
    size_t count = 1, bytes = group->bytes;

    while (last->next && count < lane->group_max && bytes + last->next->bytes <= LANE_GROUP_BYTES) {
        last = last->next;
        bytes += last->bytes;
        count++;
    }
    lane->first = last->next;
    if (!lane->first)
        lane->last = &lane->first;
    last->next = NULL;
    lane->waiting -= count;
    *taken = count;
    return group;
}

static void answer(struct piece *group)
{
    while (group) {
        struct piece *next = group->next; /* the piece is its caller's again after the post */

        sem_post(&group->done);
        group = next;
    }
}

static void run(struct lane *lane, struct piece *group)
{
    if (lane->guard)
        pthread_mutex_lock(lane->guard);
    while (group) {
        struct piece *rest = NULL;

        if (!group->next) {
            run_alone(lane, group);
        } else if (!run_group(lane, group, &rest)) {
            for (struct piece *piece = group; piece; piece = piece->next)
                run_alone(lane, piece);
        }
        answer(group);
        group = rest;
    }
    if (lane->guard)
        pthread_mutex_unlock(lane->guard);
}

/*
 * Those that were just answered mostly come again at once: giving them a moment to do so makes one
 * commit of two. Nobody waits for it when the last group was small.
 */
static void gather(struct lane *lane, size_t last_group)
{
    for (int i = 0; i < GATHER_TURNS && last_group > 1 && lane->waiting < last_group; i++) {
        pthread_mutex_unlock(&lane->lock);
        sched_yield();
        pthread_mutex_lock(&lane->lock);
    }
}

static void *lane_thread(void *context)
{
    struct lane *lane = context;
    size_t taken = 0;

    pthread_mutex_lock(&lane->lock);
    for (;;) {
        struct piece *group;

        while (!lane->first && !lane->stop)
            pthread_cond_wait(&lane->work, &lane->lock);
        if (!lane->first)
            break;
        gather(lane, taken);
        group = take_group(lane, &taken);
        pthread_mutex_unlock(&lane->lock);
        run(lane, group);
        pthread_mutex_lock(&lane->lock);
    }
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

struct lane *lane_new(struct db *db, size_t group_max, void *guard)
{
    struct lane *lane = calloc(1, sizeof(*lane));

    if (!lane)
        abort();
    lane->db = db;
    lane->group_max = group_max ? group_max : GROUP_PIECES;
    lane->guard = guard;
    lane->last = &lane->first;
    pthread_mutex_init(&lane->lock, NULL);
    pthread_mutex_init(&lane->watch_lock, NULL);
    pthread_cond_init(&lane->work, NULL);
    return lane;
}

void lane_free(struct lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lane->lock);
    lane->stop = true;
    pthread_cond_signal(&lane->work);
    pthread_mutex_unlock(&lane->lock);
    if (lane->started)
        pthread_join(lane->thread, NULL);
    pthread_cond_destroy(&lane->work);
    pthread_mutex_destroy(&lane->watch_lock);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
}

void lane_watch(struct lane *lane, store_watch_call *call, void *context)
{
    pthread_mutex_lock(&lane->watch_lock);
    lane->watch = call;
    lane->watch_context = context;
    pthread_mutex_unlock(&lane->watch_lock);
}

void lane_time(struct lane *lane, struct store_timings *out)
{
    *out = (struct store_timings){
        .commits = lane->commits,
        .pieces = lane->pieces,
        .commit_us = lane->commit_us,
        .work_us = lane->work_us,
    };
    pthread_mutex_lock(&lane->lock);
    out->waiting = (int64_t)lane->waiting;
    pthread_mutex_unlock(&lane->lock);
}

int64_t lane_changes(struct lane *lane)
{
    return lane->changes;
}

enum fault_code lane_run(struct lane *lane, lane_work *work, void *context, size_t bytes,
                         struct fault *fault)
{
    struct piece piece = {.work = work, .context = context, .bytes = bytes, .fault = fault};

    sem_init(&piece.done, 0, 0);
    pthread_mutex_lock(&lane->lock);
    assert(!lane->stop);
    if (!lane->started) {
        if (pthread_create(&lane->thread, NULL, lane_thread, lane) != 0) {
            pthread_mutex_unlock(&lane->lock);
            sem_destroy(&piece.done);
            return fault_set(fault, FAULT_INTERNAL, "the writer's thread could not be started");
        }
        lane->started = true;
    }
    *lane->last = &piece;
    lane->last = &piece.next;
    lane->waiting++;
    pthread_cond_signal(&lane->work);
    pthread_mutex_unlock(&lane->lock);
    while (sem_wait(&piece.done) != 0)
        ;
    sem_destroy(&piece.done);
    return piece.code;
}
