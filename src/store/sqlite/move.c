/*
 * Rewind, undo and redo: the head goes to another place, and nothing is lost.
 *
 * The goal of a move is the point of a rewind, or where the head was before the act that is taken
 * back. The conversation goes there, or with SCOPE_FILES stays where it is; the files go there, or
 * with SCOPE_CONVERSATION stay as they are.
 */
#include "store/sqlite/verbs.h"

#include "store/limits.h"
#include "store/sqlite/entry_write.h"
#include "store/sqlite/moving.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_row.h"

/* Where a move goes, and what goes there. */
struct aim {
    struct act goal;
    enum move_scope scope;
    const struct act *place; /* the conversation after it: the goal, or the head */
    int64_t tree;            /* the files after it, unless the caller gave others */
};

static enum fault_code rewind_goal(struct db *db, const struct link *link,
                                   const struct move_spec *spec, struct arena *arena,
                                   struct move_result *result, struct act *goal,
                                   struct fault *fault)
{
    if (point_find(db, link, spec->session, &spec->point, arena, &result->point, fault) !=
            FAULT_OK ||
        point_excluded(db, link, &result->point, arena, &result->has_excluded, &result->excluded,
                       fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->scope == SCOPE_FILES) /* no message goes */
        result->has_excluded = false;
    return act_get(db, result->point.at, goal, fault);
}

static enum fault_code aim_find(const struct writer *writer, const struct move_spec *spec,
                                struct arena *arena, struct move_result *result, struct aim *out,
                                struct fault *fault)
{
    struct db *db = writer->db;
    enum fault_code code;

    out->scope = spec->scope;
    code = spec->act == MOVE_REWIND
               ? rewind_goal(db, &writer->link, spec, arena, result, &out->goal, fault)
               : way_back(db, &writer->link, INT64_MAX, spec->act, &out->goal, &out->scope, fault);
    if (code != FAULT_OK)
        return code;
    out->place = out->scope == SCOPE_FILES ? &writer->head : &out->goal;
    out->tree = out->scope == SCOPE_CONVERSATION ? writer->head.facts.tree : out->goal.facts.tree;
    return FAULT_OK;
}

/*
 * A rewind that would change nothing is FAULT_POINT_IS_HEAD: the conversation is there already, or
 * stays, and the files are `tree` already. Where only the files count, a dry run cannot know what
 * is in the directory, and is never refused.
 */
static enum fault_code refuse_nowhere(const struct writer *writer, const struct aim *aim,
                                      int64_t tree, bool dry_run, struct fault *fault)
{
    struct db *db = writer->db;
    bool there = aim->scope == SCOPE_FILES, same = true;
    struct act from, to;

    if (there && dry_run)
        return FAULT_OK;
    if (act_settle(db, &writer->head, &from, fault) != FAULT_OK ||
        act_settle(db, &aim->goal, &to, fault) != FAULT_OK ||
        (aim->scope != SCOPE_CONVERSATION &&
         tree_same(db, tree, from.facts.tree, &same, fault) != FAULT_OK))
        return fault_pass(fault);
    if ((there || address_eq(from.at, to.at)) && same)
        return fault_set(fault, FAULT_POINT_IS_HEAD, "the session is at that point already");
    return FAULT_OK;
}

/* The state that the move does not move, as a delta on top of its target. */
static enum fault_code kept_state(struct db *db, const struct move_spec *spec,
                                  const struct act *head, const struct act *target,
                                  struct arena *arena, struct str *out, struct fault *fault)
{
    struct state now, then, kept;
    struct buf bytes;

    *out = STR_NONE;
    if (spec->keep_count == 0)
        return FAULT_OK;
    if (state_get(db, &head->facts, arena, &now, fault) != FAULT_OK ||
        state_get(db, &target->facts, arena, &then, fault) != FAULT_OK)
        return fault_pass(fault);
    kept = state_keep(&now, &then, spec->keep, spec->keep_count, arena);
    if (kept.count == 0)
        return FAULT_OK;
    buf_init(&bytes, (size_t)2 * LIMIT_STATE_BYTES);
    state_encode(&kept, &bytes);
    *out = buf_take(&bytes, arena);
    return FAULT_OK;
}

/* What comes before the move, so that undo brings it back; only its id can be in the way. */
static enum fault_code refuse_entry(const struct writer *writer, const struct move_spec *spec,
                                    struct fault *fault)
{
    struct address at;

    if (!spec->entry || spec->entry->id.n == 0)
        return FAULT_OK;
    if (entry_named(writer->db, &writer->link, spec->entry->id, &at, fault) != FAULT_OK)
        return fault_pass(fault);
    if (at.s)
        return fault_set(fault, FAULT_ID_TAKEN, "message \"%.*s\" is already in session \"%.*s\"",
                         STR_ARG(spec->entry->id), STR_ARG(spec->session));
    return FAULT_OK;
}

static enum fault_code move_write(struct writer *writer, const struct move_spec *spec,
                                  const struct aim *aim, int64_t tree, struct arena *arena,
                                  struct fault *fault)
{
    struct entry_names names = {0};
    const struct act *place;
    struct entry said;
    struct act head;
    struct move_draft draft = {
        .drawn = spec->drawn,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .at_us = spec->at_us,
        .act = spec->act,
        .scope = aim->scope,
    };

    if (spec->entry &&
        entry_write(writer, spec->entry, &names, spec->session, arena, &said, fault) != FAULT_OK)
        return fault_pass(fault);
    head = writer->head;
    place = aim->place == &writer->head ? &head : aim->place;
    if (kept_state(writer->db, spec, &head, place, arena, &draft.state, fault) != FAULT_OK ||
        writer_move(writer, &draft, place, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    return moving_close(writer, &spec->files, tree, arena, fault);
}

enum fault_code move_run(struct db *db, const struct move_spec *spec, struct arena *arena,
                         struct move_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct moving moving = {.owner = spec->owner,
                            .session = spec->session,
                            .expect_head = spec->expect_head,
                            .files = &spec->files,
                            .dry_run = spec->dry_run};
    struct move_result result = {.id = STR("")};
    struct writer writer;
    struct aim aim;
    int64_t tree = 0;
    bool repeated;

    if (once_find(db, once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (moving_open(&moving, db, arena, &writer, fault) != FAULT_OK ||
        refuse_entry(&writer, spec, fault) != FAULT_OK ||
        aim_find(&writer, spec, arena, &result, &aim, fault) != FAULT_OK ||
        (!spec->dry_run && moving_tree(db, &spec->files, aim.tree, &tree, fault) != FAULT_OK) ||
        (spec->act == MOVE_REWIND && !spec->entry &&
         refuse_nowhere(&writer, &aim, spec->dry_run ? aim.tree : tree, spec->dry_run, fault) !=
             FAULT_OK) ||
        moving_list(db, &writer.head, aim.place, arena, &result, fault) != FAULT_OK ||
        moving_files(&writer, aim.tree, aim.goal.at, &result, fault) != FAULT_OK)
        return fault_pass(fault);
    result.scope = aim.scope;
    if (!spec->dry_run) {
        if (move_write(&writer, spec, &aim, tree, arena, fault) != FAULT_OK)
            return fault_pass(fault);
        result.id = act_id_text((struct str){(const char *)spec->drawn.b, ID_BYTES}, true, arena);
    }
    if (session_get(db, writer.link.s, true, arena, &result.session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!spec->dry_run)
        result.to = result.session.head;
    *out = result;
    return once_keep(db, once, spec->at_us, arena, fault);
}
