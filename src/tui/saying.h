/*
 * What a turn is saying before it is a message: pieces in the order in which they were said. Of a
 * long one the end is kept.
 */
#ifndef TUI_SAYING_H
#define TUI_SAYING_H

#include "base/buf.h"
#include "tui/message_lay.h"

enum {
    SAYING_BYTES = 128 * 1024, /* beyond that the beginning is dropped */
    SAYING_PIECES = 256,
    SAYING_SOURCES = 64 /* kinds and calls of one message whose places are known */
};

struct saying;

struct saying *saying_new(void);
void saying_free(struct saying *saying);

/*
 * Takes a "message.delta". What was heard before is dropped by its offset, and so is what belongs
 * to a message that is told already. True when there is something new.
 */
bool saying_take(struct saying *saying, const struct tine_event *event);

/* Nothing is being said any more; true when something was. */
bool saying_end(struct saying *saying);

const char *saying_turn(const struct saying *saying); /* NULL: none */

/* Valid until the next call. */
size_t saying_pieces(struct saying *saying, const struct message_piece **out);
uint64_t saying_version(const struct saying *saying); /* another one with each change */

#endif
