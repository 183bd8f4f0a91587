#include "store/sqlite/moving.h"

#include "store/sqlite/intent_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/tree_row.h"

static enum fault_code moved_on(struct str session, struct fault *fault)
{
    return fault_set(fault, FAULT_HEAD_MOVED, "the head of session \"%.*s\" has moved on",
                     STR_ARG(session));
}

enum fault_code moving_open(const struct moving *moving, struct db *db, struct arena *arena,
                            struct writer *out, struct fault *fault)
{
    const struct address *at = moving->files->at;
    struct link link;

    if (link_named(db, moving->owner, moving->session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!moving->dry_run &&
        (run_refuse(db, link.s, moving->session, fault) != FAULT_OK ||
         intent_refuse(db, link.s, moving->session, moving->files->intent, fault) != FAULT_OK))
        return fault_pass(fault);
    if (writer_open(out, db, &link, arena, fault) != FAULT_OK ||
        head_expect(db, &out->head, moving->expect_head, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (at && !address_eq(*at, out->head.at))
        return moved_on(moving->session, fault);
    return FAULT_OK;
}

enum fault_code moving_other(const struct moving *moving, const struct writer *writer,
                             struct act *out, struct fault *fault)
{
    struct link from;

    if (link_named(writer->db, moving->owner, moving->from, &from, fault) != FAULT_OK)
        return fault_pass(fault);
    if (writer->link.fam != from.fam)
        return fault_set(fault, FAULT_NOT_FAMILY,
                         "sessions \"%.*s\" and \"%.*s\" are not of one family",
                         STR_ARG(moving->session), STR_ARG(moving->from));
    if (moving->from_rests && !moving->dry_run &&
        run_refuse(writer->db, from.s, moving->from, fault) != FAULT_OK)
        return fault_pass(fault);
    if (head_get(writer->db, &from, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (moving->from_at && !address_eq(*moving->from_at, out->at))
        return moved_on(moving->from, fault);
    return FAULT_OK;
}

enum fault_code moving_list(struct db *db, const struct act *head, const struct act *place,
                            struct arena *arena, struct move_result *out, struct fault *fault)
{
    struct act from, to, common;
    struct address parting;

    if (act_settle(db, head, &from, fault) != FAULT_OK ||
        act_settle(db, place, &to, fault) != FAULT_OK ||
        entry_id(db, from.at, arena, &out->from, fault) != FAULT_OK ||
        entry_id(db, to.at, arena, &out->to, fault) != FAULT_OK ||
        path_parting(db, &from, &to, &parting, fault) != FAULT_OK ||
        act_get(db, parting, &common, fault) != FAULT_OK)
        return fault_pass(fault);
    out->dropped = head->facts.visible - common.facts.visible;
    out->kept = place->facts.visible;
    return FAULT_OK;
}

enum fault_code moving_files(const struct writer *writer, int64_t tree, struct address since,
                             struct move_result *out, struct fault *fault)
{
    const struct act *head = &writer->head;
    int64_t s = writer->link.s;

    out->head_at = head->at;
    out->foreign_from = since.s == s ? since : (struct address){s, 0};
    if (tree_hash(writer->db, head->facts.tree, out->tree_before, fault) != FAULT_OK)
        return fault_pass(fault);
    return tree_hash(writer->db, tree, out->tree_target, fault);
}

enum fault_code moving_tree(struct db *db, const struct move_files *files, int64_t tree,
                            int64_t *out, struct fault *fault)
{
    *out = tree;
    return files->tree.given ? tree_record(db, &files->tree, out, fault) : FAULT_OK;
}

enum fault_code moving_close(struct writer *writer, const struct move_files *files, int64_t tree,
                             struct arena *arena, struct fault *fault)
{
    struct draft draft = {
        .kind = ENTRY_FILES,
        .id = {(const char *)files->drawn.b, ID_BYTES},
        .drawn = true,
        .at_us = writer->head.at_us + 1,
        .salt = {(const char *)files->salt, SALT_BYTES},
        .body = STR("{}"),
    };
    bool same;

    if (tree_same(writer->db, tree, writer->head.facts.tree, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!same && (tree_solid(writer->db, tree, draft.at_us, &draft.tree, fault) != FAULT_OK ||
                  writer_add(writer, &draft, arena, fault) != FAULT_OK))
        return fault_pass(fault);
    if (intent_end(writer->db, files->intent, fault) != FAULT_OK)
        return fault_pass(fault);
    return session_touch(writer->db, &writer->link, writer->head.at_us, fault);
}
