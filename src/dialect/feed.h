/*
 * The reply to whoever lets an agent answer, in the words of any dialect: what a turn says, as it
 * says it, as a stream; or one answer when it has ended or waits.
 *
 * A voice is used by one thread at a time: by the handler before the stream begins, then by the
 * loop, where it must not block or call the store. `free` is called once, whatever happens, and
 * nothing after it.
 */
#ifndef DIALECT_FEED_H
#define DIALECT_FEED_H

#include "dialect/handling.h"

struct feed_voice {
    /* The turn has begun, or was begun before (begun->joined). First of all. */
    void (*begin)(void *context, const struct turn_begun *begun, struct buf *out);
    /*
     * Running text, and DELTA_ASK when it waits. Text and reasoning of one step come without gaps
     * from its beginning on (so a late one is first told what was said so far), but a client that
     * is slow may miss the end of a step, or all of it: the entry has it whole.
     */
    void (*piece)(void *context, const struct turn_piece *piece, struct buf *out);
    /* An entry of the turn is stored, of any kind; also the user's own, unless the feed comes
     * later. */
    void (*entry)(void *context, const struct entry *entry, struct buf *out);
    /* It has ended, or could not begin (RUN_FAILED with the fault's text); nothing comes after. */
    void (*end)(void *context, enum run_state state, struct str reason, struct buf *out);
    /* May end the stream earlier: asked after each of the above; NULL: only the end does. */
    bool (*enough)(void *context);
    void (*free)(void *context);
    void *context;
};

/*
 * Sends and streams. A fault of turns_send is returned (the voice is freed), so that it can be
 * answered with a status. cmd's `asked` is not used. One that turns out to have been sent before is
 * joined from its beginning: when it is over, that is begin, its entries and end.
 */
FAULT_CHECK enum fault_code feed_send(struct exchange *x, struct turn_cmd *cmd,
                                      const struct feed_voice *voice, struct fault *fault);

/*
 * Streams a turn that is there already: from now on when it is active, else begin and end only.
 * FAULT_TURN_NOT_FOUND, FAULT_SESSION_NOT_FOUND; the voice is freed.
 */
FAULT_CHECK enum fault_code feed_join(struct exchange *x, int64_t owner, struct str session,
                                      struct str turn, const struct feed_voice *voice,
                                      struct fault *fault);

/* The reply is a stream of these bytes, which are taken over. */
void feed_fixed(struct exchange *x, struct buf *bytes);

/*
 * Sends and waits: `answer` fills in x->reply, once, on some thread that may call the store, when
 * the turn has ended or (with `asks`) waits for an answer: then state is RUN_WAITING, and
 * turns_asked says for what. A turn that had to wait and could not begin is answered with its fault
 * instead. cmd's `asked` is not used.
 */
typedef enum fault_code feed_answer(struct exchange *x, void *context, struct str turn,
                                    enum run_state state, struct str reason, struct fault *fault);

FAULT_CHECK enum fault_code feed_wait(struct exchange *x, struct turn_cmd *cmd, bool asks,
                                      feed_answer *answer, void *context, struct fault *fault);

/* The same of a turn that is there already, with `asks`; one that is over is answered at once. */
FAULT_CHECK enum fault_code feed_wait_on(struct exchange *x, int64_t owner, struct str session,
                                         struct str turn, feed_answer *answer, void *context,
                                         struct fault *fault);

/* Counts what was sent, or says in the reply that it was sent before. The above have done so. */
void feed_count(struct exchange *x, const struct turn_cmd *cmd, const struct turn_begun *begun);

#endif
