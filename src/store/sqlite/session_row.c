#include "store/sqlite/session_row.h"

#include "store/sqlite/entry_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_row.h"
#include "store/tree.h"

static struct usage usage_minus(struct usage a, struct usage b)
{
    return (struct usage){a.input - b.input, a.output - b.output, a.cost - b.cost};
}

enum fault_code session_row_get(struct db *db, int64_t s, struct arena *arena, struct session *out,
                                struct address *base, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SESSION_AT, ARGS(arg_int(s)));
    struct session session = {.s = s};
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "session %lld is missing", (long long)s);
    session.id = column_dup(q, 0, arena);
    session.state = (enum session_state)sqlite3_column_int(q, 1);
    session.title = column_dup(q, 2, arena);
    session.agent = column_dup(q, 3, arena);
    session.owner = column_dup(q, 4, arena);
    session.parent.session = column_dup(q, 5, arena);
    session.parent.known = session.parent.session.p != NULL;
    session.parent.title = column_dup(q, 6, arena);
    session.parent.message = column_dup(q, 7, arena);
    session.parent.side = (enum point_side)sqlite3_column_int(q, 8);
    session.parent.deleted = session.parent.known && sqlite3_column_int(q, 9) != SESSION_LIVE;
    session.archived = sqlite3_column_int(q, 10) != 0;
    session.created_us = sqlite3_column_int64(q, 11);
    session.updated_us = sqlite3_column_int64(q, 12);
    session.metadata = column_dup(q, 13, arena);
    session.limits = column_dup(q, 14, arena);
    *base = column_address(q, 15);
    session.turn = column_dup(q, 17, arena);
    session.turn_state = (enum run_state)sqlite3_column_int(q, 18);
    session.workspace.mode = (enum workspace_mode)sqlite3_column_int(q, 19);
    session.workspace.dir = column_dup(q, 20, arena);
    session.home = column_dup(q, 21, arena);
    session.settings = column_dup(q, 22, arena);
    sqlite3_reset(q);
    if (!session.metadata.p)
        session.metadata = STR("{}");
    if (!session.limits.p)
        session.limits = STR("{}");
    if (!session.settings.p)
        session.settings = STR("{}");
    if (!session.workspace.dir.p)
        session.workspace.dir = STR("");
    memcpy(session.tree, tree_empty, HASH_BYTES);
    memcpy(session.base_tree, tree_empty, HASH_BYTES);
    *out = session;
    return FAULT_OK;
}

/* What follows from where the head is. */
static enum fault_code head_fill(struct db *db, const struct act *head, struct arena *arena,
                                 struct session *out, struct fault *fault)
{
    struct act settled, boundary = {0};
    struct line line;

    if (act_settle(db, head, &settled, fault) != FAULT_OK ||
        entry_id(db, settled.at, arena, &out->head, fault) != FAULT_OK)
        return fault_pass(fault);
    out->head_at = head->at;
    out->messages = head->facts.visible;
    out->flat_messages = head->facts.flat;
    memcpy(out->hash, head->facts.hash, HASH_BYTES);
    if (head->at.s == out->s) {
        if (line_get(db, head->at.s, head->n0, &line, fault) != FAULT_OK ||
            act_get(db, line.boundary, &boundary, fault) != FAULT_OK)
            return fault_pass(fault);
        out->spent = head->facts.spent;
        if (head->at_us > out->updated_us)
            out->updated_us = head->at_us;
    } else {
        boundary = *head;
    }
    out->inherited = boundary.facts.path;
    out->own = usage_minus(head->facts.path, boundary.facts.path);
    out->own_messages = head->facts.visible - boundary.facts.visible;
    return FAULT_OK;
}

enum fault_code session_get(struct db *db, int64_t s, bool with_state, struct arena *arena,
                            struct session *out, struct fault *fault)
{
    struct session session;
    struct link link = {.s = s};
    struct act head, base;
    sqlite3_stmt *q;
    bool row;

    if (session_row_get(db, s, arena, &session, &link.base, fault) != FAULT_OK ||
        head_get(db, &link, &head, fault) != FAULT_OK ||
        head_fill(db, &head, arena, &session, fault) != FAULT_OK ||
        act_get(db, link.base, &base, fault) != FAULT_OK ||
        tree_hash(db, head.facts.tree, session.tree, fault) != FAULT_OK ||
        tree_hash(db, base.facts.tree, session.base_tree, fault) != FAULT_OK ||
        db_int(db, Q_SESSION_CHILD_COUNT, ARGS(arg_int(s)), &session.children, fault) != FAULT_OK)
        return fault_pass(fault);
    session.fork_index = base.facts.visible;
    session.flat_fork_index = base.facts.flat;
    q = db_query(db, Q_MOVE_TOPS, ARGS(arg_int(s), arg_int(INT64_MAX)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        session.can_undo = sqlite3_column_int64(q, 0) != 0;
        session.can_redo = sqlite3_column_int64(q, 1) != 0;
        session.moved_n = sqlite3_column_int64(q, 2);
        sqlite3_reset(q);
    }
    if (with_state && state_get(db, &head.facts, arena, &session.state_at_head, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = session;
    return FAULT_OK;
}

enum fault_code head_expect(struct db *db, const struct act *head, struct str expected,
                            struct arena *arena, struct fault *fault)
{
    struct act settled;
    struct str id;

    if (!expected.p)
        return FAULT_OK;
    if (act_settle(db, head, &settled, fault) != FAULT_OK ||
        entry_id(db, settled.at, arena, &id, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!str_eq(id, expected))
        return fault_set(fault, FAULT_HEAD_MOVED, "the head is \"%.*s\", not \"%.*s\"", STR_ARG(id),
                         STR_ARG(expected));
    return FAULT_OK;
}

enum fault_code session_touch(struct db *db, const struct link *link, int64_t at_us,
                              struct fault *fault)
{
    if (at_us - link->touched_us <= TOUCH_LAG_US)
        return FAULT_OK;
    return db_run(db, Q_SESSION_TOUCH, ARGS(arg_int(link->s), arg_int(at_us)), fault);
}

enum fault_code note_insert(struct db *db, const struct link *link, const struct note *note,
                            struct fault *fault)
{
    int64_t e = ++db->e;

    return db_run(db, Q_NOTE_INSERT,
                  ARGS(arg_int(e), arg_int(link->owner), arg_int(link->s), arg_int(note->act),
                       arg_int(note->at_us), arg_text(note->message), arg_text(note->was),
                       arg_text(note->now)),
                  fault);
}
