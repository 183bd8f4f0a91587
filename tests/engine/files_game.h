/*
 * A run of random operations on the files of several sessions, and on the naive model of them,
 * compared after each: directories on the disk, trees at heads and at places of the past, and which
 * paths are in the way of a move.
 */
#ifndef ENGINE_FILES_GAME_H
#define ENGINE_FILES_GAME_H

#include "support/rig.h"

/* Plays `operations` from the seed. Ends the test when the two sides differ. */
void files_game_play(const struct rig_kind *kind, uint64_t seed, int operations);

/* TINE_SEED, else one from the clock; TINE_OPS, else `operations`. */
uint64_t files_game_seed(void);
int files_game_operations(int operations);

#endif
