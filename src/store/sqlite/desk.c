/* Who may come in, who answers, and what is being said: small tables beside the tree. */
#include "store/sqlite/verbs.h"

#include "store/limits.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/path.h"

#include <openssl/crypto.h>

static enum fault_code too_long(const char *what, struct str s, size_t max, struct fault *fault)
{
    if (s.n > max)
        return fault_set(fault, FAULT_TOO_LARGE, "%s has %zu bytes; the limit is %zu", what, s.n,
                         max);
    return FAULT_OK;
}

/* ---- users ---- */

enum fault_code user_add_run(struct db *db, const struct user_spec *spec, int64_t *owner,
                             struct fault *fault)
{
    struct arg hash = arg_bytes(spec->token, HASH_BYTES);
    sqlite3_stmt *q;
    bool row;

    if (spec->name.n == 0)
        return fault_set(fault, FAULT_INVALID, "a user needs a name");
    if (too_long("the name of the user", spec->name, LIMIT_OWNER_BYTES, fault) != FAULT_OK ||
        too_long("the label of the token", spec->label, LIMIT_LABEL_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_TOKEN_AT, ARGS(hash));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    sqlite3_reset(q);
    if (row)
        return fault_set(fault, FAULT_EXISTS, "the token is somebody's already");
    if (owner_run(db, spec->name, owner, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_TOKEN_INSERT,
                  ARGS(hash, arg_int(*owner), arg_text(spec->label.p ? spec->label : STR("")),
                       arg_int(spec->at_us)),
                  fault);
}

enum fault_code user_list_run(struct db *db, user_visit *visit, void *context, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_OWNER_LIST, NULL, 0);
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK) {
        struct user user;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        user = (struct user){
            .owner = sqlite3_column_int64(q, 0),
            .name = column_str(q, 1),
            .tokens = sqlite3_column_int64(q, 2),
            .sessions = sqlite3_column_int64(q, 3),
            .created_us = sqlite3_column_int64(q, 4),
        };
        code = visit(context, &user, fault);
    }
    sqlite3_reset(q);
    return code;
}

enum fault_code user_remove_run(struct db *db, struct str name, struct fault *fault)
{
    int64_t owner = 0, needed = 0;

    if (db_int(db, Q_OWNER_NAMED, ARGS(arg_text(name)), &owner, fault) != FAULT_OK)
        return fault_pass(fault);
    if (owner == 0)
        return fault_set(fault, FAULT_USER_NOT_FOUND, "there is no user \"%.*s\"", STR_ARG(name));
    if (db_run(db, Q_TOKEN_DELETE, ARGS(arg_int(owner)), fault) != FAULT_OK ||
        db_int(db, Q_OWNER_NEEDED, ARGS(arg_int(owner)), &needed, fault) != FAULT_OK)
        return fault_pass(fault);
    if (needed)
        return FAULT_OK;
    if (db_run(db, Q_ONCE_FORGET, ARGS(arg_int(owner)), fault) != FAULT_OK ||
        db_run(db, Q_OWNER_FLOOR, ARGS(arg_int(owner)), fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_OWNER_DELETE, ARGS(arg_int(owner)), fault);
}

/* The index finds the row; the bytes are then compared in a time that does not depend on them. */
enum fault_code user_find_run(struct db *db, const unsigned char token[HASH_BYTES],
                              struct arena *arena, struct user *out, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_TOKEN_AT, ARGS(arg_bytes(token, HASH_BYTES)));
    struct user user;
    struct str hash;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    hash = row ? column_str(q, 0) : STR_NONE;
    if (hash.n != HASH_BYTES || CRYPTO_memcmp(hash.p, token, HASH_BYTES) != 0) {
        sqlite3_reset(q);
        return fault_set(fault, FAULT_UNAUTHORIZED, "the token is nobody's");
    }
    user = (struct user){
        .owner = sqlite3_column_int64(q, 1),
        .name = column_dup(q, 2, arena),
        .tokens = sqlite3_column_int64(q, 3),
        .created_us = sqlite3_column_int64(q, 4),
    };
    sqlite3_reset(q);
    *out = user;
    return FAULT_OK;
}

/* ---- agents ---- */

static enum fault_code agent_known(struct db *db, struct str name, bool *out, struct fault *fault)
{
    int64_t known = 0;

    if (db_int(db, Q_AGENT_KNOWN, ARGS(arg_text(name)), &known, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = known != 0;
    return FAULT_OK;
}

enum fault_code agent_put_run(struct db *db, const struct agent_row *row, bool must_be_new,
                              struct once *once, struct arena *arena, struct fault *fault)
{
    bool known, repeated;

    if (row->name.n == 0)
        return fault_set(fault, FAULT_INVALID, "an agent needs a name");
    if (too_long("the name of the agent", row->name, LIMIT_AGENT_BYTES, fault) != FAULT_OK ||
        too_long("the definition of the agent", row->body, LIMIT_AGENT_BODY_BYTES, fault) !=
            FAULT_OK ||
        once_find(db, once, row->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (agent_known(db, row->name, &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (known && must_be_new)
        return fault_set(fault, FAULT_EXISTS, "agent \"%.*s\" exists already", STR_ARG(row->name));
    if (db_run(db, Q_AGENT_PUT,
               ARGS(arg_text(row->name), arg_blob(row->body.p ? row->body : STR("")),
                    arg_int(row->at_us)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    return once_keep(db, once, row->at_us, arena, fault);
}

enum fault_code agent_remove_run(struct db *db, struct str name, struct fault *fault)
{
    bool known;

    if (agent_known(db, name, &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return fault_set(fault, FAULT_AGENT_NOT_FOUND, "agent \"%.*s\" does not exist",
                         STR_ARG(name));
    return db_run(db, Q_AGENT_DELETE, ARGS(arg_text(name)), fault);
}

enum fault_code agent_list_run(struct db *db, agent_row_visit *visit, void *context,
                               struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_AGENT_LIST, NULL, 0);
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK) {
        struct agent_row agent;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        agent = (struct agent_row){column_str(q, 0), column_str(q, 1), sqlite3_column_int64(q, 2)};
        code = visit(context, &agent, fault);
    }
    sqlite3_reset(q);
    return code;
}

/* ---- turns ---- */

enum fault_code draft_run(struct db *db, int64_t owner, struct str session, struct str turn,
                          struct str body, struct fault *fault)
{
    struct link link;
    sqlite3_stmt *q;
    bool row, same;

    if (too_long("the draft", body, LIMIT_ENTRY_BYTES, fault) != FAULT_OK ||
        link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_RUN_ACTIVE_AT, ARGS(arg_int(link.s)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    same = row && str_eq(column_str(q, 0), turn);
    sqlite3_reset(q);
    if (!same)
        return fault_set(fault, FAULT_TURN_OVER, "turn \"%.*s\" of session \"%.*s\" is over",
                         STR_ARG(turn), STR_ARG(session));
    return db_run(db, Q_RUN_DRAFT, ARGS(arg_int(link.s), arg_blob(body.n ? body : STR_NONE)),
                  fault);
}

/* The columns that `run_at` and `run_active` have in common. */
static struct run run_read(sqlite3_stmt *q)
{
    return (struct run){
        .turn = column_str(q, 0),
        .state = (enum run_state)sqlite3_column_int(q, 1),
        .reason = column_str(q, 2),
        .holder = column_str(q, 3),
        .started_us = sqlite3_column_int64(q, 4),
        .ended_us = sqlite3_column_int64(q, 5),
        .draft = column_str(q, 6),
    };
}

enum fault_code run_active_run(struct db *db, run_visit *visit, void *context, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_RUN_ACTIVE, NULL, 0);
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK) {
        struct run run;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        run = run_read(q);
        run.owner = sqlite3_column_int64(q, 7);
        run.session = column_str(q, 8);
        code = visit(context, &run, fault);
    }
    sqlite3_reset(q);
    return code;
}

enum fault_code run_get_run(struct db *db, int64_t owner, struct str session, struct arena *arena,
                            struct run *out, struct fault *fault)
{
    struct run run;
    struct link link;
    sqlite3_stmt *q;
    bool row;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_RUN_AT, ARGS(arg_int(link.s)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_NO_TURN, "no turn was run in session \"%.*s\"",
                         STR_ARG(session));
    run = run_read(q);
    run.turn = arena_dup(arena, run.turn);
    run.reason = arena_dup(arena, run.reason);
    run.holder = arena_dup(arena, run.holder);
    run.draft = arena_dup(arena, run.draft);
    run.owner = link.owner;
    run.session = arena_dup(arena, session);
    sqlite3_reset(q);
    *out = run;
    return FAULT_OK;
}
