/* Files: every act has them; moves, merges and forks bring others; intents keep others away. */
#include "contract.h"

#include "store/limits.h"
#include "support/grove.h"

/* A talk about files: five trees, and words for what is said most often. */
struct work {
    struct talk *t;
    struct grove grove;
    struct str session;
};

static struct work working(struct talk *t)
{
    struct work w = {.t = t, .session = talk_create(t, "T")};

    grove_plant(&w.grove, t->rig.store);
    return w;
}

static struct tree_spec tree(const struct work *w, int which)
{
    return grove_tree(&w->grove, w->t->rig.store, which);
}

static struct entry_spec with_tree(const struct work *w, struct entry_spec spec, int which)
{
    spec.tree = (struct str){(const char *)w->grove.trees[which], HASH_BYTES};
    spec.tree_since = tree(w, which).since_us;
    return spec;
}

/* A message that brings a tree; its id. */
static struct str say(const struct work *w, struct str session, const char *text, int which)
{
    return talk_append(w->t, session, with_tree(w, talk_message(w->t, ROLE_ASSISTANT, text), which))
        .id;
}

static int files_of(const struct work *w, struct str session)
{
    return grove_which(&w->grove, talk_session(w->t, session).tree);
}

static struct move_spec moving(const struct work *w, enum move_scope scope, struct point_spec point)
{
    return (struct move_spec){
        .owner = w->t->rig.owner, .session = w->session, .scope = scope, .point = point};
}

static struct move_result rewind_by(const struct work *w, enum move_scope scope,
                                    struct point_spec point)
{
    struct move_spec spec = moving(w, scope, point);
    struct move_result result;

    w->t->rig.now_us += 1000;
    CHECK_OK(engine_rewind(w->t->rig.engine, &spec, &w->t->arena, &result, &w->t->fault),
             &w->t->fault);
    return result;
}

static void refuse_rewind(const struct work *w, struct move_spec spec, enum fault_code code)
{
    struct move_result result;

    CHECK_FAULT(engine_rewind(w->t->rig.engine, &spec, &w->t->arena, &result, &w->t->fault), code,
                &w->t->fault);
}

struct changes {
    struct files_act acts[32];
    size_t count;
};

static enum fault_code gather_change(void *context, const struct files_act *act,
                                     struct fault *fault)
{
    struct changes *changes = context;

    (void)fault;
    assert_true(changes->count < 32);
    changes->acts[changes->count++] = *act;
    return FAULT_OK;
}

static struct changes changes_after(const struct work *w, struct str session, struct address after)
{
    struct changes changes = {.count = 0};

    CHECK_OK(store_files_acts(w->t->rig.store, w->t->rig.owner, session, after, gather_change,
                              &changes, &w->t->fault),
             &w->t->fault);
    return changes;
}

/* ---- entries and sessions ---- */

static void every_entry_has_its_files(struct talk *t)
{
    struct work w = working(t);
    struct str none = talk_say(t, w.session, ROLE_USER, "none"), one = say(&w, w.session, "one", 1);
    struct point_spec point = after_message(one);
    struct gathered all;
    unsigned char hash[HASH_BYTES];
    struct address at;

    talk_say(t, w.session, ROLE_USER, "still one");
    say(&w, w.session, "two", 2);
    all = talk_history(t, w.session, true);
    assert_int_equal(all.count, 4);
    assert_false(all.entries[0].has_tree);
    assert_true(all.entries[1].own_tree && all.entries[2].has_tree && !all.entries[2].own_tree);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(grove_which(&w.grove, all.entries[i].tree), i < 3 ? 1 : 2);
    assert_int_equal(files_of(&w, w.session), 2);
    CHECK_OK(store_tree_at(t->rig.store, t->rig.owner, w.session, &point, &at, hash, &t->fault),
             &t->fault);
    assert_int_equal(grove_which(&w.grove, hash), 1);
    assert_int_equal(at.n, 2);
    point = after_message(none);
    CHECK_OK(store_tree_at(t->rig.store, t->rig.owner, w.session, &point, &at, hash, &t->fault),
             &t->fault);
    assert_int_equal(grove_which(&w.grove, hash), 0);
}

static void flags_of_files_are_kept(struct talk *t)
{
    struct work w = working(t);
    struct entry_spec spec = {.kind = ENTRY_FILES, .flags = ENTRY_FOREIGN | ENTRY_LEFT_OUT};
    struct append_spec append = {.owner = t->rig.owner, .session = w.session};
    struct append_result result;
    struct entry entry = talk_append(t, w.session, with_tree(&w, spec, 1));

    assert_int_equal(entry.flags, ENTRY_FOREIGN | ENTRY_LEFT_OUT);
    assert_int_equal(talk_raw(t, w.session).entries[0].flags, ENTRY_FOREIGN | ENTRY_LEFT_OUT);
    spec = with_tree(&w, talk_message(t, ROLE_USER, "x"), 1);
    spec.flags = ENTRY_FOREIGN;
    CHECK_FAULT(engine_append(t->rig.engine, &append, &spec, 1, &t->arena, &result, &t->fault),
                FAULT_INVALID, &t->fault);
}

static void a_tree_must_be_there(struct talk *t)
{
    struct work w = working(t);
    struct append_spec append = {.owner = t->rig.owner, .session = w.session};
    struct fork_spec fork = {.owner = t->rig.owner, .session = w.session, .tree = tree(&w, 1)};
    struct entry_spec spec = with_tree(&w, talk_message(t, ROLE_USER, "x"), 1);
    unsigned char unknown[HASH_BYTES] = {1};
    struct append_result result;
    struct fork_result forked;

    spec.tree_since++;
    CHECK_FAULT(engine_append(t->rig.engine, &append, &spec, 1, &t->arena, &result, &t->fault),
                FAULT_TREE_STALE, &t->fault);
    spec.tree_since--;
    spec.tree = (struct str){(const char *)unknown, HASH_BYTES};
    CHECK_FAULT(engine_append(t->rig.engine, &append, &spec, 1, &t->arena, &result, &t->fault),
                FAULT_NOT_FOUND, &t->fault);
    fork.tree.since_us++;
    CHECK_FAULT(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), FAULT_TREE_STALE,
                &t->fault);
    assert_int_equal(talk_raw(t, w.session).count, 0);
    assert_int_equal(talk_counts(t).sessions, 1);
}

static void acts_that_change_files_are_known(struct talk *t)
{
    struct work w = working(t);
    struct entry_spec spec = {.kind = ENTRY_FILES, .flags = ENTRY_FOREIGN};
    struct str one = say(&w, w.session, "one", 1), fork;
    struct changes changes;

    talk_say(t, w.session, ROLE_USER, "as it is");
    say(&w, w.session, "one again", 1);
    talk_append(t, w.session, with_tree(&w, spec, 2));
    rewind_by(&w, SCOPE_BOTH, after_message(one));
    changes = changes_after(&w, w.session, ADDRESS_START);
    assert_int_equal(changes.count, 3);
    assert_int_equal(changes.acts[0].at.n, 1);
    assert_int_equal(changes.acts[1].at.n, 4);
    assert_int_equal(changes.acts[2].at.n, 5);
    assert_true(!changes.acts[0].foreign && changes.acts[1].foreign && !changes.acts[2].foreign);
    assert_int_equal(grove_which(&w.grove, changes.acts[0].before), 0);
    assert_int_equal(grove_which(&w.grove, changes.acts[1].before), 1);
    assert_int_equal(grove_which(&w.grove, changes.acts[2].after), 1);
    assert_int_equal(changes_after(&w, w.session, changes.acts[0].at).count, 2);
    /* a fork's own begin with its first act, against its base */
    fork = talk_fork(t, w.session, at_end()).session.id;
    say(&w, fork, "one", 1);
    assert_int_equal(changes_after(&w, fork, ADDRESS_START).count, 0);
    say(&w, fork, "none", 0);
    assert_int_equal(changes_after(&w, fork, ADDRESS_START).count, 1);
}

static void a_session_works_somewhere(struct talk *t)
{
    struct str session = talk_create(t, "T"), bare;
    struct create_spec create = {.owner = t->rig.owner,
                                 .title = STR("bare"),
                                 .agent = STR("test/none"),
                                 .workspace.mode = WORKSPACE_NONE};
    struct workspace_spec spec = {.owner = t->rig.owner,
                                  .session = session,
                                  .workspace = {WORKSPACE_ATTACHED, STR("/home/me/project")}};
    struct gathered journal;
    struct session out;

    assert_int_equal(talk_session(t, session).workspace.mode, WORKSPACE_OWN);
    CHECK_OK(store_workspace_set(t->rig.store, &spec, &t->arena, &out, &t->fault), &t->fault);
    assert_int_equal(out.workspace.mode, WORKSPACE_ATTACHED);
    CHECK_STR(talk_session(t, session).workspace.dir, "/home/me/project");
    journal = talk_journal(t, session);
    assert_int_equal(journal.journal[journal.count - 1].note->act, NOTE_UPDATED);
    out = talk_fork(t, session, at_end()).session;
    assert_int_equal(out.workspace.mode, WORKSPACE_OWN);
    CHECK_STR(out.workspace.dir, "");
    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &out, &t->fault), &t->fault);
    bare = out.id;
    assert_int_equal(talk_fork(t, bare, at_end()).session.workspace.mode, WORKSPACE_NONE);
    spec.workspace.mode = WORKSPACE_OWN;
    CHECK_OK(store_workspace_set(t->rig.store, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.workspace.dir, "");
}

/* ---- moves ---- */

static void a_rewind_has_a_scope(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1);
    struct move_result moved;

    say(&w, w.session, "two", 2);
    moved = rewind_by(&w, SCOPE_CONVERSATION, after_message(one));
    assert_string_equal(talk_texts(t, w.session), "one");
    assert_int_equal(files_of(&w, w.session), 2);
    assert_int_equal(talk_raw(t, w.session).entries[3].kind, ENTRY_FILES);
    assert_true(str_eq(moved.to, talk_raw(t, w.session).entries[3].id));
    assert_int_equal(moved.dropped, 1);
    talk_undo(t, w.session);
    assert_string_equal(talk_texts(t, w.session), "one two");
    assert_int_equal(files_of(&w, w.session), 2);
    moved = rewind_by(&w, SCOPE_FILES, after_message(one));
    assert_string_equal(talk_texts(t, w.session), "one two");
    assert_int_equal(files_of(&w, w.session), 1);
    assert_int_equal(moved.dropped, 0);
    assert_int_equal(moved.kept, 2);
    assert_int_equal(grove_which(&w.grove, moved.tree_before), 2);
    assert_int_equal(grove_which(&w.grove, moved.tree_target), 1);
    moved = rewind_by(&w, SCOPE_BOTH, after_message(one));
    assert_int_equal(files_of(&w, w.session), 1);
    assert_string_equal(talk_texts(t, w.session), "one");
}

static void undo_has_the_scope_of_what_it_takes_back(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1);
    struct move_result moved;

    say(&w, w.session, "two", 2);
    rewind_by(&w, SCOPE_FILES, after_message(one));
    say(&w, w.session, "three", 3);
    moved = talk_undo(t, w.session); /* brings the files from before it, leaves what was said */
    assert_int_equal(moved.scope, SCOPE_FILES);
    assert_string_equal(talk_texts(t, w.session), "one two three");
    assert_int_equal(files_of(&w, w.session), 2);
    moved = talk_redo(t, w.session);
    assert_int_equal(moved.scope, SCOPE_FILES);
    assert_string_equal(talk_texts(t, w.session), "one two three");
    assert_int_equal(files_of(&w, w.session), 3);
    rewind_by(&w, SCOPE_CONVERSATION, after_message(one));
    moved = talk_undo(t, w.session);
    assert_int_equal(moved.scope, SCOPE_CONVERSATION);
    assert_string_equal(talk_texts(t, w.session), "one two three");
    assert_int_equal(files_of(&w, w.session), 3);
}

static void files_can_go_back_to_none(struct talk *t)
{
    struct work w = working(t);
    struct str none = talk_say(t, w.session, ROLE_USER, "none");

    say(&w, w.session, "one", 1);
    rewind_by(&w, SCOPE_FILES, after_message(none));
    assert_int_equal(files_of(&w, w.session), 0);
    assert_string_equal(talk_texts(t, w.session), "none one");
    talk_undo(t, w.session);
    assert_int_equal(files_of(&w, w.session), 1);
}

static void a_rewind_that_changes_nothing_is_refused(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1);
    struct move_spec spec = moving(&w, SCOPE_FILES, after_message(one));
    struct move_result result;

    refuse_rewind(&w, spec, FAULT_POINT_IS_HEAD);
    spec.files.tree = tree(&w, 1);
    refuse_rewind(&w, spec, FAULT_POINT_IS_HEAD);
    spec.scope = SCOPE_BOTH;
    refuse_rewind(&w, spec, FAULT_POINT_IS_HEAD);
    spec.files.tree = tree(&w, 2);
    spec.scope = SCOPE_CONVERSATION;
    refuse_rewind(&w, spec, FAULT_POINT_IS_HEAD);
    /* a dry run of files alone is a look: what is in the directory is not known yet */
    spec = moving(&w, SCOPE_FILES, after_message(one));
    spec.dry_run = true;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    spec.scope = SCOPE_BOTH;
    refuse_rewind(&w, spec, FAULT_POINT_IS_HEAD);
    /* with other files it is something */
    spec.dry_run = false;
    spec.files.tree = tree(&w, 2);
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    assert_int_equal(files_of(&w, w.session), 2);
    assert_string_equal(talk_texts(t, w.session), "one");
}

static void a_look_tells_what_a_move_would_meet(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1), fork;
    struct move_spec spec = moving(&w, SCOPE_BOTH, after_message(one));
    struct move_result look;

    say(&w, w.session, "two", 2);
    spec.dry_run = true;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &look, &t->fault), &t->fault);
    assert_int_equal(look.head_at.n, 2);
    assert_int_equal(look.foreign_from.n, 1);
    assert_int_equal(grove_which(&w.grove, look.tree_before), 2);
    assert_int_equal(grove_which(&w.grove, look.tree_target), 1);
    /* what a fork inherited was nobody's doing in it */
    fork = talk_fork(t, w.session, at_end()).session.id;
    say(&w, fork, "three", 3);
    spec.session = fork;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &look, &t->fault), &t->fault);
    assert_int_equal(look.foreign_from.s, talk_session(t, fork).s);
    assert_int_equal(look.foreign_from.n, 0);
    /* and the move insists on the head that was seen */
    spec.dry_run = false;
    spec.files.at = &(struct address){look.head_at.s, look.head_at.n};
    say(&w, fork, "four", 4);
    refuse_rewind(&w, spec, FAULT_HEAD_MOVED);
}

static void a_fork_may_begin_with_other_files(struct talk *t)
{
    struct work w = working(t);
    struct fork_spec spec = {.owner = t->rig.owner, .session = w.session};
    struct fork_result forked;
    struct gathered raw;

    say(&w, w.session, "one", 1);
    spec.tree = tree(&w, 2);
    spec.dry_run = true;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &forked, &t->fault), &t->fault);
    assert_int_equal(grove_which(&w.grove, forked.session.tree), 2);
    assert_int_equal(grove_which(&w.grove, forked.session.base_tree), 1);
    spec.dry_run = false;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &forked, &t->fault), &t->fault);
    assert_int_equal(grove_which(&w.grove, forked.session.tree), 2);
    assert_int_equal(grove_which(&w.grove, forked.session.base_tree), 1);
    raw = talk_raw(t, forked.session.id);
    assert_int_equal(raw.count, 2);
    assert_int_equal(raw.entries[1].kind, ENTRY_FILES);
    assert_int_equal(changes_after(&w, forked.session.id, ADDRESS_START).count, 1);
    spec.tree = tree(&w, 1);
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &forked, &t->fault), &t->fault);
    assert_int_equal(talk_raw(t, forked.session.id).count, 1);
    spec.tree = tree(&w, 0);
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &forked, &t->fault), &t->fault);
    assert_int_equal(files_of(&w, forked.session.id), 0);
    assert_int_equal(files_of(&w, w.session), 1);
}

static void adopt_has_a_scope(struct talk *t)
{
    struct work w = working(t);
    struct adopt_spec spec = {.owner = t->rig.owner, .session = w.session};
    struct move_result moved;

    say(&w, w.session, "one", 1);
    spec.from = talk_fork(t, w.session, at_end()).session.id;
    say(&w, spec.from, "two", 2);
    say(&w, w.session, "three", 3);
    spec.scope = SCOPE_FILES;
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, w.session), "one three");
    assert_int_equal(files_of(&w, w.session), 2);
    assert_int_equal(moved.foreign_from.n, 1);
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_NOTHING_TO_ADOPT, &t->fault);
    talk_undo(t, w.session);
    assert_int_equal(files_of(&w, w.session), 3);
    spec.scope = SCOPE_CONVERSATION;
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, w.session), "one two");
    assert_int_equal(files_of(&w, w.session), 3);
    talk_undo(t, w.session);
    assert_string_equal(talk_texts(t, w.session), "one three");
    spec.scope = SCOPE_BOTH;
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, w.session), "one two");
    assert_int_equal(files_of(&w, w.session), 2);
}

/* ---- merging ---- */

/* Brings the files of `from` into the session, which come to `which`. */
static enum fault_code merge(const struct work *w, struct str session, struct str from, int which,
                             struct merge_result *out)
{
    struct entry_spec entry = talk_message(w->t, ROLE_SYSTEM, "merged");
    struct merge_spec spec = {.owner = w->t->rig.owner,
                              .session = session,
                              .from = from,
                              .entry = &entry,
                              .files.tree = tree(w, which)};

    w->t->rig.now_us += 1000;
    return engine_merge(w->t->rig.engine, &spec, &w->t->arena, out, &w->t->fault);
}

static void a_merge_brings_files_and_a_message(struct talk *t)
{
    struct work w = working(t);
    struct merge_result merged;
    struct gathered raw;
    struct str from;

    say(&w, w.session, "one", 1);
    from = talk_fork(t, w.session, at_end()).session.id;
    CHECK_FAULT(merge(&w, w.session, from, 4, &merged), FAULT_NOTHING_TO_MERGE, &t->fault);
    CHECK_FAULT(merge(&w, w.session, w.session, 4, &merged), FAULT_NOTHING_TO_MERGE, &t->fault);
    CHECK_FAULT(merge(&w, w.session, talk_create(t, "U"), 4, &merged), FAULT_NOT_FAMILY, &t->fault);
    say(&w, from, "two", 2);
    say(&w, w.session, "three", 3);
    CHECK_OK(merge(&w, w.session, from, 4, &merged), &t->fault);
    assert_int_equal(grove_which(&w.grove, merged.base_tree), 1);
    assert_int_equal(grove_which(&w.grove, merged.our_tree), 3);
    assert_int_equal(grove_which(&w.grove, merged.their_tree), 2);
    assert_int_equal(merged.entry.role, ROLE_SYSTEM);
    assert_int_equal(merged.entry.flags, ENTRY_MERGED);
    assert_true(str_eq(merged.entry.ref_session, from));
    assert_true(address_eq(merged.entry.ref, merged.from_at));
    assert_int_equal(files_of(&w, w.session), 4);
    raw = talk_raw(t, w.session);
    assert_int_equal(raw.entries[2].move, MOVE_MERGE);
    assert_string_equal(talk_texts(t, w.session), "one three");
    assert_string_equal(talk_texts(t, from), "one two");
    talk_undo(t, w.session);
    assert_int_equal(files_of(&w, w.session), 3);
}

static void a_second_merge_goes_on_from_the_first(struct talk *t)
{
    struct work w = working(t);
    struct merge_result merged;
    struct str from;

    say(&w, w.session, "one", 1);
    from = talk_fork(t, w.session, at_end()).session.id;
    say(&w, from, "two", 2);
    CHECK_OK(merge(&w, w.session, from, 2, &merged), &t->fault);
    CHECK_FAULT(merge(&w, w.session, from, 2, &merged), FAULT_NOTHING_TO_MERGE, &t->fault);
    say(&w, from, "three", 3);
    CHECK_OK(merge(&w, w.session, from, 3, &merged), &t->fault);
    assert_int_equal(grove_which(&w.grove, merged.base_tree), 2);
    /* what was taken back does not count */
    talk_undo(t, w.session);
    talk_undo(t, w.session);
    CHECK_OK(merge(&w, w.session, from, 3, &merged), &t->fault);
    assert_int_equal(grove_which(&w.grove, merged.base_tree), 1);
}

static void a_merge_is_inherited_and_adopted(struct talk *t)
{
    struct work w = working(t);
    struct adopt_spec adopt = {.owner = t->rig.owner, .session = w.session};
    struct merge_result merged;
    struct move_result moved;
    struct str from, other;

    say(&w, w.session, "one", 1);
    from = talk_fork(t, w.session, at_end()).session.id;
    other = talk_fork(t, w.session, at_end()).session.id;
    say(&w, from, "two", 2);
    CHECK_OK(merge(&w, other, from, 2, &merged), &t->fault);
    CHECK_FAULT(merge(&w, talk_fork(t, other, at_end()).session.id, from, 2, &merged),
                FAULT_NOTHING_TO_MERGE, &t->fault);
    adopt.from = other;
    CHECK_OK(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_FAULT(merge(&w, w.session, from, 2, &merged), FAULT_NOTHING_TO_MERGE, &t->fault);
}

static void a_merge_insists_on_what_was_seen(struct talk *t)
{
    struct work w = working(t);
    struct entry_spec entry = talk_message(t, ROLE_SYSTEM, "merged");
    struct merge_spec spec = {.owner = t->rig.owner, .session = w.session, .dry_run = true};
    struct merge_result look, merged;
    struct session session;

    say(&w, w.session, "one", 1);
    spec.from = talk_fork(t, w.session, at_end()).session.id;
    say(&w, spec.from, "two", 2);
    CHECK_OK(engine_merge(t->rig.engine, &spec, &t->arena, &look, &t->fault), &t->fault);
    session = talk_session(t, w.session);
    assert_int_equal(session.head_at.n, 1);
    spec.dry_run = false;
    spec.entry = &entry;
    spec.files.tree = tree(&w, 2);
    spec.files.at = &look.head_at;
    spec.from_at = &look.from_at;
    say(&w, spec.from, "three", 3);
    CHECK_FAULT(engine_merge(t->rig.engine, &spec, &t->arena, &merged, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.from_at = NULL;
    say(&w, w.session, "four", 4);
    CHECK_FAULT(engine_merge(t->rig.engine, &spec, &t->arena, &merged, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.files.at = NULL;
    CHECK_OK(engine_merge(t->rig.engine, &spec, &t->arena, &merged, &t->fault), &t->fault);
}

/* ---- intents ---- */

static struct intent_spec intending(const struct work *w, int from, int to)
{
    struct intent_spec spec = {
        .owner = w->t->rig.owner,
        .session = w->session,
        .at = talk_session(w->t, w->session).head_at,
        .from = tree(w, from),
        .dir = STR("/home/me/project"),
        .dev = 7,
        .ino = 8,
        .body = STR("{\"how\":1}"),
        .drawn.b = {(unsigned char)talk_raw(w->t, w->session).count, 1},
        .at_us = w->t->rig.now_us,
    };

    memcpy(spec.to, w->grove.trees[to], HASH_BYTES);
    return spec;
}

static int64_t begin(const struct work *w, int from, int to)
{
    struct intent_spec spec = intending(w, from, to);
    struct address head;
    int64_t intent;

    CHECK_OK(store_intent_begin(w->t->rig.store, &spec, &intent, &head, &w->t->fault),
             &w->t->fault);
    assert_true(address_eq(head, talk_session(w->t, w->session).head_at));
    return intent;
}

struct intents {
    struct talk *t;
    struct intent last;
    int count;
};

static enum fault_code gather_intent(void *context, const struct intent *intent,
                                     struct fault *fault)
{
    struct intents *intents = context;

    (void)fault;
    intents->last = *intent;
    intents->last.session = arena_dup(&intents->t->arena, intent->session);
    intents->last.dir = arena_dup(&intents->t->arena, intent->dir);
    intents->last.body = arena_dup(&intents->t->arena, intent->body);
    intents->count++;
    return FAULT_OK;
}

static struct intents all_intents(struct talk *t)
{
    struct intents intents = {.t = t};

    CHECK_OK(store_intents(t->rig.store, gather_intent, &intents, &t->fault), &t->fault);
    return intents;
}

static void an_intent_is_kept_until_it_is_done(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1);
    struct move_spec spec = moving(&w, SCOPE_BOTH, after_message(one));
    struct move_result moved;
    struct intents intents;
    struct gathered raw;

    say(&w, w.session, "two", 2);
    /* tree 3 is nobody's of this session: it becomes an entry before anything happens to it */
    spec.files.intent = begin(&w, 3, 1);
    raw = talk_raw(t, w.session);
    assert_int_equal(raw.count, 3);
    assert_int_equal(raw.entries[2].kind, ENTRY_FILES);
    assert_int_equal(raw.entries[2].flags, ENTRY_FOREIGN);
    assert_int_equal(grove_which(&w.grove, raw.entries[2].tree), 3);
    intents = all_intents(t);
    assert_int_equal(intents.count, 1);
    assert_int_equal(intents.last.i, spec.files.intent);
    assert_true(str_eq(intents.last.session, w.session));
    assert_int_equal(intents.last.owner, t->rig.owner);
    CHECK_STR(intents.last.dir, "/home/me/project");
    CHECK_STR(intents.last.body, "{\"how\":1}");
    assert_int_equal(intents.last.dev, 7);
    assert_int_equal(intents.last.ino, 8);
    assert_int_equal(grove_which(&w.grove, intents.last.from), 3);
    assert_int_equal(grove_which(&w.grove, intents.last.to), 1);
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_int_equal(all_intents(t).count, 0);
    /* undo brings back what was found, too */
    talk_undo(t, w.session);
    assert_int_equal(files_of(&w, w.session), 3);
    refuse_rewind(&w, spec, FAULT_NOT_FOUND);
}

static void an_intent_has_conditions(struct talk *t)
{
    struct work w = working(t);
    struct intent_spec spec;
    struct address head;
    int64_t intent;

    say(&w, w.session, "one", 1);
    spec = intending(&w, 1, 2);
    say(&w, w.session, "two", 2);
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault),
                FAULT_HEAD_MOVED, &t->fault);
    spec = intending(&w, 3, 2);
    spec.from.since_us++;
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault),
                FAULT_TREE_STALE, &t->fault);
    spec.from.since_us--;
    memset(spec.to, 1, HASH_BYTES);
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault), FAULT_NOT_FOUND,
                &t->fault);
    spec.body.n = LIMIT_INTENT_BYTES + 1;
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault), FAULT_TOO_LARGE,
                &t->fault);
    begin(&w, 2, 1);
    assert_int_equal(talk_raw(t, w.session).count, 2); /* the head has tree 2 already */
    spec = intending(&w, 2, 1);
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault),
                FAULT_WORKSPACE_BUSY, &t->fault);
}

/* An append that begins a turn, or brings a tree. */
static enum fault_code append(const struct work *w, enum run_act act, struct entry_spec entry)
{
    struct append_spec spec = {.owner = w->t->rig.owner,
                               .session = w->session,
                               .run = {.act = act, .turn = STR("t1"), .state = RUN_RUNNING}};
    struct append_result result;

    return engine_append(w->t->rig.engine, &spec, &entry, 1, &w->t->arena, &result, &w->t->fault);
}

static void an_intent_keeps_others_away(struct talk *t)
{
    struct work w = working(t);
    struct str one = say(&w, w.session, "one", 1),
               fork = talk_fork(t, w.session, at_end()).session.id;
    struct adopt_spec adopt = {.owner = t->rig.owner, .session = w.session, .from = fork};
    struct workspace_spec place = {.owner = t->rig.owner, .session = w.session};
    struct move_spec spec = moving(&w, SCOPE_BOTH, after_message(one));
    struct merge_result merged;
    struct move_result moved;
    struct session session;
    int64_t intent;

    say(&w, fork, "two", 2);
    say(&w, w.session, "three", 3);
    intent = begin(&w, 3, 1);
    refuse_rewind(&w, spec, FAULT_WORKSPACE_BUSY);
    spec.files.intent = intent + 1;
    refuse_rewind(&w, spec, FAULT_WORKSPACE_BUSY);
    CHECK_FAULT(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault),
                FAULT_WORKSPACE_BUSY, &t->fault);
    CHECK_FAULT(merge(&w, w.session, fork, 2, &merged), FAULT_WORKSPACE_BUSY, &t->fault);
    CHECK_FAULT(store_workspace_set(t->rig.store, &place, &t->arena, &session, &t->fault),
                FAULT_WORKSPACE_BUSY, &t->fault);
    CHECK_FAULT(append(&w, RUN_BEGIN, talk_message(t, ROLE_USER, "go")), FAULT_WORKSPACE_BUSY,
                &t->fault);
    CHECK_FAULT(append(&w, RUN_STAY, with_tree(&w, talk_message(t, ROLE_USER, "x"), 1)),
                FAULT_WORKSPACE_BUSY, &t->fault);
    /* what is about words alone goes on, and so does a look */
    talk_say(t, w.session, ROLE_USER, "words");
    talk_fork(t, w.session, at_end());
    spec.dry_run = true;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(store_intent_drop(t->rig.store, intent, &t->fault), &t->fault);
    spec.dry_run = false;
    spec.files.intent = 0;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
}

static void an_intent_waits_for_no_turn(struct talk *t)
{
    struct work w = working(t);
    struct workspace_spec place = {.owner = t->rig.owner, .session = w.session};
    struct intent_spec spec;
    struct session session;
    struct address head;
    int64_t intent;

    CHECK_OK(append(&w, RUN_BEGIN, talk_message(t, ROLE_USER, "go")), &t->fault);
    spec = intending(&w, 1, 2);
    CHECK_FAULT(store_intent_begin(t->rig.store, &spec, &intent, &head, &t->fault),
                FAULT_TURN_RUNNING, &t->fault);
    CHECK_FAULT(store_workspace_set(t->rig.store, &place, &t->arena, &session, &t->fault),
                FAULT_TURN_RUNNING, &t->fault);
}

static void deleting_takes_the_intent_away(struct talk *t)
{
    struct work w = working(t);

    begin(&w, 1, 2);
    talk_delete(t, w.session);
    assert_int_equal(all_intents(t).count, 0);
    assert_int_equal(talk_counts(t).entries, 0);
}

/* ---- going elsewhere ---- */

static void an_export_has_the_files(struct talk *t)
{
    struct work w = working(t);
    struct entry_spec found = {.kind = ENTRY_FILES, .flags = ENTRY_FOREIGN | ENTRY_LEFT_OUT};
    struct str one = say(&w, w.session, "one", 1), from;
    struct gathered items = {.arena = &t->arena}, here, there;
    struct changes changes, again;
    struct merge_result merged;
    struct replay replay = {&items, 0};
    struct work other;
    struct talk u;

    from = talk_fork(t, w.session, at_end()).session.id;
    say(&w, from, "two", 2);
    talk_append(t, w.session, with_tree(&w, found, 3));
    CHECK_OK(merge(&w, w.session, from, 4, &merged), &t->fault);
    rewind_by(&w, SCOPE_FILES, after_message(one));
    talk_undo(t, w.session);
    rewind_by(&w, SCOPE_CONVERSATION, after_message(one));
    talk_undo(t, w.session);
    talk_say(t, w.session, ROLE_USER, "end");
    CHECK_OK(store_export(t->rig.store, t->rig.owner, STR_NONE, gather_item, &items, &t->fault),
             &t->fault);
    talk_open(&u, t->rig.kind, 2);
    other = (struct work){&u, w.grove, w.session};
    CHECK_OK(store_import(u.rig.store, u.rig.owner, replay_item, &replay, &u.fault), &u.fault);
    here = talk_raw(t, w.session);
    there = talk_raw(&u, w.session);
    assert_int_equal(here.count, there.count);
    for (size_t i = 0; i < here.count; i++) {
        assert_int_equal(here.entries[i].flags, there.entries[i].flags);
        assert_int_equal(here.entries[i].scope, there.entries[i].scope);
        assert_int_equal(here.entries[i].move, there.entries[i].move);
        assert_memory_equal(here.entries[i].hash, there.entries[i].hash, HASH_BYTES);
        assert_memory_equal(here.entries[i].tree, there.entries[i].tree, HASH_BYTES);
    }
    changes = changes_after(&w, w.session, ADDRESS_START);
    again = changes_after(&other, w.session, ADDRESS_START);
    assert_int_equal(changes.count, again.count);
    for (size_t i = 0; i < changes.count; i++)
        assert_int_equal(changes.acts[i].foreign, again.acts[i].foreign);
    CHECK_FAULT(merge(&other, w.session, from, 4, &merged), FAULT_NOTHING_TO_MERGE, &u.fault);
    talk_verify(&u);
    talk_close(&u);
}

static void what_was_trimmed_left_no_trace(struct talk *t)
{
    struct work w = working(t);
    struct merge_result merged;
    struct str from;

    say(&w, w.session, "one", 1);
    from = talk_fork(t, w.session, at_end()).session.id;
    say(&w, from, "two", 2);
    CHECK_OK(merge(&w, w.session, from, 4, &merged), &t->fault);
    talk_delete(t, w.session); /* its first act stays under the fork */
    talk_verify(t);
    assert_int_equal(files_of(&w, from), 2);
    talk_delete(t, from);
    assert_int_equal(talk_counts(t).entries, 0);
}

const struct contract_test files_contract[] = {
    CONTRACT(every_entry_has_its_files),
    CONTRACT(flags_of_files_are_kept),
    CONTRACT(a_tree_must_be_there),
    CONTRACT(acts_that_change_files_are_known),
    CONTRACT(a_session_works_somewhere),
    CONTRACT(a_rewind_has_a_scope),
    CONTRACT(undo_has_the_scope_of_what_it_takes_back),
    CONTRACT(files_can_go_back_to_none),
    CONTRACT(a_rewind_that_changes_nothing_is_refused),
    CONTRACT(a_look_tells_what_a_move_would_meet),
    CONTRACT(a_fork_may_begin_with_other_files),
    CONTRACT(adopt_has_a_scope),
    CONTRACT(a_merge_brings_files_and_a_message),
    CONTRACT(a_second_merge_goes_on_from_the_first),
    CONTRACT(a_merge_is_inherited_and_adopted),
    CONTRACT(a_merge_insists_on_what_was_seen),
    CONTRACT(an_intent_is_kept_until_it_is_done),
    CONTRACT(an_intent_has_conditions),
    CONTRACT(an_intent_keeps_others_away),
    CONTRACT(an_intent_waits_for_no_turn),
    CONTRACT(deleting_takes_the_intent_away),
    CONTRACT(an_export_has_the_files),
    CONTRACT(what_was_trimmed_left_no_trace),
    {NULL, NULL},
};
