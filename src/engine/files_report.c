/* What happens, or would happen, to files, told path by path. */
#include "engine/workspaces_own.h"

#include "base/array.h"

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

    return tree_plan(workspaces_store(workspaces), was, is, plan_change, &planning, fault);
}

/* ---- conflicts ---- */

/*
 * The paths that are to change, in the order of their bytes. Only they are remembered: what others
 * changed may be much more, again and again.
 */
struct planned {
    struct str path;
    size_t place; /* in the order of the plan */
    bool foreign;
};

struct plan_set {
    struct planned *list;
    size_t count, room;
    struct arena arena;
};

static enum fault_code set_add(void *context, const struct tree_change *change, struct fault *fault)
{
    struct plan_set *set = context;

    (void)fault;
    /* What is not kept is left as it is, on the disk as in the tree: nobody's change is in danger.
     */
    if ((change->was && change->was->type == TREE_LEFT) ||
        (change->is && change->is->type == TREE_LEFT))
        return FAULT_OK;
    set->list = array_more(set->list, set->count, &set->room, sizeof(*set->list));
    set->list[set->count] =
        (struct planned){.path = arena_dup(&set->arena, change->path), .place = set->count};
    set->count++;
    return FAULT_OK;
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct planned *)a)->path, ((const struct planned *)b)->path);
}

static int by_place(const void *a, const void *b)
{
    size_t x = ((const struct planned *)a)->place, y = ((const struct planned *)b)->place;

    return x < y ? -1 : x > y;
}

/* Where a directory became a file, the path stands there twice, and is marked once. */
static enum fault_code set_mark(void *context, const struct tree_change *change,
                                struct fault *fault)
{
    struct plan_set *set = context;
    struct planned wanted = {.path = change->path};
    struct planned *found = bsearch(&wanted, set->list, set->count, sizeof(wanted), by_path);

    (void)fault;
    if (found)
        found->foreign = true;
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
    foreign->acts =
        array_more(foreign->acts, foreign->count, &foreign->room, sizeof(*foreign->acts));
    foreign->acts[foreign->count++] = *act;
    return FAULT_OK;
}

/* Marks every path that others changed since. */
static enum fault_code foreign_mark(struct place *place, struct address since,
                                    const unsigned char was[HASH_BYTES], struct plan_set *set,
                                    struct fault *fault)
{
    struct store *store = workspaces_store(place->workspaces);
    struct foreign foreign = {0};
    enum fault_code code = store_files_acts(store, place->owner, place->session.id, since,
                                            foreign_act, &foreign, fault);

    for (size_t i = 0; code == FAULT_OK && i < foreign.count; i++)
        code =
            tree_diff(store, foreign.acts[i].before, foreign.acts[i].after, set_mark, set, fault);
    free(foreign.acts);
    return code == FAULT_OK ? tree_diff(store, place->tree, was, set_mark, set, fault) : code;
}

enum fault_code report_conflicts(struct place *place, struct address since,
                                 const unsigned char was[HASH_BYTES],
                                 const unsigned char is[HASH_BYTES], struct arena *arena,
                                 struct paths *out, struct fault *fault)
{
    struct plan_set set = {0};
    enum fault_code code;

    arena_init(&set.arena);
    code = tree_plan(workspaces_store(place->workspaces), was, is, set_add, &set, fault);
    if (code == FAULT_OK && set.count) {
        qsort(set.list, set.count, sizeof(*set.list), by_path);
        code = foreign_mark(place, since, was, &set, fault);
        qsort(set.list, set.count, sizeof(*set.list), by_place);
    }
    for (size_t i = 0; code == FAULT_OK && i < set.count; i++)
        if (set.list[i].foreign)
            paths_add(out, set.list[i].path, arena);
    free(set.list);
    arena_clear(&set.arena);
    return code;
}
