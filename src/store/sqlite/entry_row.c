#include "store/sqlite/entry_row.h"

#include <stdio.h>

void entry_reader_init(struct entry_reader *reader, struct db *db)
{
    reader->db = db;
    reader->s = 0;
}

static enum fault_code session_id(struct entry_reader *reader, int64_t s, struct fault *fault)
{
    sqlite3_stmt *q;
    struct str id;
    bool row;

    if (reader->s == s)
        return FAULT_OK;
    q = db_query(reader->db, Q_SESSION_ID, ARGS(arg_int(s)));
    if (db_step(reader->db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "session %lld is missing", (long long)s);
    id = column_str(q, 0);
    snprintf(reader->session, sizeof(reader->session), "%.*s", STR_ARG(id));
    reader->session_length = strlen(reader->session);
    reader->s = s;
    sqlite3_reset(q);
    return FAULT_OK;
}

static enum fault_code move_read(struct entry_reader *reader, struct entry *entry,
                                 struct fault *fault)
{
    sqlite3_stmt *q = db_query(reader->db, Q_MOVE_AT, ARGS(arg_int(entry->at.s), arg_int(entry->at.n)));
    bool row;

    if (db_step(reader->db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "move %lld of session %lld is missing",
                         (long long)entry->at.n, (long long)entry->at.s);
    entry->move = (enum move_act)sqlite3_column_int(q, 0);
    entry->scope = (enum move_scope)sqlite3_column_int(q, 1);
    entry->ref = column_address(q, 2);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* What the entry refers to, in words. A move names the entry at which the path ends after it. */
static enum fault_code ref_read(struct entry_reader *reader, struct entry *entry,
                                struct fault *fault)
{
    struct address at = entry->ref;
    struct act act;
    struct str id;
    sqlite3_stmt *q;
    bool row;

    if (at.s == 0)
        return FAULT_OK;
    if (entry->kind == ENTRY_MOVE) {
        if (act_get(reader->db, at, &act, fault) != FAULT_OK ||
            act_settle(reader->db, &act, &act, fault) != FAULT_OK)
            return fault->code;
        at = act.at;
        if (at.s == 0)
            return FAULT_OK;
    }
    q = db_query(reader->db, Q_ENTRY_NAMED_BY, ARGS(arg_int(at.s), arg_int(at.n)));
    if (db_step(reader->db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return FAULT_OK;
    id = column_str(q, 1);
    if (sqlite3_column_int(q, 0) && id.n == ID_BYTES) {
        struct id bytes;

        memcpy(bytes.b, id.p, ID_BYTES);
        id_format(&bytes, reader->ref_id);
    } else {
        snprintf(reader->ref_id, sizeof(reader->ref_id), "%.*s", STR_ARG(id));
    }
    id = column_str(q, 3);
    snprintf(reader->ref_session, sizeof(reader->ref_session), "%.*s", STR_ARG(id));
    entry->ref_id = str_of(reader->ref_id);
    entry->ref_session = str_of(reader->ref_session);
    entry->ref_index = sqlite3_column_int64(q, 2);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code entry_read(struct entry_reader *reader, sqlite3_stmt *q, struct entry *out,
                           struct fault *fault)
{
    struct entry entry = {0};
    struct str id = column_str(q, 7), hash = column_str(q, 15);

    entry.e = sqlite3_column_int64(q, 0);
    entry.at = column_address(q, 1);
    entry.kind = (enum entry_kind)sqlite3_column_int(q, 3);
    entry.role = (enum role)sqlite3_column_int(q, 4);
    entry.flags = (unsigned)sqlite3_column_int(q, 5);
    if (sqlite3_column_int(q, 6) && id.n == ID_BYTES) {
        struct id bytes;

        memcpy(bytes.b, id.p, ID_BYTES);
        id_format(&bytes, reader->id);
        entry.id = (struct str){reader->id, ID_TEXT};
    } else {
        entry.id = id;
    }
    entry.at_us = sqlite3_column_int64(q, 8);
    entry.visible = entry_visible(entry.kind, entry.role);
    entry.index = entry.visible ? sqlite3_column_int64(q, 9) - 1 : -1;
    entry.has_usage = sqlite3_column_type(q, 10) != SQLITE_NULL;
    entry.usage = (struct usage){sqlite3_column_int64(q, 10), sqlite3_column_int64(q, 11),
                                 sqlite3_column_int64(q, 12)};
    entry.ref = column_address(q, 13);
    if (hash.n == HASH_BYTES)
        memcpy(entry.hash, hash.p, HASH_BYTES);
    entry.turn = entry.flags & ENTRY_IN_TURN ? column_str(q, 16) : STR_NONE;
    entry.body = column_str(q, 17);
    entry.erased = entry.body.p == NULL && entry.kind != ENTRY_MOVE;
    if (session_id(reader, entry.at.s, fault) != FAULT_OK)
        return fault->code;
    entry.session = (struct str){reader->session, reader->session_length};
    if ((entry.kind == ENTRY_MOVE && move_read(reader, &entry, fault) != FAULT_OK) ||
        ref_read(reader, &entry, fault) != FAULT_OK)
        return fault->code;
    *out = entry;
    return FAULT_OK;
}

enum fault_code entry_get(struct db *db, struct address at, struct arena *arena, struct entry *out,
                          struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_ENTRY_AT, ARGS(arg_int(at.s), arg_int(at.n)));
    struct entry_reader reader;
    struct entry entry;
    enum fault_code code;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                         (long long)at.n, (long long)at.s);
    entry_reader_init(&reader, db);
    code = entry_read(&reader, q, &entry, fault);
    if (code == FAULT_OK) {
        entry.id = arena_dup(arena, entry.id);
        entry.turn = arena_dup(arena, entry.turn);
        entry.session = arena_dup(arena, entry.session);
        entry.ref_id = arena_dup(arena, entry.ref_id);
        entry.ref_session = arena_dup(arena, entry.ref_session);
        if (entry.body.p)
            entry.body = arena_dup(arena, entry.body);
        *out = entry;
    }
    sqlite3_reset(q);
    return code;
}

enum fault_code entry_id(struct db *db, struct address at, struct arena *arena, struct str *out,
                         struct fault *fault)
{
    sqlite3_stmt *q;
    bool row;

    *out = STR("");
    if (at.s == 0)
        return FAULT_OK;
    q = db_query(db, Q_ENTRY_ID, ARGS(arg_int(at.s), arg_int(at.n)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                         (long long)at.n, (long long)at.s);
    *out = act_id_text(column_str(q, 1), sqlite3_column_int(q, 0) != 0, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}
