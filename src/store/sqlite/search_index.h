/* Inside the search index: its file, its statements and how it is filled. */
#ifndef STORE_SQLITE_SEARCH_INDEX_H
#define STORE_SQLITE_SEARCH_INDEX_H

#include "base/buf.h"
#include "sqlite_search_queries.h"
#include "store/sqlite/search.h"

#include <pthread.h>

enum find {
#define QUERY(name, sql) F_##name,
    SQLITE_SEARCH_QUERIES(QUERY)
#undef QUERY
        FIND_COUNT
};

struct search {
    char *path;
    int busy_ms;
    pthread_mutex_t lock; /* of all below */
    sqlite3 *handle;
    sqlite3_stmt *queries[FIND_COUNT];
};

/* A statement, ready to be bound and stepped. */
sqlite3_stmt *index_find(struct search *search, enum find which);
FAULT_CHECK enum fault_code index_step(struct search *search, sqlite3_stmt *q, bool *row,
                                       struct fault *fault);

/* Whose a text is, as words of the index: the owner and the session that wrote it. */
struct whose {
    int64_t owner, s;
};

/* Runs a statement that takes a rowid, a text and, unless it is NULL, whose that is. */
FAULT_CHECK enum fault_code index_text(struct search *search, enum find which, int64_t rowid,
                                       struct str text, const struct whose *whose,
                                       struct fault *fault);

/* Opens the index, or makes it anew when it cannot be used. */
FAULT_CHECK enum fault_code index_open(struct search *search, struct db *db, struct arena *arena,
                                       struct fault *fault);

/* Takes the file away; the next index_open makes it anew. */
void index_remove(struct search *search);

/* Indexes everything that the main file has by now. */
FAULT_CHECK enum fault_code index_catch_up(struct search *search, struct db *db,
                                           struct arena *arena, struct fault *fault);

/* The text of an entry that is searched: the strings that its spans name, one a line. */
bool index_entry_text(struct str spans, struct str body, struct arena *arena, struct buf *out);

#endif
