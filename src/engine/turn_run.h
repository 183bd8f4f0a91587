/* The life of a turn on its thread. */
#ifndef ENGINE_TURN_RUN_H
#define ENGINE_TURN_RUN_H

#include "engine/turn.h"

/*
 * Stores what the turn begins with and lets it run. With the lock of its seat held. On success the
 * turn is the seat's, or what was said has been said before: then *before is the name of the turn
 * of then.
 */
FAULT_CHECK enum fault_code turn_begin(struct turn *turn, struct once *once, struct arena *arena,
                                       struct str *before, struct fault *fault);

/*
 * A turn that waits for an answer takes no place among those that run: another one may begin
 * meanwhile. FAULT_TOO_MANY when too many wait.
 */
FAULT_CHECK enum fault_code turn_rest(struct turns *turns, struct fault *fault);
void turn_resume(struct turns *turns);

#endif
