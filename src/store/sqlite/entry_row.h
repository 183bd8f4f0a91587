/* Entries as they are given out. */
#ifndef STORE_SQLITE_ENTRY_ROW_H
#define STORE_SQLITE_ENTRY_ROW_H

#include "store/limits.h"
#include "store/sqlite/path.h"

/*
 * Reads entries one after another; what the last one shared with the one before is not looked up
 * again. An entry's strings live until the next is read.
 */
struct entry_reader {
    struct db *db;
    int64_t s;
    size_t session_length;
    char session[LIMIT_ID_BYTES + 1];
    struct act_head head;
    char id[ID_TEXT + 1];
    char ref_id[LIMIT_ID_BYTES + 1], ref_session[LIMIT_ID_BYTES + 1];
    int64_t tree; /* whose hash is … */
    unsigned char tree_hash[HASH_BYTES];
};

void entry_reader_init(struct entry_reader *reader, struct db *db);

/* The current row of a query that has the columns of `entry_at`: an act of session s. */
FAULT_CHECK enum fault_code entry_read(struct entry_reader *reader, int64_t s,
                                       sqlite3_stmt *statement, struct entry *out,
                                       struct fault *fault);

/* The entry at an address, its strings in the arena. FAULT_CORRUPT when it is not there. */
FAULT_CHECK enum fault_code entry_get(struct db *db, struct address at, struct arena *arena,
                                      struct entry *out, struct fault *fault);

/* The id of the entry at an address; empty for ADDRESS_START. */
FAULT_CHECK enum fault_code entry_id(struct db *db, struct address at, struct arena *arena,
                                     struct str *out, struct fault *fault);

#endif
