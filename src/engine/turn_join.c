/* Joining: somebody else wants to know what becomes of a turn. */
#include "engine/seat.h"
#include "engine/turn.h"

/* With the seat held: the turn of that name, which runs or waits there; NULL: there is none. */
static struct turn *find(const struct seat *seat, struct str name)
{
    if (seat->active && str_eq(seat->active->name, name))
        return seat->active;
    for (struct turn *turn = seat->waiting; turn; turn = turn->next)
        if (str_eq(turn->name, name))
            return turn;
    return NULL;
}

static enum fault_code join(struct turns *turns, const struct seat *seat,
                            const struct turn_watch_cmd *cmd, struct turn_begun *out,
                            struct fault *fault)
{
    struct turn *turn = find(seat, cmd->turn);

    out->turn = cmd->turn;
    out->joined = true;
    out->over = !turn;
    if (!turn)
        return FAULT_OK;
    /* While its seat is held, it cannot end: that comes above this number. */
    if (turns->options.hub && hub_now(turns->options.hub, &out->e, fault) != FAULT_OK)
        return fault_pass(fault);
    out->queued = turn != seat->active;
    out->state = out->queued ? RUN_QUEUED : RUN_RUNNING;
    return turn_watch(turn, cmd->asked, cmd->done, cmd->context, fault);
}

enum fault_code turns_join(struct turns *turns, const struct turn_watch_cmd *cmd,
                           struct arena *arena, struct turn_begun *out, struct fault *fault)
{
    struct turn_begun begun = {0};
    struct session session;
    struct seat *seat;
    enum fault_code code;

    if (store_session_get(engine_store(turns->options.engine), cmd->owner, cmd->session, false,
                          arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    seat = seat_take(turns, session.s);
    code = join(turns, seat, cmd, &begun, fault);
    seat_give(turns, seat);
    if (code == FAULT_OK)
        *out = begun;
    return code;
}
