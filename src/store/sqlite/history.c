/* Reading a conversation: the effective history, the raw log, what was rewound. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/point_find.h"
#include "store/sqlite/session_row.h"

#include <assert.h>

/* The part of a path that a page is made of: behind `low`, up to and with `high`. */
struct window {
    struct address low;
    struct act high;
};

/* Index of the first visible message behind the cursor, which must be on the path. */
static enum fault_code cursor_index(struct db *db, const struct act *head, struct address after,
                                    int64_t *out, struct fault *fault)
{
    struct address parting = ADDRESS_START;
    int64_t known = 0;
    struct act act;

    if (db_int(db, Q_ACT_KNOWN, ARGS(arg_int(after.s), arg_int(after.n)), &known, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (known && (act_get(db, after, &act, fault) != FAULT_OK ||
                  path_parting(db, head, &act, &parting, fault) != FAULT_OK))
        return fault_pass(fault);
    if (!known || !address_eq(parting, after))
        return fault_set(fault, FAULT_POINT_INVALID, "the cursor is not on that path");
    *out = act.facts.visible;
    return FAULT_OK;
}

static enum fault_code window_find(struct db *db, const struct history_spec *spec,
                                   const struct act *head, struct window *out, struct fault *fault)
{
    int64_t total = head->facts.visible, from = spec->from, to;
    struct address at;

    if (spec->after.s && cursor_index(db, head, spec->after, &from, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->tail)
        from = spec->limit > 0 && total > spec->limit ? total - spec->limit : 0;
    if (from < 0)
        from = 0;
    to = spec->limit > 0 && spec->limit < total - from ? from + spec->limit : total;
    out->low = spec->from_summary ? head->facts.summary : spec->after;
    out->high = *head;
    if (!spec->after.s && from > 0) {
        if (from > total)
            from = total;
        if (path_find(db, head, ORDINAL_VISIBLE, from - 1, &out->low, NULL, NULL, fault) !=
            FAULT_OK)
            return fault_pass(fault);
    }
    if (to >= total)
        return FAULT_OK;
    if (path_find(db, head, ORDINAL_VISIBLE, to - 1, &at, NULL, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    return act_get(db, at, &out->high, fault);
}

static enum fault_code scan_range(struct db *db, enum query query, const struct range *range,
                                  struct entry_reader *reader, entry_visit *visit, void *context,
                                  int64_t *left, struct address *last, struct fault *fault)
{
    sqlite3_stmt *q =
        db_query(db, query, ARGS(arg_int(range->s), arg_int(range->from), arg_int(range->to)));
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK && *left != 0) {
        struct entry entry;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            return code;
        code = entry_read(reader, range->s, q, &entry, fault);
        if (code != FAULT_OK)
            break;
        code = visit(context, &entry, fault);
        *last = entry.at;
        if (*left > 0)
            --*left;
    }
    sqlite3_reset(q);
    return code;
}

/* The summary itself, which stands before the window that begins with it. */
static enum fault_code visit_summary(struct db *db, struct address at, struct arena *arena,
                                     entry_visit *visit, void *context, struct fault *fault)
{
    struct entry entry;

    if (entry_get(db, at, arena, &entry, fault) != FAULT_OK)
        return fault_pass(fault);
    return visit(context, &entry, fault);
}

enum fault_code history_run(struct db *db, const struct history_spec *spec, entry_visit *visit,
                            void *context, struct history_info *info, struct fault *fault)
{
    struct history_info found = {0};
    struct point_spec wanted = spec->at;
    struct entry_reader reader;
    struct window window;
    struct arena arena;
    struct link link;
    struct point point;
    struct act head, settled;
    struct range *ranges;
    size_t count;
    int64_t left = spec->limit > 0 ? spec->limit : -1;
    enum fault_code code;

    wanted.guard = GUARD_NONE;
    arena_init(&arena);
    entry_reader_init(&reader, db);
    code = link_named(db, spec->owner, spec->session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, spec->session, &wanted, &arena, &point, fault);
    if (code == FAULT_OK)
        code = act_get(db, point.at, &head, fault);
    if (code == FAULT_OK)
        code = window_find(db, spec, &head, &window, fault);
    if (code == FAULT_OK)
        code = path_ranges(db, window.low, &window.high, &arena, &ranges, &count, fault);
    if (code == FAULT_OK && spec->from_summary && window.low.s)
        code = visit_summary(db, window.low, &arena, visit, context, fault);
    for (size_t i = 0; code == FAULT_OK && i < count; i++)
        code = scan_range(db, spec->all ? Q_ENTRY_SCAN_ALL : Q_ENTRY_SCAN, &ranges[i], &reader,
                          visit, context, &left, &found.last, fault);
    if (code == FAULT_OK)
        code = act_settle(db, &head, &settled, fault);
    if (code == FAULT_OK && info) {
        found.head = head.at;
        found.total = head.facts.visible;
        found.more = left == 0 && !address_eq(found.last, settled.at);
        if (found.more && !spec->all) {
            struct act last;

            code = act_get(db, found.last, &last, fault);
            found.more = last.facts.visible < found.total;
        }
        *info = found;
    }
    arena_clear(&arena);
    return code;
}

enum fault_code history_mark_run(struct db *db, int64_t owner, struct str session,
                                 struct history_mark *out, struct fault *fault)
{
    struct link link;
    sqlite3_stmt *q;
    bool row;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_HISTORY_MARK, ARGS(arg_int(link.s)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    assert(row);
    *out = (struct history_mark){
        .s = link.s,
        .n = sqlite3_column_int64(q, 0),
        .cleared = sqlite3_column_int64(q, 1),
    };
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code raw_log_run(struct db *db, const struct log_spec *spec, entry_visit *visit,
                            void *context, struct fault *fault)
{
    struct entry_reader reader;
    struct address last;
    struct arena arena;
    struct link link;
    struct range *ranges;
    size_t count, first = 0;
    int64_t left = spec->limit > 0 ? spec->limit : -1, known = 0;
    enum fault_code code;
    bool has = false;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->after.s) {
        if (db_int(db, Q_ACT_KNOWN, ARGS(arg_int(spec->after.s), arg_int(spec->after.n)), &known,
                   fault) != FAULT_OK ||
            (known && path_has(db, &link, spec->after, &has, NULL, fault) != FAULT_OK))
            return fault_pass(fault);
        if (!has)
            return fault_set(fault, FAULT_POINT_INVALID,
                             "the cursor does not belong to session \"%.*s\"",
                             STR_ARG(spec->session));
    }
    arena_init(&arena);
    entry_reader_init(&reader, db);
    code = chain_ranges(db, &link, &arena, &ranges, &count, fault);
    while (code == FAULT_OK && spec->after.s && ranges[first].s != spec->after.s)
        first++;
    if (code == FAULT_OK && spec->after.s)
        ranges[first].from = spec->after.n + 1;
    for (size_t i = first; code == FAULT_OK && i < count; i++)
        code = scan_range(db, Q_ENTRY_SCAN_RAW, &ranges[i], &reader, visit, context, &left, &last,
                          fault);
    arena_clear(&arena);
    return code;
}

/* The last act of a line that is still on the path; n0 - 1 when none of it is. */
static int64_t kept_until(const struct range *path, size_t count, int64_t s, int64_t from,
                          int64_t to)
{
    for (size_t i = 0; i < count; i++)
        if (path[i].s == s && path[i].from == from)
            return path[i].to < to ? path[i].to : to;
    return from - 1;
}

static enum fault_code rewound_stretch(struct db *db, int64_t s, int64_t from, int64_t to,
                                       struct arena *arena, rewound_visit *visit, void *context,
                                       struct fault *fault)
{
    struct rewound rewound = {.first = {s, from}, .last = {s, to}};
    int64_t n = 0;
    struct act last;

    if (from > to)
        return FAULT_OK;
    if (db_int(db, Q_VISIBLE_AHEAD, ARGS(arg_int(s), arg_int(from), arg_int(to)), &n, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (n == 0)
        return FAULT_OK;
    if (entry_get(db, (struct address){s, n}, arena, &rewound.message, fault) != FAULT_OK ||
        act_get(db, rewound.last, &last, fault) != FAULT_OK)
        return fault_pass(fault);
    rewound.index = rewound.message.index;
    rewound.messages = last.facts.visible - rewound.index;
    return visit(context, &rewound, fault);
}

enum fault_code rewound_run(struct db *db, int64_t owner, struct str session, rewound_visit *visit,
                            void *context, struct fault *fault)
{
    struct arena arena;
    struct link link;
    struct act head;
    struct range *path;
    size_t count;
    sqlite3_stmt *q;
    enum fault_code code;
    bool row;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK ||
        head_get(db, &link, &head, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    code = path_ranges(db, ADDRESS_START, &head, &arena, &path, &count, fault);
    q = db_query(db, Q_LINE_SCAN, ARGS(arg_int(link.s)));
    while (code == FAULT_OK) {
        int64_t from, to;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        from = sqlite3_column_int64(q, 0);
        to = sqlite3_column_int64(q, 1);
        code = rewound_stretch(db, link.s, kept_until(path, count, link.s, from, to) + 1, to,
                               &arena, visit, context, fault);
    }
    sqlite3_reset(q);
    arena_clear(&arena);
    return code;
}
