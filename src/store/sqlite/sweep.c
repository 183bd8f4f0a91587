/*
 * Mark and sweep, beside whoever is writing (object_row.h has the rules that make that safe):
 *
 * 1. The beginning is noted, in a transaction of its own.
 * 2. In one snapshot taken after that, everything is marked that something names, and what is
 *    neither marked nor young is listed.
 * 3. What is on the list goes, in small transactions. What was touched since is passed over: it
 *    may be named by now.
 *
 * A tree that is recorded after the snapshot has objects that were all named after the beginning,
 * so none of them is on the list any more when its turn comes.
 */
#include "store/sqlite/sweep.h"

#include "base/numbers.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/tree_walk.h"

enum {
    SLICE_OBJECTS = 500,
    SLICE_BYTES = 2 * 1024 * 1024, /* a slice ends with the object that reaches it */
    TELL_EVERY = 1000
};

struct sweep {
    int64_t before_us;      /* what was born or touched later stays */
    struct numbers objects; /* that may go */
    store_progress *progress;
    void *context;
};

struct slice {
    const struct sweep *sweep;
    size_t from, to; /* of the list */
    int64_t removed;
};

/* ---- the beginning ---- */

static enum fault_code begin_piece(struct db *db, void *context, struct fault *fault)
{
    const int64_t *now_us = context;

    return db_run(db, Q_GC_BEGIN, ARGS(arg_int(*now_us)), fault);
}

/* ---- marking ---- */

static enum fault_code mark_json(struct db *db, struct marks *marks, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SWEEP_JSON, NULL, 0);
    bool row;

    for (;;) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        marks_add(marks, sqlite3_column_int64(q, 0));
    }
}

static enum fault_code mark_trees(struct sweep *sweep, struct tree_walk *walk, struct fault *fault)
{
    sqlite3_stmt *q = db_query(walk->db, Q_SWEEP_TREES, NULL, 0);
    int64_t told = 0;
    bool row;

    for (;;) {
        if (db_step(walk->db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (tree_walk(walk, sqlite3_column_int64(q, 0), fault) != FAULT_OK)
            return fault_pass(fault);
        if (sweep->progress && walk->directories - told >= TELL_EVERY) {
            told = walk->directories;
            sweep->progress(sweep->context, "looking at directories", told, 0);
        }
    }
}

static enum fault_code list_old(struct db *db, const struct marks *marks, struct sweep *sweep,
                                struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SWEEP_OLD, ARGS(arg_int(sweep->before_us)));
    bool row;

    for (;;) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (!marks_have(marks, sqlite3_column_int64(q, 0)))
            numbers_add(&sweep->objects, sqlite3_column_int64(q, 0));
    }
}

static enum fault_code mark(struct sqlite_store *store, struct sweep *sweep, struct fault *fault)
{
    struct tree_walk walk;
    struct db *db;
    enum fault_code code;

    if (read_begin(store, &db, fault) != FAULT_OK)
        return fault_pass(fault);
    tree_walk_init(&walk, db, NULL, NULL);
    code = mark_trees(sweep, &walk, fault);
    if (code == FAULT_OK)
        code = mark_json(db, &walk.seen, fault);
    if (code == FAULT_OK)
        code = list_old(db, &walk.seen, sweep, fault);
    tree_walk_clear(&walk);
    read_end(store, db);
    return code;
}

/* ---- sweeping ---- */

static enum fault_code slice_piece(struct db *db, void *context, struct fault *fault)
{
    struct slice *slice = context;
    const struct sweep *sweep = slice->sweep;
    int64_t bytes = 0;

    slice->to = slice->from;
    slice->removed = 0;
    while (slice->to < sweep->objects.count && slice->to - slice->from < SLICE_OBJECTS &&
           bytes < SLICE_BYTES) {
        int64_t object = sweep->objects.items[slice->to++], size = -1;

        if (db_int(db, Q_SWEEP_SIZE, ARGS(arg_int(object), arg_int(sweep->before_us)), &size,
                   fault) != FAULT_OK)
            return fault_pass(fault);
        if (size < 0)
            continue;
        if (db_run(db, Q_SWEEP_DELETE, ARGS(arg_int(object)), fault) != FAULT_OK)
            return fault_pass(fault);
        bytes += size;
        slice->removed++;
    }
    return FAULT_OK;
}

static enum fault_code sweep_list(struct sqlite_store *store, const struct sweep *sweep,
                                  struct gc_result *result, struct fault *fault)
{
    struct slice slice = {.sweep = sweep};

    while (slice.from < sweep->objects.count) {
        if (lane_run(store->lane, slice_piece, &slice, LANE_ALONE, fault) != FAULT_OK)
            return fault_pass(fault);
        slice.from = slice.to;
        result->objects += slice.removed;
        if (sweep->progress)
            sweep->progress(sweep->context, "removing objects", (int64_t)slice.to,
                            (int64_t)sweep->objects.count);
    }
    return FAULT_OK;
}

enum fault_code sweep_objects(struct sqlite_store *store, const struct gc_spec *spec,
                              store_progress *progress, void *context, struct gc_result *result,
                              struct fault *fault)
{
    struct sweep sweep = {
        .before_us = spec->now_us - spec->keep_us, .progress = progress, .context = context};
    int64_t now_us = spec->now_us;
    enum fault_code code;

    code = lane_run(store->lane, begin_piece, &now_us, LANE_ALONE, fault);
    if (code == FAULT_OK)
        code = mark(store, &sweep, fault);
    if (code == FAULT_OK)
        code = sweep_list(store, &sweep, result, fault);
    numbers_clear(&sweep.objects);
    return code;
}
