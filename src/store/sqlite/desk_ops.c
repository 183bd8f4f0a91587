/* The verbs of the desk: those that write are pieces for the lane, the others see one moment. */
#include "store/sqlite/own.h"

#include "store/limits.h"
#include "store/sqlite/once_row.h"

static enum fault_code user_add_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return user_add_run(db, call->spec, call->out, fault);
}

static enum fault_code desk_user_add(struct store *store, const struct user_spec *spec,
                                     int64_t *owner, struct fault *fault)
{
    int64_t made = 0;
    struct call call = {spec, NULL, &made};
    enum fault_code code = lane_run(own(store)->lane, user_add_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *owner = made;
    return code;
}

static enum fault_code desk_user_list(struct store *store, user_visit *visit, void *context,
                                      struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = user_list_run(db, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code user_remove_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;
    const struct str *name = call->spec;

    return user_remove_run(db, *name, fault);
}

static enum fault_code desk_user_remove(struct store *store, struct str name, struct fault *fault)
{
    struct call call = {&name, NULL, NULL};

    return lane_run(own(store)->lane, user_remove_piece, &call, 0, fault);
}

static enum fault_code desk_user_find(struct store *store, const unsigned char token[HASH_BYTES],
                                      struct arena *arena, struct user *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = user_find_run(db, token, arena, out, fault);
    read_end(own(store), db);
    return code;
}

struct agent_call {
    const struct agent_row *row;
    bool must_be_new;
    struct once *once;
    struct arena *arena;
};

static enum fault_code agent_put_piece(struct db *db, void *context, struct fault *fault)
{
    struct agent_call *call = context;

    return agent_put_run(db, call->row, call->must_be_new, call->once, call->arena, fault);
}

static enum fault_code desk_agent_put(struct store *store, const struct agent_row *row,
                                      bool must_be_new, struct once *once, struct arena *arena,
                                      struct fault *fault)
{
    struct agent_call call = {row, must_be_new, once, arena};

    return lane_run(own(store)->lane, agent_put_piece, &call, row->body.n, fault);
}

static enum fault_code agent_remove_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;
    const struct str *name = call->spec;

    return agent_remove_run(db, *name, fault);
}

static enum fault_code desk_agent_remove(struct store *store, struct str name, struct fault *fault)
{
    struct call call = {&name, NULL, NULL};

    return lane_run(own(store)->lane, agent_remove_piece, &call, 0, fault);
}

static enum fault_code desk_agent_list(struct store *store, agent_row_visit *visit, void *context,
                                       struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = agent_list_run(db, visit, context, fault);
    read_end(own(store), db);
    return code;
}

struct draft_call {
    int64_t owner;
    struct str session, turn, body;
};

static enum fault_code draft_piece(struct db *db, void *context, struct fault *fault)
{
    struct draft_call *call = context;

    return draft_run(db, call->owner, call->session, call->turn, call->body, fault);
}

static enum fault_code desk_run_draft(struct store *store, int64_t owner, struct str session,
                                      struct str turn, struct str body, struct fault *fault)
{
    struct draft_call call = {owner, session, turn, body};

    return lane_run(own(store)->lane, draft_piece, &call, body.n, fault);
}

static enum fault_code desk_run_active(struct store *store, run_visit *visit, void *context,
                                       struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = run_active_run(db, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code desk_run_get(struct store *store, int64_t owner, struct str session,
                                    struct arena *arena, struct run *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = run_get_run(db, owner, session, arena, out, fault);
    read_end(own(store), db);
    return code;
}

/* ---- answers to acts that are no transaction of their own ---- */

static enum fault_code desk_answer_find(struct store *store, struct once *once, int64_t now_us,
                                        struct arena *arena, struct fault *fault)
{
    struct db *db;
    enum fault_code code;
    bool repeated;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = once_find(db, once, now_us, arena, &repeated, fault);
    read_end(own(store), db);
    return code;
}

struct answer_call {
    struct once *once;
    int64_t now_us;
    struct arena *arena;
};

static enum fault_code answer_keep_piece(struct db *db, void *context, struct fault *fault)
{
    struct answer_call *call = context;
    bool repeated;

    if (once_find(db, call->once, call->now_us, call->arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    return repeated ? FAULT_OK : once_keep(db, call->once, call->now_us, call->arena, fault);
}

static enum fault_code desk_answer_keep(struct store *store, struct once *once, int64_t now_us,
                                        struct arena *arena, struct fault *fault)
{
    struct answer_call call = {once, now_us, arena};

    return lane_run(own(store)->lane, answer_keep_piece, &call, LIMIT_KEY_BYTES, fault);
}

const struct store_desk_ops sqlite_desk_ops = {
    .user_add = desk_user_add,
    .user_list = desk_user_list,
    .user_remove = desk_user_remove,
    .user_find = desk_user_find,
    .agent_put = desk_agent_put,
    .agent_remove = desk_agent_remove,
    .agent_list = desk_agent_list,
    .run_draft = desk_run_draft,
    .run_active = desk_run_active,
    .run_get = desk_run_get,
    .answer_find = desk_answer_find,
    .answer_keep = desk_answer_keep,
};
