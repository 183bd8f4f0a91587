/* The game's moves: rewind, undo, redo, fork, adopt, merge, and what the files do in them. */
#include "game_own.h"

#include "support/check.h"

#include <stdio.h>

static const char *const scope_words[] = {"both", "the conversation", "files"};

/* ---- what the messages do ---- */

static const char *last_id(const struct play *run, const struct model_list *path)
{
    return path->count ? run->model->acts[path->items[path->count - 1]]->id : "";
}

/* Between which entries a move goes, and what it does to the visible list. */
static void compare_move(struct play *run, const struct model_session *session,
                         const struct move_result *got, const struct model_list *from,
                         const struct model_list *to)
{
    int common = 0;

    while (common < from->count && common < to->count && from->items[common] == to->items[common])
        common++;
    compare_text(run, session, "where the move comes from", got->from,
                 from->count ? run->model->acts[from->items[from->count - 1]]->id : "");
    compare_number(
        run, session, "dropped", got->dropped,
        model_visible_count(run->model, from) -
            model_visible_count(run->model, &(struct model_list){from->items, common, 0}));
    compare_number(run, session, "kept", got->kept, model_visible_count(run->model, to));
}

/* The message before which the cut was made is one that the session had there. */
static void compare_excluded(struct play *run, const struct model_session *session,
                             const struct model_point *point, bool has, const struct entry *got)
{
    int at;

    if (point->anchor < 0 || point->side != SIDE_BEFORE) {
        compare_number(run, session, "a message is excluded", has, false);
        return;
    }
    if (model_visible(run->model, point->anchor)) {
        compare_number(run, session, "a message is excluded", has, true);
        compare_entry(run, session, "the excluded message", got, point->anchor);
    }
    if (!has)
        return;
    for (at = model_raw_index(session, point->anchor); at < session->raw.count; at++)
        if (address_eq(got->at, model_act_address(run->model, session->raw.items[at])))
            break;
    if (at == session->raw.count)
        run_differ(run, session,
                   "the excluded message \"%.*s\" is none of its own behind the point",
                   STR_ARG(got->id));
    compare_entry(run, session, "the excluded message", got, session->raw.items[at]);
}

/* ---- what the files do ---- */

/* What a move is meant to do, and what the caller says of the files. */
struct plan {
    enum move_act act;
    enum move_scope scope;
    int goal;  /* the place that it aims at */
    int place; /* that the conversation goes to */
    int tree;  /* that the files are afterwards */
    bool keep;
};

static struct plan plan_of(struct play *run, const struct model_session *session, enum move_act act,
                           enum move_scope scope, int goal)
{
    struct plan plan = {
        .act = act,
        .scope = scope,
        .goal = goal,
        .place = scope == SCOPE_FILES ? session->raw.count : goal,
    };

    (void)run;
    plan.tree =
        scope == SCOPE_CONVERSATION ? model_head(session)->tree : session->places[goal].tree;
    return plan;
}

/* Now and then the caller has looked after the files, and they are something else. */
static void give_files(struct play *run, const struct model_session *session,
                       struct move_files *files, struct plan *plan)
{
    if (!chance_of(&run->chance, 30))
        return;
    plan->tree = random_tree(run);
    files->tree = grove_tree(&run->grove, run->rig.store, plan->tree);
    if (chance_of(&run->chance, 50)) {
        struct address *at = arena_alloc(&run->arena, sizeof(*at));

        *at = model_address(run->model, session, session->raw.count);
        files->at = at;
    }
}

/* What the result says of the files, whether it was done or not. */
static void compare_files(struct play *run, const struct model_session *session,
                          const struct move_result *got, const struct plan *plan, int target)
{
    struct address from = {session->s, 0};

    if (plan->goal > session->inherited)
        from = model_address(run->model, session, plan->goal);
    compare_number(run, session, "the scope", got->scope, plan->scope);
    compare_address(run, session, "the head before", got->head_at,
                    model_address(run->model, session, session->raw.count));
    compare_tree(run, session, "the files before", got->tree_before, model_head(session)->tree);
    compare_tree(run, session, "the files aimed at", got->tree_target, target);
    compare_address(run, session, "where foreign changes begin to count", got->foreign_from, from);
}

/* The files entry that follows a move when the files are not those of the place. */
static void accept_files(struct play *run, struct model_session *session, int tree, struct str id)
{
    struct model_act act = model_blank(ENTRY_FILES, ROLE_NONE);

    if (model_tree_same(tree, model_head(session)->tree))
        return;
    expect_drawn(run, session, id);
    snprintf(act.id, sizeof(act.id), "%.*s", STR_ARG(id));
    snprintf(act.body, sizeof(act.body), "{}");
    act.brings = tree == MODEL_TREELESS ? 0 : tree;
    model_append(run->model, session, &act, run->rig.now_us);
}

static void accept_move(struct play *run, struct model_session *session, const struct plan *plan,
                        const struct move_result *result)
{
    struct model_move move = {
        .act = plan->act,
        .scope = plan->scope,
        .place = plan->place,
        .keep = plan->keep,
        .id = arena_dup(&run->arena, result->id).p,
    };

    expect_drawn(run, session, result->id);
    model_move(run->model, session, &move, run->rig.now_us);
    accept_files(run, session, plan->tree, result->to);
    compare_text(run, session, "where the move leads", result->to,
                 arena_dup(&run->arena, head_id(run, session)).p);
}

/* ---- rewind, undo, redo ---- */

static int last_of(const struct model_list *path)
{
    return path->count ? path->items[path->count - 1] : -1;
}

/* Does the rewind change nothing? Of files alone a dry run cannot know. */
static bool goes_nowhere(const struct model_session *session, const struct plan *plan, bool dry_run)
{
    const struct model_place *head = model_head(session), *goal = &session->places[plan->goal];
    bool there = last_of(&head->path) == last_of(&goal->path);
    bool same = model_tree_same(plan->tree, head->tree);

    switch (plan->scope) {
    case SCOPE_CONVERSATION:
        return there;
    case SCOPE_FILES:
        return same && !dry_run;
    case SCOPE_BOTH:
        break;
    }
    return there && same;
}

/* Now and then a runtime has a word of its own for the move. It moves no files. */
static struct entry_spec *random_word(struct play *run, const struct model_session *session,
                                      struct made_up *made)
{
    struct entry_spec *spec;

    if (!chance_of(&run->chance, 30))
        return NULL;
    do
        *made = random_entry(run, session);
    while (made->act.kind == ENTRY_FILES);
    made->act.brings = MODEL_TREELESS;
    made->act.left_out = false;
    spec = arena_alloc(&run->arena, sizeof(*spec));
    *spec = spec_of(run, made);
    return spec;
}

/* It stands just behind where the head was. */
static void accept_word(struct play *run, struct model_session *session, struct made_up *made,
                        struct address head)
{
    struct point_spec point = {.by = POINT_ADDRESS, .side = SIDE_AFTER, .guard = GUARD_NONE};
    struct entry stored;
    struct fault fault;

    point.address = (struct address){session->s, head.s == session->s ? head.n + 1 : 1};
    run_expect(run, session, "the word for the move",
               store_entry_get(run->rig.store, run->rig.owner, str_of(session->id), &point,
                               &run->arena, &stored, &fault),
               FAULT_OK, &fault);
    accept_entry(run, session, made, &stored);
}

/* The spec's point and what is to be expected of it; then the rewind itself. */
static enum fault_code rewind_to(struct play *run, struct model_session *session,
                                 struct move_spec *spec, bool keep)
{
    struct made_up made;
    static const struct str kept_prefixes[] = {{"app:", 4}, {"user:", 5}};
    struct model_point point;
    enum fault_code wanted = model_point(run->model, session, &spec->point, &point), code;
    struct plan plan = {0};
    struct move_result result;
    struct fault fault;
    int target = MODEL_TREELESS;

    if (keep) {
        spec->keep = kept_prefixes;
        spec->keep_count = 2;
    }
    if (wanted == FAULT_OK) {
        plan = plan_of(run, session, MOVE_REWIND, spec->scope, point.place);
        plan.keep = keep;
        target = plan.tree;
        if (!spec->dry_run)
            give_files(run, session, &spec->files, &plan);
        spec->entry = random_word(run, session, &made);
        if (!spec->entry && goes_nowhere(session, &plan, spec->dry_run))
            wanted = FAULT_POINT_IS_HEAD;
    }
    if (spec->point.by == POINT_END)
        wanted = FAULT_POINT_INVALID;
    doing(run, "rewind %s%s%s %s%s, tree %d", scope_words[spec->scope],
          keep ? " with kept state" : "", spec->entry ? " with a word" : "",
          point_words(run, &spec->point).p, spec->dry_run ? ", dry" : "", plan.tree);
    code = engine_rewind(run->rig.engine, spec, &run->arena, &result, &fault);
    if (wanted != FAULT_OK && point.either != FAULT_OK && code == point.either)
        return code;
    run_expect(run, session, "rewind", code, wanted, &fault);
    if (code != FAULT_OK)
        return code;
    compare_point(run, session, "the point of the rewind", &result.point, &point);
    compare_move(run, session, &result, &model_head(session)->path,
                 &session->places[plan.place].path);
    compare_files(run, session, &result, &plan, target);
    if (plan.scope == SCOPE_FILES)
        compare_number(run, session, "a message is excluded", result.has_excluded, false);
    else
        compare_excluded(run, session, &point, result.has_excluded, &result.excluded);
    if (!spec->dry_run) {
        if (spec->entry) {
            accept_word(run, session, &made, result.head_at);
            if (plan.scope == SCOPE_FILES)
                plan.place = session->raw.count;
        }
        accept_move(run, session, &plan, &result);
        return code;
    }
    compare_text(run, session, "the id of a dry rewind", result.id, "");
    compare_text(run, session, "where the rewind goes", result.to,
                 last_id(run, &session->places[plan.place].path));
    return code;
}

struct model_session *play_rewind(struct play *run, struct model_session *session)
{
    struct move_spec spec = {.owner = run->rig.owner,
                             .session = str_of(session->id),
                             .scope = (enum move_scope)chance_below(&run->chance, 3),
                             .point = random_point(run, session),
                             .dry_run = chance_of(&run->chance, 8)};

    if (session->raw.count + 3 > ACTS_MAX)
        return NULL;
    (void)rewind_to(run, session, &spec, chance_of(&run->chance, 40));
    return session;
}

static struct model_session *back(struct play *run, struct model_session *session,
                                  enum move_act act)
{
    static const struct str kept_prefixes[] = {{"app:", 4}, {"user:", 5}};
    struct move_spec spec = {.owner = run->rig.owner,
                             .session = str_of(session->id),
                             .dry_run = chance_of(&run->chance, 5)};
    bool undo = act == MOVE_UNDO, keep = chance_of(&run->chance, 20);
    enum move_scope scope = SCOPE_BOTH;
    int place = model_back(run->model, session, act, &scope), target = MODEL_TREELESS;
    struct plan plan = {0};
    struct move_result result;
    enum fault_code code;
    struct fault fault;

    if (session->raw.count + 2 > ACTS_MAX)
        return NULL;
    if (keep) {
        spec.keep = kept_prefixes;
        spec.keep_count = 2;
    }
    if (place >= 0) {
        plan = plan_of(run, session, act, scope, place);
        plan.keep = keep;
        target = plan.tree;
        if (!spec.dry_run)
            give_files(run, session, &spec.files, &plan);
    }
    doing(run, "%s %s%s%s, tree %d", undo ? "undo" : "redo", scope_words[scope],
          keep ? " with kept state" : "", spec.dry_run ? ", dry" : "", plan.tree);
    code = undo ? engine_undo(run->rig.engine, &spec, &run->arena, &result, &fault)
                : engine_redo(run->rig.engine, &spec, &run->arena, &result, &fault);
    run_expect(run, session, undo ? "undo" : "redo", code,
               place >= 0 ? FAULT_OK
               : undo     ? FAULT_NOTHING_TO_UNDO
                          : FAULT_NOTHING_TO_REDO,
               &fault);
    if (code != FAULT_OK)
        return session;
    compare_move(run, session, &result, &model_head(session)->path,
                 &session->places[plan.place].path);
    compare_files(run, session, &result, &plan, target);
    if (!spec.dry_run)
        accept_move(run, session, &plan, &result);
    return session;
}

struct model_session *play_undo(struct play *run, struct model_session *session)
{
    return back(run, session, MOVE_UNDO);
}

struct model_session *play_redo(struct play *run, struct model_session *session)
{
    return back(run, session, MOVE_REDO);
}

/* ---- forking and adopting ---- */

struct model_session *play_fork(struct play *run, struct model_session *session)
{
    struct fork_spec spec = {.owner = run->rig.owner,
                             .session = str_of(session->id),
                             .point = random_point(run, session),
                             .dry_run = chance_of(&run->chance, 8)};
    char title[MODEL_TEXT];
    struct str wish = str_of(random_title(run));
    bool wished = chance_of(&run->chance, 10);
    struct fork_result result;
    struct model_point point;
    enum fault_code wanted = model_point(run->model, session, &spec.point, &point), code;
    struct model_session *fork;
    int tree = MODEL_TREELESS;
    struct fault fault;

    if (living(run) >= SESSIONS_MAX || session->sub)
        return NULL;
    if (wanted == FAULT_OK)
        tree = session->places[point.place].tree;
    if (chance_of(&run->chance, 30)) {
        tree = random_tree(run);
        spec.tree = grove_tree(&run->grove, run->rig.store, tree);
    }
    model_fork_title(run->model, session, title);
    if (wished) {
        spec.title = &wish;
        snprintf(title, sizeof(title), "%s", wish.p);
    }
    doing(run, "fork %s%s, tree %d", point_words(run, &spec.point).p, spec.dry_run ? ", dry" : "",
          tree);
    code = engine_fork(run->rig.engine, &spec, &run->arena, &result, &fault);
    if (wanted != FAULT_OK && point.either != FAULT_OK && code == point.either)
        return session;
    run_expect(run, session, "fork", code, wanted, &fault);
    if (code != FAULT_OK)
        return session;
    compare_point(run, session, "the point of the fork", &result.point, &point);
    compare_excluded(run, session, &point, result.has_excluded, &result.excluded);
    compare_text(run, session, "the title of the fork", result.session.title, title);
    compare_number(run, session, "messages of the fork", result.session.messages,
                   model_visible_count(run->model, &session->places[point.place].path));
    compare_tree(run, session, "the files of the fork", result.session.tree, tree);
    compare_tree(run, session, "the files where the fork begins", result.session.base_tree,
                 session->places[point.place].tree);
    if (spec.dry_run) {
        compare_text(run, session, "the id of a dry fork", result.session.id, "");
        return session;
    }
    expect_drawn(run, session, result.session.id);
    fork = model_fork(run->model, session,
                      &(struct model_fork){
                          .place = point.place,
                          .id = arena_dup(&run->arena, result.session.id).p,
                          .title = title,
                          .message = point.anchor < 0 ? "" : run->model->acts[point.anchor]->id,
                          .side = point.side,
                          .s = result.session.s,
                          .at_us = run->rig.now_us,
                      });
    accept_files(run, fork, tree, result.session.head);
    return fork;
}

/* A copy of an entry of another session, as it is taken over. */
static struct model_act adopted(const struct model *model, int number)
{
    const struct model_act *from = model->acts[number];
    struct model_act act = *from;

    act.adopted = true;
    act.foreign = false; /* here the adopt did it */
    act.client_id = false;
    act.has_usage = false;
    act.usage = (struct usage){0};
    act.ref = from->kind == ENTRY_SUBSESSION ? from->ref : number;
    act.flat = model_list_copy(&from->flat, from->flat.count);
    act.path = model_list_copy(&from->path, from->path.count);
    act.had = model_list_copy(&from->had, from->had.count);
    if (from->erased) { /* there is nothing left to copy */
        act.erased = false;
        snprintf(act.body, sizeof(act.body), "{}");
    }
    return act;
}

static void accept_adoption(struct play *run, struct model_session *session,
                            const struct model_session *from, int common, const struct plan *plan,
                            const struct move_result *result)
{
    struct model_move how = {.act = MOVE_ADOPT,
                             .scope = plan->scope,
                             .place = plan->place,
                             .id = arena_dup(&run->arena, result->id).p};
    struct log_spec log = {.owner = run->rig.owner, .session = str_of(session->id)};
    struct gathered copies = {.arena = &run->arena};
    struct model_list path = {0};
    struct fault fault;
    int move;

    for (int i = common; plan->scope != SCOPE_FILES && i < model_head(from)->path.count; i++)
        model_list_add(&path, model_head(from)->path.items[i]);
    move = model_move(run->model, session, &how, run->rig.now_us);
    log.after = model_act_address(run->model, move);
    run_expect(run, session, "what was adopted",
               store_raw_log(run->rig.store, &log, gather_entry, &copies, &fault), FAULT_OK,
               &fault);
    assert_true(copies.count >= (size_t)path.count);
    for (int i = 0; i < path.count; i++) {
        struct model_act act = adopted(run->model, path.items[i]);

        expect_drawn(run, session, copies.entries[i].id);
        snprintf(act.id, sizeof(act.id), "%.*s", STR_ARG(copies.entries[i].id));
        model_append(run->model, session, &act, run->rig.now_us);
    }
    accept_files(run, session, plan->tree, result->to);
    compare_text(run, session, "where the adoption leads", result->to,
                 arena_dup(&run->arena, head_id(run, session)).p);
    model_list_clear(&path);
}

/* A session, mostly of the same family. */
static struct model_session *random_relative(struct play *run, const struct model_session *session)
{
    struct model_session *from = random_session(run, true);

    for (int i = 0; i < 5 && from->family != session->family; i++)
        from = random_session(run, true);
    return from;
}

static enum fault_code adopt_wanted(const struct play *run, const struct model_session *session,
                                    const struct model_session *from, int added,
                                    const struct plan *plan, bool dry_run)
{
    const struct model_list *other = &model_head(from)->path;

    if (from->family != session->family)
        return FAULT_NOT_FAMILY;
    if (plan->scope == SCOPE_FILES)
        return !dry_run && model_tree_same(plan->tree, model_head(session)->tree)
                   ? FAULT_NOTHING_TO_ADOPT
                   : FAULT_OK;
    if (added == 0)
        return FAULT_NOTHING_TO_ADOPT;
    return model_open_calls(run->model, other, other->count) > 0 ? FAULT_TOOL_CALL_OPEN : FAULT_OK;
}

struct model_session *play_adopt(struct play *run, struct model_session *session)
{
    struct model_session *from = random_relative(run, session);
    struct adopt_spec spec = {.owner = run->rig.owner,
                              .session = str_of(session->id),
                              .from = str_of(from->id),
                              .scope = (enum move_scope)chance_below(&run->chance, 3),
                              .dry_run = chance_of(&run->chance, 8)};
    const struct model_list *path = &model_head(session)->path, *other = &model_head(from)->path;
    int common = model_parting(session, from), added = other->count - common, target;
    int goal = common ? model_raw_index(session, path->items[common - 1]) + 1 : 0;
    struct plan plan = plan_of(run, session, MOVE_ADOPT, spec.scope, goal);
    struct move_result result;
    enum fault_code code;
    struct fault fault;

    if (session->raw.count + added + 2 > ACTS_MAX)
        return NULL;
    if (spec.scope != SCOPE_CONVERSATION)
        plan.tree = model_head(from)->tree;
    target = plan.tree;
    if (!spec.dry_run)
        give_files(run, session, &spec.files, &plan);
    doing(run, "adopt %s from session %d%s, tree %d", scope_words[spec.scope], from->number,
          spec.dry_run ? ", dry" : "", plan.tree);
    code = engine_adopt(run->rig.engine, &spec, &run->arena, &result, &fault);
    run_expect(run, session, "adopt", code,
               adopt_wanted(run, session, from, added, &plan, spec.dry_run), &fault);
    if (code != FAULT_OK)
        return session;
    compare_move(run, session, &result, path, &session->places[plan.place].path);
    compare_files(run, session, &result, &plan, target);
    compare_number(run, session, "entries to adopt", result.added,
                   spec.scope == SCOPE_FILES ? 0 : added);
    if (!spec.dry_run)
        accept_adoption(run, session, from, common, &plan, &result);
    return session;
}

/* ---- merging ---- */

static int tree_after(const struct play *run, const struct model_list *path, int count)
{
    return count ? run->model->acts[path->items[count - 1]]->tree : MODEL_TREELESS;
}

static void accept_merge(struct play *run, struct model_session *session, struct made_up *made,
                         const struct merge_result *result)
{
    struct model_move move = {
        .act = MOVE_MERGE, .place = session->raw.count, .id = arena_dup(&run->arena, result->id).p};

    expect_drawn(run, session, result->id);
    model_move(run->model, session, &move, run->rig.now_us);
    accept_entry(run, session, made, &result->entry);
}

struct model_session *play_merge(struct play *run, struct model_session *session)
{
    struct model_session *from = random_relative(run, session);
    const struct model_list *theirs = &model_head(from)->path;
    int common = model_merge_base(run->model, session, from);
    int base_tree = tree_after(run, theirs, common), their_tree = model_head(from)->tree;
    struct made_up made = {.act = model_blank(ENTRY_MESSAGE, ROLE_SYSTEM)};
    struct address from_at = model_address(run->model, from, from->raw.count);
    struct merge_spec spec = {.owner = run->rig.owner,
                              .session = str_of(session->id),
                              .from = str_of(from->id),
                              .from_at = &from_at,
                              .dry_run = chance_of(&run->chance, 10)};
    enum fault_code wanted = FAULT_OK, code;
    struct merge_result result;
    struct entry_spec entry;
    struct fault fault;

    if (session->raw.count + 2 > ACTS_MAX)
        return NULL;
    if (from->family != session->family)
        wanted = FAULT_NOT_FAMILY;
    else if (model_tree_same(base_tree, their_tree))
        wanted = FAULT_NOTHING_TO_MERGE;
    made.act.brings = random_tree(run);
    made.act.merged = true;
    made.act.ref = made.act.merged_from = last_of(theirs);
    snprintf(made.act.body, sizeof(made.act.body), "{\"text\":\"words w%dx end\"}", run->names++);
    entry = spec_of(run, &made);
    if (!spec.dry_run) {
        spec.entry = &entry;
        spec.files.tree = grove_tree(&run->grove, run->rig.store, made.act.brings);
    }
    doing(run, "merge session %d%s, tree %d", from->number, spec.dry_run ? ", dry" : "",
          made.act.brings);
    code = engine_merge(run->rig.engine, &spec, &run->arena, &result, &fault);
    run_expect(run, session, "merge", code, wanted, &fault);
    if (code != FAULT_OK)
        return session;
    compare_address(run, session, "the base of the merge", result.base,
                    model_act_address(run->model, common ? theirs->items[common - 1] : -1));
    compare_tree(run, session, "the base's files", result.base_tree, base_tree);
    compare_tree(run, session, "our files", result.our_tree, model_head(session)->tree);
    compare_tree(run, session, "their files", result.their_tree, their_tree);
    compare_address(run, session, "our head", result.head_at,
                    model_address(run->model, session, session->raw.count));
    compare_address(run, session, "their head", result.from_at, from_at);
    if (!spec.dry_run)
        accept_merge(run, session, &made, &result);
    return session;
}

/* ---- moves that are told before they are made ---- */

static int64_t begin(struct play *run, struct model_session *session, int tree)
{
    struct intent_spec spec = {
        .owner = run->rig.owner,
        .session = str_of(session->id),
        .at = model_address(run->model, session, session->raw.count),
        .from = grove_tree(&run->grove, run->rig.store, tree),
        .dir = STR("/somewhere"),
        .body = STR("{}"),
        .left_out = chance_of(&run->chance, 20),
        .at_us = run->rig.now_us,
    };
    struct model_act act = model_blank(ENTRY_FILES, ROLE_NONE);
    struct address head;
    struct fault fault;
    int64_t intent = 0;

    memcpy(spec.to, run->grove.trees[random_tree(run)], HASH_BYTES);
    for (size_t i = 0; i < ID_BYTES; i++)
        spec.drawn.b[i] = (unsigned char)chance_below(&run->chance, 256);
    run_expect(run, session, "an intent",
               store_intent_begin(run->rig.store, &spec, &intent, &head, &fault), FAULT_OK, &fault);
    if (!model_tree_same(tree, model_head(session)->tree)) {
        id_format(&spec.drawn, act.id);
        snprintf(act.body, sizeof(act.body), "{}");
        act.brings = tree;
        act.foreign = true;
        act.left_out = spec.left_out;
        model_append(run->model, session, &act, run->rig.now_us);
    }
    compare_address(run, session, "the head after an intent", head,
                    model_address(run->model, session, session->raw.count));
    return intent;
}

/* Somebody changed the files, then a move of them is told, and made or not. */
struct model_session *play_intent(struct play *run, struct model_session *session)
{
    struct move_spec spec = {.owner = run->rig.owner,
                             .session = str_of(session->id),
                             .scope = (enum move_scope)chance_below(&run->chance, 3),
                             .point = {.by = POINT_START}};
    struct move_spec other = spec;
    struct move_result result;
    struct fault fault;
    int64_t intent;

    if (session->raw.count + 3 > ACTS_MAX)
        return NULL;
    doing(run, "an intent");
    intent = begin(run, session, random_tree(run));
    run_expect(run, session, "another move meanwhile",
               engine_rewind(run->rig.engine, &other, &run->arena, &result, &fault),
               FAULT_WORKSPACE_BUSY, &fault);
    spec.point = random_point(run, session);
    spec.files.intent = intent;
    if (chance_of(&run->chance, 30) || rewind_to(run, session, &spec, false) != FAULT_OK)
        run_expect(run, session, "an intent taken back",
                   store_intent_drop(run->rig.store, intent, &fault), FAULT_OK, &fault);
    return session;
}
