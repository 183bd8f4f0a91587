/*
 * Back from an attached directory to the session's own, which may be there from before: it becomes
 * the files as they are recorded now.
 */
#include "engine/workspaces_own.h"

#include <errno.h>

/* Is a tree one that the session had at some time, so that it can be had again? */
struct had {
    const unsigned char *tree;
    bool found;
};

static enum fault_code had_act(void *context, const struct files_act *act, struct fault *fault)
{
    struct had *had = context;

    (void)fault;
    had->found =
        had->found || tree_same(act->before, had->tree) || tree_same(act->after, had->tree);
    return FAULT_OK;
}

/* Others changed what is in the own directory while nobody looked: it is recorded before it goes.
 */
static enum fault_code record_found(struct place *place, const struct snapshot *found,
                                    struct fault *fault)
{
    struct append_spec spec = {.owner = place->owner, .session = place->session.id};
    struct had had = {found->tree.hash, tree_same(found->tree.hash, place->session.base_tree)};
    struct entry_spec entries[2] = {{0}, {0}};
    struct append_result result;
    struct arena arena;
    enum fault_code code;

    if (store_files_acts(workspaces_store(place->workspaces), place->owner, place->session.id,
                         ADDRESS_START, had_act, &had, fault) != FAULT_OK)
        return fault_pass(fault);
    if (had.found)
        return FAULT_OK;
    for (int i = 0; i < 2; i++) {
        const unsigned char *tree = i ? place->tree : found->tree.hash;

        place_entry(&entries[i], i == 0);
        entries[i].tree = (struct str){(const char *)tree, HASH_BYTES};
        entries[i].tree_since = found->tree.since_us;
    }
    if (found->left_all)
        entries[0].flags |= ENTRY_LEFT_OUT;
    arena_init(&arena);
    code = engine_append(place->workspaces->engine, &spec, entries, 2, &arena, &result, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code refit(struct place *place, struct fault *fault)
{
    struct restore_spec spec = {.store = workspaces_store(place->workspaces), .dir = place->fd};
    struct snapshot found;
    struct arena arena;
    enum fault_code code;

    for (int i = 0;; i++) {
        arena_init(&arena);
        code = place_snapshot(place, -1, &arena, &found, fault);
        if (code == FAULT_OK && !tree_same(found.tree.hash, place->tree))
            code = record_found(place, &found, fault);
        arena_clear(&arena);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            break;
    }
    if (code != FAULT_OK)
        return code;
    memcpy(spec.from, found.tree.hash, HASH_BYTES);
    memcpy(spec.to, place->tree, HASH_BYTES);
    return restore_apply(&spec, fault);
}

enum fault_code session_refit(struct workspaces *workspaces, int64_t owner, struct str session,
                              struct fault *fault)
{
    struct place place = {.workspaces = workspaces, .owner = owner, .lock = -1, .fd = -1};
    enum fault_code code;

    arena_init(&place.arena);
    code = place_read(&place, session, fault);
    if (code == FAULT_OK) {
        place.session.workspace = (struct workspace){WORKSPACE_OWN, STR("")};
        place_name(&place);
        code = place_lock(&place, session, 0, fault); /* nobody works there */
    }
    if (code == FAULT_OK) {
        place.fd = place_open(&place);
        if (place.fd >= 0)
            code = refit(&place, fault);
        else if (errno != ENOENT)
            code = place_refuse(&place, fault);
    }
    place_clear(&place);
    return code;
}
