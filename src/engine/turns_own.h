/*
 * What the files of the turns share. A session in which a turn is active, or about to be, has a
 * seat (seat.h). What must hold:
 * 1. Beginning and ending the turns of one session happens under the lock of its seat, so a send
 *    that waits is begun by the one before it, and none is forgotten.
 * 2. The store decides whether a turn may begin; the seat only says whom to wait for.
 * 3. `done` of a turn is called after its end is durable, with no lock held.
 * 4. Locks are taken in the order seat, turns, turn; the store is never called under the lock of
 *    turns or of a turn.
 */
#ifndef ENGINE_TURNS_OWN_H
#define ENGINE_TURNS_OWN_H

#include "engine/runner.h"
#include "engine/turns.h"

#include <pthread.h>

struct turns {
    struct turns_options options;
    struct runner *runner;
    char *home;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ended;
    struct seat *seats;
    struct turn *ready, **ready_last; /* begun, waiting for a thread */
    int running;                      /* threads that run a turn … */
    int resting;                      /* … and those whose turn waits for an answer */
    bool closing;
    struct turns_counts counts;
};

/* The turn that is active in the session; NULL: none is. With the lock held. */
struct turn *turns_active(struct turns *turns, int64_t owner, struct str session);

/* Are they being stopped? */
bool turns_closing(struct turns *turns);

#endif
