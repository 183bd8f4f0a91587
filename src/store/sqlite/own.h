/* Inside the SQLite store: what it is made of, and how its verbs get at a connection. */
#ifndef STORE_SQLITE_OWN_H
#define STORE_SQLITE_OWN_H

#include "store/sqlite/lane.h"
#include "store/sqlite/search.h"
#include "store/sqlite/verbs.h"

#include <pthread.h>

enum { READERS_MAX = 8 };

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
    pthread_mutex_t version_lock; /* of the two below */
    struct db version;            /* a connection that never writes; open when it was asked */
    sqlite3_stmt *version_query;
};

static inline struct sqlite_store *own(struct store *store)
{
    return (struct sqlite_store *)store;
}

extern const struct store_tree_ops sqlite_tree_ops;
extern const struct store_read_ops sqlite_read_ops;
extern const struct store_file_ops sqlite_file_ops;
extern const struct store_desk_ops sqlite_desk_ops;
extern const struct store_house_ops sqlite_house_ops;

/* Settings of a connection; those of the file itself are made when it is created. */
FAULT_CHECK enum fault_code connection_settle(struct db *db, struct fault *fault);

/* A connection to read with, to be given back. Waits when all are taken. */
FAULT_CHECK enum fault_code reader_take(struct sqlite_store *store, struct db **out,
                                        struct fault *fault);
void reader_give(struct sqlite_store *store, struct db *db);

/* The same with a snapshot, so that all queries of a verb see one moment. */
FAULT_CHECK enum fault_code read_begin(struct sqlite_store *store, struct db **out,
                                       struct fault *fault);
void read_end(struct sqlite_store *store, struct db *db);

/* What a piece of work for the lane is given. */
struct call {
    const void *spec;
    struct arena *arena;
    void *out;
};

/* One step of clearing away: looks, takes what will go out of the index, then lets it go. */
FAULT_CHECK enum fault_code reap_step(struct sqlite_store *store, struct reap_plan *plan,
                                      struct arena *arena, struct fault *fault);

#endif
