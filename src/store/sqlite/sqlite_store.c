/*
 * The store as one SQLite file: a writer lane, a few connections for readers, and the search index.
 * In memory there is one connection, and everybody takes turns.
 */
#include "store/sqlite/sqlite_store.h"

#include "store/sqlite/lane.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/search.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/verbs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

enum { READERS_MAX = 8, BUSY_MS = 10 * 1000, WAL_PAUSE_MS = 5 };

struct sqlite_store {
    struct store store;
    char *path; /* NULL: in memory */
    int busy_ms;
    struct db writer;
    struct lane *lane;
    struct search *search;
    pthread_mutex_t memory; /* of the only connection of a store in memory */
    pthread_mutex_t lock;   /* of the readers */
    pthread_cond_t idle;
    struct db *readers[READERS_MAX]; /* idle ones */
    size_t idle_count, open_count;
};

static struct sqlite_store *own(struct store *store)
{
    return (struct sqlite_store *)store;
}

/* ---- connections ---- */

/* Settings of a connection; those of the file itself are made when it is created. */
static enum fault_code settle(struct db *db, struct fault *fault)
{
    return db_exec(db,
                   "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
                   "PRAGMA cache_size=-8000; PRAGMA wal_autocheckpoint=2000",
                   fault);
}

static enum fault_code reader_open(struct sqlite_store *store, struct db **out, struct fault *fault)
{
    struct db *db = calloc(1, sizeof(*db));

    if (!db)
        abort();
    if (db_open(db, store->path, false, store->busy_ms, fault) != FAULT_OK ||
        settle(db, fault) != FAULT_OK || db_prepare(db, fault) != FAULT_OK) {
        db_close(db);
        free(db);
        return fault->code;
    }
    *out = db;
    return FAULT_OK;
}

static enum fault_code reader_take(struct sqlite_store *store, struct db **out, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    if (!store->path) {
        pthread_mutex_lock(&store->memory);
        *out = &store->writer;
        return FAULT_OK;
    }
    pthread_mutex_lock(&store->lock);
    while (store->idle_count == 0 && store->open_count == READERS_MAX)
        pthread_cond_wait(&store->idle, &store->lock);
    if (store->idle_count) {
        *out = store->readers[--store->idle_count];
        pthread_mutex_unlock(&store->lock);
        return FAULT_OK;
    }
    store->open_count++;
    pthread_mutex_unlock(&store->lock);
    code = reader_open(store, out, fault);
    if (code != FAULT_OK) {
        pthread_mutex_lock(&store->lock);
        store->open_count--;
        pthread_cond_signal(&store->idle);
        pthread_mutex_unlock(&store->lock);
    }
    return code;
}

static void reader_give(struct sqlite_store *store, struct db *db)
{
    db_rest(db);
    if (!store->path) {
        pthread_mutex_unlock(&store->memory);
        return;
    }
    pthread_mutex_lock(&store->lock);
    store->readers[store->idle_count++] = db;
    pthread_cond_signal(&store->idle);
    pthread_mutex_unlock(&store->lock);
}

/* A reader with a snapshot, so that all queries of a verb see one moment. */
static enum fault_code read_begin(struct sqlite_store *store, struct db **out, struct fault *fault)
{
    if (reader_take(store, out, fault) != FAULT_OK)
        return fault->code;
    if (db_exec(*out, "BEGIN", fault) == FAULT_OK)
        return FAULT_OK;
    reader_give(store, *out);
    return fault->code;
}

static void read_end(struct sqlite_store *store, struct db *db)
{
    db_rest(db);
    sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    reader_give(store, db);
}

/* ---- writes: each is a piece of work for the lane ---- */

struct call {
    const void *spec;
    struct arena *arena;
    void *out;
};

static enum fault_code write_run(struct store *store, lane_work *work, struct call *call,
                                 size_t bytes, struct fault *fault)
{
    return lane_run(own(store)->lane, work, call, bytes, fault);
}

static enum fault_code create_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return create_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_create(struct store *store, const struct create_spec *spec,
                                    struct arena *arena, struct session *out, struct fault *fault)
{
    struct session session;
    struct call call = {spec, arena, &session};
    enum fault_code code = write_run(store, create_piece, &call, spec->metadata.n, fault);

    if (code == FAULT_OK)
        *out = session;
    return code;
}

static enum fault_code update_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return update_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_update(struct store *store, const struct update_spec *spec,
                                    struct arena *arena, struct session *out, struct fault *fault)
{
    struct session session;
    struct call call = {spec, arena, &session};
    enum fault_code code = write_run(store, update_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = session;
    return code;
}

static enum fault_code append_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return append_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_append_entries(struct store *store, const struct append_spec *spec,
                                            struct arena *arena, struct append_result *out,
                                            struct fault *fault)
{
    struct append_result result;
    struct call call = {spec, arena, &result};
    size_t bytes = 0;
    enum fault_code code;

    for (size_t i = 0; i < spec->count; i++)
        bytes += spec->entries[i].body.n;
    code = write_run(store, append_piece, &call, bytes, fault);
    if (code == FAULT_OK)
        *out = result;
    return code;
}

static enum fault_code fork_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return fork_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_fork(struct store *store, const struct fork_spec *spec,
                                  struct arena *arena, struct fork_result *out, struct fault *fault)
{
    struct fork_result result;
    struct call call = {spec, arena, &result};
    enum fault_code code = write_run(store, fork_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = result;
    return code;
}

static enum fault_code move_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return move_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_move(struct store *store, const struct move_spec *spec,
                                  struct arena *arena, struct move_result *out, struct fault *fault)
{
    struct move_result result;
    struct call call = {spec, arena, &result};
    enum fault_code code = write_run(store, move_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = result;
    return code;
}

static enum fault_code adopt_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return adopt_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_adopt(struct store *store, const struct adopt_spec *spec,
                                   struct arena *arena, struct move_result *out,
                                   struct fault *fault)
{
    struct move_result result;
    struct call call = {spec, arena, &result};
    enum fault_code code = write_run(store, adopt_piece, &call, LANE_ALONE, fault);

    if (code == FAULT_OK)
        *out = result;
    return code;
}

static enum fault_code save_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return save_run(db, call->spec, call->arena, fault);
}

static enum fault_code store_save(struct store *store, const struct record_spec *spec,
                                  struct fault *fault)
{
    struct arena arena;
    struct call call = {spec, &arena, NULL};
    enum fault_code code;

    arena_init(&arena);
    code = write_run(store, save_piece, &call, spec->body.n, fault);
    arena_clear(&arena);
    return code;
}

static enum fault_code label_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return label_run(db, call->spec, call->arena, call->out, fault);
}

static enum fault_code store_label(struct store *store, const struct label_spec *spec,
                                   struct arena *arena, struct label *out, struct fault *fault)
{
    struct label label;
    struct call call = {spec, arena, &label};
    enum fault_code code = write_run(store, label_piece, &call, 0, fault);

    if (code == FAULT_OK)
        *out = label;
    return code;
}

static enum fault_code delete_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return delete_run(db, call->spec, fault);
}

static enum fault_code store_remove(struct store *store, const struct delete_spec *spec,
                                    struct fault *fault)
{
    struct call call = {spec, NULL, NULL};

    return write_run(store, delete_piece, &call, 0, fault);
}

static enum fault_code reap_piece(struct db *db, void *context, struct fault *fault)
{
    struct call *call = context;

    return reap_run(db, call->spec, call->arena, fault);
}

/* Looks, takes what will go out of the index, then lets it go. */
static enum fault_code reap_step(struct sqlite_store *store, struct reap_plan *plan,
                                 struct arena *arena, struct fault *fault)
{
    struct call call = {plan, arena, NULL};
    struct db *db;
    enum fault_code code;

    if (read_begin(store, &db, fault) != FAULT_OK)
        return fault->code;
    code = reap_look(db, arena, plan, fault);
    read_end(store, db);
    if (code != FAULT_OK || plan->step == REAP_NOTHING)
        return code;
    if (plan->count) {
        if (reader_take(store, &db, fault) != FAULT_OK)
            return fault->code;
        code = search_forget(store->search, db, plan->acts, plan->count, fault);
        reader_give(store, db);
        if (code != FAULT_OK)
            return code;
    }
    return lane_run(store->lane, reap_piece, &call, LANE_GROUP_BYTES / 2, fault);
}

static enum fault_code store_reap_slice(struct store *store, bool *more, struct fault *fault)
{
    struct reap_plan plan;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = reap_step(own(store), &plan, &arena, fault);
    if (code == FAULT_OK)
        *more = plan.step != REAP_NOTHING;
    arena_clear(&arena);
    return code;
}

static const struct store_tree_ops tree_ops = {
    .create = store_create,
    .update = store_update,
    .append = store_append_entries,
    .fork = store_fork,
    .move = store_move,
    .adopt = store_adopt,
    .save = store_save,
    .label = store_label,
    .remove = store_remove,
    .reap = store_reap_slice,
};

/* ---- reads ---- */

static enum fault_code read_session(struct store *store, int64_t owner, struct str name,
                                    bool may_be_part, struct arena *arena, struct session *out,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = session_named(db, owner, name, may_be_part, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_list(struct store *store, const struct list_spec *spec,
                                 session_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = list_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_point(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct point *out, struct fault *fault)
{
    struct link link;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, session, spec, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_entry(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct entry *out, struct fault *fault)
{
    struct address at;
    struct link link;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_anchor(db, &link, session, spec, arena, &at, fault);
    if (code == FAULT_OK)
        code = entry_get(db, at, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_state(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct state *out, struct fault *fault)
{
    struct point_spec wanted = *spec;
    struct point point;
    struct link link;
    struct act act;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    wanted.guard = GUARD_NONE;
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, session, &wanted, arena, &point, fault);
    if (code == FAULT_OK)
        code = act_get(db, point.at, &act, fault);
    if (code == FAULT_OK)
        code = state_get(db, &act.facts, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_history(struct store *store, const struct history_spec *spec,
                                    entry_visit *visit, void *context, struct history_info *info,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = history_run(db, spec, visit, context, info, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_raw_log(struct store *store, const struct log_spec *spec,
                                    entry_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = raw_log_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_journal(struct store *store, const struct log_spec *spec,
                                    journal_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = journal_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_records(struct store *store, int64_t owner, struct str session,
                                    record_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = records_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_labels(struct store *store, int64_t owner, struct str session,
                                   label_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = labels_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_relatives(struct store *store, int64_t owner, struct str session,
                                      int relation, session_visit *visit, void *context,
                                      struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = relatives_run(db, owner, session, relation, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_rewound(struct store *store, int64_t owner, struct str session,
                                    rewound_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = rewound_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_search(struct store *store, const struct search_spec *spec,
                                   hit_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (reader_take(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = search_run(own(store)->search, db, spec, visit, context, fault);
    reader_give(own(store), db);
    return code;
}

static const struct store_read_ops read_ops = {
    .session = read_session,
    .list = read_list,
    .point = read_point,
    .entry = read_entry,
    .state = read_state,
    .history = read_history,
    .raw_log = read_raw_log,
    .journal = read_journal,
    .records = read_records,
    .labels = read_labels,
    .relatives = read_relatives,
    .rewound = read_rewound,
    .search = read_search,
};

/* ---- the house ---- */

static void house_close(struct store *store)
{
    struct sqlite_store *self = own(store);

    lane_free(self->lane);
    search_free(self->search);
    for (size_t i = 0; i < self->idle_count; i++) {
        db_close(self->readers[i]);
        free(self->readers[i]);
    }
    db_close(&self->writer);
    pthread_mutex_destroy(&self->memory);
    pthread_mutex_destroy(&self->lock);
    pthread_cond_destroy(&self->idle);
    free(self->path);
    free(self);
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

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault->code;
    code = db_int(db, Q_OWNER_NAMED, ARGS(arg_text(name)), &owner, fault);
    read_end(own(store), db);
    if (code == FAULT_OK && owner == 0)
        code = write_run(store, owner_piece, &call, 0, fault);
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
        return fault->code;
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
        return fault->code;
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
        return fault->code;
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
        return fault->code;
    code = db_exec(db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize",
                   fault);
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
        write_run(store, gc_loose_piece, &call, LANE_ALONE, fault) != FAULT_OK ||
        reap_all(self, progress, context, &result, fault) != FAULT_OK ||
        write_run(store, gc_leftovers_piece, &call, LANE_ALONE, fault) != FAULT_OK ||
        give_back(self, fault) != FAULT_OK || house_counts(store, &after, fault) != FAULT_OK)
        return fault->code;
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
        return fault->code;
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

static const struct store_house_ops house_ops = {
    .close = house_close,
    .owner = house_owner,
    .counts = house_counts,
    .backup = house_backup,
    .verify = house_verify,
    .gc = house_gc,
    .export_log = house_export,
    .import_log = house_import,
};

/* ---- opening ---- */

/* SQLite does not wait here by itself when another process does the same at the same moment. */
static enum fault_code switch_to_wal(struct db *db, struct fault *fault)
{
    const struct timespec pause = {.tv_nsec = WAL_PAUSE_MS * 1000 * 1000L};

    for (int waited_ms = 0;; waited_ms += WAL_PAUSE_MS) {
        enum fault_code code = db_exec(db, "PRAGMA journal_mode=WAL", fault);

        if (code != FAULT_BUSY || waited_ms >= db->busy_ms)
            return code;
        nanosleep(&pause, NULL);
    }
}

/* Looks before it touches: a file that is not ours, or too new, stays as it is. */
static enum fault_code open_writer(struct sqlite_store *store, struct fault *fault)
{
    struct db *db = &store->writer;
    int newest = schema_migrations[schema_migration_count - 1].version, version;

    if (db_open(db, store->path, true, store->busy_ms, fault) != FAULT_OK ||
        schema_version(db, store->path, newest, &version, fault) != FAULT_OK)
        return fault->code;
    if (version == 0 &&
        db_exec(db, "PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL", fault) != FAULT_OK)
        return fault->code;
    if (store->path && switch_to_wal(db, fault) != FAULT_OK)
        return fault->code;
    if (settle(db, fault) != FAULT_OK ||
        schema_migrate(db, store->path, schema_migrations, schema_migration_count, fault) != FAULT_OK)
        return fault->code;
    return db_prepare(db, fault);
}

static char *search_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool plain = strcmp(name, "tine.db") == 0;
    size_t room = strlen(path) + sizeof("-search.db");
    char *out = malloc(room);

    if (!out)
        abort();
    if (plain)
        snprintf(out, room, "%.*ssearch.db", (int)(name - path), path);
    else
        snprintf(out, room, "%s-search.db", path);
    return out;
}

enum fault_code sqlite_store_open(const struct sqlite_store_options *options, struct store **out,
                                  struct fault *fault)
{
    struct sqlite_store *self = calloc(1, sizeof(*self));
    char *index = NULL;

    if (!self)
        abort();
    self->store = (struct store){&tree_ops, &read_ops, &house_ops};
    self->busy_ms = options->busy_ms ? options->busy_ms : BUSY_MS;
    pthread_mutex_init(&self->memory, NULL);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->idle, NULL);
    if (options->path) {
        self->path = strdup(options->path);
        if (!self->path)
            abort();
        index = search_path(self->path);
    }
    self->search = search_new(index, self->busy_ms);
    free(index);
    if (open_writer(self, fault) != FAULT_OK) {
        house_close(&self->store);
        return fault->code;
    }
    self->lane = lane_new(&self->writer, options->group_max, self->path ? NULL : &self->memory);
    *out = &self->store;
    return FAULT_OK;
}
