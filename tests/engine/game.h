/* A run of random operations on a store and on the model, compared after each. */
#ifndef ENGINE_GAME_H
#define ENGINE_GAME_H

#include "compare.h"

/*
 * Plays `operations` from the seed, then deletes all sessions in random order, and looks that
 * nothing is left. Ends the test when the two sides differ.
 */
void game_play(const struct rig_kind *kind, uint64_t seed, int operations);

/* TINE_SEED, else one from the clock; TINE_OPS, else `operations`. */
uint64_t game_seed(void);
int game_operations(int operations);

#endif
