/* Connections to read with: opened when needed, kept, and taken in turns. */
#include "store/sqlite/own.h"

#include <stdlib.h>

enum fault_code connection_settle(struct db *db, struct fault *fault)
{
    return db_exec(db,
                   "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
                   "PRAGMA secure_delete=ON;" /* what was deleted is not left in free pages */
                   "PRAGMA cache_size=-16000; PRAGMA wal_autocheckpoint=2000",
                   fault);
}

static enum fault_code reader_open(struct sqlite_store *store, struct db **out, struct fault *fault)
{
    struct db *db = calloc(1, sizeof(*db));

    if (!db)
        abort();
    if (db_open(db, store->path, false, store->busy_ms, fault) != FAULT_OK ||
        connection_settle(db, fault) != FAULT_OK || db_prepare(db, fault) != FAULT_OK) {
        db_close(db);
        free(db);
        return fault_pass(fault);
    }
    *out = db;
    return FAULT_OK;
}

enum fault_code reader_take(struct sqlite_store *store, struct db **out, struct fault *fault)
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

void reader_give(struct sqlite_store *store, struct db *db)
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

enum fault_code read_begin(struct sqlite_store *store, struct db **out, struct fault *fault)
{
    if (reader_take(store, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (db_run(*out, Q_READ_BEGIN, NULL, 0, fault) == FAULT_OK)
        return FAULT_OK;
    reader_give(store, *out);
    return fault_pass(fault);
}

void read_end(struct sqlite_store *store, struct db *db)
{
    db_rest(db);
    sqlite3_step(db_query(db, Q_READ_END, NULL, 0));
    reader_give(store, db);
}
