#include "http/work.h"

#include <pthread.h>
#include <stdlib.h>

enum { STACK_BYTES = 512 * 1024 };

/* A thread that rests waits on a condition of its own, so that one chosen thread can be woken. */
struct worker {
    struct work *work;
    struct worker *next; /* below it on the pile of those that rest */
    pthread_cond_t wake;
    pthread_t thread;
    struct job *job; /* handed to it while it rested */
};

struct work {
    pthread_mutex_t lock; /* of all below */
    struct worker *workers;
    int max, started, busy;
    struct worker *resting; /* the last to rest on top */
    struct job *first, **last;
    int queued, queue_max;
    bool stop;
};

struct work *work_new(int threads, int queue)
{
    struct work *work = calloc(1, sizeof(*work));

    if (!work)
        abort();
    work->workers = calloc((size_t)threads, sizeof(*work->workers));
    if (!work->workers)
        abort();
    pthread_mutex_init(&work->lock, NULL);
    work->max = threads;
    work->queue_max = queue;
    work->last = &work->first;
    return work;
}

/* What to do next; waits for it. NULL when it is over. With the lock held. */
static struct job *next_job(struct work *work, struct worker *self)
{
    struct job *job = work->first;

    if (job) {
        work->first = job->next;
        if (!work->first)
            work->last = &work->first;
        work->queued--;
        return job;
    }
    if (work->stop)
        return NULL;
    work->busy--;
    self->job = NULL;
    self->next = work->resting;
    work->resting = self;
    while (!self->job && !work->stop)
        pthread_cond_wait(&self->wake, &work->lock);
    if (!self->job)
        work->busy++; /* who hands over a job counts, see work_add */
    return self->job;
}

static void *worker_run(void *context)
{
    struct worker *self = context;
    struct work *work = self->work;
    struct job *job = self->job;

    while (job) {
        job->run(job);
        pthread_mutex_lock(&work->lock);
        job = next_job(work, self);
        pthread_mutex_unlock(&work->lock);
    }
    return NULL;
}

/* Starts another thread with this job; false when there can be none. With the lock held. */
static bool start_worker(struct work *work, struct job *job)
{
    struct worker *worker = &work->workers[work->started];
    pthread_attr_t attributes;
    int failed;

    if (work->started == work->max)
        return false;
    *worker = (struct worker){.work = work, .job = job};
    pthread_cond_init(&worker->wake, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    failed = pthread_create(&worker->thread, &attributes, worker_run, worker);
    pthread_attr_destroy(&attributes);
    if (failed) {
        pthread_cond_destroy(&worker->wake);
        if (work->started == 0)
            abort(); /* nobody would ever do it */
        return false;
    }
    work->started++;
    work->busy++;
    return true;
}

bool work_add(struct work *work, struct job *job, bool always)
{
    struct worker *worker;
    bool taken = true;

    job->next = NULL;
    pthread_mutex_lock(&work->lock);
    worker = work->resting;
    if (worker) {
        work->resting = worker->next;
        work->busy++;
        worker->job = job;
        pthread_cond_signal(&worker->wake);
    } else if (!start_worker(work, job)) {
        taken = always || work->queued < work->queue_max;
        if (taken) {
            *work->last = job;
            work->last = &job->next;
            work->queued++;
        }
    }
    pthread_mutex_unlock(&work->lock);
    return taken;
}

struct work_now work_look(struct work *work)
{
    struct work_now now;

    pthread_mutex_lock(&work->lock);
    now = (struct work_now){work->busy, work->started, work->queued};
    pthread_mutex_unlock(&work->lock);
    return now;
}

void work_free(struct work *work)
{
    if (!work)
        return;
    pthread_mutex_lock(&work->lock);
    work->stop = true;
    for (int i = 0; i < work->started; i++)
        pthread_cond_signal(&work->workers[i].wake);
    pthread_mutex_unlock(&work->lock);
    for (int i = 0; i < work->started; i++) {
        pthread_join(work->workers[i].thread, NULL);
        pthread_cond_destroy(&work->workers[i].wake);
    }
    pthread_mutex_destroy(&work->lock);
    free(work->workers);
    free(work);
}
