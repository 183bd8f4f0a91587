/*
 * Clears away what was deleted, on a thread of its own, so that nobody who deletes has to wait for
 * it. What it does not get to is kept in the store, and done when the next one is woken.
 */
#ifndef ENGINE_REAPER_H
#define ENGINE_REAPER_H

#include "store/store.h"

struct reaper;

/* Works on a store that the caller keeps open. There is no thread before the first wake. */
struct reaper *reaper_new(struct store *store);
void reaper_wake(struct reaper *reaper); /* there is something to do; from any thread */

/* `finish`: what is left is done first. Else it stops after the slice that it is at. */
void reaper_free(struct reaper *reaper, bool finish);

#endif
