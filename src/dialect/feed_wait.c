/* A reply that waits until its turn has ended, or asks. */
#include "dialect/feed.h"
#include "dialect/turn_ending.h"

#include <stdlib.h>

/*
 * Held by the handler and by the turn, which may go on long after it has asked and the reply was
 * given. The handler, who knows the turn's name, and the turn's thread meet: whoever is second
 * answers.
 */
struct waiting {
    atomic_int holders;
    struct exchange *x; /* until it is answered */
    feed_answer *answer;
    void *context;
    struct str turn, session;
    int64_t owner;
    struct store *store;
    atomic_bool told;         /* by the turn's thread: what comes first counts */
    atomic_bool one_was_here; /* see meet */
    enum run_state state;
    struct fault fault; /* why it failed; code FAULT_OK: it did not */
};

static void unhold(struct waiting *waiting)
{
    if (atomic_fetch_sub(&waiting->holders, 1) == 1)
        free(waiting);
}

static enum fault_code look(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)entry;
    return visit_enough(fault);
}

/* It had to wait for its turn, and then it could not begin. */
static bool never_began(const struct waiting *waiting)
{
    struct fault fault;

    return waiting->fault.code &&
           store_turn(waiting->store, waiting->owner, waiting->session, waiting->turn, look, NULL,
                      &fault) == FAULT_TURN_NOT_FOUND;
}

static void answer(struct waiting *waiting)
{
    struct str reason = waiting->fault.code ? str_of(waiting->fault.message) : STR_NONE;
    struct fault fault;
    enum fault_code code;

    if (never_began(waiting)) {
        exchange_answer(waiting->x, waiting->fault.code, &waiting->fault);
        return;
    }
    code = waiting->answer(waiting->x, waiting->context, waiting->turn, waiting->state, reason,
                           &fault);
    exchange_answer(waiting->x, code, &fault);
}

static void meet(struct waiting *waiting)
{
    if (atomic_exchange(&waiting->one_was_here, true))
        answer(waiting);
}

static void tell(struct waiting *waiting, enum run_state state, const struct fault *fault)
{
    if (atomic_exchange(&waiting->told, true))
        return;
    waiting->state = state;
    if (fault)
        waiting->fault = *fault;
    meet(waiting);
}

static void asked(void *context, const struct question *question)
{
    (void)question;
    tell(context, RUN_WAITING, NULL);
}

static void done(void *context, enum run_state state, const struct fault *fault)
{
    tell(context, state, fault);
    unhold(context);
}

/* A turn that was joined may have asked before. */
static void look_asked(struct waiting *waiting, struct turns *turns, const struct turn_begun *begun)
{
    struct question question;
    struct arena arena;

    if (!begun->joined || begun->queued)
        return;
    arena_init(&arena);
    if (turns_asked(turns, waiting->owner, waiting->session, &arena, &question))
        tell(waiting, RUN_WAITING, NULL);
    arena_clear(&arena);
}

static enum fault_code answer_past(struct waiting *waiting, const struct turn_begun *begun,
                                   struct fault *fault)
{
    struct exchange *x = waiting->x;
    struct turn_ending ending;

    if (turn_ending_find(waiting->store, waiting->owner, waiting->session, begun->turn, &x->arena,
                         &ending, fault) != FAULT_OK)
        return fault_pass(fault);
    return waiting->answer(x, waiting->context, begun->turn, ending.state, ending.reason, fault);
}

static struct waiting *waiting_new(struct exchange *x, const struct turn_cmd *cmd,
                                   feed_answer *answer_with, void *context)
{
    struct waiting *waiting = calloc(1, sizeof(*waiting));

    if (!waiting)
        abort();
    atomic_init(&waiting->holders, 2);
    waiting->x = x;
    waiting->answer = answer_with;
    waiting->context = context;
    waiting->owner = cmd->owner;
    waiting->session = cmd->session;
    waiting->store = app_of(x)->store;
    return waiting;
}

enum fault_code feed_wait(struct exchange *x, struct turn_cmd *cmd, bool asks,
                          feed_answer *answer_with, void *context, struct fault *fault)
{
    struct turns *turns = app_of(x)->turns;
    struct waiting *waiting = waiting_new(x, cmd, answer_with, context);
    struct turn_begun begun;
    enum fault_code code;

    cmd->asked = asks ? asked : NULL;
    code = turns_send(turns, cmd, &x->arena, &begun, done, waiting, fault);
    if (code != FAULT_OK || begun.over) {
        if (code == FAULT_OK) {
            feed_count(x, cmd, &begun);
            code = answer_past(waiting, &begun, fault);
        }
        free(waiting); /* the turn has not taken it */
        return code;
    }
    feed_count(x, cmd, &begun);
    waiting->turn = begun.turn;
    exchange_defer(x);
    if (asks)
        look_asked(waiting, turns, &begun);
    meet(waiting);
    unhold(waiting);
    return FAULT_OK;
}

enum fault_code feed_wait_on(struct exchange *x, int64_t owner, struct str session, struct str turn,
                             feed_answer *answer_with, void *context, struct fault *fault)
{
    struct turns *turns = app_of(x)->turns;
    struct turn_cmd named = {.owner = owner, .session = session};
    struct waiting *waiting = waiting_new(x, &named, answer_with, context);
    struct turn_watch_cmd cmd = {.owner = owner,
                                 .session = session,
                                 .turn = turn,
                                 .asked = asked,
                                 .done = done,
                                 .context = waiting};
    struct turn_begun begun;
    enum fault_code code = turns_join(turns, &cmd, &x->arena, &begun, fault);

    if (code != FAULT_OK || begun.over) {
        if (code == FAULT_OK)
            code = answer_past(waiting, &begun, fault);
        free(waiting); /* the turn has not taken it */
        return code;
    }
    waiting->turn = begun.turn;
    exchange_defer(x);
    look_asked(waiting, turns, &begun);
    meet(waiting);
    unhold(waiting);
    return FAULT_OK;
}
