/* A new row in the table session, however it came about. */
#ifndef STORE_SQLITE_SESSION_INSERT_H
#define STORE_SQLITE_SESSION_INSERT_H

#include "store/session.h"
#include "store/sqlite/db.h"

struct session_new {
    int64_t owner;
    int64_t fam;   /* 0: its own */
    struct str id; /* empty: drawn */
    struct id drawn;
    enum session_state state;
    struct address base;
    int64_t base_v, depth;
    int64_t jump; /* 0: itself */
    int64_t parent_s;
    struct str parent_id, parent_title, parent_message; /* p == NULL: none */
    enum point_side parent_side;
    struct str agent, title, metadata, limits;
    struct str home, settings;
    bool archived;
    struct workspace workspace;
    int64_t at_us, touched_us; /* touched_us 0: at_us */
    int64_t sessions_max;      /* 0: any number */
    enum note_act note;        /* 0: no note is written */
};

/* FAULT_EXISTS, FAULT_LIMIT. Checks first, then writes. */
FAULT_CHECK enum fault_code session_insert(struct db *db, const struct session_new *new,
                                           struct arena *arena, int64_t *out, struct fault *fault);

#endif
