/*
 * A conversation of any length, of which only what is about to be seen is in memory. It reads pages
 * by itself, follows the session's events, and holds the text that is being said.
 */
#ifndef TUI_TALK_H
#define TUI_TALK_H

#include "tui/errand.h"
#include "tui/feed.h"
#include "tui/message_lay.h"

struct talk;

struct talk_options {
    struct errands *errands;
    const struct tui_door *door;
    void (*wake)(void *context);    /* for its feed */
    void (*changed)(void *context); /* what is to be drawn is another */
    /* The session did something: called after the talk has taken it in. */
    feed_call *happened;
    void *context;
};

struct talk *talk_new(const struct talk_options *options);
void talk_free(struct talk *talk);

/* Leaves the session it has, and reads that one: first of all its newest messages. NULL: none. */
void talk_open(struct talk *talk, const char *session);
void talk_take(struct talk *talk);         /* of its feed; wakes when there is more */
int talk_wait_ms(const struct talk *talk); /* until it must be called all the same; -1: need not */

/* NULL: not known yet. */
const struct tine_session *talk_session(const struct talk *talk);
const char *talk_id(const struct talk *talk);                 /* that was opened; NULL: none */
const struct tine_error *talk_error(const struct talk *talk); /* NULL: nothing went wrong */

int64_t talk_count(const struct talk *talk); /* of messages; 0 while not known */

/*
 * The message at that place; NULL: it is not here yet, and is being read. Lives until the talk
 * changes or another one is asked for, which may push it out. It has no `json`.
 */
const struct tine_message *talk_at(struct talk *talk, int64_t index);

/* Another number whenever what stands at places that were seen may be another. */
uint64_t talk_version(const struct talk *talk);

const char *talk_label(const struct talk *talk, const char *message); /* NULL: it has none */

/* The turn: */
bool talk_runs(const struct talk *talk);               /* queued, running or waiting */
bool talk_runs_in(const char *state);                  /* … in that state; NULL: no turn */
const char *talk_turn_state(const struct talk *talk);  /* NULL: there was none */
const char *talk_turn_reason(const struct talk *talk); /* why it failed; NULL */
size_t talk_pieces(const struct talk *talk, const struct message_piece **out); /* being said */
uint64_t talk_pieces_version(const struct talk *talk);

struct talk_ask { /* what the turn waits for */
    const char *id, *tool, *arguments, *question;
};
const struct talk_ask *talk_ask(const struct talk *talk); /* NULL: nothing */
void talk_answered(struct talk *talk); /* it was answered: nobody tells that the turn goes on */

bool talk_lost(const struct talk *talk); /* the server cannot be reached just now */

/* A message that was sent and is not told yet: shown at the end until it is. */
void talk_sending(struct talk *talk, struct str text);
void talk_sending_failed(struct talk *talk);
struct str talk_sending_text(const struct talk *talk); /* STR_NONE: none */

/* The session as a call has given it back; takes `result`. */
void talk_session_given(struct talk *talk, struct tine_result *result);

#endif
