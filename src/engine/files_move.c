/* Fork, rewind, undo, redo, adopt and merge, with the files. */
#include "engine/workspaces_own.h"
#include "workspace/path.h"

#include <assert.h>
#include <inttypes.h>

/* ---- fork ---- */

static enum fault_code live_tree(struct workspaces *workspaces, const struct fork_spec *spec,
                                 struct tree_spec *out, struct fault *fault)
{
    struct snapshot snapshot;
    struct place *place;
    struct arena arena;
    enum fault_code code = FAULT_OK;

    if (place_take(workspaces, spec->owner, spec->session, PLACE_AS_IT_IS, PLACE_WAIT_MS, &place,
                   fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    if (place->session.workspace.mode == WORKSPACE_NONE) {
        *out = (struct tree_spec){0};
    } else if (place->fd >= 0) {
        code = place_snapshot(place, -1, &arena, &snapshot, fault);
        if (code == FAULT_OK)
            *out = snapshot.tree;
    } else { /* nobody has touched them since they were recorded */
        *out = (struct tree_spec){.given = true};
        memcpy(out->hash, place->tree, HASH_BYTES);
        code = store_objects_since(workspaces_store(workspaces), &out->since_us, fault);
    }
    arena_clear(&arena);
    place_leave(place);
    return code;
}

static enum fault_code fork_tree(struct workspaces *workspaces, const struct fork_spec *spec,
                                 enum fork_files files, struct tree_spec *out, struct fault *fault)
{
    *out = (struct tree_spec){0};
    switch (files) {
    case FORK_FILES_POINT:
        break;
    case FORK_FILES_LIVE:
        return live_tree(workspaces, spec, out, fault);
    case FORK_FILES_NONE:
        return empty_tree_keep(workspaces, out, fault);
    }
    return FAULT_OK;
}

static enum fault_code fork_report(struct workspaces *workspaces, const struct fork_spec *spec,
                                   const struct fork_result *result, struct arena *arena,
                                   struct files_report *report, struct fault *fault)
{
    struct session source;

    if (store_session_get(workspaces_store(workspaces), spec->owner, spec->session, false, arena,
                          &source, fault) != FAULT_OK)
        return fault_pass(fault);
    return report_plan(workspaces, source.tree,
                       spec->tree.given ? spec->tree.hash : result->session.tree, arena, report,
                       fault);
}

enum fault_code workspaces_fork(struct workspaces *workspaces, struct fork_spec *spec,
                                enum fork_files files, struct arena *arena, struct fork_result *out,
                                struct files_report *report, struct fault *fault)
{
    enum fault_code code;

    *report = (struct files_report){0};
    for (int i = 0;; i++) {
        if (fork_tree(workspaces, spec, files, &spec->tree, fault) != FAULT_OK)
            return fault_pass(fault);
        code = engine_fork(workspaces->engine, spec, arena, out, fault);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            break;
    }
    if (code != FAULT_OK || !spec->dry_run)
        return code;
    return fork_report(workspaces, spec, out, arena, report, fault);
}

/* ---- moves ---- */

static enum fault_code move_make(struct workspaces *workspaces, struct move_spec *spec,
                                 struct arena *arena, struct move_result *out, struct fault *fault)
{
    switch (spec->act) {
    case MOVE_UNDO:
        return engine_undo(workspaces->engine, spec, arena, out, fault);
    case MOVE_REDO:
        return engine_redo(workspaces->engine, spec, arena, out, fault);
    default:
        return engine_rewind(workspaces->engine, spec, arena, out, fault);
    }
}

/* One of the two verbs that move the head and take files along. */
struct moving {
    struct workspaces *workspaces;
    struct place *place;
    struct move_spec *move; /* or … */
    struct adopt_spec *adopt;
    bool force, dry_run;
    struct arena *arena;
    struct move_result *out;
    struct files_report *report;
    struct snapshot now;
    unsigned char is[HASH_BYTES]; /* the files after it */
    struct address from_at;       /* adopt: where the head of the other is; not known: s is 0 */
};

static enum fault_code make_adopt(const struct moving *moving, struct move_files files,
                                  bool dry_run, struct move_result *out, struct fault *fault)
{
    struct adopt_spec spec = *moving->adopt;

    spec.from_at = moving->from_at.s ? &moving->from_at : NULL;
    spec.files = files;
    spec.dry_run = dry_run;
    if (files.intent)
        spec.expect_head = STR_NONE; /* it was looked at, and a files entry may follow it */
    return engine_adopt(moving->workspaces->engine, &spec, moving->arena, out, fault);
}

static enum fault_code moving_make(const struct moving *moving, struct move_files files,
                                   bool dry_run, struct move_result *out, struct fault *fault)
{
    struct move_spec spec;

    assert(moving->move || moving->adopt);
    if (moving->adopt)
        return make_adopt(moving, files, dry_run, out, fault);
    spec = *moving->move;
    spec.files = files;
    spec.dry_run = dry_run;
    if (files.intent)
        spec.expect_head = STR_NONE;
    return move_make(moving->workspaces, &spec, moving->arena, out, fault);
}

static enum fault_code moving_finish(void *context, int64_t intent, struct fault *fault)
{
    struct moving *moving = context;
    struct move_files files = {.tree = {.given = true}, .intent = intent};

    memcpy(files.tree.hash, moving->is, HASH_BYTES);
    /* The trees of an intent are kept by it: a gc that began meanwhile has left them. */
    for (int i = 0;; i++) {
        enum fault_code code;

        if (store_objects_since(workspaces_store(moving->workspaces), &files.tree.since_us,
                                fault) != FAULT_OK)
            return fault_pass(fault);
        code = moving_make(moving, files, false, moving->out, fault);
        if (code != FAULT_TREE_STALE || i == STALE_TRIES)
            return code;
    }
}

static enum fault_code conflict(const struct paths *paths, struct arena *arena, struct fault *fault)
{
    return fault_set(fault, FAULT_FILES_CONFLICT,
                     "%" PRId64 " path%s changed by others since, \"%s\" among them: force writes "
                     "over that, and undo brings it back",
                     paths->all, paths->all == 1 ? " was" : "s were",
                     path_words(paths->list[0], arena).p);
}

static enum fault_code moving_plan(struct moving *moving, const struct move_result *look,
                                   struct plan *plan)
{
    *plan = (struct plan){.deed = moving->move ? DEED_MOVE : DEED_ADOPT, .scope = look->scope};
    if (moving->move) {
        plan->act = moving->move->act;
        plan->target = look->point.at;
        plan->keep = moving->move->keep;
        plan->keep_count = moving->move->keep_count;
        plan->entry = moving->move->entry;
    } else {
        plan->from = moving->adopt->from;
        plan->from_at = moving->from_at;
    }
    return FAULT_OK;
}

/* With the place held and its directory looked at: what will be, and whether it may be. */
static enum fault_code moving_do(struct moving *moving, struct fault *fault)
{
    struct place *place = moving->place;
    struct move_files files = {.tree = moving->now.tree};
    const unsigned char *was = moving->now.tree.hash;
    struct deed_spec deed = {.place = place, .was = &moving->now};
    struct move_result look;
    struct session from;
    struct plan plan;

    if (moving->adopt) { /* what is looked at is what is taken over */
        if (store_session_get(workspaces_store(moving->workspaces), moving->adopt->owner,
                              moving->adopt->from, false, moving->arena, &from, fault) != FAULT_OK)
            return fault_pass(fault);
        moving->from_at = from.head_at;
    }
    if (moving_make(moving, files, true, &look, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(moving->is, look.scope == SCOPE_CONVERSATION ? was : look.tree_target, HASH_BYTES);
    if (report_conflicts(place, look.foreign_from, was, moving->is, moving->arena,
                         &moving->report->conflicts, fault) != FAULT_OK)
        return fault_pass(fault);
    if (moving->dry_run) {
        *moving->out = look;
        return report_plan(moving->workspaces, was, moving->is, moving->arena, moving->report,
                           fault);
    }
    if (moving->report->conflicts.all && !moving->force)
        return conflict(&moving->report->conflicts, moving->arena, fault);
    if (tree_same(was, moving->is) && tree_same(was, look.tree_before)) {
        files = (struct move_files){.tree = moving->now.tree, .at = &look.head_at};
        return moving_make(moving, files, false, moving->out, fault);
    }
    if (moving_plan(moving, &look, &plan) != FAULT_OK)
        return fault_pass(fault);
    deed.plan = &plan;
    deed.at = look.head_at;
    deed.finish = moving_finish;
    deed.context = moving;
    memcpy(deed.is, moving->is, HASH_BYTES);
    return deed_do(&deed, moving->arena, moving->report, fault);
}

/* The files of a directory that nobody has needed so far are in the store alone. */
static enum fault_code moving_unlaid(struct moving *moving, struct fault *fault)
{
    struct move_files files = {0};

    if (moving_make(moving, files, moving->dry_run, moving->out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!moving->dry_run || moving->out->scope == SCOPE_CONVERSATION)
        return FAULT_OK;
    return report_plan(moving->workspaces, moving->out->tree_before, moving->out->tree_target,
                       moving->arena, moving->report, fault);
}

static enum fault_code moving_once(struct moving *moving, struct str session, int64_t owner,
                                   struct fault *fault)
{
    enum fault_code code;

    *moving->report = (struct files_report){0};
    code = place_take(moving->workspaces, owner, session, PLACE_AS_IT_IS, PLACE_WAIT_MS,
                      &moving->place, fault);
    /* While somebody works there, a dry run goes by what was recorded last. */
    if (moving->dry_run && (code == FAULT_TURN_RUNNING || code == FAULT_WORKSPACE_BUSY))
        return moving_unlaid(moving, fault);
    if (code != FAULT_OK)
        return code;
    if (moving->place->fd < 0 || moving->place->session.workspace.mode == WORKSPACE_NONE) {
        code = moving_unlaid(moving, fault);
    } else {
        code = place_snapshot(moving->place, -1, moving->arena, &moving->now, fault);
        if (code == FAULT_OK)
            code = moving_do(moving, fault);
    }
    place_leave(moving->place);
    return code;
}

/* Again when somebody else appended, or a gc began, between the look and the act. */
static enum fault_code moving_run(struct moving *moving, struct str session, int64_t owner,
                                  struct str expect_head, struct once *once, struct fault *fault)
{
    enum fault_code code;

    if (rule_once(once, fault) != FAULT_OK)
        return fault_pass(fault);
    if (once && !moving->dry_run) {
        if (store_answer_find(workspaces_store(moving->workspaces), once,
                              engine_now_us(moving->workspaces->engine), moving->arena,
                              fault) != FAULT_OK)
            return fault_pass(fault);
        if (once->repeated)
            return FAULT_OK;
    }
    for (int i = 0;; i++) {
        code = moving_once(moving, session, owner, fault);
        if (i == STALE_TRIES || (code != FAULT_TREE_STALE &&
                                 (code != FAULT_HEAD_MOVED || expect_head.p || moving->dry_run)))
            return code;
    }
}

enum fault_code workspaces_move(struct workspaces *workspaces, struct move_spec *spec, bool force,
                                struct arena *arena, struct move_result *out,
                                struct files_report *report, struct fault *fault)
{
    struct moving moving = {.workspaces = workspaces,
                            .move = spec,
                            .force = force,
                            .dry_run = spec->dry_run,
                            .arena = arena,
                            .out = out,
                            .report = report};

    return moving_run(&moving, spec->session, spec->owner, spec->expect_head, spec->once, fault);
}

enum fault_code workspaces_adopt(struct workspaces *workspaces, struct adopt_spec *spec, bool force,
                                 struct arena *arena, struct move_result *out,
                                 struct files_report *report, struct fault *fault)
{
    struct moving moving = {.workspaces = workspaces,
                            .adopt = spec,
                            .force = force,
                            .dry_run = spec->dry_run,
                            .arena = arena,
                            .out = out,
                            .report = report};

    if (!spec->dry_run) {
        enum fault_code code = session_record(workspaces, spec->owner, spec->from, fault);

        /* Of one that is being worked in, what was recorded last is taken over. */
        if (code != FAULT_OK && code != FAULT_TURN_RUNNING && code != FAULT_WORKSPACE_BUSY)
            return code;
    }
    return moving_run(&moving, spec->session, spec->owner, spec->expect_head, spec->once, fault);
}
