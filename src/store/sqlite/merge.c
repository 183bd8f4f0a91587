/* The file changes of another session of the family come into this one. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/entry_row.h"
#include "store/sqlite/entry_write.h"
#include "store/sqlite/merge_row.h"
#include "store/sqlite/moving.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/tree_row.h"

#include <assert.h>

/* The three trees, and where they stand. */
static enum fault_code trees_fill(struct db *db, const struct merge_spec *spec,
                                  const struct act *ours, const struct act *theirs,
                                  struct arena *arena, struct merge_result *out,
                                  struct fault *fault)
{
    struct act base;
    bool same;

    if (merge_base(db, ours, theirs, arena, &out->base, fault) != FAULT_OK ||
        act_get(db, out->base, &base, fault) != FAULT_OK ||
        entry_id(db, out->base, arena, &out->base_id, fault) != FAULT_OK ||
        tree_hash(db, base.facts.tree, out->base_tree, fault) != FAULT_OK ||
        tree_hash(db, ours->facts.tree, out->our_tree, fault) != FAULT_OK ||
        tree_hash(db, theirs->facts.tree, out->their_tree, fault) != FAULT_OK ||
        tree_same(db, base.facts.tree, theirs->facts.tree, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    out->head_at = ours->at;
    out->from_at = theirs->at;
    if (same)
        return fault_set(fault, FAULT_NOTHING_TO_MERGE,
                         "session \"%.*s\" has no changes to files that \"%.*s\" has not",
                         STR_ARG(spec->from), STR_ARG(spec->session));
    return FAULT_OK;
}

/* What is merged is named by an entry, so that a rewind of the other session keeps it in place. */
static enum fault_code merge_write(struct writer *writer, const struct merge_spec *spec,
                                   const struct act *theirs, struct arena *arena,
                                   struct merge_result *out, struct fault *fault)
{
    struct act head = writer->head, merged;
    struct move_draft draft = {
        .drawn = spec->drawn,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .at_us = spec->at_us,
        .act = MOVE_MERGE,
        .scope = SCOPE_BOTH,
    };
    struct entry_spec entry = *spec->entry;
    struct entry_names names;

    entry.flags |= ENTRY_MERGED;
    if (act_settle(writer->db, theirs, &merged, fault) != FAULT_OK ||
        moving_tree(writer->db, &spec->files, 0, &names.tree, fault) != FAULT_OK)
        return fault_pass(fault);
    names.ref = merged.at;
    if (writer_move(writer, &draft, &head, arena, fault) != FAULT_OK ||
        entry_write(writer, &entry, &names, spec->session, arena, &out->entry, fault) != FAULT_OK)
        return fault_pass(fault);
    out->id = act_id_text((struct str){(const char *)spec->drawn.b, ID_BYTES}, true, arena);
    return moving_close(writer, &spec->files, names.tree, arena, fault);
}

enum fault_code merge_files_run(struct db *db, const struct merge_spec *spec, struct arena *arena,
                                struct merge_result *out, struct fault *fault)
{
    struct once *once = spec->dry_run ? NULL : spec->once;
    struct moving moving = {.owner = spec->owner,
                            .session = spec->session,
                            .expect_head = spec->expect_head,
                            .files = &spec->files,
                            .dry_run = spec->dry_run,
                            .from = spec->from,
                            .from_at = spec->from_at,
                            .from_rests = true};
    struct merge_result result = {.id = STR("")};
    struct writer writer;
    struct act theirs;
    bool repeated;

    assert(spec->dry_run || (spec->entry && spec->files.tree.given));
    if (once_find(db, once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (moving_open(&moving, db, arena, &writer, fault) != FAULT_OK ||
        moving_other(&moving, &writer, &theirs, fault) != FAULT_OK ||
        trees_fill(db, spec, &writer.head, &theirs, arena, &result, fault) != FAULT_OK ||
        (!spec->dry_run &&
         merge_write(&writer, spec, &theirs, arena, &result, fault) != FAULT_OK) ||
        session_get(db, writer.link.s, true, arena, &result.session, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = result;
    return once_keep(db, once, spec->at_us, arena, fault);
}
