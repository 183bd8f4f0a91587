/*
 * Short words for tests: what a test says most often, on the rig's owner. Each must succeed; where
 * a fault is wanted, tests call the engine and the store themselves.
 */
#ifndef SUPPORT_TALK_H
#define SUPPORT_TALK_H

#include "support/check.h"
#include "support/gather.h"
#include "support/rig.h"

/* A rig with what every test needs beside it. */
struct talk {
    struct rig rig;
    struct arena arena;
    struct fault fault;
};

void talk_open(struct talk *talk, const struct rig_kind *kind, uint64_t seed);
void talk_close(struct talk *talk);

/* ---- ways to name a point; the guard is GUARD_REFUSE ---- */

struct point_spec at_end(void);
struct point_spec at_start(void);
struct point_spec before_message(struct str id);
struct point_spec after_message(struct str id);
struct point_spec before_index(int64_t ordinal);
struct point_spec after_index(int64_t ordinal);
struct point_spec before_turn(struct str turn);

/* ---- writing ---- */

struct str talk_create(struct talk *talk, const char *title); /* the new session's id */

/* A message {"text": …} whose text is searched. */
struct entry_spec talk_message(struct talk *talk, enum role role, const char *text);

/* Appends one entry, or several as one batch. */
struct entry talk_append(struct talk *talk, struct str session, struct entry_spec spec);
struct append_result talk_batch(struct talk *talk, struct str session, struct entry_spec *specs,
                                size_t count);

/* A message of that role and text; its id. */
struct str talk_say(struct talk *talk, struct str session, enum role role, const char *text);

/* Messages "<word> 0", "<word> 1" …, from user and assistant in turn; ids in the arena. */
struct str *talk_say_many(struct talk *talk, struct str session, const char *word, int count);

struct fork_result talk_fork(struct talk *talk, struct str session, struct point_spec point);
struct move_result talk_rewind(struct talk *talk, struct str session, struct point_spec point);
struct move_result talk_undo(struct talk *talk, struct str session);
struct move_result talk_redo(struct talk *talk, struct str session);
void talk_delete(struct talk *talk, struct str session);
void talk_rename(struct talk *talk, struct str session, const char *title);
void talk_label(struct talk *talk, struct str session, struct str message, const char *text);

/* ---- reading ---- */

struct session talk_session(struct talk *talk, struct str session);
struct gathered talk_history(struct talk *talk, struct str session, bool all);
struct gathered talk_raw(struct talk *talk, struct str session);
struct gathered talk_journal(struct talk *talk, struct str session);
struct gathered talk_search(struct talk *talk, const char *words);
struct store_counts talk_counts(struct talk *talk);

/* The texts of the visible messages, with a blank between them: "hello hi". */
const char *talk_texts(struct talk *talk, struct str session);

/* store_verify finds nothing. */
void talk_verify(struct talk *talk);

#endif
