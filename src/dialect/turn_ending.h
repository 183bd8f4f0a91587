/* How a turn ended that may have ended long ago. */
#ifndef DIALECT_TURN_ENDING_H
#define DIALECT_TURN_ENDING_H

#include "store/store.h"

struct turn_ending {
    enum run_state state; /* an active one when another process runs it */
    struct str reason;    /* why it failed; empty: it did not */
};

/* Of a turn of the session. FAULT_TURN_NOT_FOUND, FAULT_SESSION_NOT_FOUND. */
FAULT_CHECK enum fault_code turn_ending_find(struct store *store, int64_t owner, struct str session,
                                             struct str turn, struct arena *arena,
                                             struct turn_ending *out, struct fault *fault);

/*
 * The same of one whose newest entry has the number from->after_e, in the session that wrote it.
 * *out stays as it is when nobody has written down how it ended.
 */
FAULT_CHECK enum fault_code turn_ending_after(struct store *store, const struct log_spec *from,
                                              struct str turn, struct arena *arena,
                                              struct turn_ending *out, struct fault *fault);

/* What the note says that tells of a turn's end (NOTE_TURN_ENDED). */
struct turn_ending turn_ending_of(const struct note *note);

#endif
