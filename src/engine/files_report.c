/* What happens, or would happen, to files, told path by path. */
#include "engine/workspaces_own.h"

#include <stdlib.h>

void paths_add(struct paths *paths, struct str path, struct arena *arena)
{
    paths->all++;
    if (paths->count == FILES_TOLD)
        return;
    if (!paths->list)
        paths->list = arena_array(arena, FILES_TOLD, sizeof(*paths->list));
    paths->list[paths->count++] = arena_dup(arena, path);
}

enum fault_code report_restored(void *context, enum restore_deed deed, struct str path,
                                struct fault *fault)
{
    struct reporting *reporting = context;
    struct files_report *report = reporting->report;

    (void)fault;
    paths_add(deed == RESTORE_WRITTEN   ? &report->restored
              : deed == RESTORE_DELETED ? &report->deleted
                                        : &report->skipped,
              path, reporting->arena);
    return FAULT_OK;
}

static enum fault_code plan_change(void *context, const struct tree_change *change,
                                   struct fault *fault)
{
    struct reporting *planning = context;
    struct files_report *report = planning->report;

    (void)fault;
    if ((change->is && change->is->type == TREE_LEFT) ||
        (change->was && change->was->type == TREE_LEFT))
        paths_add(&report->skipped, change->path, planning->arena);
    else
        paths_add(change->is ? &report->restored : &report->deleted, change->path, planning->arena);
    return FAULT_OK;
}

enum fault_code report_plan(struct workspaces *workspaces, const unsigned char was[HASH_BYTES],
                            const unsigned char is[HASH_BYTES], struct arena *arena,
                            struct files_report *report, struct fault *fault)
{
    struct reporting planning = {report, arena};

    return tree_diff(workspaces_store(workspaces), was, is, plan_change, &planning, fault);
}

/* ---- conflicts ---- */

/* Paths in the order of their bytes, each perhaps more than once. */
struct path_set {
    struct str *list;
    bool *told; /* found already: where a directory became a file, the path comes twice */
    size_t count, room;
    struct arena arena;
};

static void set_add(struct path_set *set, struct str path)
{
    if (set->count == set->room) {
        set->room = set->room ? set->room * 2 : 64;
        set->list = realloc(set->list, set->room * sizeof(*set->list));
        if (!set->list)
            abort();
    }
    set->list[set->count++] = arena_dup(&set->arena, path);
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void set_free(struct path_set *set)
{
    free(set->list);
    free(set->told);
    arena_clear(&set->arena);
}

static enum fault_code set_change(void *context, const struct tree_change *change,
                                  struct fault *fault)
{
    (void)fault;
    set_add(context, change->path);
    return FAULT_OK;
}

/* The trees between which others changed something. */
struct foreign {
    struct files_act *acts;
    size_t count, room;
};

static enum fault_code foreign_act(void *context, const struct files_act *act, struct fault *fault)
{
    struct foreign *foreign = context;

    (void)fault;
    if (!act->foreign)
        return FAULT_OK;
    if (foreign->count == foreign->room) {
        foreign->room = foreign->room ? foreign->room * 2 : 16;
        foreign->acts = realloc(foreign->acts, foreign->room * sizeof(*foreign->acts));
        if (!foreign->acts)
            abort();
    }
    foreign->acts[foreign->count++] = *act;
    return FAULT_OK;
}

/* Every path that others changed since. */
static enum fault_code foreign_paths(struct place *place, struct address since,
                                     const unsigned char was[HASH_BYTES], struct path_set *out,
                                     struct fault *fault)
{
    struct store *store = workspaces_store(place->workspaces);
    struct foreign foreign = {0};
    enum fault_code code = store_files_acts(store, place->owner, place->session.id, since,
                                            foreign_act, &foreign, fault);

    for (size_t i = 0; code == FAULT_OK && i < foreign.count; i++)
        code =
            tree_diff(store, foreign.acts[i].before, foreign.acts[i].after, set_change, out, fault);
    free(foreign.acts);
    if (code == FAULT_OK)
        code = tree_diff(store, place->tree, was, set_change, out, fault);
    if (code != FAULT_OK || !out->count)
        return code;
    qsort(out->list, out->count, sizeof(*out->list), by_path);
    out->told = calloc(out->count, sizeof(*out->told));
    if (!out->told)
        abort();
    return FAULT_OK;
}

struct clashing {
    const struct path_set *foreign;
    struct paths *out;
    struct arena *arena;
};

static enum fault_code clash_change(void *context, const struct tree_change *change,
                                    struct fault *fault)
{
    struct clashing *clashing = context;
    const struct path_set *foreign = clashing->foreign;
    const struct str *found =
        bsearch(&change->path, foreign->list, foreign->count, sizeof(*foreign->list), by_path);

    (void)fault;
    if (!found || foreign->told[found - foreign->list])
        return FAULT_OK;
    foreign->told[found - foreign->list] = true;
    paths_add(clashing->out, change->path, clashing->arena);
    return FAULT_OK;
}

enum fault_code report_conflicts(struct place *place, struct address since,
                                 const unsigned char was[HASH_BYTES],
                                 const unsigned char is[HASH_BYTES], struct arena *arena,
                                 struct paths *out, struct fault *fault)
{
    struct path_set foreign = {0};
    struct clashing clashing = {&foreign, out, arena};
    enum fault_code code;

    arena_init(&foreign.arena);
    code = foreign_paths(place, since, was, &foreign, fault);
    if (code == FAULT_OK && foreign.count)
        code =
            tree_diff(workspaces_store(place->workspaces), was, is, clash_change, &clashing, fault);
    set_free(&foreign);
    return code;
}
