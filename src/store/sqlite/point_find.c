#include "store/sqlite/point_find.h"

#include "store/sqlite/label_row.h"

#include <assert.h>
#include <stdio.h>

enum {
    START_CANDIDATES_MAX = 10 * 1000, /* ids looked at for a unique start */
    INSIDE_DEPTH_MAX = 8,             /* sub-sessions within sub-sessions that are searched */
    GOOD_AHEAD_MAX = 1000             /* acts looked at for the next good point */
};

/* Among the rows (s, n) of a query, the one that the session has; of several, the first in its log.
 */
static enum fault_code had_first(struct db *db, const struct link *link, sqlite3_stmt *q,
                                 struct address *out, struct fault *fault)
{
    int64_t best = INT64_MAX;
    bool row = true;

    *out = ADDRESS_START;
    for (;;) {
        struct address at;
        struct link owner;
        bool has;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        at = column_address(q, 0);
        if (path_has(db, link, at, &has, NULL, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!has)
            continue;
        if (link_get(db, at.s, &owner, fault) != FAULT_OK)
            return fault_pass(fault);
        if (owner.depth < best) {
            best = owner.depth;
            *out = at;
        }
    }
}

enum fault_code entry_named(struct db *db, const struct link *link, struct str id,
                            struct address *out, struct fault *fault)
{
    struct id drawn;

    *out = ADDRESS_START;
    if (id_parse(id, &drawn)) {
        sqlite3_stmt *q = db_query(db, Q_ENTRY_DRAWN, ARGS(arg_bytes(drawn.b, ID_BYTES)));

        if (had_first(db, link, q, out, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (out->s)
        return FAULT_OK;
    return had_first(db, link, db_query(db, Q_ENTRY_CLIENT, ARGS(arg_int(link->fam), arg_text(id))),
                     out, fault);
}

/* Counts what a query finds that the session has; keeps the last. */
static enum fault_code had_count(struct db *db, const struct link *link, sqlite3_stmt *q,
                                 struct address *out, int *count, int *seen, struct fault *fault)
{
    bool row;

    while (*count < 2) {
        struct address at;
        bool has;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (++*seen > START_CANDIDATES_MAX)
            return fault_set(fault, FAULT_AMBIGUOUS, "that start of an id is too short");
        at = column_address(q, 0);
        if (path_has(db, link, at, &has, NULL, fault) != FAULT_OK)
            return fault_pass(fault);
        if (has) {
            *out = at;
            ++*count;
        }
    }
    return FAULT_OK;
}

static enum fault_code entry_started(struct db *db, const struct link *link, struct str start,
                                     struct address *out, struct fault *fault)
{
    struct id first, last;
    struct address found = ADDRESS_START;
    int count = 0, seen = 0;

    *out = ADDRESS_START;
    if (id_range(start, &first, &last)) {
        sqlite3_stmt *q = db_query(db, Q_ENTRY_DRAWN_BETWEEN,
                                   ARGS(arg_bytes(first.b, ID_BYTES), arg_bytes(last.b, ID_BYTES)));

        if (had_count(db, link, q, &found, &count, &seen, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (count < 2 && start.n < LIMIT_ID_BYTES) {
        char above[LIMIT_ID_BYTES + 1];
        sqlite3_stmt *q;

        memcpy(above, start.p, start.n);
        above[start.n] = '~'; /* above all that an id may have */
        q = db_query(
            db, Q_ENTRY_CLIENT_BETWEEN,
            ARGS(arg_int(link->fam), arg_text(start), arg_text((struct str){above, start.n + 1})));
        if (had_count(db, link, q, &found, &count, &seen, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    if (count > 1)
        return fault_set(fault, FAULT_AMBIGUOUS,
                         "several messages have an id that starts with \"%.*s\"", STR_ARG(start));
    if (count == 1)
        *out = found;
    return FAULT_OK;
}

/* The places that a session's raw log refers to, up to its act `high`; of a session the newest. */
static enum fault_code pinned_places(struct db *db, const struct link *link, int64_t high,
                                     struct arena *arena, struct address **out, size_t *count,
                                     struct fault *fault)
{
    struct range *ranges;
    size_t range_count, room = 0;
    bool row;

    *out = NULL;
    *count = 0;
    if (chain_ranges(db, link, arena, &ranges, &range_count, fault) != FAULT_OK)
        return fault_pass(fault);
    ranges[range_count - 1].to = high;
    for (size_t i = 0; i < range_count; i++) {
        sqlite3_stmt *q =
            db_query(db, Q_PINNED_BY, ARGS(arg_int(ranges[i].s), arg_int(ranges[i].to)));

        for (;;) {
            if (db_step(db, q, &row, fault) != FAULT_OK)
                return fault_pass(fault);
            if (!row)
                break;
            *out = arena_more(arena, *out, *count, &room, sizeof(**out));
            (*out)[(*count)++] = column_address(q, 0);
        }
    }
    return FAULT_OK;
}

/* Is that id in a sub-session that the session refers to, or in one of theirs? */
static enum fault_code inside_subsession(struct db *db, const struct link *link, int64_t high,
                                         struct str id, int depth, struct arena *arena,
                                         bool *inside, struct fault *fault)
{
    struct address *pinned;
    size_t count;

    *inside = false;
    if (depth == INSIDE_DEPTH_MAX)
        return FAULT_OK;
    if (pinned_places(db, link, high, arena, &pinned, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < count && !*inside; i++) {
        struct link sub;
        struct address at;

        if (link_get(db, pinned[i].s, &sub, fault) != FAULT_OK ||
            entry_named(db, &sub, id, &at, fault) != FAULT_OK)
            return fault_pass(fault);
        *inside = at.s != 0 && (at.s != sub.s || at.n <= pinned[i].n);
        if (!*inside && inside_subsession(db, &sub, pinned[i].n, id, depth + 1, arena, inside,
                                          fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code anchor_message(struct db *db, const struct link *link, struct str session,
                                      const struct point_spec *spec, struct arena *arena,
                                      struct address *out, struct fault *fault)
{
    bool inside;

    if (spec->name.n == 0)
        return fault_set(fault, FAULT_POINT_INVALID, "a point needs the id of a message");
    if (entry_named(db, link, spec->name, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->s == 0 && spec->name_may_be_start &&
        entry_started(db, link, spec->name, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->s)
        return FAULT_OK;
    if (inside_subsession(db, link, INT64_MAX, spec->name, 0, arena, &inside, fault) != FAULT_OK)
        return fault_pass(fault);
    if (inside)
        return fault_set(fault, FAULT_POINT_INSIDE_SUBSESSION,
                         "message \"%.*s\" is inside a sub-session of session \"%.*s\"",
                         STR_ARG(spec->name), STR_ARG(session));
    return fault_set(fault, FAULT_MESSAGE_NOT_FOUND, "message \"%.*s\" is not in session \"%.*s\"",
                     STR_ARG(spec->name), STR_ARG(session));
}

static enum fault_code anchor_label(struct db *db, const struct link *link, struct str session,
                                    const struct point_spec *spec, struct arena *arena,
                                    struct address *out, struct fault *fault)
{
    struct label *labels = NULL;
    size_t count = 0;

    if (labels_seen(db, link, arena, &labels, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < count; i++) {
        if (str_eq(labels[i].text, spec->name)) {
            *out = labels[i].at;
            return FAULT_OK;
        }
    }
    return fault_set(fault, FAULT_LABEL_NOT_FOUND, "label \"%.*s\" is not in session \"%.*s\"",
                     STR_ARG(spec->name), STR_ARG(session));
}

static enum fault_code anchor_turn(struct db *db, const struct link *link, struct str session,
                                   const struct point_spec *spec, struct address *out,
                                   struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_TURN_PLACES, ARGS(arg_int(link->fam), arg_text(spec->name)));

    if (had_first(db, link, q, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->s == 0)
        return fault_set(fault, FAULT_TURN_NOT_FOUND, "turn \"%.*s\" is not in session \"%.*s\"",
                         STR_ARG(spec->name), STR_ARG(session));
    return FAULT_OK;
}

/*
 * Is the entry a user message, or a reference whose first (or last) message, flattened, is one?
 * Only then does a user message at the edge of it stand at the edge of the whole list.
 */
static enum fault_code edge_is_user(struct db *db, struct address at, bool first, bool *out,
                                    struct fault *fault)
{
    for (;;) {
        struct act_head head;
        struct act pinned;

        *out = false;
        if (act_head_get(db, at, &head, fault) != FAULT_OK)
            return fault_pass(fault);
        if (head.kind != ENTRY_SUBSESSION) {
            *out = head.role == ROLE_USER;
            return FAULT_OK;
        }
        if (act_get(db, head.ref, &pinned, fault) != FAULT_OK ||
            path_find(db, &pinned, ORDINAL_FLAT, first ? 0 : pinned.facts.flat - 1, &at, NULL, NULL,
                      fault) != FAULT_OK)
            return fault_pass(fault);
        if (at.s == 0)
            return FAULT_OK;
    }
}

static enum fault_code anchor_ordinal(struct db *db, const struct act *head,
                                      const struct point_spec *spec, struct address *out,
                                      struct fault *fault)
{
    enum ordinal ordinal = spec->by == POINT_USER        ? ORDINAL_USER
                           : spec->by == POINT_FLAT      ? ORDINAL_FLAT
                           : spec->by == POINT_FLAT_USER ? ORDINAL_FLAT_USER
                                                         : ORDINAL_VISIBLE;
    const struct facts *facts = &head->facts;
    int64_t total = spec->by == POINT_USER        ? facts->user
                    : spec->by == POINT_FLAT      ? facts->flat
                    : spec->by == POINT_FLAT_USER ? facts->flat_user
                                                  : facts->visible;
    int64_t value = spec->ordinal < 0 ? total + spec->ordinal : spec->ordinal;
    int64_t offset = 0, span = 1;
    bool edge;

    if (value < 0 || value >= total)
        return fault_set(
            fault, FAULT_POINT_INVALID, "%s index %lld is out of range: there are %lld",
            ordinal == ORDINAL_USER || ordinal == ORDINAL_FLAT_USER ? "user message" : "message",
            (long long)spec->ordinal, (long long)total);
    if (path_find(db, head, ordinal, value, out, &offset, &span, fault) != FAULT_OK)
        return fault_pass(fault);
    edge = spec->side == SIDE_BEFORE ? offset == 0 : offset == span - 1;
    if (edge && ordinal == ORDINAL_FLAT_USER &&
        edge_is_user(db, *out, spec->side == SIDE_BEFORE, &edge, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!edge)
        return fault_set(fault, FAULT_POINT_INSIDE_SUBSESSION,
                         "message index %lld is inside a sub-session", (long long)spec->ordinal);
    return FAULT_OK;
}

static enum fault_code anchor_address(struct db *db, const struct link *link, struct str session,
                                      const struct point_spec *spec, struct address *out,
                                      struct fault *fault)
{
    int64_t known = 0;
    bool has = false;

    *out = spec->address;
    if (out->s == 0)
        return FAULT_OK;
    if (db_int(db, Q_ACT_KNOWN, ARGS(arg_int(out->s), arg_int(out->n)), &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (known && path_has(db, link, *out, &has, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!has)
        return fault_set(fault, FAULT_POINT_INVALID,
                         "the cursor does not belong to session \"%.*s\"", STR_ARG(session));
    return FAULT_OK;
}

/* The entry named, or ADDRESS_START for the kinds that name none. */
static enum fault_code anchor_find(struct db *db, const struct link *link, struct str session,
                                   const struct act *head, const struct point_spec *spec,
                                   struct arena *arena, struct address *out, struct fault *fault)
{
    *out = ADDRESS_START;
    switch (spec->by) {
    case POINT_END:
    case POINT_START:
        return FAULT_OK;
    case POINT_MESSAGE:
        return anchor_message(db, link, session, spec, arena, out, fault);
    case POINT_LABEL:
        return anchor_label(db, link, session, spec, arena, out, fault);
    case POINT_TURN:
        return anchor_turn(db, link, session, spec, out, fault);
    case POINT_ADDRESS:
        return anchor_address(db, link, session, spec, out, fault);
    case POINT_INDEX:
    case POINT_USER:
    case POINT_FLAT:
    case POINT_FLAT_USER:
        break;
    }
    return anchor_ordinal(db, head, spec, out, fault);
}

/* Is the act an entry of files that its turn left behind, and nobody else? */
static enum fault_code is_turns_files(struct db *db, struct address at, bool *out,
                                      struct fault *fault)
{
    struct act_head head;
    int64_t kind = -1;

    *out = false;
    if (db_int(db, Q_ACT_KIND, ARGS(arg_int(at.s), arg_int(at.n)), &kind, fault) != FAULT_OK)
        return fault_pass(fault);
    if (kind != ENTRY_FILES)
        return FAULT_OK;
    if (act_head_get(db, at, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (head.flags & ENTRY_IN_TURN) && !(head.flags & ENTRY_FOREIGN);
    return FAULT_OK;
}

/*
 * X, and the entries of files with which its turn ended, as far as the session has them. What was
 * put or changed by hand afterwards does not belong to X.
 */
static enum fault_code after_files(struct db *db, const struct link *link, struct address *at,
                                   struct fault *fault)
{
    int64_t limit;
    bool has, more;

    if (path_has(db, link, *at, &has, &limit, fault) != FAULT_OK)
        return fault_pass(fault);
    while (has && at->n < limit) {
        struct address next = {at->s, at->n + 1};

        if (is_turns_files(db, next, &more, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!more)
            break;
        *at = next;
    }
    return FAULT_OK;
}

static enum fault_code place_of(struct db *db, const struct link *link, const struct act *head,
                                const struct point_spec *spec, struct point *point,
                                struct fault *fault)
{
    struct link writer;

    if (spec->by == POINT_END || spec->by == POINT_START) {
        point->at = spec->by == POINT_END ? head->at : ADDRESS_START;
        return FAULT_OK;
    }
    point->at = point->anchor;
    if (spec->by == POINT_ADDRESS)
        return FAULT_OK;
    if (point->side == SIDE_AFTER)
        return after_files(db, link, &point->at, fault);
    if (--point->at.n > 0)
        return FAULT_OK;
    if (link_get(db, point->at.s, &writer, fault) != FAULT_OK)
        return fault_pass(fault);
    point->at = writer.base;
    return FAULT_OK;
}

/* `after "m3" (#2)`, or `the beginning`. */
static enum fault_code good_words(struct db *db, struct address at, struct arena *arena,
                                  struct str *out, struct fault *fault)
{
    struct entry entry;

    if (at.s == 0) {
        *out = STR("the beginning");
        return FAULT_OK;
    }
    if (entry_get(db, at, arena, &entry, fault) != FAULT_OK)
        return fault_pass(fault);
    if (entry.visible)
        *out = arena_printf(arena, "after \"%.*s\" (#%lld)", STR_ARG(entry.id),
                            (long long)entry.index);
    else
        *out = arena_printf(arena, "after \"%.*s\"", STR_ARG(entry.id));
    return FAULT_OK;
}

/*
 * The first act that a query of (n, head) gives for which `wanted` holds; 0 when there is none.
 */
static enum fault_code first_ahead(struct db *db, sqlite3_stmt *q,
                                   bool (*wanted)(const struct act_head *head, int64_t with),
                                   int64_t with, int64_t *out, struct fault *fault)
{
    bool row;

    *out = 0;
    while (*out == 0) {
        struct act_head head;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (!act_head_decode(column_str(q, 1), &head))
            return fault_set(fault, FAULT_CORRUPT, "the head of an act cannot be read");
        if (wanted(&head, with))
            *out = head.n;
    }
    sqlite3_reset(q);
    return FAULT_OK;
}

static bool nothing_open(const struct act_head *head, int64_t with)
{
    (void)with;
    return head->facts.open == 0;
}

static bool in_turn(const struct act_head *head, int64_t turn)
{
    return head->facts.turn == turn;
}

static enum fault_code refuse_open(struct db *db, const struct link *link, const struct act *act,
                                   struct arena *arena, struct fault *fault)
{
    struct str before, after = STR_NONE, where;
    int64_t ahead = 0, limit;
    struct act settled;
    bool has;

    if (act_settle(db, act, &settled, fault) != FAULT_OK ||
        good_words(db, act->facts.good, arena, &before, fault) != FAULT_OK ||
        good_words(db, settled.at, arena, &where, fault) != FAULT_OK ||
        path_has(db, link, act->at, &has, &limit, fault) != FAULT_OK)
        return fault_pass(fault);
    if (limit > act->at.n + GOOD_AHEAD_MAX)
        limit = act->at.n + GOOD_AHEAD_MAX;
    if (first_ahead(db,
                    db_query(db, Q_LINE_AHEAD,
                             ARGS(arg_int(act->at.s), arg_int(act->at.n), arg_int(limit),
                                  arg_int(act->n0))),
                    nothing_open, 0, &ahead, fault) != FAULT_OK)
        return fault_pass(fault);
    if (ahead &&
        good_words(db, (struct address){act->at.s, ahead}, arena, &after, fault) != FAULT_OK)
        return fault_pass(fault);
    return fault_set(
        fault, FAULT_TOOL_CALL_OPEN,
        "a tool call has no result yet %.*s; the nearest points without one: %.*s%s%.*s",
        STR_ARG(where), STR_ARG(before), after.p ? ", " : "", STR_ARG(after));
}

enum fault_code point_find(struct db *db, const struct link *link, struct str session,
                           const struct point_spec *spec, struct arena *arena, struct point *out,
                           struct fault *fault)
{
    struct point point = {.side = spec->by == POINT_TURN ? SIDE_BEFORE : spec->side};
    struct act head, act;

    if (head_get(db, link, &head, fault) != FAULT_OK ||
        anchor_find(db, link, session, &head, spec, arena, &point.anchor, fault) != FAULT_OK ||
        place_of(db, link, &head, spec, &point, fault) != FAULT_OK ||
        act_get(db, point.at, &act, fault) != FAULT_OK ||
        entry_id(db, point.anchor, arena, &point.message, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->by == POINT_END || spec->by == POINT_ADDRESS)
        point.side = SIDE_AFTER;
    if (act.facts.open > 0 && spec->guard != GUARD_NONE) {
        /* The end of a session at work is its newest good place. */
        if (spec->guard == GUARD_REFUSE && spec->by != POINT_END)
            return refuse_open(db, link, &act, arena, fault);
        if (act_get(db, act.facts.good, &act, fault) != FAULT_OK)
            return fault_pass(fault);
        point.at = act.at;
        point.snapped = true;
    }
    point.index = act.facts.visible;
    *out = point;
    return FAULT_OK;
}

enum fault_code point_anchor(struct db *db, const struct link *link, struct str session,
                             const struct point_spec *spec, struct arena *arena,
                             struct address *out, struct fault *fault)
{
    struct point_spec named = *spec;
    struct act head;

    if (head_get(db, link, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    if (anchor_find(db, link, session, &head, &named, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->by == POINT_END) {
        if (act_settle(db, &head, &head, fault) != FAULT_OK)
            return fault_pass(fault);
        *out = head.at;
    }
    if (out->s == 0)
        return fault_set(fault, FAULT_POINT_INVALID, "that names no message of session \"%.*s\"",
                         STR_ARG(session));
    return FAULT_OK;
}

enum fault_code point_excluded(struct db *db, const struct link *link, const struct point *point,
                               struct arena *arena, bool *has, struct entry *out,
                               struct fault *fault)
{
    struct address at = point->anchor;
    int64_t ahead = 0, limit;
    struct act anchor;
    bool had;

    *has = false;
    if (at.s == 0 || point->side != SIDE_BEFORE)
        return FAULT_OK;
    if (path_has(db, link, at, &had, &limit, fault) != FAULT_OK ||
        act_get(db, at, &anchor, fault) != FAULT_OK)
        return fault_pass(fault);
    if (anchor.kind == ENTRY_MOVE) /* before a move no message is cut off */
        return FAULT_OK;
    if (limit > at.n + GOOD_AHEAD_MAX)
        limit = at.n + GOOD_AHEAD_MAX;
    /* The first entry of a turn may be a runtime's: then the first message that follows it there.
     */
    if (first_ahead(
            db, db_query(db, Q_MESSAGE_AHEAD, ARGS(arg_int(at.s), arg_int(at.n), arg_int(limit))),
            in_turn, anchor.facts.turn, &ahead, fault) != FAULT_OK)
        return fault_pass(fault);
    if (ahead == 0)
        return FAULT_OK;
    at.n = ahead;
    *has = true;
    return entry_get(db, at, arena, out, fault);
}
