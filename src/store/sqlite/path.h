/*
 * Ways through the tree: lines and the sessions' chain of bases, both with jump pointers.
 *
 * What must hold:
 * 1. A line begins with its session's first act or with a move; its origin is never a move.
 * 2. Facts at a line's origin are those in its row (vis0 …).
 * 3. base_s of a session is smaller than its own number, and base_n names an act that is there.
 * 4. A jump pointer leads to an ancestor whose depth depends on the own depth only, so two lines
 *    of one depth whose jumps differ have different ancestors down to there.
 */
#ifndef STORE_SQLITE_PATH_H
#define STORE_SQLITE_PATH_H

#include "store/sqlite/act.h"

struct line {
    int64_t s, n0;
    struct address origin; /* ADDRESS_START: none */
    int64_t origin_n0;
    struct address boundary; /* last entry on the path that the session did not write */
    int64_t depth, jump_s, jump_n0, jump_depth;
    int64_t visible0, user0, flat0, flat_user0; /* at the origin */
};

/* A session as a link of a chain of bases. */
struct link {
    int64_t s, fam, owner;
    int state; /* enum session_state */
    struct address base;
    int64_t base_v, depth, jump;
    int64_t touched_us;
};

enum ordinal { ORDINAL_VISIBLE, ORDINAL_USER, ORDINAL_FLAT, ORDINAL_FLAT_USER };

FAULT_CHECK enum fault_code line_get(struct db *db, int64_t s, int64_t n0, struct line *out,
                                     struct fault *fault);

/* What a line of session s at n0 is whose origin is the act given (not a move; or the start). */
FAULT_CHECK enum fault_code line_make(struct db *db, int64_t s, int64_t n0,
                                      const struct act *origin, struct line *out,
                                      struct fault *fault);
FAULT_CHECK enum fault_code line_insert(struct db *db, int64_t s, int64_t n0,
                                        const struct act *origin, struct fault *fault);

FAULT_CHECK enum fault_code link_get(struct db *db, int64_t s, struct link *out,
                                     struct fault *fault);

/* Depth and jump pointer of a session with that base; jump 0: itself. */
FAULT_CHECK enum fault_code link_place(struct db *db, struct address base, int64_t *depth,
                                       int64_t *jump, struct fault *fault);

/* The living session of that name. FAULT_SESSION_NOT_FOUND; for OWNER_ANY also FAULT_AMBIGUOUS. */
FAULT_CHECK enum fault_code link_named(struct db *db, int64_t owner, struct str id,
                                       struct link *out, struct fault *fault);

/* The newest act of a session, or its base when it has none. */
FAULT_CHECK enum fault_code head_get(struct db *db, const struct link *link, struct act *out,
                                     struct fault *fault);

/* A move becomes the entry it moved to; anything else stays. */
FAULT_CHECK enum fault_code act_settle(struct db *db, const struct act *act, struct act *out,
                                       struct fault *fault);

/*
 * Did the session ever have that act? `limit` (may be NULL) is then the highest number of at.s
 * that it has: INT64_MAX for its own.
 */
FAULT_CHECK enum fault_code path_has(struct db *db, const struct link *link, struct address at,
                                     bool *has, int64_t *limit, struct fault *fault);

/* The same; `via` is then the session of the chain whose base is in at.s (for its own: itself). */
FAULT_CHECK enum fault_code path_via(struct db *db, const struct link *link, struct address at,
                                     bool *has, struct link *via, struct fault *fault);

/*
 * The entry on the path of `head` at an ordinal (from 0). *out is ADDRESS_START when there is none.
 * `offset` (may be NULL): how far inside that entry's own messages the ordinal falls, 0 but for
 * references to sub-sessions; `span` how many messages it stands for.
 */
FAULT_CHECK enum fault_code path_find(struct db *db, const struct act *head, enum ordinal ordinal,
                                      int64_t value, struct address *out, int64_t *offset,
                                      int64_t *span, struct fault *fault);

/*
 * The newest act on the path of `head` that does not come after `at`: `at` itself when that is on
 * it. `at` need not be there at all: {s, INT64_MAX} is the last that sessions up to s wrote.
 * ADDRESS_START: there is none. A move may be given: what it moved to is then on the path.
 */
FAULT_CHECK enum fault_code path_reach(struct db *db, const struct act *head, struct address at,
                                       struct address *out, struct fault *fault);

/* Where two paths part: the last entry that both have, or ADDRESS_START. */
FAULT_CHECK enum fault_code path_parting(struct db *db, const struct act *a, const struct act *b,
                                         struct address *out, struct fault *fault);

/* Acts [from, to] of session s. */
struct range {
    int64_t s, from, to;
};

/*
 * The ranges of the path from just behind `low` (ADDRESS_START: from its beginning) up to and with
 * `high`, oldest first. `low` must be on the path. Moves stand in them and must be passed over.
 */
FAULT_CHECK enum fault_code path_ranges(struct db *db, struct address low, const struct act *high,
                                        struct arena *arena, struct range **out, size_t *count,
                                        struct fault *fault);

/* The chain of bases as ranges of the raw log, oldest first, up to the newest act of the link. */
FAULT_CHECK enum fault_code chain_ranges(struct db *db, const struct link *link,
                                         struct arena *arena, struct range **out, size_t *count,
                                         struct fault *fault);

#endif
