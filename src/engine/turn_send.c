/* Sending: a turn begins, waits for the one that runs, or turns out to have been sent before. */
#include "engine/seat.h"
#include "engine/turn.h"
#include "engine/turn_end.h"
#include "engine/turn_run.h"

#include <string.h>

/* The turn of a request that was sent before: who asks again is told of its end too. */
static enum fault_code join(const struct turn *again, struct str name, struct turn_begun *out,
                            struct fault *fault)
{
    struct turn *turn = again->seat->active;

    out->turn = name;
    out->joined = true;
    out->over = !turn || !str_eq(turn->name, name);
    if (out->over)
        return FAULT_OK;
    out->e = turn->e0;
    return turn_watch(turn, again->asked, again->done, again->context, fault);
}

/* The same of one that still waits; *found says whether there is one with that key. */
static enum fault_code join_waiting(const struct turn *turn, const struct once *once,
                                    struct arena *arena, struct turn_begun *out, bool *found,
                                    struct fault *fault)
{
    for (struct turn *other = turn->seat->waiting; other && once; other = other->next) {
        if (other->once.owner != once->owner || !str_eq(other->once.key, once->key))
            continue;
        if (memcmp(other->once.request, once->request, HASH_BYTES) != 0)
            return fault_set(fault, FAULT_KEY_REUSED,
                             "the idempotency key \"%.*s\" came with another request before",
                             STR_ARG(once->key));
        out->turn = arena_dup(arena, other->name);
        out->joined = *found = true;
        return turn_watch(other, turn->asked, turn->done, turn->context, fault);
    }
    return FAULT_OK;
}

/* What the turn needs of the command when it waits: all of it, as its own. */
static void keep_cmd(struct turn *turn, const struct turn_cmd *cmd)
{
    turn->entries = arena_array(&turn->arena, cmd->count, sizeof(*turn->entries));
    turn->count = cmd->count;
    turn->expect_head =
        cmd->expect_head.p ? arena_dup(&turn->arena, cmd->expect_head) : cmd->expect_head;
    for (size_t i = 0; i < cmd->count; i++)
        turn->entries[i] = entry_spec_copy(&cmd->entries[i], &turn->arena);
    if (cmd->once) {
        turn->once = *cmd->once; /* its context is this turn */
        turn->once.key = arena_dup(&turn->arena, cmd->once->key);
    }
}

static struct str render_name(void *context, struct arena *arena)
{
    (void)arena;
    return ((struct turn *)context)->name;
}

/* With the seat held. *kept says that the turn is in the seat now and not the caller's. */
static enum fault_code begin_or_wait(struct turn *turn, const struct turn_cmd *cmd,
                                     struct arena *arena, struct turn_begun *out, bool *kept,
                                     struct fault *fault)
{
    struct turns *turns = turn->turns;
    struct str before;
    bool found = false;
    enum fault_code code = turn_begin(turn, cmd->once, arena, &before, fault);

    if (code == FAULT_TURN_RUNNING && !turn->seat->active &&
        turn_recover(turns, turn->owner, turn->session))
        code = turn_begin(turn, cmd->once, arena, &before, fault);
    out->turn = arena_dup(arena, turn->name);
    if (code == FAULT_TURN_RUNNING && cmd->busy == TURN_WAIT) {
        if ((turns->options.hub && hub_now(turns->options.hub, &out->e, fault) != FAULT_OK) ||
            join_waiting(turn, cmd->once, arena, out, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        out->queued = true;
        out->state = RUN_QUEUED;
        if (found)
            return FAULT_OK;
        keep_cmd(turn, cmd);
        if (seat_push_waiting(turn, fault) != FAULT_OK)
            return fault_pass(fault);
        *kept = true;
        return FAULT_OK;
    }
    if (code != FAULT_OK)
        return code;
    if (before.n)
        return join(turn, before, out, fault);
    out->e = turn->e0; /* it runs already, but cannot end before the seat is given back */
    out->state = turn->was_queued ? RUN_QUEUED : RUN_RUNNING;
    *kept = true;
    return FAULT_OK;
}

/* The number of the owner that a session has. */
static enum fault_code owner_of(struct turns *turns, int64_t owner, const struct session *session,
                                int64_t *out, struct fault *fault)
{
    *out = owner;
    if (owner != OWNER_ANY)
        return FAULT_OK;
    return store_owner(engine_store(turns->options.engine), session->owner, out, fault);
}

enum fault_code turns_send(struct turns *turns, struct turn_cmd *cmd, struct arena *arena,
                           struct turn_begun *out, turn_done *done, void *context,
                           struct fault *fault)
{
    struct turn_begun begun = {0};
    struct session session;
    struct agent *agent;
    struct turn *turn;
    struct seat *seat;
    enum fault_code code;
    bool kept = false;
    int64_t owner;

    if (store_session_get(engine_store(turns->options.engine), cmd->owner, cmd->session, false,
                          arena, &session, fault) != FAULT_OK ||
        owner_of(turns, cmd->owner, &session, &owner, fault) != FAULT_OK ||
        agents_take(turns->options.agents, session.agent, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    if (turn_new(turns, cmd, owner, agent, &turn, fault) != FAULT_OK) {
        agents_give(turns->options.agents, agent);
        return fault_pass(fault);
    }
    turn->asked = cmd->asked;
    turn->done = done;
    turn->context = context;
    turn->entries = cmd->entries;
    turn->count = cmd->count;
    turn->expect_head = cmd->expect_head;
    if (cmd->once) {
        cmd->once->render = render_name;
        cmd->once->context = turn;
    }
    turn->seat = seat = seat_take(turns, session.s);
    code = begin_or_wait(turn, cmd, arena, &begun, &kept, fault);
    seat_give(turns, seat);
    if (!kept)
        turn_free(turn);
    if (code == FAULT_OK)
        *out = begun;
    return code;
}
