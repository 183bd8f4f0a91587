/* What was said where tine runs no turn, with the files that go with it. */
#include "engine/workspaces_own.h"

/* Words of an agent tell of its work. */
static bool tells_of_work(const struct entry_spec *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].role == ROLE_ASSISTANT || entries[i].role == ROLE_TOOL)
            return true;
    return false;
}

/* The session's directory, if there is one to look at and nobody is at work there; else NULL. */
static struct place *hold(struct workspaces *workspaces, const struct append_spec *spec,
                          struct arena *arena)
{
    struct place *place = NULL;
    struct session session;
    struct fault none;

    if (store_session_get(workspaces_store(workspaces), spec->owner, spec->session, false, arena,
                          &session, &none) != FAULT_OK ||
        !workspaces_has_dir(workspaces, &session) ||
        place_take(workspaces, spec->owner, spec->session, PLACE_AS_IT_IS, 0, &place, &none) !=
            FAULT_OK)
        return NULL;
    return place;
}

static enum fault_code append_held(struct place *place, struct append_spec *spec,
                                   struct entry_spec *entries, size_t count, struct arena *arena,
                                   struct append_result *out, struct fault *fault)
{
    struct engine *engine = place->workspaces->engine;
    struct entry_spec *all = arena_array(arena, count + 1, sizeof(*all));

    for (int i = 0;; i++) {
        enum fault_code code;
        struct fault none;
        bool changed = false;

        all[0] = (struct entry_spec){0};
        if (place_look(place, -1, &all[0], &changed, &none) != FAULT_OK || !changed)
            return engine_append(engine, spec, entries, count, arena, out, fault);
        place_entry(&all[0], !tells_of_work(entries, count));
        memcpy(&all[1], entries, count * sizeof(*all));
        code = engine_append(engine, spec, all, count + 1, arena, out, fault);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

enum fault_code workspaces_append(struct workspaces *workspaces, struct append_spec *spec,
                                  struct entry_spec *entries, size_t count, struct arena *arena,
                                  struct append_result *out, struct fault *fault)
{
    struct place *place = NULL;
    enum fault_code code;

    if (count < LIMIT_BATCH_ENTRIES) /* a full batch has no room for one more */
        place = hold(workspaces, spec, arena);
    if (!place)
        return engine_append(workspaces->engine, spec, entries, count, arena, out, fault);
    code = append_held(place, spec, entries, count, arena, out, fault);
    place_leave(place);
    return code;
}
