#include "engine/reaper.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { AGAIN_S = 2 }; /* after a fault of the store */

struct reaper {
    struct store *store;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t woken;
    pthread_t thread;
    bool started;
    bool wanted; /* since the thread last looked */
    bool stop;   /* … when nothing is wanted any more, or … */
    bool at_once;
};

/* Nothing is left; false when a fault came first, or the end. */
static bool reap(struct reaper *reaper)
{
    struct fault fault;
    bool more = true, stop = false;

    while (more && !stop) {
        if (store_reap(reaper->store, &more, &fault) != FAULT_OK)
            return false;
        pthread_mutex_lock(&reaper->lock);
        stop = reaper->at_once;
        pthread_mutex_unlock(&reaper->lock);
    }
    return !more;
}

/* With the lock held: until it is woken, or a little while. */
static void wait_a_little(struct reaper *reaper)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += AGAIN_S;
    pthread_cond_timedwait(&reaper->woken, &reaper->lock, &until);
}

static void *run(void *context)
{
    struct reaper *reaper = context;
    bool done;

    pthread_mutex_lock(&reaper->lock);
    while (!reaper->at_once) {
        if (!reaper->wanted && reaper->stop)
            break;
        if (!reaper->wanted) {
            pthread_cond_wait(&reaper->woken, &reaper->lock);
            continue;
        }
        reaper->wanted = false;
        pthread_mutex_unlock(&reaper->lock);
        done = reap(reaper);
        pthread_mutex_lock(&reaper->lock);
        if (!done && reaper->stop)
            break; /* the store is in trouble: the next one may be luckier */
        if (!done && !reaper->at_once) {
            wait_a_little(reaper);
            reaper->wanted = true;
        }
    }
    pthread_mutex_unlock(&reaper->lock);
    return NULL;
}

struct reaper *reaper_new(struct store *store)
{
    struct reaper *reaper = calloc(1, sizeof(*reaper));

    if (!reaper)
        abort();
    reaper->store = store;
    pthread_mutex_init(&reaper->lock, NULL);
    pthread_cond_init(&reaper->woken, NULL);
    return reaper;
}

void reaper_wake(struct reaper *reaper)
{
    pthread_mutex_lock(&reaper->lock);
    reaper->wanted = true;
    /* One that cannot be started now is started by the next wake. */
    if (!reaper->started)
        reaper->started = pthread_create(&reaper->thread, NULL, run, reaper) == 0;
    pthread_cond_signal(&reaper->woken);
    pthread_mutex_unlock(&reaper->lock);
}

void reaper_free(struct reaper *reaper, bool finish)
{
    if (!reaper)
        return;
    pthread_mutex_lock(&reaper->lock);
    reaper->stop = true;
    reaper->at_once = !finish;
    pthread_cond_signal(&reaper->woken);
    pthread_mutex_unlock(&reaper->lock);
    if (reaper->started)
        pthread_join(reaper->thread, NULL);
    pthread_cond_destroy(&reaper->woken);
    pthread_mutex_destroy(&reaper->lock);
    free(reaper);
}
