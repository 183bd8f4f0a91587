#include "store/sqlite/tree_row.h"

#include "store/sqlite/object_row.h"
#include "store/tree.h"

enum fault_code tree_hash(struct db *db, int64_t tree, unsigned char out[HASH_BYTES],
                          struct fault *fault)
{
    sqlite3_stmt *q;
    struct str hash;
    bool row;

    memcpy(out, tree_empty, HASH_BYTES);
    if (tree == 0)
        return FAULT_OK;
    q = db_query(db, Q_OBJECT_HASH, ARGS(arg_int(tree)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "object %lld is missing", (long long)tree);
    hash = column_str(q, 0);
    if (hash.n != HASH_BYTES)
        return fault_set(fault, FAULT_CORRUPT, "the name of object %lld has %zu bytes",
                         (long long)tree, hash.n);
    memcpy(out, hash.p, HASH_BYTES);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code tree_same(struct db *db, int64_t a, int64_t b, bool *same, struct fault *fault)
{
    unsigned char hash[HASH_BYTES];

    *same = a == b;
    if (*same || (a && b)) /* an object has one number */
        return FAULT_OK;
    if (tree_hash(db, a ? a : b, hash, fault) != FAULT_OK)
        return fault_pass(fault);
    *same = memcmp(hash, tree_empty, HASH_BYTES) == 0;
    return FAULT_OK;
}

enum fault_code files_changed(struct db *db, struct address at, int64_t was, int64_t now,
                              bool foreign, struct fault *fault)
{
    bool same;

    if (tree_same(db, was, now, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    if (same)
        return FAULT_OK;
    return db_run(db, Q_FILES_INSERT,
                  ARGS(arg_int(at.s), arg_int(at.n), was ? arg_int(was) : arg_null(),
                       now ? arg_int(now) : arg_null(), arg_int(foreign)),
                  fault);
}

enum fault_code tree_solid(struct db *db, int64_t tree, int64_t at_us, int64_t *out,
                           struct fault *fault)
{
    if (!tree)
        return tree_empty_keep(db, at_us, out, fault);
    *out = tree;
    return FAULT_OK;
}
