/*
 * Threads that do what may wait. They are started when there is more to do than threads that are
 * free, and the one that rested last works first, so that few of them stay warm.
 */
#ifndef HTTP_WORK_H
#define HTTP_WORK_H

#include <stdbool.h>

/* One thing to do; part of whatever it is about. */
struct job {
    void (*run)(struct job *job);
    struct job *next;
};

struct work;

struct work *work_new(int threads, int queue);
void work_free(struct work *work); /* does what is queued, then ends the threads */

/* False when the queue is full; with `always` it never is. From any thread. */
bool work_add(struct work *work, struct job *job, bool always);

struct work_now {
    int busy, threads, queued;
};
struct work_now work_look(struct work *work);

#endif
