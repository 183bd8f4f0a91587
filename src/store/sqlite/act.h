/* Acts and the facts they carry: reading one, and writing the next. */
#ifndef STORE_SQLITE_ACT_H
#define STORE_SQLITE_ACT_H

#include "store/facts.h"
#include "store/sqlite/db.h"

/* An act without its body. For ADDRESS_START everything is zero. */
struct act {
    struct address at;
    int64_t n0; /* first act of its line */
    enum entry_kind kind;
    int64_t at_us;
    struct facts facts;
};

/* FAULT_CORRUPT when the act is not there. */
FAULT_CHECK enum fault_code act_get(struct db *db, struct address at, struct act *out,
                                    struct fault *fault);

/* The newest act of session s; at.s is 0 when it has none. */
FAULT_CHECK enum fault_code act_last(struct db *db, int64_t s, struct act *out,
                                     struct fault *fault);

/* A row of the table entry. Strings are borrowed. */
struct act_row {
    struct address at;
    int64_t e, fam, at_us, n0;
    enum entry_kind kind;
    enum role role;
    unsigned flags;
    bool drawn; /* id is tine's own, 16 bytes */
    struct str id;
    struct usage usage;
    bool has_usage;
    int calls, results;
    int64_t own_tree;
    struct address ref;
    struct str salt, content, spans, body; /* p == NULL: none */
    struct facts facts;
};

FAULT_CHECK enum fault_code act_insert(struct db *db, const struct act_row *row,
                                       struct fault *fault);

/* Every column of an entry, in the order of the query `act_rows` and its like. */
FAULT_CHECK enum fault_code act_row_read(sqlite3_stmt *statement, struct act_row *out,
                                         struct fault *fault);

/* The text of an id as stored: a drawn one is formatted, a client's is as it is. */
struct str act_id_text(struct str id, bool drawn, struct arena *arena);

/* Name of a turn by its number; empty for 0. */
FAULT_CHECK enum fault_code turn_name(struct db *db, int64_t turn, struct arena *arena,
                                      struct str *out, struct fault *fault);

/* The number of turn `name` in session s, which begins at n when it is new there. */
FAULT_CHECK enum fault_code turn_enter(struct db *db, int64_t fam, struct str name,
                                       struct address at, int64_t *out, struct fault *fault);

#endif
