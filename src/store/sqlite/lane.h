/*
 * The writer lane: one thread that takes all work that is waiting, runs it in one transaction,
 * commits once and then answers everybody.
 *
 * What must hold:
 * 1. Nobody is told success before the commit that holds its work.
 * 2. A piece that fails has written nothing; if it did, or the transaction is gone (a full disk
 *    takes back all of it), the group is rolled back and its pieces run again one by one.
 * 3. Pieces run in the order in which they came.
 * 4. A piece may be run more than once: it changes nothing but the database and its own result.
 */
#ifndef STORE_SQLITE_LANE_H
#define STORE_SQLITE_LANE_H

#include "store/sqlite/db.h"
#include "store/store.h"

enum {
    LANE_GROUP_BYTES = 4 * 1024 * 1024,
    LANE_ALONE = LANE_GROUP_BYTES + 1 /* as `bytes`: never in a group, so never run twice */
};

typedef enum fault_code lane_work(struct db *db, void *context, struct fault *fault);

struct lane;

/* `db` belongs to the lane until it is closed. `guard` (may be NULL) is held while it is used. */
struct lane *lane_new(struct db *db, size_t group_max, void *guard);
void lane_free(struct lane *lane);

/* Runs a piece and returns when it is durable, or with its fault. `bytes`: how much it writes. */
FAULT_CHECK enum fault_code lane_run(struct lane *lane, lane_work *work, void *context,
                                     size_t bytes, struct fault *fault);

/* Called after each commit that changed something, before anybody is answered; NULL: nobody is.
 * When this returns, the one before is not called any more. */
void lane_watch(struct lane *lane, store_watch_call *call, void *context);

void lane_time(struct lane *lane, struct store_timings *out);

/* Commits so far that changed something. */
int64_t lane_changes(struct lane *lane);

#endif
