#include "store/sqlite/run_row.h"

#include "store/sqlite/session_row.h"

static enum fault_code is_running(struct str turn, enum run_state state, struct str session,
                                  struct fault *fault)
{
    return fault_set(fault, FAULT_TURN_RUNNING, "turn \"%.*s\" of session \"%.*s\" is %s",
                     STR_ARG(turn), STR_ARG(session), run_state_name(state));
}

static enum fault_code is_over(const struct run_step *step, struct str session, struct fault *fault)
{
    return fault_set(fault, FAULT_TURN_OVER, "turn \"%.*s\" of session \"%.*s\" is over",
                     STR_ARG(step->turn), STR_ARG(session));
}

enum fault_code run_refuse(struct db *db, int64_t s, struct str session, struct fault *fault)
{
    return run_check(db, s, session, &(struct run_step){.act = RUN_STAY}, fault);
}

enum fault_code run_check(struct db *db, int64_t s, struct str session, const struct run_step *step,
                          struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_RUN_ACTIVE_AT, ARGS(arg_int(s)));
    bool goes_on = step->act == RUN_GO_ON || step->act == RUN_END, row;
    enum fault_code code = FAULT_OK;
    enum run_state state;
    struct str turn;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return goes_on ? is_over(step, session, fault) : FAULT_OK;
    turn = column_str(q, 0);
    state = (enum run_state)sqlite3_column_int(q, 1);
    if (!goes_on)
        code = is_running(turn, state, session, fault);
    else if (!str_eq(turn, step->turn))
        code = is_over(step, session, fault);
    else if (!run_may_become(state, step->state))
        code = fault_set(fault, FAULT_INVALID, "turn \"%.*s\" is %s and cannot become %s",
                         STR_ARG(turn), run_state_name(state), run_state_name(step->state));
    sqlite3_reset(q);
    return code;
}

enum fault_code run_before(struct db *db, const struct link *link, const struct run_step *step,
                           int64_t at_us, struct fault *fault)
{
    struct note note = {.act = NOTE_TURN_STARTED, .at_us = at_us, .message = step->turn};

    if (step->act != RUN_BEGIN)
        return FAULT_OK;
    if (db_run(db, Q_RUN_BEGIN,
               ARGS(arg_int(link->s), arg_text(step->turn), arg_int(step->state),
                    arg_text(step->holder.p ? step->holder : STR("")), arg_int(at_us)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    return note_insert(db, link, &note, fault);
}

enum fault_code run_after(struct db *db, const struct link *link, const struct run_step *step,
                          bool said, int64_t at_us, struct fault *fault)
{
    struct str reason = step->reason.n ? step->reason : STR_NONE;
    struct note note = {
        .act = NOTE_TURN_ENDED,
        .at_us = at_us,
        .message = step->turn,
        .was = reason,
        .now = str_of(run_state_name(step->state)),
    };

    if (step->act == RUN_GO_ON)
        return db_run(db, said ? Q_RUN_SETTLE : Q_RUN_GO_ON,
                      ARGS(arg_int(link->s), arg_int(step->state)), fault);
    if (step->act != RUN_END)
        return FAULT_OK;
    if (db_run(db, Q_RUN_END,
               ARGS(arg_int(link->s), arg_int(step->state), arg_text(reason), arg_int(at_us)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    return note_insert(db, link, &note, fault);
}
