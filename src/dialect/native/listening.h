/*
 * A client that is sent events: a listener of the hub as the source of a stream. Made by a handler,
 * then on the loop; the end of a turn may reach it from the turn's thread, so it counts who holds
 * it.
 */
#ifndef DIALECT_NATIVE_LISTENING_H
#define DIALECT_NATIVE_LISTENING_H

#include "dialect/native/handler.h"

struct listening;

/* Held twice: by the stream to be, and by the turn whose end it is told. */
struct listening *listening_new(struct exchange *x);

/* Gives it back unused; `both`: for the turn, too. */
void listening_drop(struct listening *listening, bool both);

/*
 * The reply of x becomes the stream of what passes the filter and comes after `since`. With
 * `until_end` it ends with the turn of the filter, and says so.
 */
void listening_stream(struct listening *listening, struct exchange *x,
                      const struct hub_filter *filter, int64_t since, bool until_end);

/* A turn_done: when the turn could not begin, the stream ends with the reason. */
void listening_done(void *listening, enum run_state state, const struct fault *fault);

/* It is also told what a running turn has said of its next message so far. Before its stream. */
void listening_pieces(struct listening *listening);

#endif
