#include "dialect/tie.h"

#include <stdlib.h>

void tie_init(struct tie *tie, struct exchange *x, void (*release)(struct tie *tie))
{
    atomic_init(&tie->holders, 2);
    tie->free = release;
    tie->store = app_of(x)->store;
    tie->server = exchange_server(x);
    pthread_mutex_init(&tie->lock, NULL);
}

void tie_unhold(struct tie *tie)
{
    if (atomic_fetch_sub(&tie->holders, 1) > 1)
        return;
    pthread_mutex_destroy(&tie->lock);
    free(tie->names);
    free(tie->fault);
    tie->free(tie);
}

void tie_name(struct tie *tie, int64_t owner, struct str session, struct str turn)
{
    char *names = malloc(session.n + turn.n + 1);

    if (!names)
        abort();
    tie->names = names;
    tie->owner = owner;
    tie->session = (struct str){names, session.n};
    tie->turn = (struct str){names + session.n, turn.n};
    if (session.n)
        memcpy(names, session.p, session.n);
    if (turn.n)
        memcpy(names + session.n, turn.p, turn.n);
}

/* ---- the end of the turn ---- */

static void hear_over(void *context)
{
    struct tie *tie = context;

    tie->over = true;
    if (tie->stream)
        stream_wake(tie->stream);
    tie_unhold(tie);
}

static enum fault_code look(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)entry;
    return visit_enough(fault);
}

/*
 * The handler knows the turn's name, the turn's thread knows how it ended; the second one of the
 * two goes on. While the stream is there the server is, too.
 */
void tie_meet(struct tie *tie)
{
    struct fault fault;
    enum fault_code code;

    if (!atomic_exchange(&tie->one_was_here, true))
        return;
    code = store_turn(tie->store, tie->owner, tie->session, tie->turn, look, NULL, &fault);
    tie->never = code != FAULT_OK && code != FAULT_INTERRUPTED; /* or it is gone, or unreadable */
    pthread_mutex_lock(&tie->lock);
    if (!tie->closed) {
        atomic_fetch_add(&tie->holders, 1);
        server_post(tie->server, hear_over, tie);
    }
    pthread_mutex_unlock(&tie->lock);
    tie_unhold(tie);
}

void tie_done(void *context, enum run_state state, const struct fault *fault)
{
    struct tie *tie = context;

    tie->state = state;
    if (fault && fault->code) {
        tie->fault = malloc(sizeof(*fault));
        if (!tie->fault)
            abort();
        *tie->fault = *fault;
    }
    tie_meet(tie);
}

/* ---- the stream ---- */

void tie_notify(void *context)
{
    struct tie *tie = context;

    stream_wake(tie->stream);
}

void tie_close(void *context)
{
    struct tie *tie = context;

    if (tie->listener)
        hub_leave(tie->listener);
    tie->listener = NULL;
    tie->stream = NULL;
    pthread_mutex_lock(&tie->lock);
    tie->closed = true;
    pthread_mutex_unlock(&tie->lock);
    tie_unhold(tie);
}
