/* Acts and the facts they carry: reading one, and writing the next. */
#ifndef STORE_SQLITE_ACT_H
#define STORE_SQLITE_ACT_H

#include "store/sqlite/act_head.h"
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
    int64_t e, fam, n0; /* fam: for act_insert */
    struct act_head head;
    struct str salt, content, spans, body; /* p == NULL: none */
};

/* Writes the act and enters its id. */
FAULT_CHECK enum fault_code act_insert(struct db *db, const struct act_row *row,
                                       struct arena *arena, struct fault *fault);

/* The current row of a query that has the columns of `act_row`. */
FAULT_CHECK enum fault_code act_row_read(sqlite3_stmt *statement, struct act_row *out,
                                         struct fault *fault);

/* Takes the id of an act out again, and the turn that begins with it; its row must still be there.
 */
FAULT_CHECK enum fault_code act_forget_names(struct db *db, int64_t fam, int64_t e,
                                             struct fault *fault);

/* The head of an act. FAULT_CORRUPT when it is not there. Strings live until the next query. */
FAULT_CHECK enum fault_code act_head_get(struct db *db, struct address at, struct act_head *out,
                                         struct fault *fault);

/* The text of an id as stored: a drawn one is formatted, a client's is as it is. */
struct str act_id_text(struct str id, bool drawn, struct arena *arena);

/* Name of a turn by its number, which is that of its first act in a session; empty for 0. */
FAULT_CHECK enum fault_code turn_name(struct db *db, int64_t turn, struct arena *arena,
                                      struct str *out, struct fault *fault);

/* The number of a turn in a session; when it is new there it begins with the act (at, e). */
FAULT_CHECK enum fault_code turn_enter(struct db *db, int64_t fam, struct str name,
                                       struct address at, int64_t e, int64_t *out,
                                       struct fault *fault);

/* Where the turn of that number begins; ADDRESS_START: nowhere. */
FAULT_CHECK enum fault_code turn_first(struct db *db, int64_t turn, struct arena *arena,
                                       struct address *at, struct str *name, struct fault *fault);

#endif
