#include "store/sqlite/merge_row.h"

enum fault_code merged_at(struct db *db, struct address at, struct address *out,
                          struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_MERGE_AT, ARGS(arg_int(at.s), arg_int(at.n)));
    bool row;

    *out = ADDRESS_START;
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        *out = column_address(q, 0);
        sqlite3_reset(q);
    }
    return FAULT_OK;
}

struct path {
    struct range *ranges;
    size_t count;
};

/* Which range of a path has the act; `count`: none. */
static size_t range_of(const struct path *path, struct address at)
{
    size_t i = 0;

    while (i < path->count &&
           (path->ranges[i].s != at.s || at.n < path->ranges[i].from || at.n > path->ranges[i].to))
        i++;
    return i;
}

/* Is b on the path, and above a there? */
static bool later(const struct path *path, struct address a, struct address b)
{
    size_t of_a = range_of(path, a), of_b = range_of(path, b);

    if (of_b == path->count)
        return false;
    if (a.s == 0 || of_a < of_b)
        return true;
    return of_a == of_b && a.n < b.n;
}

enum fault_code merge_base(struct db *db, const struct act *ours, const struct act *theirs,
                           struct arena *arena, struct address *out, struct fault *fault)
{
    struct path our, their;
    struct address base;
    bool row;

    if (path_parting(db, ours, theirs, &base, fault) != FAULT_OK ||
        path_ranges(db, ADDRESS_START, ours, arena, &our.ranges, &our.count, fault) != FAULT_OK ||
        path_ranges(db, ADDRESS_START, theirs, arena, &their.ranges, &their.count, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < our.count; i++) {
        const struct range *range = &our.ranges[i];
        sqlite3_stmt *q = db_query(
            db, Q_MERGE_SCAN, ARGS(arg_int(range->s), arg_int(range->from), arg_int(range->to)));

        for (;;) {
            if (db_step(db, q, &row, fault) != FAULT_OK)
                return fault_pass(fault);
            if (!row)
                break;
            if (later(&their, base, column_address(q, 0)))
                base = column_address(q, 0);
        }
    }
    *out = base;
    return FAULT_OK;
}
