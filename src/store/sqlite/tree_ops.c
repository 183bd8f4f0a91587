/* The verbs that write: each is a piece of work for the lane. */
#include "store/sqlite/own.h"

static enum fault_code write_run(struct store *store, lane_work *work, struct call *call,
                                 size_t bytes, struct fault *fault)
{
    return lane_run(own(store)->lane, work, call, bytes, fault);
}

/*
 * The answer to a request that is carried out once is made from `out` before it is known whether
 * the act is kept: then the piece writes there itself.
 */

static enum fault_code create_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return create_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_create(struct store *store, const struct create_spec *spec,
                                    struct arena *arena, struct session *out, struct fault *fault)
{
    struct session session;
    struct call call = {spec, arena, spec->once ? out : &session};
    enum fault_code code = write_run(store, create_piece, &call, spec->metadata.n, fault);

    if (code == FAULT_OK && !spec->once)
        *out = session;
    return code;
}

static enum fault_code update_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return update_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_update(struct store *store, const struct update_spec *spec,
                                    struct arena *arena, struct session *out, struct fault *fault)
{
    struct session session;
    struct call call = {spec, arena, &session};
    enum fault_code code = write_run(store, update_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = session;
    return code;
}

static enum fault_code append_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return append_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_append_entries(struct store *store, const struct append_spec *spec,
                                            struct arena *arena, struct append_result *out,
                                            struct fault *fault)
{
    struct append_result result;
    struct call call = {spec, arena, spec->once ? out : &result};
    size_t bytes = 0;
    enum fault_code code;

    for (size_t i = 0; i < spec->count; i++)
        bytes += spec->entries[i].body.n;
    code = write_run(store, append_piece, &call, bytes, fault);
    if (code == FAULT_OK && !spec->once)
        *out = result;
    return code;
}

static enum fault_code fork_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return fork_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_fork(struct store *store, const struct fork_spec *spec,
                                  struct arena *arena, struct fork_result *out, struct fault *fault)
{
    struct fork_result result;
    struct call call = {spec, arena, spec->once ? out : &result};
    enum fault_code code = write_run(store, fork_piece, &call, 0, fault);

    if (code == FAULT_OK && !spec->once)
        *out = result;
    return code;
}

static enum fault_code move_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return move_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_move(struct store *store, const struct move_spec *spec,
                                  struct arena *arena, struct move_result *out, struct fault *fault)
{
    struct move_result result;
    struct call call = {spec, arena, spec->once ? out : &result};
    enum fault_code code = write_run(store, move_piece, &call, 0, fault);

    if (code == FAULT_OK && !spec->once)
        *out = result;
    return code;
}

static enum fault_code adopt_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return adopt_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_adopt(struct store *store, const struct adopt_spec *spec,
                                   struct arena *arena, struct move_result *out,
                                   struct fault *fault)
{
    struct move_result result;
    struct call call = {spec, arena, spec->once ? out : &result};
    enum fault_code code = write_run(store, adopt_piece, &call, LANE_ALONE, fault);

    if (code == FAULT_OK && !spec->once)
        *out = result;
    return code;
}

static enum fault_code save_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return save_run(db, call->spec, call->arena, fault);
}

static enum fault_code store_save(struct store *store, const struct record_spec *spec,
                                  struct fault *fault)
{
    struct arena arena;
    struct call call = {spec, &arena, NULL};
    enum fault_code code;

    arena_init(&arena);
    code = write_run(store, save_piece, &call, spec->body.n, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code label_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return label_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_label(struct store *store, const struct label_spec *spec,
                                   struct arena *arena, struct label *out, struct fault *fault)
{
    struct label label;
    struct call call = {spec, arena, &label};
    enum fault_code code = write_run(store, label_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = label;
    return code;
}

static enum fault_code delete_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return delete_run(db, call->spec, fault);
}

static enum fault_code store_remove(struct store *store, const struct delete_spec *spec,
                                    struct fault *fault)
{
    struct call call = {spec, NULL, NULL};

    return write_run(store, delete_piece, &call, 0, fault);
}

static enum fault_code reap_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return reap_run(db, call->spec, call->arena, fault);
}

enum fault_code reap_step(struct sqlite_store *store, struct reap_plan *plan, struct arena *arena,
                          struct fault *fault)
{
    struct call call = {plan, arena, NULL};
    struct db *db;
    enum fault_code code;

    if (read_begin(store, &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = reap_look(db, arena, plan, fault);
    read_end(store, db);
    if (code != FAULT_OK || plan->step == REAP_NOTHING)
        return code;
    if (plan->count) {
        if (reader_take(store, &db, fault) != FAULT_OK)
            return fault_pass(fault);
        code = search_forget(store->search, db, plan->acts, plan->count, fault);
        reader_give(store, db);
        if (code != FAULT_OK)
            return code;
    }
    code = lane_run(store->lane, reap_piece, &call, LANE_GROUP_BYTES / 2, fault);
    if (code != FAULT_OK || plan->step != REAP_FINISH || !plan->scrub)
        return code;
    if (reader_take(store, &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = search_scrub(store->search, db, fault);
    if (code == FAULT_OK && store->path) /* what was emptied is in the log, too */
        code = db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", fault);
    reader_give(store, db);
    return code;
}

static enum fault_code store_reap_slice(struct store *store, bool *more, struct fault *fault)
{
    struct reap_plan plan;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = reap_step(own(store), &plan, &arena, fault);
    if (code == FAULT_OK)
        *more = plan.step != REAP_NOTHING;
    arena_clear(&arena);
    return code;
}

const struct store_tree_ops sqlite_tree_ops = {
    .create = store_create,
    .update = store_update,
    .append = store_append_entries,
    .fork = store_fork,
    .move = store_move,
    .adopt = store_adopt,
    .save = store_save,
    .label = store_label,
    .remove = store_remove,
    .reap = store_reap_slice,
};
