#include "store/sqlite/once_row.h"

#include "store/limits.h"

#include <assert.h>

enum { EXPIRE_MAX = 4 }; /* more than one for each that is written, so that they do not pile up */

enum fault_code once_find(struct db *db, struct once *once, int64_t now_us, struct arena *arena,
                          bool *repeated, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    sqlite3_stmt *q;
    bool row;

    *repeated = false;
    if (!once)
        return FAULT_OK;
    assert(once->owner > 0 && once->key.n > 0);
    once->repeated = false;
    once->answer = STR_NONE;
    q = db_query(db, Q_ONCE_AT, ARGS(arg_int(once->owner), arg_text(once->key)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return FAULT_OK;
    if (sqlite3_column_int64(q, 1) > now_us - ONCE_KEEP_US) {
        struct str request = {(const char *)once->request, HASH_BYTES};

        if (str_eq(column_str(q, 0), request)) {
            once->answer = column_dup(q, 2, arena);
            *repeated = once->repeated = true;
        } else {
            code =
                fault_set(fault, FAULT_KEY_REUSED,
                          "the key \"%.*s\" came with another request before", STR_ARG(once->key));
        }
    }
    sqlite3_reset(q);
    return code;
}

/* The key is copied: what it stands in goes. */
static enum fault_code expire_one(struct db *db, int64_t before_us, bool *found,
                                  struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_ONCE_OLDEST, ARGS(arg_int(before_us)));
    struct arena arena;
    struct str key;
    int64_t owner;
    enum fault_code code;

    if (db_step(db, q, found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!*found)
        return FAULT_OK;
    arena_init(&arena);
    owner = sqlite3_column_int64(q, 0);
    key = column_dup(q, 1, &arena);
    sqlite3_reset(q);
    code = db_run(db, Q_ONCE_DELETE, ARGS(arg_int(owner), arg_text(key)), fault);
    arena_clear(&arena);
    return code;
}

enum fault_code once_expire(struct db *db, int64_t now_us, int64_t max, struct fault *fault)
{
    bool found = true;

    for (int64_t i = 0; found && (max < 0 || i < max); i++)
        if (expire_one(db, now_us - ONCE_KEEP_US, &found, fault) != FAULT_OK)
            return fault_pass(fault);
    return FAULT_OK;
}

enum fault_code once_keep(struct db *db, struct once *once, int64_t now_us, struct arena *arena,
                          struct fault *fault)
{
    struct str answer;

    if (!once)
        return FAULT_OK;
    answer = once->render(once->context, arena);
    if (answer.n > LIMIT_ONCE_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the answer has %zu bytes; with a key the limit is %d", answer.n,
                         LIMIT_ONCE_BYTES);
    once->answer = answer.p ? answer : STR("");
    if (once_expire(db, now_us, EXPIRE_MAX, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_ONCE_INSERT,
                  ARGS(arg_int(once->owner), arg_text(once->key),
                       arg_bytes(once->request, HASH_BYTES), arg_int(now_us),
                       arg_blob(once->answer)),
                  fault);
}
