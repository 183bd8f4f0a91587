#include "store/sqlite/act.h"

static enum fault_code missing(struct address at, struct fault *fault)
{
    return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing", (long long)at.n,
                     (long long)at.s);
}

static enum fault_code unreadable(int64_t s, struct fault *fault)
{
    return fault_set(fault, FAULT_CORRUPT, "the head of an act of session %lld cannot be read",
                     (long long)s);
}

static enum fault_code act_read(struct db *db, sqlite3_stmt *statement, int64_t s, struct act *out,
                                bool *found, struct fault *fault)
{
    struct act_head head;
    enum fault_code code = db_step(db, statement, found, fault);

    if (code != FAULT_OK || !*found)
        return code;
    if (!act_head_decode(column_str(statement, 1), &head))
        return unreadable(s, fault);
    *out = (struct act){
        {s, head.n}, sqlite3_column_int64(statement, 0), head.kind, head.at_us, head.facts};
    sqlite3_reset(statement);
    return FAULT_OK;
}

enum fault_code act_get(struct db *db, struct address at, struct act *out, struct fault *fault)
{
    bool found;

    if (at.s == 0) {
        *out = (struct act){0};
        return FAULT_OK;
    }
    if (act_read(db, db_query(db, Q_ACT_AT, ARGS(arg_int(at.s), arg_int(at.n))), at.s, out, &found,
                 fault) != FAULT_OK)
        return fault_pass(fault);
    return found ? FAULT_OK : missing(at, fault);
}

enum fault_code act_last(struct db *db, int64_t s, struct act *out, struct fault *fault)
{
    bool found;

    if (act_read(db, db_query(db, Q_ACT_LAST, ARGS(arg_int(s))), s, out, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        *out = (struct act){0};
    return FAULT_OK;
}

enum fault_code act_head_get(struct db *db, struct address at, struct act_head *out,
                             struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_ENTRY_HEAD, ARGS(arg_int(at.s), arg_int(at.n)));
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return missing(at, fault);
    return act_head_decode(column_str(q, 0), out) ? FAULT_OK : unreadable(at.s, fault);
}

enum fault_code act_insert(struct db *db, const struct act_row *row, struct arena *arena,
                           struct fault *fault)
{
    const struct act_head *head = &row->head;
    struct str bytes = act_head_encode(head, arena);
    int64_t s = row->at.s, n = row->at.n;

    if (db_run(db, Q_ACT_INSERT,
               ARGS(arg_int(row->e), arg_int(s), arg_int(n), arg_int(head->kind),
                    arg_int(entry_visible(head->kind, head->role)), arg_int(row->n0),
                    head->facts.tree ? arg_int(head->facts.tree) : arg_null(), arg_blob(bytes),
                    arg_blob(row->salt), arg_blob(row->content), arg_blob(row->spans),
                    arg_blob(row->body)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (head->drawn)
        return db_run(db, Q_DRAWN_INSERT, ARGS(arg_blob(head->id), arg_int(s), arg_int(n)), fault);
    return db_run(db, Q_CLIENT_INSERT,
                  ARGS(arg_int(row->fam), arg_text(head->id), arg_int(s), arg_int(n)), fault);
}

enum fault_code act_row_read(sqlite3_stmt *statement, struct act_row *out, struct fault *fault)
{
    out->e = sqlite3_column_int64(statement, 0);
    out->at.s = sqlite3_column_int64(statement, 1);
    out->fam = 0;
    out->n0 = sqlite3_column_int64(statement, 2);
    if (!act_head_decode(column_str(statement, 3), &out->head))
        return unreadable(out->at.s, fault);
    out->at.n = out->head.n;
    out->salt = column_str(statement, 4);
    out->content = column_str(statement, 5);
    out->spans = column_str(statement, 6);
    out->body = column_str(statement, 7);
    return FAULT_OK;
}

enum fault_code act_forget_names(struct db *db, int64_t fam, int64_t e, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_ACT_NUMBERED, ARGS(arg_int(e)));
    struct act_row row;
    enum fault_code code;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return FAULT_OK;
    code = act_row_read(q, &row, fault);
    if (code == FAULT_OK && row.head.drawn)
        code = db_run(db, Q_DRAWN_DELETE, ARGS(arg_blob(row.head.id)), fault);
    else if (code == FAULT_OK)
        code = db_run(db, Q_CLIENT_DELETE,
                      ARGS(arg_int(fam), arg_text(row.head.id), arg_int(row.at.s)), fault);
    if (code == FAULT_OK && row.head.turn.n)
        code = db_run(
            db, Q_TURN_DELETE,
            ARGS(arg_int(fam), arg_text(row.head.turn), arg_int(row.at.s), arg_int(row.at.n)),
            fault);
    sqlite3_reset(q);
    return code;
}

struct str act_id_text(struct str id, bool drawn, struct arena *arena)
{
    struct id bytes;
    char *text;

    if (!drawn || id.n != ID_BYTES)
        return arena_dup(arena, id);
    memcpy(bytes.b, id.p, ID_BYTES);
    text = arena_alloc(arena, ID_TEXT + 1);
    id_format(&bytes, text);
    return (struct str){text, ID_TEXT};
}

enum fault_code turn_first(struct db *db, int64_t turn, struct arena *arena, struct address *at,
                           struct str *name, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_TURN_FIRST, ARGS(arg_int(turn)));
    struct act_head head;
    bool row;

    *at = ADDRESS_START;
    *name = STR_NONE;
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return FAULT_OK;
    if (!act_head_decode_brief(column_str(q, 1), &head))
        return unreadable(sqlite3_column_int64(q, 0), fault);
    *at = (struct address){sqlite3_column_int64(q, 0), head.n};
    *name = arena_dup(arena, head.turn);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code turn_name(struct db *db, int64_t turn, struct arena *arena, struct str *out,
                          struct fault *fault)
{
    struct address at;

    *out = STR_NONE;
    if (turn == 0)
        return FAULT_OK;
    if (turn_first(db, turn, arena, &at, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->n == 0)
        return fault_set(fault, FAULT_CORRUPT, "turn %lld is missing", (long long)turn);
    return FAULT_OK;
}

enum fault_code turn_enter(struct db *db, int64_t fam, struct str name, struct address at,
                           int64_t e, int64_t *out, struct fault *fault)
{
    int64_t turn = 0;

    if (db_int(db, Q_TURN_HERE, ARGS(arg_int(fam), arg_text(name), arg_int(at.s)), &turn, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (turn == 0) {
        turn = e;
        if (db_run(db, Q_TURN_INSERT,
                   ARGS(arg_int(fam), arg_text(name), arg_int(at.s), arg_int(at.n), arg_int(e)),
                   fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = turn;
    return FAULT_OK;
}
