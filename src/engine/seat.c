#include "engine/seat.h"

#include "engine/turn.h"

#include <assert.h>
#include <stdlib.h>

struct seat *seat_take(struct turns *turns, int64_t s)
{
    struct seat *seat;

    pthread_mutex_lock(&turns->lock);
    for (seat = turns->seats; seat && seat->s != s; seat = seat->next)
        ;
    if (!seat) {
        seat = calloc(1, sizeof(*seat));
        if (!seat)
            abort();
        seat->s = s;
        pthread_mutex_init(&seat->lock, NULL);
        seat->next = turns->seats;
        turns->seats = seat;
    }
    seat->users++;
    pthread_mutex_unlock(&turns->lock);
    pthread_mutex_lock(&seat->lock);
    return seat;
}

void seat_leave(struct turns *turns, struct seat *seat)
{
    pthread_mutex_lock(&turns->lock);
    if (--seat->users == 0) {
        struct seat **at = &turns->seats;

        assert(!seat->active && !seat->waiting);
        while (*at != seat)
            at = &(*at)->next;
        *at = seat->next;
        pthread_mutex_destroy(&seat->lock);
        free(seat);
    }
    pthread_mutex_unlock(&turns->lock);
}

void seat_give(struct turns *turns, struct seat *seat)
{
    pthread_mutex_unlock(&seat->lock);
    seat_leave(turns, seat);
}

void seat_set_active(struct turns *turns, struct seat *seat, struct turn *turn)
{
    pthread_mutex_lock(&turns->lock);
    if (turn)
        seat->users++; /* it is on the seat until it ends */
    seat->active = turn;
    if (turn && turns->closing)
        turn_cancel(turn); /* it began while all others were being stopped */
    pthread_mutex_unlock(&turns->lock);
}

enum fault_code seat_push_waiting(struct turn *turn, struct fault *fault)
{
    struct turns *turns = turn->turns;
    struct seat *seat = turn->seat;
    struct turn **last = &seat->waiting;

    if (!seat->active)
        return fault_set(fault, FAULT_TURN_RUNNING,
                         "another process runs a turn in session \"%.*s\"", STR_ARG(turn->session));
    if (seat->waiting_count >= (size_t)turns->options.queued_max)
        return fault_set(fault, FAULT_TOO_MANY,
                         "%zu messages wait in session \"%.*s\" already; that is the limit",
                         seat->waiting_count, STR_ARG(turn->session));
    while (*last)
        last = &(*last)->next;
    pthread_mutex_lock(&turns->lock);
    *last = turn;
    seat->waiting_count++;
    seat->users++;
    turns->counts.queued++;
    pthread_mutex_unlock(&turns->lock);
    return FAULT_OK;
}

struct turn *seat_pop_waiting(struct turns *turns, struct seat *seat)
{
    struct turn *turn = seat->waiting;

    pthread_mutex_lock(&turns->lock);
    seat->waiting = turn->next;
    seat->waiting_count--;
    turn->next = NULL;
    turns->counts.queued--;
    seat->users--; /* whoever holds the seat keeps it */
    pthread_mutex_unlock(&turns->lock);
    return turn;
}

struct turn *seat_pop_all(struct turns *turns, struct seat *seat)
{
    struct turn *first = NULL, **last = &first;

    while (seat->waiting) {
        *last = seat_pop_waiting(turns, seat);
        last = &(*last)->next;
    }
    return first;
}
