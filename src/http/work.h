/*
 * Threads that do what may wait. They are started when there is more to do than threads that are
 * free, and the one that rested last works first, so that few of them stay warm.
 *
 * A quick job waits for nobody, as a rule: a read. Of those no more are done at once than there are
 * processors, since more threads would only take turns; but one that has waited for WORK_STALE_MS
 * (those before it were not quick after all) gets a thread all the same.
 */
#ifndef HTTP_WORK_H
#define HTTP_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum { WORK_STALE_MS = 4 };

/* One thing to do; part of whatever it is about. */
struct job {
    void (*run)(struct job *job);
    bool quick;
    int64_t since_ms; /* it had to wait; set by work_add, 0: it had not */
    struct job *next;
};

struct work;

struct work *work_new(int threads, int queue);
void work_end(struct work *work); /* does what is queued, then ends the threads; takes no more */
void work_free(struct work *work);

/* False when the queue is full, or it has ended; with `always` it is never full. From any thread.
 */
bool work_add(struct work *work, struct job *job, bool always);

/* Gives threads to quick jobs that have waited too long; true when some still wait. To be called
 * every WORK_STALE_MS while that is so. */
bool work_hurry(struct work *work);

struct work_now {
    int busy, threads, queued;
};
struct work_now work_look(struct work *work);

#endif
