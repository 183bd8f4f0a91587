/*
 * The place of a session among the turns: the one that is active there and the sends that wait for
 * it. Who takes a seat holds its lock, which orders all that begins and ends in the session
 * (turns_own.h).
 */
#ifndef ENGINE_SEAT_H
#define ENGINE_SEAT_H

#include "engine/turns_own.h"

struct turn;

struct seat {
    struct seat *next;
    int64_t s;
    int users; /* under the lock of turns: who holds or waits for the seat, or is active on it */
    pthread_mutex_t lock;
    struct turn *active;  /* written under both locks */
    struct turn *waiting; /* sends in their order; written under both */
    size_t waiting_count;
    bool awaited; /* somebody waits for the end of a turn that was cancelled */
};

/* The seat of a session, which is made when missing, with its lock held. */
struct seat *seat_take(struct turns *turns, int64_t s);

/* Gives the lock back, and leaves. */
void seat_give(struct turns *turns, struct seat *seat);

/* One user less; the lock of the seat is not held. The last one takes the seat away. */
void seat_leave(struct turns *turns, struct seat *seat);

/* With the seat held, from here on. The turn that is active on it; NULL: none is. */
void seat_set_active(struct turns *turns, struct seat *seat, struct turn *turn);

/* Puts a turn that could not begin at the end of the line. FAULT_TURN_RUNNING, FAULT_TOO_MANY. */
FAULT_CHECK enum fault_code seat_push_waiting(struct turn *turn, struct fault *fault);

/* The first of the line, taken out of it. */
struct turn *seat_pop_waiting(struct turns *turns, struct seat *seat);

/* The whole line, taken out; linked by `next`. */
struct turn *seat_pop_all(struct turns *turns, struct seat *seat);

#endif
