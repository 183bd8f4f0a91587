/* The verbs that keep the house: closing, owners, backup, verify, gc, export and import. */
#include "store/sqlite/own.h"

#include "store/limits.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sweep.h"

#include <stdlib.h>
#include <sys/stat.h>

static void house_close(struct store *store)
{
    struct sqlite_store *self = own(store);

    lane_free(self->lane);
    search_free(self->search);
    for (size_t i = 0; i < self->idle_count; i++) {
        db_close(self->readers[i]);
        free(self->readers[i]);
    }
    sqlite3_finalize(self->version_query);
    db_close(&self->version);
    db_close(&self->writer);
    pthread_mutex_destroy(&self->version_lock);
    pthread_mutex_destroy(&self->memory);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->idle);
    free(self->path);
    free(self);
}

static void house_watch(struct store *store, store_watch_call *call, void *context)
{
    lane_watch(own(store)->lane, call, context);
}

static void house_timings(struct store *store, struct store_timings *out)
{
    lane_time(own(store)->lane, out);
}

static enum fault_code version_open(struct sqlite_store *store, struct fault *fault)
{
    struct db *db = &store->version;
    int code;

    if (store->version_query)
        return FAULT_OK;
    if (!db->handle && db_open(db, store->path, false, store->busy_ms, fault) != FAULT_OK) {
        db_close(db);
        return fault_pass(fault);
    }
    code = sqlite3_prepare_v3(db->handle, "PRAGMA data_version", -1, SQLITE_PREPARE_PERSISTENT,
                              &store->version_query, NULL);
    return code == SQLITE_OK ? FAULT_OK
                             : db_fault(db->handle, code, "asking for the version", fault);
}

/*
 * SQLite's number changes with the commits of all connections but the asking one, so that one has
 * to be alone. In memory there is one connection only, and the lane counts. Both only grow.
 */
static enum fault_code house_version(struct store *store, int64_t *out, struct fault *fault)
{
    struct sqlite_store *self = own(store);
    int64_t version = lane_changes(self->lane);
    enum fault_code code = FAULT_OK;

    if (self->path) {
        pthread_mutex_lock(&self->version_lock);
        code = version_open(self, fault);
        if (code == FAULT_OK) {
            int stepped = sqlite3_step(self->version_query);

            if (stepped == SQLITE_ROW)
                version += sqlite3_column_int64(self->version_query, 0);
            else
                code = db_fault(self->version.handle, stepped, "asking for the version", fault);
            sqlite3_reset(self->version_query);
        }
        pthread_mutex_unlock(&self->version_lock);
    }
    if (code == FAULT_OK)
        *out = version;
    return code;
}

static enum fault_code owner_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;
    const struct str *name = call->spec;

    return owner_run(db, *name, call->out, fault);
}

/* Most owners are known, and then nothing is written. */
static enum fault_code house_owner(struct store *store, struct str name, int64_t *out,
                                   struct fault *fault)
{
    int64_t owner = 0;
    struct call call = {&name, NULL, &owner};
    struct db *db;
    enum fault_code code;

    if (name.n == 0)
        return fault_set(fault, FAULT_INVALID, "an owner needs a name");
    if (name.n > LIMIT_OWNER_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the name of the owner has %zu bytes; the limit is %d", name.n,
                         LIMIT_OWNER_BYTES);
    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = db_int(db, Q_OWNER_NAMED, ARGS(arg_text(name)), &owner, fault);
    read_end(own(store), db);
    if (code == FAULT_OK && owner == 0)
        code = lane_run(own(store)->lane, owner_piece, &call, 0, fault);
    if (code == FAULT_OK)
        *out = owner;
    return code;
}

static enum fault_code house_counts(struct store *store, struct store_counts *out,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = counts_run(db, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code house_backup(struct store *store, const char *path, store_progress *progress,
                                    void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (reader_take(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = schema_copy(db, path, progress, context, fault);
    reader_give(own(store), db);
    return code;
}

static enum fault_code house_verify(struct store *store, store_problem *problem,
                                    store_progress *progress, void *context,
                                    struct verify_result *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = verify_run(db, problem, progress, context, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code gc_loose_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return gc_loose(db, call->spec, fault);
}

static enum fault_code gc_leftovers_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return gc_leftovers(db, call->spec, call->out, fault);
}

/* Everything that waits to be cleared away. */
static enum fault_code reap_all(struct sqlite_store *store, store_progress *progress, void *context,
                                struct gc_result *result, struct fault *fault)
{
    struct reap_plan plan = {.step = REAP_FINISH};
    struct arena arena;
    enum fault_code code = FAULT_OK;

    while (code == FAULT_OK && plan.step != REAP_NOTHING) {
        arena_init(&arena);
        code = reap_step(store, &plan, &arena, fault);
        if (code == FAULT_OK && plan.step == REAP_TRIM)
            result->entries += (int64_t)plan.count;
        arena_clear(&arena);
        if (progress && result->entries)
            progress(context, "clearing away", result->entries, 0);
    }
    return code;
}

static int64_t file_bytes(const struct sqlite_store *store)
{
    struct stat status;

    return store->path && stat(store->path, &status) == 0 ? (int64_t)status.st_size : 0;
}

/* Gives free pages back to the file system; only outside a transaction. */
static enum fault_code give_back(struct sqlite_store *store, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (!store->path)
        return FAULT_OK;
    if (reader_take(store, &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = db_exec(db, "PRAGMA optimize", fault);
    if (code == FAULT_OK || code == FAULT_BUSY) /* somebody writes: that is for another time */
        code = db_exec(db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)", fault);
    if (code == FAULT_OK)
        code = search_tend(store->search, db, fault);
    reader_give(store, db);
    return code;
}

static enum fault_code house_gc(struct store *store, const struct gc_spec *spec,
                                store_progress *progress, void *context, struct gc_result *out,
                                struct fault *fault)
{
    struct sqlite_store *self = own(store);
    struct store_counts before, after;
    struct gc_result result = {.bytes_before = file_bytes(self)};
    struct call call = {spec, NULL, &result};

    if (house_counts(store, &before, fault) != FAULT_OK ||
        lane_run(self->lane, gc_loose_piece, &call, LANE_ALONE, fault) != FAULT_OK ||
        reap_all(self, progress, context, &result, fault) != FAULT_OK ||
        lane_run(self->lane, gc_leftovers_piece, &call, LANE_ALONE, fault) != FAULT_OK ||
        sweep_objects(self, spec, progress, context, &result, fault) != FAULT_OK ||
        give_back(self, fault) != FAULT_OK || house_counts(store, &after, fault) != FAULT_OK)
        return fault_pass(fault);
    result.sessions = before.sessions + before.deleted + before.subsessions - after.sessions -
                      after.deleted - after.subsessions;
    result.bytes_after = file_bytes(self);
    *out = result;
    return FAULT_OK;
}

static enum fault_code house_export(struct store *store, int64_t owner, struct str session,
                                    log_item_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = export_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

struct import_call {
    int64_t owner;
    log_item_next *next;
    void *context;
};

static enum fault_code import_piece(struct db *db, void *context, struct fault *fault)
{
    struct import_call *call = context;

    return import_run(db, call->owner, call->next, call->context, fault);
}

static enum fault_code house_import(struct store *store, int64_t owner, log_item_next *next,
                                    void *context, struct fault *fault)
{
    struct import_call call = {owner, next, context};

    return lane_run(own(store)->lane, import_piece, &call, LANE_ALONE, fault);
}

const struct store_house_ops sqlite_house_ops = {
    .close = house_close,
    .watch = house_watch,
    .version = house_version,
    .timings = house_timings,
    .owner = house_owner,
    .counts = house_counts,
    .backup = house_backup,
    .verify = house_verify,
    .gc = house_gc,
    .export_log = house_export,
    .import_log = house_import,
};
