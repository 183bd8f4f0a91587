#include "engine/turns.h"

#include "engine/seat.h"
#include "engine/turn.h"
#include "engine/turn_end.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { RUNNING_MAX = 64, QUEUED_MAX = 16, CANCEL_WAIT_S = 5 };

/* ---- cancelling ---- */

/* Is it the turn that is meant? Without a name any one is. */
static bool is_meant(struct str turn, struct str name)
{
    return turn.n == 0 || str_eq(turn, name);
}

/* The session's newest turn is active, and meant. Nothing is active on its seat, which is held. */
static bool is_left_active(struct turns *turns, int64_t owner, struct str session, struct str turn,
                           struct arena *arena, struct run *out)
{
    struct fault fault;

    return store_run_get(engine_store(turns->options.engine), owner, session, arena, out, &fault) ==
               FAULT_OK &&
           run_active(out->state) && is_meant(turn, out->turn);
}

/* Of a turn that this process does not run: one that nobody runs any more is ended. */
static enum fault_code cancel_other(struct turns *turns, int64_t owner, struct str session,
                                    struct str turn, struct arena *arena, struct fault *fault)
{
    struct run run;

    if (is_left_active(turns, owner, session, turn, arena, &run)) {
        if (turn_recover(turns, owner, session))
            return FAULT_OK;
        if (!str_eq(run.holder, runner_name(turns->runner)))
            return fault_set(fault, FAULT_TURN_RUNNING,
                             "another process runs the turn in session \"%.*s\"; stop it there",
                             STR_ARG(session));
    }
    if (turn.n)
        return fault_set(fault, FAULT_NO_TURN, "turn \"%.*s\" is not running in session \"%.*s\"",
                         (int)(turn.n < 100 ? turn.n : 100), turn.p, STR_ARG(session));
    return fault_set(fault, FAULT_NO_TURN, "no turn is running in session \"%.*s\"",
                     STR_ARG(session));
}

/* Waits until the turn is not the seat's any more. */
static void wait_for_end(struct turns *turns, struct seat *seat, const struct turn *turn)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += CANCEL_WAIT_S;
    pthread_mutex_lock(&turns->lock);
    if (seat->awaited) { /* one thread that waits for a slow agent is enough */
        pthread_mutex_unlock(&turns->lock);
        return;
    }
    seat->awaited = true;
    while (seat->active == turn &&
           pthread_cond_timedwait(&turns->ended, &turns->lock, &until) != ETIMEDOUT)
        ;
    seat->awaited = false;
    pthread_mutex_unlock(&turns->lock);
}

enum fault_code turns_cancel(struct turns *turns, int64_t owner, struct str name, struct str turn,
                             struct fault *fault)
{
    struct turn *active, *dropped = NULL;
    enum fault_code code = FAULT_OK;
    struct session session;
    struct seat *seat;
    struct arena arena;

    arena_init(&arena);
    code = store_session_get(engine_store(turns->options.engine), owner, name, false, &arena,
                             &session, fault);
    if (code != FAULT_OK) {
        arena_clear(&arena);
        return code;
    }
    seat = seat_take(turns, session.s);
    active = seat->active;
    if (active && !is_meant(turn, active->name))
        active = NULL;
    if (turn.n == 0)
        dropped = seat_pop_all(turns, seat);
    if (active) {
        pthread_mutex_lock(&turns->lock);
        turn_cancel(active);
        pthread_mutex_unlock(&turns->lock);
    } else {
        code = cancel_other(turns, owner, name, turn, &arena, fault);
    }
    pthread_mutex_unlock(&seat->lock);
    turn_tell_and_free(dropped, RUN_CANCELLED);
    if (active)
        wait_for_end(turns, seat, active);
    seat_leave(turns, seat);
    arena_clear(&arena);
    return code;
}

/* ---- looking ---- */

struct turn *turns_active(struct turns *turns, int64_t owner, struct str session)
{
    for (struct seat *seat = turns->seats; seat; seat = seat->next)
        if (seat->active && str_eq(seat->active->session, session) &&
            (owner == OWNER_ANY || owner == seat->active->owner))
            return seat->active;
    return NULL;
}

size_t turns_so_far(struct turns *turns, int64_t owner, struct str session, struct arena *arena,
                    struct turn_piece pieces[TURN_PIECES])
{
    struct turn *turn;
    size_t count = 0;

    pthread_mutex_lock(&turns->lock);
    turn = turns_active(turns, owner, session);
    if (turn)
        count = turn_so_far(turn, arena, pieces);
    pthread_mutex_unlock(&turns->lock);
    return count;
}

void turns_count(struct turns *turns, struct turns_counts *out)
{
    pthread_mutex_lock(&turns->lock);
    *out = turns->counts;
    pthread_mutex_unlock(&turns->lock);
}

bool turns_closing(struct turns *turns)
{
    bool closing;

    pthread_mutex_lock(&turns->lock);
    closing = turns->closing;
    pthread_mutex_unlock(&turns->lock);
    return closing;
}

/* ---- opening and closing ---- */

enum fault_code turns_open(const struct turns_options *options, struct turns **out,
                           struct fault *fault)
{
    struct turns *turns = calloc(1, sizeof(*turns));
    pthread_condattr_t attr;

    if (!turns)
        abort();
    turns->options = *options;
    if (!turns->options.running_max)
        turns->options.running_max = RUNNING_MAX;
    if (!turns->options.queued_max)
        turns->options.queued_max = QUEUED_MAX;
    turns->ready_last = &turns->ready;
    turns->home = strdup(options->home);
    if (!turns->home)
        abort();
    if (runner_open(turns->home, &turns->runner, fault) != FAULT_OK) {
        free(turns->home);
        free(turns);
        return fault_pass(fault);
    }
    pthread_mutex_init(&turns->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&turns->ended, &attr);
    pthread_condattr_destroy(&attr);
    *out = turns;
    return FAULT_OK;
}

/* Drops the sends that wait, everywhere. */
static void drop_waiting(struct turns *turns)
{
    for (;;) {
        struct turn *dropped;
        struct seat *seat;

        pthread_mutex_lock(&turns->lock);
        for (seat = turns->seats; seat && !seat->waiting; seat = seat->next)
            ;
        if (seat)
            seat->users++;
        pthread_mutex_unlock(&turns->lock);
        if (!seat)
            return;
        pthread_mutex_lock(&seat->lock);
        dropped = seat_pop_all(turns, seat);
        pthread_mutex_unlock(&seat->lock);
        for (struct turn *turn = dropped; turn; turn = turn->next)
            fault_write(&turn->fault, FAULT_STOPPING, "the server is stopping");
        turn_tell_and_free(dropped, RUN_FAILED);
        seat_leave(turns, seat);
    }
}

bool turns_stop(struct turns *turns, int ms)
{
    struct timespec until;
    bool ended;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (ms % 1000) * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&turns->lock);
    turns->closing = true;
    pthread_mutex_unlock(&turns->lock);
    drop_waiting(turns);
    pthread_mutex_lock(&turns->lock);
    for (struct seat *seat = turns->seats; seat; seat = seat->next)
        if (seat->active)
            turn_cancel(seat->active);
    while (turns->running + turns->resting > 0 &&
           pthread_cond_timedwait(&turns->ended, &turns->lock, &until) != ETIMEDOUT)
        ;
    ended = turns->running + turns->resting == 0;
    pthread_mutex_unlock(&turns->lock);
    return ended;
}

bool turns_close(struct turns *turns, int ms)
{
    if (!turns)
        return true;
    if (!turns_stop(turns, ms))
        return false; /* an agent that does not come back; what it runs is ended by the next start
                       */
    runner_close(turns->runner);
    pthread_cond_destroy(&turns->ended);
    pthread_mutex_destroy(&turns->lock);
    free(turns->home);
    free(turns);
    return true;
}
