#include "store/sqlite/state_row.h"

#include "store/limits.h"

enum { HOPS_MAX = 256 }; /* deltas that are read for one state at the most */

struct chain {
    struct str delta;
    struct chain *before;
};

enum fault_code state_get(struct db *db, const struct facts *facts, struct arena *arena,
                          struct state *out, struct fault *fault)
{
    struct address at = facts->state;
    struct state state = {0}, delta;
    struct chain *chain = NULL;

    while (at.s) {
        sqlite3_stmt *q = db_query(db, Q_STATE_AT, ARGS(arg_int(at.s), arg_int(at.n)));
        struct str whole;
        bool row;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return fault_set(fault, FAULT_CORRUPT, "state change %lld of session %lld is missing",
                             (long long)at.n, (long long)at.s);
        whole = column_dup(q, 6, arena);
        if (!whole.p) {
            struct chain *link = arena_alloc(arena, sizeof(*link));

            *link = (struct chain){column_dup(q, 5, arena), chain};
            chain = link;
        }
        at = column_address(q, 0);
        sqlite3_reset(q);
        if (whole.p) {
            if (state_decode(whole, arena, &state, fault) != FAULT_OK)
                return fault_pass(fault);
            break;
        }
    }
    for (; chain; chain = chain->before) {
        if (state_decode(chain->delta, arena, &delta, fault) != FAULT_OK)
            return fault_pass(fault);
        state = state_fold(&state, &delta, arena);
    }
    *out = state;
    return FAULT_OK;
}

enum fault_code state_delta(struct db *db, struct address at, struct arena *arena, struct str *out,
                            struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_STATE_AT, ARGS(arg_int(at.s), arg_int(at.n)));
    bool row;

    *out = STR_NONE;
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        *out = column_dup(q, 5, arena);
        sqlite3_reset(q);
    }
    return FAULT_OK;
}

static enum fault_code plan_whole(struct db *db, const struct facts *before, struct str delta,
                                  struct arena *arena, struct state_plan *out, struct fault *fault)
{
    struct state state, change;
    struct buf bytes;

    if (state_get(db, before, arena, &state, fault) != FAULT_OK ||
        state_decode(delta, arena, &change, fault) != FAULT_OK)
        return fault_pass(fault);
    state = state_fold(&state, &change, arena);
    buf_init(&bytes, LIMIT_STATE_BYTES);
    state_encode(&state, &bytes);
    if (bytes.full) {
        buf_clear(&bytes);
        return fault_set(fault, FAULT_TOO_LARGE, "the state would be larger than %d bytes",
                         LIMIT_STATE_BYTES);
    }
    out->whole = arena_dup(arena, buf_str(&bytes));
    out->whole_size = (int64_t)bytes.n;
    out->hops = out->since = 0;
    buf_clear(&bytes);
    return FAULT_OK;
}

enum fault_code state_plan(struct db *db, const struct facts *before, struct str delta,
                           struct arena *arena, struct state_plan *out, struct fault *fault)
{
    struct state_plan plan = {0};
    sqlite3_stmt *q;
    bool row;

    if (before->state.s) {
        q = db_query(db, Q_STATE_AT, ARGS(arg_int(before->state.s), arg_int(before->state.n)));
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return fault_set(fault, FAULT_CORRUPT, "state change %lld of session %lld is missing",
                             (long long)before->state.n, (long long)before->state.s);
        plan.hops = sqlite3_column_int64(q, 2) + 1;
        plan.since = sqlite3_column_int64(q, 3) + (int64_t)delta.n;
        plan.whole_size = sqlite3_column_int64(q, 4);
        sqlite3_reset(q);
    }
    /* The deltas since the last whole copy never outgrow it, so reading costs twice its size. */
    if (!before->state.s || plan.since > plan.whole_size || plan.hops >= HOPS_MAX ||
        plan.since + plan.whole_size > LIMIT_STATE_BYTES) {
        if (plan_whole(db, before, delta, arena, &plan, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = plan;
    return FAULT_OK;
}

enum fault_code state_insert(struct db *db, struct address at, const struct facts *before,
                             struct str delta, const struct state_plan *plan, struct fault *fault)
{
    return db_run(db, Q_STATE_INSERT,
                  ARGS(arg_int(at.s), arg_int(at.n), arg_s(before->state), arg_n(before->state),
                       arg_int(plan->hops), arg_int(plan->since), arg_int(plan->whole_size),
                       arg_blob(delta), arg_blob(plan->whole)),
                  fault);
}
