/* What a move would do, or has done, in words. All texts live in the arena. */
#ifndef TUI_MOVE_WORDS_H
#define TUI_MOVE_WORDS_H

#include "base/arena.h"

#include <tine.h>

enum { MOVE_WORDS_PATHS = 12 /* that are named; of others only how many */ };

/* "Speed up the import" in quotation marks; a session without a title says so. */
const char *move_words_title(const char *title, struct arena *arena);

/*
 * Several lines about a dry run of a rewind, an adopt or a merge: how many messages stay, go and
 * come, and what happens to which files. `first` is the gist of the first message that would go,
 * `from` the session that something is taken over from, with its quotation marks; NULL: none.
 */
const char *move_words_dry(const struct tine_result *dry, const char *first, const char *from,
                           struct arena *arena);

/* Would any file be written, deleted, or be in conflict? */
bool move_words_has_files(const struct tine_result *dry);
bool move_words_has_conflicts(const struct tine_result *dry);

/* The files in conflict, each with the reason, and what that means. */
const char *move_words_conflicts(const struct tine_result *result, struct arena *arena);

/* "4 messages dropped, 2 files written, 4 messages now": what a move did; "" when there is nothing
 * to tell. */
const char *move_words_done(const struct tine_result *result, struct arena *arena);

/*
 * Where a fork came from: "forked from “Title” after message 6 · 6 messages shared; the original is
 * untouched".
 */
const char *move_words_fork(const struct tine_result *result, struct arena *arena);

#endif
