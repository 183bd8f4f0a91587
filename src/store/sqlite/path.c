#include "store/sqlite/path.h"

#include "store/store.h"

enum fault_code line_get(struct db *db, int64_t s, int64_t n0, struct line *out,
                         struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_LINE_AT, ARGS(arg_int(s), arg_int(n0)));
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "line %lld of session %lld is missing",
                         (long long)n0, (long long)s);
    *out = (struct line){
        .s = s,
        .n0 = n0,
        .origin = column_address(q, 0),
        .origin_n0 = sqlite3_column_int64(q, 2),
        .boundary = column_address(q, 3),
        .depth = sqlite3_column_int64(q, 5),
        .jump_s = sqlite3_column_int64(q, 6),
        .jump_n0 = sqlite3_column_int64(q, 7),
        .jump_depth = sqlite3_column_int64(q, 8),
        .visible0 = sqlite3_column_int64(q, 9),
        .user0 = sqlite3_column_int64(q, 10),
        .flat0 = sqlite3_column_int64(q, 11),
        .flat_user0 = sqlite3_column_int64(q, 12),
    };
    sqlite3_reset(q);
    return FAULT_OK;
}

static bool line_same(const struct line *a, const struct line *b)
{
    return a->s == b->s && a->n0 == b->n0;
}

enum fault_code line_make(struct db *db, int64_t s, int64_t n0, const struct act *origin,
                          struct line *out, struct fault *fault)
{
    struct line line = {
        .s = s,
        .n0 = n0,
        .origin = origin->at,
        .jump_s = s,
        .jump_n0 = n0,
        .visible0 = origin->facts.visible,
        .user0 = origin->facts.user,
        .flat0 = origin->facts.flat,
        .flat_user0 = origin->facts.flat_user,
    };

    if (origin->at.s) {
        struct line parent, jump;

        if (line_get(db, origin->at.s, origin->n0, &parent, fault) != FAULT_OK ||
            line_get(db, parent.jump_s, parent.jump_n0, &jump, fault) != FAULT_OK)
            return fault_pass(fault);
        line.origin_n0 = origin->n0;
        line.boundary = origin->at.s == s ? parent.boundary : origin->at;
        line.depth = parent.depth + 1;
        if (parent.depth - jump.depth == jump.depth - jump.jump_depth) {
            line.jump_s = jump.jump_s;
            line.jump_n0 = jump.jump_n0;
            line.jump_depth = jump.jump_depth;
        } else {
            line.jump_s = parent.s;
            line.jump_n0 = parent.n0;
            line.jump_depth = parent.depth;
        }
    }
    *out = line;
    return FAULT_OK;
}

enum fault_code line_insert(struct db *db, int64_t s, int64_t n0, const struct act *origin,
                            struct fault *fault)
{
    struct line line;

    if (line_make(db, s, n0, origin, &line, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_LINE_INSERT,
                  ARGS(arg_int(s), arg_int(n0), arg_s(line.origin), arg_n(line.origin),
                       line.origin.s ? arg_int(line.origin_n0) : arg_null(), arg_s(line.boundary),
                       arg_n(line.boundary), arg_int(line.depth), arg_int(line.jump_s),
                       arg_int(line.jump_n0), arg_int(line.jump_depth), arg_int(line.visible0),
                       arg_int(line.user0), arg_int(line.flat0), arg_int(line.flat_user0)),
                  fault);
}

static void link_read(sqlite3_stmt *q, struct link *out)
{
    *out = (struct link){
        .s = sqlite3_column_int64(q, 0),
        .fam = sqlite3_column_int64(q, 1),
        .owner = sqlite3_column_int64(q, 2),
        .state = sqlite3_column_int(q, 3),
        .base = column_address(q, 4),
        .base_v = sqlite3_column_int64(q, 6),
        .depth = sqlite3_column_int64(q, 7),
        .jump = sqlite3_column_int64(q, 8),
        .touched_us = sqlite3_column_int64(q, 9),
    };
}

enum fault_code link_get(struct db *db, int64_t s, struct link *out, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_LINK_AT, ARGS(arg_int(s)));
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "session %lld is missing", (long long)s);
    link_read(q, out);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code link_place(struct db *db, struct address base, int64_t *depth, int64_t *jump,
                           struct fault *fault)
{
    struct link parent, over, further;

    *depth = *jump = 0;
    if (base.s == 0)
        return FAULT_OK;
    if (link_get(db, base.s, &parent, fault) != FAULT_OK ||
        link_get(db, parent.jump, &over, fault) != FAULT_OK ||
        link_get(db, over.jump, &further, fault) != FAULT_OK)
        return fault_pass(fault);
    *depth = parent.depth + 1;
    *jump = parent.depth - over.depth == over.depth - further.depth ? over.jump : parent.s;
    return FAULT_OK;
}

enum fault_code link_named(struct db *db, int64_t owner, struct str id, struct link *out,
                           struct fault *fault)
{
    sqlite3_stmt *q = owner == OWNER_ANY
                          ? db_query(db, Q_LINK_ANY, ARGS(arg_text(id)))
                          : db_query(db, Q_LINK_NAMED, ARGS(arg_int(owner), arg_text(id)));
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_SESSION_NOT_FOUND, "session \"%.*s\" does not exist",
                         STR_ARG(id));
    link_read(q, out);
    if (owner != OWNER_ANY) {
        sqlite3_reset(q);
        return FAULT_OK;
    }
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return FAULT_OK;
    sqlite3_reset(q);
    return fault_set(fault, FAULT_AMBIGUOUS, "several users have a session \"%.*s\"", STR_ARG(id));
}

enum fault_code head_get(struct db *db, const struct link *link, struct act *out,
                         struct fault *fault)
{
    if (act_last(db, link->s, out, fault) != FAULT_OK)
        return fault_pass(fault);
    return out->at.s ? FAULT_OK : act_get(db, link->base, out, fault);
}

enum fault_code act_settle(struct db *db, const struct act *act, struct act *out,
                           struct fault *fault)
{
    struct line line;

    if (act->at.s == 0 || act->kind != ENTRY_MOVE) {
        *out = *act;
        return FAULT_OK;
    }
    if (line_get(db, act->at.s, act->n0, &line, fault) != FAULT_OK)
        return fault_pass(fault);
    return act_get(db, line.origin, out, fault);
}

enum fault_code path_via(struct db *db, const struct link *link, struct address at, bool *has,
                         struct link *via, struct fault *fault)
{
    struct link step = *link, wanted, jump;

    *has = at.s == link->s;
    *via = *link;
    if (*has)
        return FAULT_OK;
    if (link_get(db, at.s, &wanted, fault) != FAULT_OK)
        return fault_pass(fault);
    if (wanted.fam != link->fam || link->depth <= wanted.depth)
        return FAULT_OK;
    while (step.depth > wanted.depth + 1) {
        if (link_get(db, step.jump, &jump, fault) != FAULT_OK)
            return fault_pass(fault);
        if (jump.depth >= wanted.depth + 1 && jump.s != step.s)
            step = jump;
        else if (link_get(db, step.base.s, &step, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *has = step.base.s == at.s && at.n <= step.base.n;
    *via = step;
    return FAULT_OK;
}

enum fault_code path_has(struct db *db, const struct link *link, struct address at, bool *has,
                         int64_t *limit, struct fault *fault)
{
    struct link via;

    if (path_via(db, link, at, has, &via, fault) != FAULT_OK)
        return fault_pass(fault);
    if (*has && limit)
        *limit = at.s == link->s ? INT64_MAX : via.base.n;
    return FAULT_OK;
}

static int64_t line_ordinal(const struct line *line, enum ordinal ordinal)
{
    switch (ordinal) {
    case ORDINAL_VISIBLE:
        return line->visible0;
    case ORDINAL_USER:
        return line->user0;
    case ORDINAL_FLAT:
        return line->flat0;
    case ORDINAL_FLAT_USER:
        break;
    }
    return line->flat_user0;
}

static int64_t facts_ordinal(const struct facts *facts, enum ordinal ordinal)
{
    switch (ordinal) {
    case ORDINAL_VISIBLE:
        return facts->visible;
    case ORDINAL_USER:
        return facts->user;
    case ORDINAL_FLAT:
        return facts->flat;
    case ORDINAL_FLAT_USER:
        break;
    }
    return facts->flat_user;
}

static enum fault_code ordinal_at(struct db *db, int64_t s, int64_t n, enum ordinal ordinal,
                                  int64_t *out, struct fault *fault)
{
    struct act_head head;

    if (act_head_get(db, (struct address){s, n}, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = facts_ordinal(&head.facts, ordinal);
    return FAULT_OK;
}

enum fault_code path_find(struct db *db, const struct act *head, enum ordinal ordinal,
                          int64_t value, struct address *out, int64_t *offset, int64_t *span,
                          struct fault *fault)
{
    struct line line, jump;
    int64_t low, high = head->at.n, before, after;

    *out = ADDRESS_START;
    if (head->at.s == 0 || value < 0 || value >= facts_ordinal(&head->facts, ordinal))
        return FAULT_OK;
    if (line_get(db, head->at.s, head->n0, &line, fault) != FAULT_OK)
        return fault_pass(fault);
    while (line_ordinal(&line, ordinal) > value) {
        if (line_get(db, line.jump_s, line.jump_n0, &jump, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!line_same(&jump, &line) && line_ordinal(&jump, ordinal) > value) {
            line = jump;
            continue;
        }
        high = line.origin.n;
        if (line_get(db, line.origin.s, line.origin_n0, &line, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    low = line.n0;
    while (low < high) {
        int64_t middle = low + (high - low) / 2, found;

        if (ordinal_at(db, line.s, middle, ordinal, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (found > value)
            high = middle;
        else
            low = middle + 1;
    }
    *out = (struct address){line.s, low};
    if (!offset && !span)
        return FAULT_OK;
    before = line_ordinal(&line, ordinal);
    if (low > line.n0 && ordinal_at(db, line.s, low - 1, ordinal, &before, fault) != FAULT_OK)
        return fault_pass(fault);
    if (ordinal_at(db, line.s, low, ordinal, &after, fault) != FAULT_OK)
        return fault_pass(fault);
    if (offset)
        *offset = value - before;
    if (span)
        *span = after - before;
    return FAULT_OK;
}

/* One line up, remembering where the path goes on there. */
static enum fault_code line_up(struct db *db, struct line *line, int64_t *high, struct fault *fault)
{
    *high = line->origin.n;
    return line_get(db, line->origin.s, line->origin_n0, line, fault);
}

static enum fault_code line_jump(struct db *db, struct line *line, struct fault *fault)
{
    return line_get(db, line->jump_s, line->jump_n0, line, fault);
}

/* Along a path the sessions only grow, and within one the numbers. */
static bool line_behind(const struct line *line, struct address at)
{
    return line->s > at.s || (line->s == at.s && line->n0 > at.n);
}

enum fault_code path_reach(struct db *db, const struct act *head, struct address at,
                           struct address *out, struct fault *fault)
{
    int64_t high = head->at.n;
    struct line line, jump;

    *out = ADDRESS_START;
    if (head->at.s == 0)
        return FAULT_OK;
    if (line_get(db, head->at.s, head->n0, &line, fault) != FAULT_OK)
        return fault_pass(fault);
    while (line_behind(&line, at)) {
        if (line.origin.s == 0)
            return FAULT_OK;
        if (line_get(db, line.jump_s, line.jump_n0, &jump, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!line_same(&jump, &line) && line_behind(&jump, at))
            line = jump;
        else if (line_up(db, &line, &high, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = (struct address){line.s, line.s == at.s && at.n < high ? at.n : high};
    return FAULT_OK;
}

/* `high_*` are unknown after a jump, but the last step to a common line is never a jump. */
static enum fault_code lines_meet(struct db *db, struct line *a, int64_t *high_a, struct line *b,
                                  int64_t *high_b, bool *met, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    *met = true;
    while (code == FAULT_OK && !line_same(a, b)) {
        struct line *deep = a->depth >= b->depth ? a : b, *other = deep == a ? b : a;
        int64_t *deep_high = deep == a ? high_a : high_b;

        if (deep->depth == 0) {
            *met = false;
            return FAULT_OK;
        }
        if (deep->depth > other->depth) {
            if (deep->jump_depth > other->depth)
                code = line_jump(db, deep, fault);
            else
                code = line_up(db, deep, deep_high, fault);
        } else if (a->jump_s != b->jump_s || a->jump_n0 != b->jump_n0) {
            code = line_jump(db, a, fault);
            if (code == FAULT_OK)
                code = line_jump(db, b, fault);
        } else {
            code = line_up(db, a, high_a, fault);
            if (code == FAULT_OK)
                code = line_up(db, b, high_b, fault);
        }
    }
    return code;
}

enum fault_code path_parting(struct db *db, const struct act *a, const struct act *b,
                             struct address *out, struct fault *fault)
{
    struct line line_a, line_b;
    int64_t high_a = a->at.n, high_b = b->at.n;
    struct act act;
    bool met;

    *out = ADDRESS_START;
    if (a->at.s == 0 || b->at.s == 0)
        return FAULT_OK;
    if (line_get(db, a->at.s, a->n0, &line_a, fault) != FAULT_OK ||
        line_get(db, b->at.s, b->n0, &line_b, fault) != FAULT_OK ||
        lines_meet(db, &line_a, &high_a, &line_b, &high_b, &met, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!met)
        return FAULT_OK;
    if (act_get(db, (struct address){line_a.s, high_a < high_b ? high_a : high_b}, &act, fault) !=
            FAULT_OK ||
        act_settle(db, &act, &act, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = act.at;
    return FAULT_OK;
}

/* Ranges are found newest first; this grows the list and turns it round at the end. */
struct range_list {
    struct range *items;
    size_t count, room;
};

static void range_add(struct range_list *list, struct arena *arena, struct range range)
{
    list->items = arena_more(arena, list->items, list->count, &list->room, sizeof(*list->items));
    list->items[list->count++] = range;
}

static void range_turn(struct range_list *list)
{
    for (size_t i = 0, j = list->count; i + 1 < j; i++) {
        struct range range = list->items[i];

        list->items[i] = list->items[--j];
        list->items[j] = range;
    }
}

enum fault_code path_ranges(struct db *db, struct address low, const struct act *high,
                            struct arena *arena, struct range **out, size_t *count,
                            struct fault *fault)
{
    struct range_list list = {0};
    struct address at = high->at;
    int64_t n0 = high->n0;
    struct line line;

    while (at.s) {
        if (low.s == at.s && low.n >= n0 && low.n <= at.n) {
            if (low.n < at.n)
                range_add(&list, arena, (struct range){at.s, low.n + 1, at.n});
            break;
        }
        if (line_get(db, at.s, n0, &line, fault) != FAULT_OK)
            return fault_pass(fault);
        range_add(&list, arena, (struct range){at.s, n0, at.n});
        at = line.origin;
        n0 = line.origin_n0;
    }
    range_turn(&list);
    *out = list.items;
    *count = list.count;
    return FAULT_OK;
}

enum fault_code chain_ranges(struct db *db, const struct link *link, struct arena *arena,
                             struct range **out, size_t *count, struct fault *fault)
{
    struct range_list list = {0};
    struct link step = *link;
    int64_t high = INT64_MAX;

    for (;;) {
        range_add(&list, arena, (struct range){step.s, 1, high});
        if (step.base.s == 0)
            break;
        high = step.base.n;
        if (link_get(db, step.base.s, &step, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    range_turn(&list);
    *out = list.items;
    *count = list.count;
    return FAULT_OK;
}
