/* Moves of the game: rewind, undo, redo, adopt, merge, fork. */
#include "files_game_own.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const scope_words[] = {"both", "the conversation", "the files"};

/* ---- what a move should do ---- */

struct plan {
    int goal;  /* the place aimed at: foreign changes above it are in the way */
    int place; /* that the conversation goes to */
    enum move_scope scope;
    struct copy *was, *is; /* the files before and after it */
    bool laid;             /* there is a directory */
    struct map_paths conflicts;
};

static void plan_begin(struct files_game *game, const struct files_session *session,
                       struct plan *plan)
{
    plan->laid = session->dir->there;
    plan->was = model_dir_tree(&game->model, session);
    if (plan->scope == SCOPE_CONVERSATION)
        plan->is = plan->was;
    if (plan->laid)
        model_conflicts(&game->model, session, plan->goal, plan->was, plan->is, &plan->conflicts);
}

static bool is_dirty(const struct files_game *game, const struct files_session *session,
                     const struct plan *plan)
{
    return plan->was != model_head_tree(&game->model, session);
}

/* What the report says was done must be the way from the one to the other. */
static void check_report(struct files_game *game, const struct plan *plan,
                         const struct files_report *report)
{
    struct map_paths ways = {0}, written = {0};

    if (plan->laid)
        map_diff(&plan->was->map, &plan->is->map, &ways);
    for (size_t i = 0; i < ways.count; i++)
        if (map_find(&plan->is->map, ways.list[i]))
            map_paths_add(&written, ways.list[i]);
    game_check_paths(game, "the paths written", &report->restored, &written);
    for (size_t i = 0; i < report->deleted.count; i++)
        if (!map_paths_have(&ways, report->deleted.list[i]))
            game_differs(game, "deleted: \"%.*s\"", STR_ARG(report->deleted.list[i]));
    for (size_t i = 0; i < ways.count; i++) {
        bool told = false;

        for (size_t k = 0; k < report->deleted.count; k++)
            told = told || str_eq(report->deleted.list[k], ways.list[i]);
        if (!told && !map_find(&plan->is->map, ways.list[i]))
            game_differs(game, "not told as deleted: \"%.*s\"", STR_ARG(ways.list[i]));
    }
    if (report->skipped.all)
        game_differs(game, "left alone: \"%.*s\"", STR_ARG(report->skipped.list[0]));
    map_paths_clear(&ways);
    map_paths_clear(&written);
}

static enum fault_code expected(const struct plan *plan, bool force, bool dry_run)
{
    return plan->conflicts.count && !force && !dry_run ? FAULT_FILES_CONFLICT : FAULT_OK;
}

/* Before the first file is touched, what others did is recorded. */
static void record_foreign(struct files_game *game, struct files_session *session,
                           const struct plan *plan)
{
    if (plan->laid)
        model_files(&game->model, session, plan->was, true);
}

static void files_arrive(struct files_game *game, struct files_session *session,
                         const struct plan *plan)
{
    model_files(&game->model, session, plan->is, false);
    if (plan->laid)
        model_dir_set(session->dir, &plan->is->map);
}

static void count(struct files_game *game, const struct plan *plan, enum fault_code code)
{
    game->refused += code == FAULT_FILES_CONFLICT;
    game->moved += code == FAULT_OK && plan->was != plan->is && plan->laid;
    game->forced += code == FAULT_OK && plan->conflicts.count;
}

/* ---- rewind, undo, redo ---- */

struct point_spec game_point(struct files_game *game, const struct files_session *session,
                             int *place)
{
    struct chance *chance = &game->chance;
    int i = session->count ? chance_below(chance, session->count) : 0;
    const struct model_files_act *act = session->count ? game->model.acts[session->raw[i]] : NULL;
    struct point_spec spec = {.by = POINT_MESSAGE, .guard = GUARD_NONE};

    if (!act || chance_of(chance, 4)) {
        *place = 0;
        return (struct point_spec){.by = POINT_START, .guard = GUARD_NONE};
    }
    if (act->kind == ENTRY_MOVE || chance_of(chance, 10)) {
        *place = i + 1;
        return (struct point_spec){
            .by = POINT_ADDRESS, .address = act->at, .side = SIDE_AFTER, .guard = GUARD_NONE};
    }
    spec.name = arena_dup(&game->arena, str_of(act->id));
    spec.side = chance_of(chance, 40) ? SIDE_BEFORE : SIDE_AFTER;
    *place = i;
    if (spec.side == SIDE_BEFORE)
        return spec;
    /* The files with which its turn ended belong to it; what came by others later does not. */
    for (++*place; *place < session->count; ++*place) {
        const struct model_files_act *next = game->model.acts[session->raw[*place]];

        if (!next->of_turn || next->at.s != act->at.s)
            break;
    }
    return spec;
}

static enum fault_code rewind_expected(struct files_game *game, const struct files_session *session,
                                       const struct plan *plan, bool force, bool dry_run)
{
    struct copy *head = model_head_tree(&game->model, session);
    bool there = model_same_entry(&game->model, session, session->count, plan->goal);

    if (plan->scope != SCOPE_FILES && there &&
        (plan->scope == SCOPE_CONVERSATION ||
         model_tree(&game->model, session, plan->goal) == head))
        return FAULT_POINT_IS_HEAD;
    if (expected(plan, force, dry_run) != FAULT_OK)
        return FAULT_FILES_CONFLICT;
    /* What others did is recorded by then, and may be what is wanted. */
    if (plan->scope == SCOPE_FILES && !dry_run && plan->is == plan->was)
        return FAULT_POINT_IS_HEAD;
    return FAULT_OK;
}

static enum fault_code move(struct files_game *game, struct move_spec *spec, bool force,
                            struct files_report *report)
{
    struct move_result result;

    return workspaces_move(game->workspaces, spec, force, &game->arena, &result, report,
                           &game->fault);
}

static void accept_move(struct files_game *game, struct files_session *session,
                        const struct plan *plan, enum model_turn turn)
{
    record_foreign(game, session, plan);
    model_go(&game->model, session, plan->scope == SCOPE_FILES ? session->count : plan->place,
             plan->scope, turn);
    files_arrive(game, session, plan);
}

static void finish_move(struct files_game *game, struct files_session *session, struct plan *plan,
                        const struct move_spec *spec, enum fault_code code,
                        const struct files_report *report, enum model_turn turn)
{
    if (plan->laid && (code == FAULT_OK || code == FAULT_FILES_CONFLICT))
        game_check_paths(game, "conflicts", &report->conflicts, &plan->conflicts);
    if (code == FAULT_OK && plan->laid)
        check_report(game, plan, report);
    if (code == FAULT_OK && !spec->dry_run)
        accept_move(game, session, plan, turn);
    count(game, plan, code);
    map_paths_clear(&plan->conflicts);
    game_sync(game, session);
}

void game_rewind(struct files_game *game, struct files_session *session)
{
    struct move_spec spec = {.owner = game->rig.owner,
                             .session = str_of(session->id),
                             .act = MOVE_REWIND,
                             .scope = (enum move_scope)chance_below(&game->chance, 3),
                             .dry_run = chance_of(&game->chance, 10)};
    bool force = chance_of(&game->chance, 50);
    struct plan plan = {.scope = spec.scope};
    struct files_report report;
    enum fault_code code, wanted;

    spec.point = game_point(game, session, &plan.goal);
    plan.place = plan.goal;
    plan.is = model_tree(&game->model, session, plan.goal);
    plan_begin(game, session, &plan);
    game_doing(game, "rewind %s of session %d to %d of %d%s%s", scope_words[spec.scope],
               session->number, plan.goal, session->count, force ? ", force" : "",
               spec.dry_run ? ", dry" : "");
    wanted = rewind_expected(game, session, &plan, force, spec.dry_run);
    code = move(game, &spec, force, &report);
    game_expect(game, "rewind", code, wanted);
    /* Of the files alone it turns out at the very end that they are there already. */
    if (wanted == FAULT_POINT_IS_HEAD && spec.scope == SCOPE_FILES &&
        is_dirty(game, session, &plan))
        record_foreign(game, session, &plan);
    finish_move(game, session, &plan, &spec, code, &report, MODEL_NEW);
}

static void take_back(struct files_game *game, struct files_session *session, enum move_act act)
{
    bool undo = act == MOVE_UNDO, force = chance_of(&game->chance, 60);
    int steps = undo ? session->undos : session->redos;
    struct move_spec spec = {.owner = game->rig.owner,
                             .session = str_of(session->id),
                             .act = act,
                             .dry_run = chance_of(&game->chance, 5)};
    struct plan plan = {0};
    struct files_report report;
    enum fault_code code;

    game_doing(game, "%s in session %d%s%s", undo ? "undo" : "redo", session->number,
               force ? ", force" : "", spec.dry_run ? ", dry" : "");
    if (!steps) {
        game_expect(game, "undo or redo of nothing", move(game, &spec, force, &report),
                    undo ? FAULT_NOTHING_TO_UNDO : FAULT_NOTHING_TO_REDO);
        game_sync(game, session);
        return;
    }
    plan.goal = plan.place = (undo ? session->undo : session->redo)[steps - 1].place;
    plan.scope = (undo ? session->undo : session->redo)[steps - 1].scope;
    plan.is = model_tree(&game->model, session, plan.goal);
    plan_begin(game, session, &plan);
    code = move(game, &spec, force, &report);
    game_also(game, " (of %s, to %d)", scope_words[plan.scope], plan.goal);
    game_expect(game, "undo or redo", code, expected(&plan, force, spec.dry_run));
    finish_move(game, session, &plan, &spec, code, &report, undo ? MODEL_UNDO : MODEL_REDO);
}

void game_undo(struct files_game *game, struct files_session *session)
{
    take_back(game, session, MOVE_UNDO);
}

void game_redo(struct files_game *game, struct files_session *session)
{
    take_back(game, session, MOVE_REDO);
}

/* ---- from another session ---- */

/* Another session of the family; NULL: there is none. */
static struct files_session *relative(struct files_game *game, const struct files_session *session)
{
    for (int i = 0; i < 10; i++) {
        struct files_session *other = game_pick(game);

        if (other != session && other->family == session->family)
            return other;
    }
    return NULL;
}

/* What others did to the files of the other session is recorded first. */
static void record_other(struct files_game *game, struct files_session *from)
{
    if (from->dir->there)
        model_files(&game->model, from, model_dir_tree(&game->model, from), true);
}

static void accept_adopt(struct files_game *game, struct files_session *session,
                         const struct files_session *from, const struct plan *plan, int common)
{
    int theirs;
    const int *path = model_path(&game->model, from, from->count, &theirs);

    record_foreign(game, session, plan);
    model_go(&game->model, session, plan->scope == SCOPE_FILES ? session->count : plan->place,
             plan->scope, MODEL_NEW);
    for (int i = common; plan->scope != SCOPE_FILES && i < theirs; i++) {
        const struct model_files_act *act = game->model.acts[path[i]];
        int copy = model_entry(&game->model, session, act->kind, act->tree, false);

        game->model.acts[copy]->merged = act->merged;
        game->model.acts[copy]->of_turn = act->of_turn;
    }
    files_arrive(game, session, plan);
}

void game_adopt(struct files_game *game, struct files_session *session)
{
    struct files_session *from = relative(game, session);
    struct adopt_spec spec = {.owner = game->rig.owner,
                              .session = str_of(session->id),
                              .scope = (enum move_scope)chance_below(&game->chance, 3)};
    bool force = chance_of(&game->chance, 60);
    struct plan plan = {.scope = spec.scope};
    enum fault_code code, wanted;
    struct files_report report;
    struct move_result result;
    int common, ours, theirs;
    const int *path;

    if (!from || session->count + from->count > GAME_ACTS)
        return;
    game_doing(game, "adopt %s of session %d in %d%s", scope_words[spec.scope], from->number,
               session->number, force ? ", force" : "");
    spec.from = str_of(from->id);
    code = workspaces_adopt(game->workspaces, &spec, force, &game->arena, &result, &report,
                            &game->fault);
    record_other(game, from);
    common = model_common(&game->model, session, from);
    path = model_path(&game->model, session, session->count, &ours);
    (void)model_path(&game->model, from, from->count, &theirs);
    plan.goal = plan.place = common ? model_place_of(session, path[common - 1]) : 0;
    plan.is = model_head_tree(&game->model, from);
    plan_begin(game, session, &plan);
    wanted = expected(&plan, force, false);
    if (spec.scope != SCOPE_FILES && theirs == common)
        wanted = FAULT_NOTHING_TO_ADOPT;
    if (wanted == FAULT_OK && spec.scope == SCOPE_FILES && plan.is == plan.was) {
        wanted = FAULT_NOTHING_TO_ADOPT; /* known at the very end */
        record_foreign(game, session, &plan);
    }
    game_expect(game, "adopt", code, wanted);
    if (plan.laid && (code == FAULT_OK || code == FAULT_FILES_CONFLICT))
        game_check_paths(game, "conflicts", &report.conflicts, &plan.conflicts);
    if (code == FAULT_OK && plan.laid)
        check_report(game, &plan, &report);
    if (code == FAULT_OK)
        accept_adopt(game, session, from, &plan, common);
    count(game, &plan, code);
    map_paths_clear(&plan.conflicts);
    game_sync(game, from);
    game_sync(game, session);
}

static void check_clashes(struct files_game *game, const struct merge_report *report,
                          const struct map_paths *clashes)
{
    if (report->conflict_count != clashes->count)
        game_differs(game, "%zu paths clash, and %zu should (\"%.*s\" …)", report->conflict_count,
                     clashes->count, clashes->count ? (int)clashes->list[0].n : 0,
                     clashes->count ? clashes->list[0].p : "");
    for (size_t i = 0; i < report->conflict_count; i++)
        if (!map_paths_have(clashes, report->conflicts[i].path))
            game_differs(game, "\"%.*s\" should not clash", STR_ARG(report->conflicts[i].path));
}

static void accept_merge(struct files_game *game, struct files_session *session,
                         const struct files_session *from, const struct plan *plan)
{
    int theirs, entry;
    const int *path = model_path(&game->model, from, from->count, &theirs);

    record_foreign(game, session, plan);
    model_go(&game->model, session, session->count, SCOPE_BOTH, MODEL_NEW);
    entry = model_entry(&game->model, session, ENTRY_MESSAGE, plan->is, false);
    game->model.acts[entry]->merged = theirs ? path[theirs - 1] : -1;
    files_arrive(game, session, plan);
    game->merged++;
}

void game_merge(struct files_game *game, struct files_session *session)
{
    struct files_session *from = relative(game, session);
    struct merge_cmd cmd = {.owner = game->rig.owner,
                            .session = str_of(session->id),
                            .force = chance_of(&game->chance, 40),
                            .dry_run = chance_of(&game->chance, 10)};
    enum fault_code code, wanted = FAULT_OK;
    struct map_paths clashes = {0};
    struct merge_report report;
    struct files_map merged;
    struct plan plan = {0};
    struct copy *base;
    int theirs, known;
    const int *path;

    if (!from)
        return;
    game_doing(game, "merge session %d into %d%s%s", from->number, session->number,
               cmd.force ? ", force" : "", cmd.dry_run ? ", dry" : "");
    cmd.from = str_of(from->id);
    code = workspaces_merge(game->workspaces, &cmd, &game->arena, &report, &game->fault);
    if (!cmd.dry_run)
        record_other(game, from);
    known = model_merged(&game->model, session, from);
    path = model_path(&game->model, from, from->count, &theirs);
    base = known ? game->model.acts[path[known - 1]]->tree : game->model.empty;
    plan.laid = session->dir->there;
    plan.was = model_dir_tree(&game->model, session);
    map_merge(&base->map, &plan.was->map, &model_head_tree(&game->model, from)->map, &merged,
              &clashes);
    plan.is = model_keep(&game->model, &merged);
    map_clear(&merged);
    if (base == model_head_tree(&game->model, from))
        wanted = FAULT_NOTHING_TO_MERGE;
    else if (clashes.count && !cmd.force)
        wanted = cmd.dry_run ? FAULT_OK : FAULT_FILES_CONFLICT;
    else if (plan.is == plan.was)
        wanted = FAULT_NOTHING_TO_MERGE;
    game_also(game, ", %zu clashes%s%.*s", clashes.count, clashes.count ? " as in " : "",
              clashes.count ? (int)clashes.list[0].n : 0, clashes.count ? clashes.list[0].p : "");
    game_expect(game, "merge", code, wanted);
    if (code == FAULT_OK || code == FAULT_FILES_CONFLICT)
        check_clashes(game, &report, &clashes);
    if (code == FAULT_OK && !cmd.dry_run) {
        if (plan.laid)
            check_report(game, &plan, &report.files);
        accept_merge(game, session, from, &plan);
    }
    map_paths_clear(&clashes);
    game_sync(game, from);
    game_sync(game, session);
}

/* ---- fork ---- */

void game_fork(struct files_game *game, struct files_session *session)
{
    static const char *const words[] = {"the point's", "the live", "no"};
    enum fork_files files = (enum fork_files)chance_below(&game->chance, 3);
    struct fork_spec spec = {.owner = game->rig.owner,
                             .session = str_of(session->id),
                             .dry_run = chance_of(&game->chance, 10)};
    int place = session->count;
    struct fork_result result;
    struct files_report report;
    struct files_session *fork;
    struct copy *tree;

    if (game_living(game) >= GAME_SESSIONS)
        return;
    spec.point = (struct point_spec){.by = POINT_END};
    if (chance_of(&game->chance, 60))
        spec.point = game_point(game, session, &place);
    game_doing(game, "fork session %d at %d of %d with %s files%s", session->number, place,
               session->count, words[files], spec.dry_run ? ", dry" : "");
    game_expect(game, "fork",
                workspaces_fork(game->workspaces, &spec, files, &game->arena, &result, &report,
                                &game->fault),
                FAULT_OK);
    tree = files == FORK_FILES_NONE   ? game->model.empty
           : files == FORK_FILES_LIVE ? model_dir_tree(&game->model, session)
                                      : model_tree(&game->model, session, place);
    if (tree->seen)
        game_check_hash(game, result.session.tree, tree, "the files of a fork");
    if (spec.dry_run)
        return;
    fork = model_session_add(&game->model, session, place);
    fork->s = result.session.s;
    snprintf(fork->id, sizeof(fork->id), "%.*s", STR_ARG(result.session.id));
    snprintf(fork->own.path, sizeof(fork->own.path), "%s/work/%" PRId64, game->rig.directory,
             fork->s);
    game_also(game, ": session %d", fork->number);
    model_files(&game->model, fork, tree, false);
    game_sync(game, fork);
    game_sync(game, session);
}
