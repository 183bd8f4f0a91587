/* The end of a turn in the store, be it of this process or of one that is gone. */
#ifndef ENGINE_TURN_END_H
#define ENGINE_TURN_END_H

#include "engine/turns.h"

/* What has to be ended: a turn of this process, or one whose runner is gone. */
struct ending {
    int64_t owner;
    struct str session, turn;
    struct str draft; /* body of what was being said; empty: nothing */
    enum run_state state;
    struct str reason;
    struct place *place; /* its directory, to be recorded; NULL: it cannot be looked at */
};

/*
 * Tries again while the store is busy; gives up when the session or the turn is gone. ending->state
 * is then what was stored: a turn whose files cannot be recorded has failed.
 */
void turn_end(struct turns *turns, struct ending *ending);

/* Counts a turn of this process that has ended. */
void turns_count_end(struct turns *turns, enum run_state state);

/* Ends the turn of a session whose runner is gone; true when there was one. */
bool turn_recover(struct turns *turns, int64_t owner, struct str session);

#endif
