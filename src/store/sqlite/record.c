/* Records that are saved again and again, beside the tree. */
#include "store/sqlite/verbs.h"

#include "store/sqlite/point_find.h"
#include "store/sqlite/session_row.h"

#include <stdlib.h>

/* Where a record counts: at the first entry of its turn, else at the newest entry of the path. */
static enum fault_code place_of(struct db *db, const struct link *link, struct str session,
                                struct str turn, struct arena *arena, struct address *out,
                                struct fault *fault)
{
    struct point_spec spec = {.by = POINT_TURN, .name = turn, .guard = GUARD_NONE};
    struct act head, settled;

    if (turn.n) {
        enum fault_code code = point_anchor(db, link, session, &spec, arena, out, fault);

        if (code != FAULT_TURN_NOT_FOUND)
            return code;
    }
    if (head_get(db, link, &head, fault) != FAULT_OK ||
        act_settle(db, &head, &settled, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = settled.at;
    return FAULT_OK;
}

enum fault_code save_run(struct db *db, const struct record_spec *spec, struct arena *arena,
                         struct fault *fault)
{
    struct link link;
    struct address place, before_place = ADDRESS_START;
    int64_t before = 0, seen = 0, newest = 0;
    sqlite3_stmt *q;
    bool row;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        place_of(db, &link, spec->session, spec->turn, arena, &place, fault) != FAULT_OK ||
        db_int(db, Q_RECORD_SEEN, ARGS(arg_int(link.s)), &seen, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_RECORD_BEFORE, ARGS(arg_int(link.s), arg_text(spec->id)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        before = sqlite3_column_int64(q, 0);
        before_place = column_address(q, 1);
        sqlite3_reset(q);
    }
    if (before > seen && address_eq(before_place, place))
        return db_run(db, Q_RECORD_UPDATE,
                      ARGS(arg_int(link.s), arg_int(before), arg_int(spec->kind),
                           arg_text(spec->turn.n ? spec->turn : STR_NONE), arg_int(spec->at_us),
                           arg_blob(spec->body)),
                      fault);
    if (db_int(db, Q_RECORD_NEWEST, ARGS(arg_int(link.s)), &newest, fault) != FAULT_OK)
        return fault_pass(fault);
    return db_run(db, Q_RECORD_INSERT,
                  ARGS(arg_int(link.s), arg_int(newest + 1), arg_int(spec->kind),
                       arg_text(spec->id), arg_text(spec->turn.n ? spec->turn : STR_NONE),
                       arg_s(place), arg_n(place), arg_int(spec->at_us), arg_blob(spec->body)),
                  fault);
}

/* A version of a record that counts on the path. */
struct found {
    struct str id;
    struct address at;
    int64_t range; /* its place on the path */
    int64_t order; /* in which it was saved */
    int64_t row;
    int kind;
    int64_t at_us;
};

struct found_list {
    struct found *items;
    size_t count, room;
};

static struct found *found_add(struct found_list *list, struct arena *arena)
{
    list->items = arena_more(arena, list->items, list->count, &list->room, sizeof(*list->items));
    return &list->items[list->count++];
}

static int order_by_record(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    int order = str_cmp(x->id, y->id);

    return order ? order : x->order < y->order ? -1 : 1;
}

static int order_by_place(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->range != y->range)
        return x->range < y->range ? -1 : 1;
    if (x->at.n != y->at.n)
        return x->at.n < y->at.n ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Of each record the last version, at the place of its first. */
static void found_fold(struct found_list *list)
{
    struct found first;
    size_t kept = 0;

    if (list->count == 0)
        return;
    qsort(list->items, list->count, sizeof(*list->items), order_by_record);
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || !str_eq(list->items[kept - 1].id, list->items[i].id)) {
            list->items[kept++] = list->items[i];
            continue;
        }
        first = list->items[kept - 1];
        list->items[kept - 1] = list->items[i];
        list->items[kept - 1].at = first.at;
        list->items[kept - 1].range = first.range;
        list->items[kept - 1].order = first.order;
    }
    list->count = kept;
    qsort(list->items, list->count, sizeof(*list->items), order_by_place);
}

/* The path, with its ranges also in the order of sessions and numbers. */
struct ranked_range {
    struct range range;
    int64_t rank; /* place on the path */
};

static int range_order(const void *a, const void *b)
{
    const struct ranked_range *x = a, *y = b;

    if (x->range.s != y->range.s)
        return x->range.s < y->range.s ? -1 : 1;
    return x->range.from < y->range.from ? -1 : x->range.from > y->range.from;
}

/* The rank of the range in which a place stands, -1 for everywhere, -2 for nowhere. */
static int64_t rank_of(const struct ranked_range *path, size_t count, struct address at)
{
    size_t low = 0, high = count;

    if (at.s == 0)
        return -1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct range *range = &path[middle].range;

        if (range->s < at.s || (range->s == at.s && range->to < at.n))
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && path[low].range.s == at.s && path[low].range.from <= at.n)
        return path[low].rank;
    return -2;
}

static enum fault_code records_of(struct db *db, int64_t s, int64_t versions,
                                  const struct ranked_range *path, size_t path_count,
                                  struct arena *arena, struct found_list *list, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_RECORD_SCAN, ARGS(arg_int(s), arg_int(versions)));
    bool row;

    for (;;) {
        struct address place;
        int64_t rank;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        place = column_address(q, 2);
        rank = rank_of(path, path_count, place);
        if (rank == -2)
            continue;
        *found_add(list, arena) = (struct found){.id = column_dup(q, 1, arena),
                                                 .at = place,
                                                 .range = rank,
                                                 .order = (int64_t)list->count,
                                                 .row = sqlite3_column_int64(q, 0),
                                                 .kind = sqlite3_column_int(q, 4),
                                                 .at_us = sqlite3_column_int64(q, 5)};
    }
}

/* The ranges of the path, in the order in which rank_of looks them up. */
static enum fault_code path_ranked(struct db *db, const struct link *link, struct arena *arena,
                                   struct ranked_range **out, size_t *count, struct fault *fault)
{
    struct range *ranges;
    struct act head;

    if (head_get(db, link, &head, fault) != FAULT_OK ||
        path_ranges(db, ADDRESS_START, &head, arena, &ranges, count, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = arena_array(arena, *count, sizeof(**out));
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (struct ranked_range){ranges[i], (int64_t)i};
    if (*count)
        qsort(*out, *count, sizeof(**out), range_order);
    return FAULT_OK;
}

static enum fault_code records_find(struct db *db, const struct link *link, struct arena *arena,
                                    struct found_list *list, struct fault *fault)
{
    struct ranked_range *path = NULL;
    struct range *chain = NULL;
    size_t path_count = 0, chain_count = 0;
    int64_t *versions;
    struct link step = *link;

    if (path_ranked(db, link, arena, &path, &path_count, fault) != FAULT_OK ||
        chain_ranges(db, link, arena, &chain, &chain_count, fault) != FAULT_OK)
        return fault_pass(fault);
    versions = arena_array(arena, chain_count, sizeof(*versions));
    versions[chain_count - 1] = INT64_MAX;
    for (size_t i = chain_count - 1; i > 0; i--) {
        versions[i - 1] = step.base_v;
        if (link_get(db, step.base.s, &step, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    for (size_t i = 0; i < chain_count; i++)
        if (records_of(db, chain[i].s, versions[i], path, path_count, arena, list, fault) !=
            FAULT_OK)
            return fault_pass(fault);
    found_fold(list);
    return FAULT_OK;
}

/* The whole record; its strings stay until `q` is reset. */
static enum fault_code found_read(struct db *db, const struct found *found, sqlite3_stmt **q,
                                  struct record *out, struct fault *fault)
{
    bool row;

    *q = db_query(db, Q_RECORD_AT, ARGS(arg_int(found->row)));
    if (db_step(db, *q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "record \"%.*s\" is gone", STR_ARG(found->id));
    *out = (struct record){.id = found->id,
                           .at = found->at,
                           .kind = sqlite3_column_int(*q, 0),
                           .turn = column_str(*q, 1),
                           .at_us = sqlite3_column_int64(*q, 2),
                           .body = column_str(*q, 3)};
    return FAULT_OK;
}

enum fault_code records_run(struct db *db, int64_t owner, struct str session, record_visit *visit,
                            void *context, struct fault *fault)
{
    struct found_list list = {0};
    struct arena arena;
    struct link link;
    enum fault_code code;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    code = records_find(db, &link, &arena, &list, fault);
    for (size_t i = 0; code == FAULT_OK && i < list.count; i++) {
        struct record record;
        sqlite3_stmt *q;

        code = found_read(db, &list.items[i], &q, &record, fault);
        if (code == FAULT_OK)
            code = visit(context, &record, fault);
        sqlite3_reset(q);
    }
    arena_clear(&arena);
    return code;
}

/* The one of these kinds that was saved last; of several at once the last of the path. */
static const struct found *found_last(const struct found_list *list, unsigned kinds)
{
    const struct found *last = NULL;

    for (size_t i = 0; i < list->count; i++) {
        const struct found *found = &list->items[i];

        if (found->kind >= 0 && found->kind < 32 && kinds & 1U << found->kind &&
            (!last || found->at_us >= last->at_us))
            last = found;
    }
    return last;
}

enum fault_code record_last_run(struct db *db, int64_t owner, struct str session, unsigned kinds,
                                struct arena *arena, struct record *out, struct fault *fault)
{
    struct found_list list = {0};
    const struct found *last;
    struct arena scratch;
    struct link link;
    enum fault_code code;
    sqlite3_stmt *q;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&scratch);
    code = records_find(db, &link, &scratch, &list, fault);
    last = code ? NULL : found_last(&list, kinds);
    if (last) {
        code = found_read(db, last, &q, out, fault);
        if (code == FAULT_OK) {
            out->id = arena_dup(arena, out->id);
            out->turn = arena_dup(arena, out->turn);
            out->body = arena_dup(arena, out->body);
        }
        sqlite3_reset(q);
    } else if (!code) {
        code = fault_set(fault, FAULT_NOT_FOUND, "session \"%.*s\" has no such record",
                         STR_ARG(session));
    }
    arena_clear(&scratch);
    return code;
}

enum fault_code record_find_run(struct db *db, int64_t owner, struct str id, struct arena *arena,
                                struct str *session, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_RECORD_PLACE, ARGS(arg_text(id), arg_int(owner)));
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_NOT_FOUND, "record \"%.*s\" is in no session", STR_ARG(id));
    *session = column_dup(q, 0, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}
