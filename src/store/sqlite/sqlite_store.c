/*
 * The store as one SQLite file: a writer lane, a few connections for readers, and the search index.
 * In memory there is one connection, and everybody takes turns.
 */
#include "store/sqlite/sqlite_store.h"

#include "store/sqlite/own.h"
#include "store/sqlite/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BUSY_MS = 10 * 1000, WAL_PAUSE_MS = 5 };

/* SQLite does not wait here by itself when another process does the same at the same moment. */
static enum fault_code switch_to_wal(struct db *db, struct fault *fault)
{
    const struct timespec pause = {.tv_nsec = WAL_PAUSE_MS * 1000L * 1000L};

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
        return fault_pass(fault);
    if (version == 0 &&
        db_exec(db, "PRAGMA page_size=8192; PRAGMA auto_vacuum=INCREMENTAL", fault) != FAULT_OK)
        return fault_pass(fault);
    if (store->path && switch_to_wal(db, fault) != FAULT_OK)
        return fault_pass(fault);
    if (connection_settle(db, fault) != FAULT_OK ||
        schema_migrate(db, store->path, schema_migrations, schema_migration_count, fault) !=
            FAULT_OK)
        return fault_pass(fault);
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

const char *sqlite_store_version(void)
{
    return sqlite3_libversion();
}

/* SQLite counts its memory under one lock for all threads unless told not to. */
static void count_no_memory(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

enum fault_code sqlite_store_open(const struct sqlite_store_options *options, struct store **out,
                                  struct fault *fault)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sqlite_store *self = calloc(1, sizeof(*self));
    char *index = NULL;

    if (!self)
        abort();
    pthread_once(&once, count_no_memory);
    self->store = (struct store){&sqlite_tree_ops, &sqlite_read_ops, &sqlite_file_ops,
                                 &sqlite_desk_ops, &sqlite_house_ops};
    self->busy_ms = options->busy_ms ? options->busy_ms : BUSY_MS;
    pthread_mutex_init(&self->memory, NULL);
    pthread_mutex_init(&self->lock, NULL);
    pthread_mutex_init(&self->version_lock, NULL);
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
        store_close(&self->store);
        return fault_pass(fault);
    }
    self->lane = lane_new(&self->writer, options->group_max, self->path ? NULL : &self->memory);
    *out = &self->store;
    return FAULT_OK;
}
