/* Everything that is derived is computed again and compared with what is stored. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/content_row.h"
#include "store/sqlite/entry_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/merge_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_walk.h"
#include "store/sqlite/tree_row.h"
#include "store/sqlite/writer.h"
#include "store/title.h"

#include <stdarg.h>
#include <stdio.h>

enum { TELL_EVERY = 2000 };

struct check {
    struct db *db;
    struct tree_walk walk; /* of the trees that acts have */
    struct arena arena;    /* cleared after each row */
    store_problem *problem;
    store_progress *progress;
    void *context;
    struct verify_result result;
};

static void report(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void report(struct check *check, const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    check->result.problems++;
    check->problem(check->context, message);
}

static void act_wrong(struct check *check, const struct act_row *row, const char *what)
{
    struct str id = act_id_text(row->head.id, row->head.drawn, &check->arena);

    report(check, "act %lld of session %lld (\"%.*s\"): %s", (long long)row->at.n,
           (long long)row->at.s, STR_ARG(id), what);
}

/* A row that is missing is a problem to report, any other fault ends the check. */
static bool missing(struct check *check, const struct act_row *row, enum fault_code code,
                    struct fault *fault)
{
    if (code != FAULT_CORRUPT)
        return false;
    act_wrong(check, row, fault->message);
    return true;
}

static bool usage_same(const struct usage *a, const struct usage *b)
{
    return a->input == b->input && a->output == b->output && a->cost == b->cost;
}

static void compare_facts(struct check *check, const struct act_row *row, const struct facts *want)
{
    const struct facts *have = &row->head.facts;

    if (have->visible != want->visible || have->user != want->user || have->tool != want->tool)
        act_wrong(check, row, "the count of messages is wrong");
    if (have->flat != want->flat || have->flat_user != want->flat_user)
        act_wrong(check, row, "the count of messages with sub-sessions is wrong");
    if (!usage_same(&have->path, &want->path) || !usage_same(&have->spent, &want->spent))
        act_wrong(check, row, "the sums of usage are wrong");
    if (have->open != want->open || !address_eq(have->good, want->good))
        act_wrong(check, row, "the open tool calls are wrong");
    if (!address_eq(have->summary, want->summary))
        act_wrong(check, row, "the newest summary is wrong");
    if (!address_eq(have->state, want->state))
        act_wrong(check, row, "the newest change of state is wrong");
    if (have->tree != want->tree || have->turn != want->turn)
        act_wrong(check, row, "its tree or turn is wrong");
    if (memcmp(have->hash, want->hash, HASH_BYTES) != 0)
        act_wrong(check, row, "the path hash does not match: the act or one before it was altered");
}

/* The turn that an act names: it must begin at or before the act, in the same session. */
static enum fault_code check_turn(struct check *check, const struct act_row *row,
                                  const struct act *before, struct facts_step *step,
                                  struct fault *fault)
{
    struct str name, name_before;
    struct address first;
    struct link link;
    int64_t entered = 0;

    if (!(row->head.flags & ENTRY_IN_TURN))
        return FAULT_OK;
    if (link_get(check->db, row->at.s, &link, fault) != FAULT_OK ||
        db_int(check->db, Q_TURN_HERE,
               ARGS(arg_int(link.fam), arg_text(row->head.turn), arg_int(row->at.s)), &entered,
               fault) != FAULT_OK)
        return fault_pass(fault);
    step->in_turn = true;
    step->turn = row->head.facts.turn;
    if (turn_first(check->db, row->head.facts.turn, &check->arena, &first, &name, fault) !=
            FAULT_OK ||
        turn_name(check->db, before->facts.turn, &check->arena, &name_before, fault) != FAULT_OK)
        return fault_pass(fault);
    step->same_turn = before->facts.turn != 0 && str_eq(row->head.turn, name_before);
    if (first.s != row->at.s || first.n > row->at.n || !str_eq(name, row->head.turn) ||
        entered != row->head.facts.turn)
        act_wrong(check, row, "its turn is another, or begins elsewhere");
    return FAULT_OK;
}

static bool line_equal(const struct line *a, const struct line *b)
{
    return address_eq(a->origin, b->origin) && a->origin_n0 == b->origin_n0 &&
           address_eq(a->boundary, b->boundary) && a->depth == b->depth && a->jump_s == b->jump_s &&
           a->jump_n0 == b->jump_n0 && a->jump_depth == b->jump_depth &&
           a->visible0 == b->visible0 && a->user0 == b->user0 && a->flat0 == b->flat0 &&
           a->flat_user0 == b->flat_user0;
}

/* `target`: the act before it on the path. */
static enum fault_code check_line(struct check *check, const struct act_row *row,
                                  const struct act *target, int64_t want_n0, struct fault *fault)
{
    struct line stored, want;
    struct act origin;

    if (row->n0 != want_n0) {
        act_wrong(check, row, "it is on the wrong line");
        return FAULT_OK;
    }
    if (row->n0 != row->at.n)
        return FAULT_OK;
    if (act_settle(check->db, target, &origin, fault) != FAULT_OK ||
        line_make(check->db, row->at.s, row->n0, &origin, &want, fault) != FAULT_OK ||
        line_get(check->db, row->at.s, row->n0, &stored, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!line_equal(&stored, &want))
        act_wrong(check, row, "the line that begins here is wrong");
    return FAULT_OK;
}

/* An undo or redo goes where it must; what moves files alone stays where the head was. */
static enum fault_code check_aim(struct check *check, const struct act_row *row, enum move_act act,
                                 enum move_scope scope, struct address before, struct address to,
                                 struct fault *fault)
{
    enum move_scope taken_back = scope;
    struct act goal = {.at = to};
    struct link link;

    if (act == MOVE_UNDO || act == MOVE_REDO) {
        if (link_get(check->db, row->at.s, &link, fault) != FAULT_OK)
            return fault_pass(fault);
        switch (way_back(check->db, &link, row->at.n, act, &goal, &taken_back, fault)) {
        case FAULT_OK:
            break;
        case FAULT_NOTHING_TO_UNDO:
        case FAULT_NOTHING_TO_REDO:
            return fault_set(fault, FAULT_CORRUPT, "it takes back what was not there");
        default:
            return fault_pass(fault);
        }
    }
    if (scope < SCOPE_BOTH || scope > SCOPE_FILES || taken_back != scope ||
        !address_eq(to, scope == SCOPE_FILES || act == MOVE_MERGE ? before : goal.at))
        act_wrong(check, row, "it moves something else than it should");
    return FAULT_OK;
}

static enum fault_code check_move(struct check *check, const struct act_row *row,
                                  struct address before, struct address *to, struct fault *fault)
{
    sqlite3_stmt *q = db_query(check->db, Q_MOVE_AT, ARGS(arg_int(row->at.s), arg_int(row->at.n)));
    struct stacks stored, want;
    enum move_scope scope;
    enum move_act act;
    bool found;

    if (db_step(check->db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return fault_set(fault, FAULT_CORRUPT, "what it moves to is missing");
    act = (enum move_act)sqlite3_column_int(q, 0);
    scope = (enum move_scope)sqlite3_column_int(q, 1);
    *to = column_address(q, 2);
    stored = (struct stacks){sqlite3_column_int64(q, 4), sqlite3_column_int64(q, 5),
                             sqlite3_column_int64(q, 6), sqlite3_column_int64(q, 7)};
    sqlite3_reset(q);
    if (stacks_after(check->db, row->at, act, &want, fault) != FAULT_OK)
        return fault_pass(fault);
    if (stored.undo_next != want.undo_next || stored.redo_next != want.redo_next ||
        stored.undo != want.undo || stored.redo != want.redo)
        act_wrong(check, row, "the order of undo and redo is wrong");
    return check_aim(check, row, act, scope, before, *to, fault);
}

/* A change of state: its chain, and where the whole stands, that whole. */
static enum fault_code check_state(struct check *check, const struct act_row *row,
                                   const struct facts *before, bool *has, struct fault *fault)
{
    sqlite3_stmt *q = db_query(check->db, Q_STATE_AT, ARGS(arg_int(row->at.s), arg_int(row->at.n)));
    struct state state, delta;
    struct str change, whole;
    struct address chain;
    struct buf bytes;

    if (db_step(check->db, q, has, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!*has)
        return FAULT_OK;
    chain = column_address(q, 0);
    change = column_dup(q, 5, &check->arena);
    whole = column_dup(q, 6, &check->arena);
    sqlite3_reset(q);
    if (!address_eq(chain, before->state))
        act_wrong(check, row, "its change of state follows another than the newest");
    if (!whole.p)
        return FAULT_OK;
    if (state_get(check->db, before, &check->arena, &state, fault) != FAULT_OK ||
        state_decode(change, &check->arena, &delta, fault) != FAULT_OK)
        return fault_pass(fault);
    state = state_fold(&state, &delta, &check->arena);
    buf_init(&bytes, (size_t)2 * LIMIT_STATE_BYTES);
    state_encode(&state, &bytes);
    if (!str_eq(buf_str(&bytes), whole))
        act_wrong(check, row, "the state stored with it is not what its changes give");
    buf_clear(&bytes);
    return FAULT_OK;
}

/* The act before it in its session, or the base. */
static enum fault_code neighbour(struct check *check, const struct act_row *row, struct act *out,
                                 struct fault *fault)
{
    struct link link;

    if (row->at.n > 1)
        return act_get(check->db, (struct address){row->at.s, row->at.n - 1}, out, fault);
    if (link_get(check->db, row->at.s, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    return act_get(check->db, link.base, out, fault);
}

static enum fault_code check_pin(struct check *check, const struct act_row *row, struct act *pinned,
                                 struct fault *fault)
{
    int64_t known = 0;

    if (row->head.kind != ENTRY_SUBSESSION)
        return FAULT_OK;
    if (db_int(check->db, Q_PIN_KNOWN,
               ARGS(arg_int(row->head.ref.s), arg_int(row->head.ref.n), arg_int(row->at.s),
                    arg_int(row->at.n)),
               &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        act_wrong(check, row, "the place that it refers to is not kept");
    return act_get(check->db, row->head.ref, pinned, fault);
}

/* An act stands among those that changed the files when the one before it left others. */
static enum fault_code check_change(struct check *check, const struct act_row *row, int64_t before,
                                    struct fault *fault)
{
    sqlite3_stmt *q = db_query(check->db, Q_FILES_AT, ARGS(arg_int(row->at.s), arg_int(row->at.n)));
    int64_t was = 0, now = 0, foreign = 0;
    bool found, same;

    if (db_step(check->db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (found) {
        was = sqlite3_column_int64(q, 0);
        now = sqlite3_column_int64(q, 1);
        foreign = sqlite3_column_int64(q, 2);
        sqlite3_reset(q);
    }
    if (tree_same(check->db, before, row->head.facts.tree, &same, fault) != FAULT_OK)
        return fault_pass(fault);
    if (found == same || (found && (was != before || now != row->head.facts.tree ||
                                    foreign != ((row->head.flags & ENTRY_FOREIGN) ? 1 : 0))))
        act_wrong(check, row, "what it did to the files is written down wrongly");
    return FAULT_OK;
}

/* What was merged is written down as long as it is there; one taken over names its source. */
static enum fault_code check_merge(struct check *check, const struct act_row *row,
                                   struct fault *fault)
{
    bool tells = row->head.flags & ENTRY_MERGED, adopted = row->head.flags & ENTRY_ADOPTED;
    struct address ref = row->head.ref, merged;
    int64_t known = 0;

    if (merged_at(check->db, row->at, &merged, fault) != FAULT_OK ||
        db_int(check->db, Q_ACT_KNOWN, ARGS(arg_int(ref.s), arg_int(ref.n)), &known, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if ((merged.s && !tells) ||
        (tells && !adopted && (merged.s || known) && !address_eq(merged, ref)))
        act_wrong(check, row, "the merge that it tells of is another");
    return FAULT_OK;
}

/* Is the act found by its id? */
static enum fault_code check_id(struct check *check, const struct act_row *row, struct fault *fault)
{
    const struct act_head *head = &row->head;
    struct link link;
    sqlite3_stmt *q;
    bool found = true;

    if (link_get(check->db, row->at.s, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    q = head->drawn
            ? db_query(check->db, Q_ENTRY_DRAWN, ARGS(arg_blob(head->id)))
            : db_query(check->db, Q_ENTRY_CLIENT, ARGS(arg_int(link.fam), arg_text(head->id)));
    while (found) {
        if (db_step(check->db, q, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (found && address_eq(column_address(q, 0), row->at)) {
            sqlite3_reset(q);
            return FAULT_OK;
        }
    }
    act_wrong(check, row, "it cannot be found by its id");
    return FAULT_OK;
}

static void check_body(struct check *check, const struct act_row *row)
{
    struct span *spans;
    size_t count;

    if (row->head.kind == ENTRY_MOVE)
        return;
    if (!row->body.p != (row->content.p != NULL))
        act_wrong(check, row, "its body is gone and its content hash was not kept");
    if (row->spans.p && !spans_decode(row->spans, row->body.n, &check->arena, &spans, &count))
        act_wrong(check, row, "the parts of it that are searched are wrong");
}

static enum fault_code check_act(struct check *check, const struct act_row *row,
                                 struct fault *fault)
{
    struct db *db = check->db;
    unsigned char content[HASH_BYTES];
    struct facts_step step = {
        .at = row->at,
        .kind = row->head.kind,
        .role = row->head.role,
        .usage = row->head.usage,
        .calls = row->head.calls,
        .results = row->head.results,
        .tree = row->head.own_tree,
        .content = content,
    };
    struct act before, target, pinned = {0};
    struct address to;
    struct facts want;
    struct usage spent = {0};

    if (neighbour(check, row, &before, fault) != FAULT_OK)
        return fault_pass(fault);
    target = before;
    if (row->head.at_us <= before.at_us)
        act_wrong(check, row, "its time is not after that of the act before it");
    if (before.at.s == row->at.s)
        spent = before.facts.spent;
    if (row->head.kind == ENTRY_MOVE &&
        (check_move(check, row, before.at, &to, fault) != FAULT_OK ||
         act_get(db, to, &target, fault) != FAULT_OK))
        return fault_pass(fault);
    if (check_line(check, row, &target,
                   row->head.kind == ENTRY_MOVE ? row->at.n
                   : row->at.n == 1             ? 1
                                                : before.n0,
                   fault) != FAULT_OK ||
        check_turn(check, row, &target, &step, fault) != FAULT_OK ||
        check_state(check, row, &target.facts, &step.has_state, fault) != FAULT_OK ||
        check_pin(check, row, &pinned, fault) != FAULT_OK ||
        check_id(check, row, fault) != FAULT_OK ||
        check_change(check, row, before.facts.tree, fault) != FAULT_OK ||
        check_merge(check, row, fault) != FAULT_OK ||
        stored_content(db, row, &check->arena, content, fault) != FAULT_OK)
        return fault_pass(fault);
    check_body(check, row);
    if (row->head.kind == ENTRY_SUBSESSION)
        step.ref = &pinned.facts;
    want = row->head.kind == ENTRY_MOVE ? facts_move(db->hasher, &target.facts, spent, &step)
                                        : facts_next(db->hasher, &target.facts, spent, &step);
    compare_facts(check, row, &want);
    return FAULT_OK;
}

/* Some of the head stands in columns of its own, for queries. */
static void check_columns(struct check *check, sqlite3_stmt *q, const struct act_row *row)
{
    const struct act_head *head = &row->head;

    if (sqlite3_column_int64(q, 8) != head->n || sqlite3_column_int64(q, 9) != head->kind ||
        sqlite3_column_int64(q, 10) != entry_visible(head->kind, head->role) ||
        sqlite3_column_int64(q, 11) != head->facts.tree)
        act_wrong(check, row, "its columns say otherwise than its head");
}

static enum fault_code check_acts(struct check *check, struct fault *fault)
{
    struct store_counts counts;
    sqlite3_stmt *q;
    bool found;

    if (counts_run(check->db, &counts, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(check->db, Q_ACT_ROWS, NULL, 0);
    for (;;) {
        struct act_row row;
        enum fault_code code;

        if (db_step(check->db, q, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!found)
            return FAULT_OK;
        if (act_row_read(q, &row, fault) != FAULT_OK) {
            report(check, "%s", fault->message);
            continue;
        }
        check_columns(check, q, &row);
        code = check_act(check, &row, fault);
        if (code == FAULT_OK && row.head.facts.tree)
            code = tree_walk(&check->walk, row.head.facts.tree, fault);
        if (code != FAULT_OK && !missing(check, &row, code, fault))
            return code;
        check->result.entries++;
        arena_clear(&check->arena);
        if (check->progress && check->result.entries % TELL_EVERY == 0)
            check->progress(check->context, "verifying", check->result.entries, counts.entries);
    }
}

/* Looks at one row. FAULT_CORRUPT is a problem to report, any other fault ends the check. */
typedef enum fault_code row_check(struct check *check, sqlite3_stmt *q, struct fault *fault);

/* Each row is that of a `noun`, with its number in the first column. */
static enum fault_code check_rows(struct check *check, sqlite3_stmt *q, const char *noun,
                                  row_check *one, struct fault *fault)
{
    bool row;

    for (;;) {
        enum fault_code code;

        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        code = one(check, q, fault);
        if (code == FAULT_CORRUPT)
            report(check, "%s %lld: %s", noun, (long long)sqlite3_column_int64(q, 0),
                   fault->message);
        else if (code != FAULT_OK)
            return code;
        arena_clear(&check->arena);
    }
}

static enum fault_code check_session(struct check *check, sqlite3_stmt *q, struct fault *fault)
{
    int64_t s = sqlite3_column_int64(q, 0), fam = sqlite3_column_int64(q, 1);
    struct str id = column_str(q, 2);
    struct address base = column_address(q, 4);
    struct title title = title_parse(column_str(q, 8));
    int64_t depth, jump;
    struct link below;
    struct act act;
    enum fault_code code;

    check->result.sessions++;
    code = act_get(check->db, base, &act, fault);
    if (code == FAULT_CORRUPT) {
        report(check, "session \"%.*s\": the place where it begins is missing", STR_ARG(id));
        return FAULT_OK;
    }
    if (code != FAULT_OK || link_place(check->db, base, &depth, &jump, fault) != FAULT_OK)
        return fault_pass(fault);
    if (depth != sqlite3_column_int64(q, 6) || (jump ? jump : s) != sqlite3_column_int64(q, 7))
        report(check, "session \"%.*s\": its place among its bases is wrong", STR_ARG(id));
    if (base.s) {
        if (link_get(check->db, base.s, &below, fault) != FAULT_OK)
            return fault_pass(fault);
        if (below.fam != fam)
            report(check, "session \"%.*s\": it is of another family than its base", STR_ARG(id));
    }
    if (sqlite3_column_int(q, 11) < WORKSPACE_OWN || sqlite3_column_int(q, 11) > WORKSPACE_NONE ||
        (sqlite3_column_int(q, 11) == WORKSPACE_ATTACHED) != (column_str(q, 12).n > 0))
        report(check, "session \"%.*s\": where it works is not clear", STR_ARG(id));
    if (!str_eq(title.base, column_str(q, 9)) || title.number != sqlite3_column_int64(q, 10))
        report(check, "session \"%.*s\": its title is taken apart wrongly", STR_ARG(id));
    return FAULT_OK;
}

static enum fault_code check_sessions(struct check *check, struct fault *fault)
{
    return check_rows(check, db_query(check->db, Q_VERIFY_SESSIONS, NULL, 0), "session",
                      check_session, fault);
}

/* Turns that are run, kept answers, tokens. */
static enum fault_code check_desk(struct check *check, struct fault *fault)
{
    sqlite3_stmt *q = db_query(check->db, Q_VERIFY_DESK, NULL, 0);
    bool row;

    for (;;) {
        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        report(check, "a %s of owner %lld belongs to nobody", sqlite3_column_text(q, 0),
               (long long)sqlite3_column_int64(q, 1));
    }
    q = db_query(check->db, Q_VERIFY_RUNS, NULL, 0);
    for (;;) {
        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        report(check, "the turn of session %lld has a state that cannot be",
               (long long)sqlite3_column_int64(q, 0));
    }
}

/* What an object says of itself, and what it is. */
static enum fault_code check_object(struct check *check, sqlite3_stmt *q, struct fault *fault)
{
    enum object_kind kind = (enum object_kind)sqlite3_column_int(q, 2);
    int64_t size = sqlite3_column_int64(q, 3);
    struct str data = column_str(q, 4);
    unsigned char hash[HASH_BYTES];

    if (kind != OBJECT_JSON && object_unpack(data, size, &check->arena, &data, fault) != FAULT_OK)
        return fault_pass(fault);
    object_name(check->db->hasher, kind, data, hash);
    if (!str_eq(column_str(q, 1), (struct str){(const char *)hash, HASH_BYTES}) ||
        size != (int64_t)data.n)
        return fault_set(fault, FAULT_CORRUPT, "it was altered");
    return FAULT_OK;
}

static enum fault_code check_objects(struct check *check, struct fault *fault)
{
    return check_rows(check, db_query(check->db, Q_OBJECT_SCAN, NULL, 0), "object", check_object,
                      fault);
}

/* Moves of files that are going on. */
static enum fault_code check_intents(struct check *check, struct fault *fault)
{
    sqlite3_stmt *q =
        db_query(check->db, Q_VERIFY_INTENTS, ARGS(arg_bytes(tree_empty, HASH_BYTES)));
    bool row;

    for (;;) {
        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        report(check, "the move of files of session %lld names a tree that is not there",
               (long long)sqlite3_column_int64(q, 0));
    }
}

static enum fault_code check_rest(struct check *check, struct fault *fault)
{
    sqlite3_stmt *q = db_query(check->db, Q_VERIFY_ORPHANS, NULL, 0);
    bool row;

    for (;;) {
        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        report(check, "a %s at %lld of session %lld belongs to nothing", sqlite3_column_text(q, 0),
               (long long)sqlite3_column_int64(q, 2), (long long)sqlite3_column_int64(q, 1));
    }
    q = db_query(check->db, Q_VERIFY_GAPS, NULL, 0);
    for (;;) {
        if (db_step(check->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        report(check, "session %lld has %lld acts and the last has number %lld",
               (long long)sqlite3_column_int64(q, 0), (long long)sqlite3_column_int64(q, 1),
               (long long)sqlite3_column_int64(q, 2));
    }
}

/* SQLite's own look at pages, indexes and foreign keys. */
static enum fault_code check_file(struct check *check, const char *pragma, struct fault *fault)
{
    sqlite3_stmt *q = NULL;
    int code = sqlite3_prepare_v2(check->db->handle, pragma, -1, &q, NULL);

    if (code == SQLITE_OK) {
        while ((code = sqlite3_step(q)) == SQLITE_ROW) {
            const char *text = (const char *)sqlite3_column_text(q, 0);

            if (!text || strcmp(text, "ok") != 0)
                report(check, "the file is damaged: %s %s", text ? text : "",
                       sqlite3_column_count(q) > 2 ? "(a row refers to one that is missing)" : "");
        }
    }
    sqlite3_finalize(q);
    return code == SQLITE_DONE ? FAULT_OK
                               : db_fault(check->db->handle, code, "checking the file", fault);
}

enum fault_code verify_run(struct db *db, store_problem *problem, store_progress *progress,
                           void *context, struct verify_result *out, struct fault *fault)
{
    struct check check = {.db = db, .problem = problem, .progress = progress, .context = context};
    enum fault_code code;

    arena_init(&check.arena);
    tree_walk_init(&check.walk, db, NULL, NULL);
    code = check_file(&check, "PRAGMA integrity_check", fault);
    if (code == FAULT_OK)
        code = check_file(&check, "PRAGMA foreign_key_check", fault);
    if (code == FAULT_OK)
        code = check_sessions(&check, fault);
    if (code == FAULT_OK)
        code = check_acts(&check, fault);
    if (code == FAULT_OK)
        code = check_rest(&check, fault);
    if (code == FAULT_OK)
        code = check_objects(&check, fault);
    if (code == FAULT_OK)
        code = check_intents(&check, fault);
    if (code == FAULT_OK)
        code = check_desk(&check, fault);
    tree_walk_clear(&check.walk);
    arena_clear(&check.arena);
    if (code == FAULT_OK)
        *out = check.result;
    return code;
}
