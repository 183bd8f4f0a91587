/* The verbs about files: those that write are pieces for the lane, the others see one moment. */
#include "store/sqlite/own.h"

#include "store/limits.h"
#include "store/sqlite/object_row.h"

/* ---- objects ---- */

struct put_call {
    const struct object *objects;
    size_t count;
};

static enum fault_code put_piece(struct db *db, void *context, struct fault *fault)
{
    struct put_call *call = context;
    int64_t number;

    for (size_t i = 0; i < call->count; i++)
        if (object_keep(db, &call->objects[i], &number, fault) != FAULT_OK)
            return fault_pass(fault);
    return FAULT_OK;
}

static enum fault_code file_put(struct store *store, const struct object *objects, size_t count,
                                struct fault *fault)
{
    struct put_call call = {objects, count};
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++) {
        if (objects[i].kind < OBJECT_DIR || objects[i].kind > OBJECT_PIECES)
            return fault_set(fault, FAULT_INVALID, "an object of kind %d is not put by itself",
                             (int)objects[i].kind);
        bytes += objects[i].data.n;
    }
    if (bytes > OBJECT_PUT_BYTES && count > 1)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "objects of %zu bytes at once are more than the limit of %d", bytes,
                         OBJECT_PUT_BYTES);
    return count ? lane_run(own(store)->lane, put_piece, &call, bytes, fault) : FAULT_OK;
}

struct have_call {
    const unsigned char (*hashes)[HASH_BYTES];
    size_t count;
    bool *have;
};

static struct str hash_at(const struct have_call *call, size_t i)
{
    return (struct str){(const char *)call->hashes[i], HASH_BYTES};
}

static enum fault_code have_piece(struct db *db, void *context, struct fault *fault)
{
    struct have_call *call = context;

    for (size_t i = 0; i < call->count; i++) {
        int64_t number;

        if (object_name_again(db, hash_at(call, i), &number, fault) != FAULT_OK)
            return fault_pass(fault);
        call->have[i] = number != 0;
    }
    return FAULT_OK;
}

/* As long as none has to be touched, nothing is written. */
static enum fault_code have_look(struct db *db, struct have_call *call, bool *settled,
                                 struct fault *fault)
{
    *settled = true;
    for (size_t i = 0; *settled && i < call->count; i++) {
        bool young;

        if (object_look(db, hash_at(call, i), &call->have[i], &young, fault) != FAULT_OK)
            return fault_pass(fault);
        *settled = young || !call->have[i];
    }
    return FAULT_OK;
}

static enum fault_code file_have(struct store *store, const unsigned char (*hashes)[HASH_BYTES],
                                 size_t count, bool *have, struct fault *fault)
{
    struct have_call call = {hashes, count, have};
    struct db *db;
    enum fault_code code;
    bool settled = false;

    if (count > LIMIT_HAVE)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "%zu objects at once are more than the limit of %d", count, LIMIT_HAVE);
    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = have_look(db, &call, &settled, fault);
    read_end(own(store), db);
    if (code != FAULT_OK || settled)
        return code;
    return lane_run(own(store)->lane, have_piece, &call, count * HASH_BYTES, fault);
}

static enum fault_code file_get(struct store *store, const unsigned char hash[HASH_BYTES],
                                struct arena *arena, struct object *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = object_find(db, hash, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code file_since(struct store *store, int64_t *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = gc_began(db, out, fault);
    read_end(own(store), db);
    return code;
}

/* ---- workspaces ---- */

static enum fault_code file_acts(struct store *store, int64_t owner, struct str session,
                                 struct address after, files_act_visit *visit, void *context,
                                 struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = files_acts_run(db, owner, session, after, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code file_tree_at(struct store *store, int64_t owner, struct str session,
                                    const struct point_spec *spec, struct address *at,
                                    unsigned char *tree, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = tree_at_run(db, owner, session, spec, at, tree, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code workspace_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return workspace_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code file_workspace(struct store *store, const struct workspace_spec *spec,
                                      struct arena *arena, struct session *out, struct fault *fault)
{
    struct session session;
    struct call call = {spec, arena, &session};
    enum fault_code code = lane_run(own(store)->lane, workspace_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = session;
    return code;
}

struct begun {
    int64_t intent;
    struct address head;
};

static enum fault_code intent_begin_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;
    struct begun *begun = call->out;

    return intent_begin_run(db, call->spec, call->arena, &begun->intent, &begun->head, fault);
}

static enum fault_code file_intent_begin(struct store *store, const struct intent_spec *spec,
                                         int64_t *intent, struct address *head, struct fault *fault)
{
    struct begun begun;
    struct arena arena;
    struct call call = {spec, &arena, &begun};
    enum fault_code code;

    arena_init(&arena);
    code = lane_run(own(store)->lane, intent_begin_piece, &call, spec->body.n, fault);
    arena_clear(&arena);
    if (code == FAULT_OK) {
        *intent = begun.intent;
        *head = begun.head;
    }
    return code;
}

static enum fault_code intent_drop_piece(struct db *db, void *context, struct fault *fault)
{
    const int64_t *intent = context;

    return intent_drop_run(db, *intent, fault);
}

static enum fault_code file_intent_drop(struct store *store, int64_t intent, struct fault *fault)
{
    return lane_run(own(store)->lane, intent_drop_piece, &intent, 0, fault);
}

static enum fault_code file_intents(struct store *store, intent_visit *visit, void *context,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = intents_run(db, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code merge_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return merge_files_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code file_merge(struct store *store, const struct merge_spec *spec,
                                  struct arena *arena, struct merge_result *out,
                                  struct fault *fault)
{
    struct merge_result result;
    struct call call = {spec, arena, spec->once ? out : &result};
    enum fault_code code = lane_run(own(store)->lane, merge_piece, &call,
                                    spec->entry ? spec->entry->body.n : 0, fault);

    if (code == FAULT_OK && !spec->once)
        *out = result;
    return code;
}

const struct store_file_ops sqlite_file_ops = {
    .put = file_put,
    .have = file_have,
    .get = file_get,
    .since = file_since,
    .acts = file_acts,
    .tree_at = file_tree_at,
    .workspace = file_workspace,
    .intent_begin = file_intent_begin,
    .intent_drop = file_intent_drop,
    .intents = file_intents,
    .merge = file_merge,
};
