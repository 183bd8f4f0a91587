/* Changes to directories that have begun and are not told of yet. */
#include "store/sqlite/verbs.h"

#include "store/limits.h"
#include "store/sqlite/intent_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/run_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/tree_row.h"
#include "store/sqlite/writer.h"

#include <assert.h>

/* What is in the directory and the head does not have, somebody else has done. */
static enum fault_code found_record(struct writer *writer, const struct intent_spec *spec,
                                    int64_t tree, struct arena *arena, struct fault *fault)
{
    struct draft draft = {
        .kind = ENTRY_FILES,
        .flags = ENTRY_FOREIGN | (spec->left_out ? ENTRY_LEFT_OUT : 0),
        .id = {(const char *)spec->drawn.b, ID_BYTES},
        .drawn = true,
        .at_us = spec->at_us,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .body = STR("{}"),
    };
    bool same;

    if (tree_same(writer->db, tree, writer->head.facts.tree, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    if (same)
        return FAULT_OK;
    if (tree_solid(writer->db, tree, draft.at_us, &draft.tree, fault) != FAULT_OK ||
        writer_add(writer, &draft, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    return session_touch(writer->db, &writer->link, writer->head.at_us, fault);
}

enum fault_code intent_begin_run(struct db *db, const struct intent_spec *spec, struct arena *arena,
                                 int64_t *intent, struct address *head, struct fault *fault)
{
    struct tree_spec to = {.given = true, .since_us = spec->from.since_us};
    struct writer writer;
    struct link link;
    int64_t tree;

    assert(spec->from.given);
    if (spec->body.n > LIMIT_INTENT_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "how a move of files is finished has %zu bytes; the limit is %d",
                         spec->body.n, LIMIT_INTENT_BYTES);
    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        run_refuse(db, link.s, spec->session, fault) != FAULT_OK ||
        intent_refuse(db, link.s, spec->session, 0, fault) != FAULT_OK ||
        writer_open(&writer, db, &link, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!address_eq(spec->at, writer.head.at))
        return fault_set(fault, FAULT_HEAD_MOVED, "the head of session \"%.*s\" has moved on",
                         STR_ARG(spec->session));
    memcpy(to.hash, spec->to, HASH_BYTES);
    if (tree_record(db, &to, &tree, fault) != FAULT_OK ||
        tree_record(db, &spec->from, &tree, fault) != FAULT_OK ||
        found_record(&writer, spec, tree, arena, fault) != FAULT_OK ||
        db_run(db, Q_INTENT_INSERT,
               ARGS(arg_int(link.s), arg_text(spec->dir), arg_int(spec->dev), arg_int(spec->ino),
                    arg_bytes(spec->from.hash, HASH_BYTES), arg_bytes(spec->to, HASH_BYTES),
                    arg_blob(spec->body), arg_int(spec->at_us)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    *intent = sqlite3_last_insert_rowid(db->handle);
    *head = writer.head.at;
    return FAULT_OK;
}

enum fault_code intent_drop_run(struct db *db, int64_t intent, struct fault *fault)
{
    return intent_end(db, intent, fault);
}

enum fault_code intents_run(struct db *db, intent_visit *visit, void *context, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_INTENT_LIST, NULL, 0);
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK) {
        struct intent intent;
        struct str from, to;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            return code;
        intent = (struct intent){
            .i = sqlite3_column_int64(q, 0),
            .owner = sqlite3_column_int64(q, 1),
            .session = column_str(q, 2),
            .s = sqlite3_column_int64(q, 3),
            .dir = column_str(q, 4),
            .dev = sqlite3_column_int64(q, 5),
            .ino = sqlite3_column_int64(q, 6),
            .body = column_str(q, 9),
            .at_us = sqlite3_column_int64(q, 10),
        };
        from = column_str(q, 7);
        to = column_str(q, 8);
        if (from.n != HASH_BYTES || to.n != HASH_BYTES) {
            code = fault_set(fault, FAULT_CORRUPT, "the trees of intent %lld cannot be read",
                             (long long)intent.i);
            break;
        }
        memcpy(intent.from, from.p, HASH_BYTES);
        memcpy(intent.to, to.p, HASH_BYTES);
        code = visit(context, &intent, fault);
    }
    sqlite3_reset(q);
    return code;
}
