#include "store/sqlite/act.h"

static struct usage column_usage(sqlite3_stmt *statement, int column)
{
    return (struct usage){sqlite3_column_int64(statement, column),
                          sqlite3_column_int64(statement, column + 1),
                          sqlite3_column_int64(statement, column + 2)};
}

/* The columns vis … phash, as all queries that read facts have them. */
static enum fault_code facts_read(sqlite3_stmt *statement, int column, struct facts *out,
                                  struct fault *fault)
{
    struct str hash;

    out->visible = sqlite3_column_int64(statement, column);
    out->user = sqlite3_column_int64(statement, column + 1);
    out->tool = sqlite3_column_int64(statement, column + 2);
    out->flat = sqlite3_column_int64(statement, column + 3);
    out->flat_user = sqlite3_column_int64(statement, column + 4);
    out->path = column_usage(statement, column + 5);
    out->spent = column_usage(statement, column + 8);
    out->open = sqlite3_column_int64(statement, column + 11);
    out->good = column_address(statement, column + 12);
    out->summary = column_address(statement, column + 14);
    out->state = column_address(statement, column + 16);
    out->tree = sqlite3_column_int64(statement, column + 18);
    out->turn = sqlite3_column_int64(statement, column + 19);
    hash = column_str(statement, column + 20);
    if (hash.n != HASH_BYTES)
        return fault_set(fault, FAULT_CORRUPT, "a path hash has %zu bytes", hash.n);
    memcpy(out->hash, hash.p, HASH_BYTES);
    return FAULT_OK;
}

static enum fault_code act_read(struct db *db, sqlite3_stmt *statement, int64_t s, struct act *out,
                                bool *found, struct fault *fault)
{
    struct act act = {0};
    enum fault_code code = db_step(db, statement, found, fault);

    if (code != FAULT_OK || !*found)
        return code;
    act.at = (struct address){s, sqlite3_column_int64(statement, 0)};
    act.n0 = sqlite3_column_int64(statement, 1);
    act.kind = (enum entry_kind)sqlite3_column_int(statement, 2);
    act.at_us = sqlite3_column_int64(statement, 3);
    code = facts_read(statement, 4, &act.facts, fault);
    sqlite3_reset(statement);
    if (code == FAULT_OK)
        *out = act;
    return code;
}

enum fault_code act_get(struct db *db, struct address at, struct act *out, struct fault *fault)
{
    enum fault_code code;
    bool found;

    if (at.s == 0) {
        *out = (struct act){0};
        return FAULT_OK;
    }
    code = act_read(db, db_query(db, Q_ACT_AT, ARGS(arg_int(at.s), arg_int(at.n))), at.s, out,
                    &found, fault);
    if (code == FAULT_OK && !found)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                         (long long)at.n, (long long)at.s);
    return code;
}

enum fault_code act_last(struct db *db, int64_t s, struct act *out, struct fault *fault)
{
    bool found;
    enum fault_code code =
        act_read(db, db_query(db, Q_ACT_LAST, ARGS(arg_int(s))), s, out, &found, fault);

    if (code == FAULT_OK && !found)
        *out = (struct act){0};
    return code;
}

enum fault_code act_insert(struct db *db, const struct act_row *row, struct fault *fault)
{
    const struct facts *f = &row->facts;
    struct arg none = arg_null();

    return db_run(
        db, Q_ACT_INSERT,
        ARGS(arg_int(row->e), arg_int(row->at.s), arg_int(row->at.n), arg_int(row->kind),
             arg_int(row->role), arg_int(row->flags), arg_int(row->drawn),
             row->drawn ? none : arg_int(row->fam), arg_blob(row->id),
             f->turn ? arg_int(f->turn) : none, arg_int(row->at_us), arg_int(row->n0),
             arg_int(f->visible), arg_int(f->user), arg_int(f->tool), arg_int(f->flat),
             arg_int(f->flat_user), arg_int(f->path.input), arg_int(f->path.output),
             arg_int(f->path.cost), arg_int(f->spent.input), arg_int(f->spent.output),
             arg_int(f->spent.cost), arg_int(f->open), arg_s(f->good), arg_n(f->good),
             arg_s(f->summary), arg_n(f->summary), arg_s(f->state), arg_n(f->state),
             f->tree ? arg_int(f->tree) : none, arg_int(row->calls), arg_int(row->results),
             row->has_usage ? arg_int(row->usage.input) : none,
             row->has_usage ? arg_int(row->usage.output) : none,
             row->has_usage ? arg_int(row->usage.cost) : none,
             row->own_tree ? arg_int(row->own_tree) : none, arg_s(row->ref), arg_n(row->ref),
             arg_bytes(f->hash, HASH_BYTES), arg_blob(row->salt), arg_blob(row->content),
             arg_blob(row->spans), arg_blob(row->body)),
        fault);
}

enum fault_code act_row_read(sqlite3_stmt *statement, struct act_row *out, struct fault *fault)
{
    struct act_row row = {0};

    row.e = sqlite3_column_int64(statement, 0);
    row.at = column_address(statement, 1);
    row.kind = (enum entry_kind)sqlite3_column_int(statement, 3);
    row.role = (enum role)sqlite3_column_int(statement, 4);
    row.flags = (unsigned)sqlite3_column_int(statement, 5);
    row.drawn = sqlite3_column_int(statement, 6) != 0;
    row.fam = sqlite3_column_int64(statement, 7);
    row.id = column_str(statement, 8);
    row.at_us = sqlite3_column_int64(statement, 9);
    row.n0 = sqlite3_column_int64(statement, 10);
    if (facts_read(statement, 11, &row.facts, fault) != FAULT_OK)
        return fault->code;
    row.calls = sqlite3_column_int(statement, 32);
    row.results = sqlite3_column_int(statement, 33);
    row.has_usage = sqlite3_column_type(statement, 34) != SQLITE_NULL;
    row.usage = column_usage(statement, 34);
    row.own_tree = sqlite3_column_int64(statement, 37);
    row.ref = column_address(statement, 38);
    row.salt = column_str(statement, 40);
    row.content = column_str(statement, 41);
    row.spans = column_str(statement, 42);
    row.body = column_str(statement, 43);
    if (row.drawn && row.id.n != ID_BYTES)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld has an id of %zu bytes",
                         (long long)row.at.n, (long long)row.at.s, row.id.n);
    *out = row;
    return FAULT_OK;
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

enum fault_code turn_name(struct db *db, int64_t turn, struct arena *arena, struct str *out,
                          struct fault *fault)
{
    sqlite3_stmt *statement;
    enum fault_code code;
    bool row;

    *out = STR_NONE;
    if (turn == 0)
        return FAULT_OK;
    statement = db_query(db, Q_TURN_NAME, ARGS(arg_int(turn)));
    code = db_step(db, statement, &row, fault);
    if (code != FAULT_OK)
        return code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "turn %lld is missing", (long long)turn);
    *out = column_dup(statement, 0, arena);
    sqlite3_reset(statement);
    return FAULT_OK;
}

enum fault_code turn_enter(struct db *db, int64_t fam, struct str name, struct address at,
                           int64_t *out, struct fault *fault)
{
    int64_t turn = 0;
    enum fault_code code =
        db_int(db, Q_TURN_HERE, ARGS(arg_int(fam), arg_text(name), arg_int(at.s)), &turn, fault);

    if (code == FAULT_OK && turn == 0) {
        code = db_run(db, Q_TURN_INSERT,
                      ARGS(arg_int(fam), arg_text(name), arg_int(at.s), arg_int(at.n)), fault);
        turn = sqlite3_last_insert_rowid(db->handle);
    }
    if (code == FAULT_OK)
        *out = turn;
    return code;
}
