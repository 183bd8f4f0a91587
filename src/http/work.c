#include "http/work.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 2 * 1024 * 1024 }; /* directories are walked on it, however deep */

/* A thread that rests waits on a condition of its own, so that one chosen thread can be woken. */
struct worker {
    struct work *work;
    struct worker *next; /* below it on the pile of those that rest */
    pthread_cond_t wake;
    pthread_t thread;
    struct job *job; /* handed to it while it rested */
};

struct queue {
    struct job *first, **last;
    int count;
};

struct work {
    pthread_mutex_t lock; /* of all below */
    struct worker *workers;
    int max, started, busy;
    int quick, quick_max;   /* quick jobs that are done now */
    struct worker *resting; /* the last to rest on top */
    struct queue jobs;      /* all threads are busy */
    struct queue calm;      /* quick ones, while enough of them are done */
    int queue_max;
    bool stop;
};

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void queue_put(struct queue *queue, struct job *job)
{
    job->next = NULL;
    *queue->last = job;
    queue->last = &job->next;
    queue->count++;
}

static struct job *queue_take(struct queue *queue)
{
    struct job *job = queue->first;

    queue->first = job->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->count--;
    return job;
}

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
    work->jobs.last = &work->jobs.first;
    work->calm.last = &work->calm.first;
    work->quick_max = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return work;
}

/* A job that waits and may be done now; NULL: none. With the lock held. */
static struct job *waiting_job(struct work *work)
{
    if (work->calm.first && (work->quick < work->quick_max || work->stop))
        return queue_take(&work->calm);
    if (work->jobs.first)
        return queue_take(&work->jobs);
    return NULL;
}

/* What to do next; waits for it. NULL when it is over. With the lock held. */
static struct job *next_job(struct work *work, struct worker *self)
{
    struct job *job = waiting_job(work);

    if (job) {
        work->quick += job->quick;
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
        work->busy++; /* who hands over a job counts, see hand_over */
    return self->job;
}

static void *worker_run(void *context)
{
    struct worker *self = context;
    struct work *work = self->work;
    struct job *job = self->job;

    while (job) {
        bool quick = job->quick; /* the job is not ours any more when it has been run */

        job->run(job);
        pthread_mutex_lock(&work->lock);
        work->quick -= quick;
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

/* Gives the job to a thread that rests, or to a new one; false: there is none. With the lock held.
 */
static bool hand_over(struct work *work, struct job *job)
{
    struct worker *worker = work->resting;
    bool quick = job->quick; /* a new thread may be done with it before this returns */

    if (worker) {
        work->resting = worker->next;
        work->busy++;
        worker->job = job;
        pthread_cond_signal(&worker->wake);
    } else if (!start_worker(work, job)) {
        return false;
    }
    work->quick += quick;
    return true;
}

bool work_add(struct work *work, struct job *job, bool always)
{
    struct queue *queue = &work->jobs;
    bool taken = false;

    job->next = NULL;
    job->since_ms = 0;
    pthread_mutex_lock(&work->lock);
    if (work->stop) {
        pthread_mutex_unlock(&work->lock);
        return false;
    }
    if (job->quick && work->quick >= work->quick_max)
        queue = &work->calm;
    else
        taken = hand_over(work, job);
    if (!taken && (always || queue->count < work->queue_max)) {
        job->since_ms = now_ms();
        queue_put(queue, job);
        taken = true;
    }
    pthread_mutex_unlock(&work->lock);
    return taken;
}

bool work_hurry(struct work *work)
{
    int64_t stale = now_ms() - WORK_STALE_MS;
    bool more;

    pthread_mutex_lock(&work->lock);
    while (!work->stop && work->calm.first && work->calm.first->since_ms <= stale) {
        struct job *job = work->calm.first, *next = job->next;

        if (!hand_over(work, job))
            break;
        /* the job may be under way already: only its place in the queue is ours */
        work->calm.first = next;
        if (!next)
            work->calm.last = &work->calm.first;
        work->calm.count--;
    }
    more = work->calm.first != NULL;
    pthread_mutex_unlock(&work->lock);
    return more;
}

struct work_now work_look(struct work *work)
{
    struct work_now now;

    pthread_mutex_lock(&work->lock);
    now = (struct work_now){work->busy, work->started, work->jobs.count + work->calm.count};
    pthread_mutex_unlock(&work->lock);
    return now;
}

void work_end(struct work *work)
{
    int started;

    pthread_mutex_lock(&work->lock);
    work->stop = true;
    started = work->started;
    for (int i = 0; i < started; i++)
        pthread_cond_signal(&work->workers[i].wake);
    pthread_mutex_unlock(&work->lock);
    for (int i = 0; i < started; i++)
        pthread_join(work->workers[i].thread, NULL);
}

void work_free(struct work *work)
{
    if (!work)
        return;
    for (int i = 0; i < work->started; i++)
        pthread_cond_destroy(&work->workers[i].wake);
    pthread_mutex_destroy(&work->lock);
    free(work->workers);
    free(work);
}
