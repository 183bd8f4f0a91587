#include "store/sqlite/entry_row.h"

#include "store/sqlite/tree_row.h"

#include <stdio.h>

void entry_reader_init(struct entry_reader *reader, struct db *db)
{
    reader->db = db;
    reader->s = 0;
    reader->tree = 0;
}

/* The id of a session, written into `room`. */
static enum fault_code session_name(struct db *db, int64_t s, char room[LIMIT_ID_BYTES + 1],
                                    struct str *out, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SESSION_ID, ARGS(arg_int(s)));
    struct str id;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "session %lld is missing", (long long)s);
    id = column_str(q, 0);
    snprintf(room, LIMIT_ID_BYTES + 1, "%.*s", STR_ARG(id));
    *out = str_of(room);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* The session that wrote the entry; mostly that of the one before. */
static enum fault_code session_id(struct entry_reader *reader, int64_t s, struct fault *fault)
{
    struct str id;

    if (reader->s == s)
        return FAULT_OK;
    if (session_name(reader->db, s, reader->session, &id, fault) != FAULT_OK)
        return fault_pass(fault);
    reader->session_length = id.n;
    reader->s = s;
    return FAULT_OK;
}

static enum fault_code move_read(struct entry_reader *reader, struct entry *entry,
                                 struct fault *fault)
{
    sqlite3_stmt *q =
        db_query(reader->db, Q_MOVE_AT, ARGS(arg_int(entry->at.s), arg_int(entry->at.n)));
    bool row;

    if (db_step(reader->db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "move %lld of session %lld is missing",
                         (long long)entry->at.n, (long long)entry->at.s);
    entry->move = (enum move_act)sqlite3_column_int(q, 0);
    entry->scope = (enum move_scope)sqlite3_column_int(q, 1);
    entry->ref = column_address(q, 2);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* The text of an id as stored; a drawn one is written into `room`. */
static struct str id_text(struct str id, bool drawn, char room[ID_TEXT + 1])
{
    struct id bytes;

    if (!drawn)
        return id;
    memcpy(bytes.b, id.p, ID_BYTES);
    id_format(&bytes, room);
    return (struct str){room, ID_TEXT};
}

/* What the entry refers to, in words. A move names the entry at which the path ends after it. */
static enum fault_code ref_read(struct entry_reader *reader, struct entry *entry,
                                struct fault *fault)
{
    struct address at = entry->ref;
    int64_t known = 0;
    struct str session;
    struct act_head head;
    struct act act;

    if (entry->kind == ENTRY_MOVE) {
        if (act_get(reader->db, at, &act, fault) != FAULT_OK ||
            act_settle(reader->db, &act, &act, fault) != FAULT_OK)
            return fault_pass(fault);
        at = act.at;
    }
    if (at.s && db_int(reader->db, Q_ACT_KNOWN, ARGS(arg_int(at.s), arg_int(at.n)), &known,
                       fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return FAULT_OK;
    if (act_head_get(reader->db, at, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    entry->ref_id = id_text(head.id, head.drawn, reader->ref_id);
    if (!head.drawn) {
        snprintf(reader->ref_id, sizeof(reader->ref_id), "%.*s", STR_ARG(head.id));
        entry->ref_id = str_of(reader->ref_id);
    }
    entry->ref_index = head.facts.visible;
    if (session_name(reader->db, at.s, reader->ref_session, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    entry->ref_session = session;
    return FAULT_OK;
}

/* The files there; mostly those of the entry before. */
static enum fault_code tree_read(struct entry_reader *reader, int64_t tree, struct entry *entry,
                                 struct fault *fault)
{
    if (tree == 0)
        return FAULT_OK;
    if (tree != reader->tree) {
        if (tree_hash(reader->db, tree, reader->tree_hash, fault) != FAULT_OK)
            return fault_pass(fault);
        reader->tree = tree;
    }
    entry->has_tree = true;
    memcpy(entry->tree, reader->tree_hash, HASH_BYTES);
    return FAULT_OK;
}

enum fault_code entry_read(struct entry_reader *reader, int64_t s, sqlite3_stmt *q,
                           struct entry *out, struct fault *fault)
{
    struct act_head *head = &reader->head;

    if (!act_head_decode_brief(column_str(q, 1), head))
        return fault_set(fault, FAULT_CORRUPT, "the head of an act of session %lld cannot be read",
                         (long long)s);
    if (session_id(reader, s, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct entry){
        .at = {s, head->n},
        .e = sqlite3_column_int64(q, 0),
        .kind = head->kind,
        .role = head->role,
        .flags = head->flags,
        .id = id_text(head->id, head->drawn, reader->id),
        .turn = head->turn,
        .at_us = head->at_us,
        .visible = entry_visible(head->kind, head->role),
        .index = -1,
        .usage = head->usage,
        .has_usage = head->has_usage,
        .session = {reader->session, reader->session_length},
        .ref = head->ref,
        .own_tree = head->own_tree != 0,
        .body = column_str(q, 2),
    };
    if (out->visible)
        out->index = head->facts.visible - 1;
    memcpy(out->hash, head->facts.hash, HASH_BYTES);
    out->erased = out->body.p == NULL && out->kind != ENTRY_MOVE;
    if (tree_read(reader, sqlite3_column_int64(q, 3), out, fault) != FAULT_OK ||
        (out->kind == ENTRY_MOVE && move_read(reader, out, fault) != FAULT_OK))
        return fault_pass(fault);
    return out->ref.s ? ref_read(reader, out, fault) : FAULT_OK;
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
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                         (long long)at.n, (long long)at.s);
    entry_reader_init(&reader, db);
    code = entry_read(&reader, at.s, q, &entry, fault);
    if (code == FAULT_OK)
        *out = entry_copy(&entry, arena);
    sqlite3_reset(q);
    return code;
}

enum fault_code entry_id(struct db *db, struct address at, struct arena *arena, struct str *out,
                         struct fault *fault)
{
    struct act_head head;

    *out = STR("");
    if (at.s == 0)
        return FAULT_OK;
    if (act_head_get(db, at, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = act_id_text(head.id, head.drawn, arena);
    return FAULT_OK;
}
