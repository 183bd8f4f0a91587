/* Copies of what the client library tells, for as long as the arena lives. */
#ifndef TUI_MESSAGE_COPY_H
#define TUI_MESSAGE_COPY_H

#include "base/arena.h"

#include <tine.h>

/*
 * Returns about how many bytes the copy takes. `json` of the message and of its text, which would
 * be everything a second time, is "" in the copy.
 */
size_t message_copy(const struct tine_message *message, struct arena *arena,
                    struct tine_message *out);

/* The same of an event. */
size_t event_copy(const struct tine_event *event, struct arena *arena, struct tine_event *out);

#endif
