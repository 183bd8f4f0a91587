/* Where a session works, what its acts did to the files, and how they were at a point. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/intent_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/tree_row.h"

enum fault_code workspace_run(struct db *db, const struct workspace_spec *spec, struct arena *arena,
                              struct session *out, struct fault *fault)
{
    struct note note = {.act = NOTE_UPDATED, .at_us = spec->at_us};
    bool attached = spec->workspace.mode == WORKSPACE_ATTACHED;
    struct link link;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        run_refuse(db, link.s, spec->session, fault) != FAULT_OK ||
        intent_refuse(db, link.s, spec->session, 0, fault) != FAULT_OK ||
        db_run(db, Q_SESSION_WORKSPACE,
               ARGS(arg_int(link.s), arg_int(spec->workspace.mode),
                    attached ? arg_text(spec->workspace.dir) : arg_null()),
               fault) != FAULT_OK ||
        note_insert(db, &link, &note, fault) != FAULT_OK)
        return fault_pass(fault);
    return session_get(db, link.s, true, arena, out, fault);
}

enum fault_code files_acts_run(struct db *db, int64_t owner, struct str session,
                               struct address after, files_act_visit *visit, void *context,
                               struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct link link;
    sqlite3_stmt *q;
    bool row;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_FILES_SCAN, ARGS(arg_int(link.s), arg_int(after.s == link.s ? after.n : 0)));
    while (code == FAULT_OK) {
        struct files_act act;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            return code;
        act.at = (struct address){link.s, sqlite3_column_int64(q, 0)};
        act.foreign = sqlite3_column_int(q, 3) != 0;
        code = tree_hash(db, sqlite3_column_int64(q, 1), act.before, fault);
        if (code == FAULT_OK)
            code = tree_hash(db, sqlite3_column_int64(q, 2), act.after, fault);
        if (code == FAULT_OK)
            code = visit(context, &act, fault);
    }
    sqlite3_reset(q);
    return code;
}

enum fault_code tree_at_run(struct db *db, int64_t owner, struct str session,
                            const struct point_spec *spec, struct address *at,
                            unsigned char tree[HASH_BYTES], struct fault *fault)
{
    struct point_spec wanted = *spec;
    struct arena arena;
    struct link link;
    struct point point;
    struct act act;
    enum fault_code code;

    wanted.guard = GUARD_NONE;
    arena_init(&arena);
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, session, &wanted, &arena, &point, fault);
    if (code == FAULT_OK)
        code = act_get(db, point.at, &act, fault);
    if (code == FAULT_OK)
        code = tree_hash(db, act.facts.tree, tree, fault);
    if (code == FAULT_OK)
        *at = point.at;
    arena_clear(&arena);
    return code;
}
