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

/*
 * The same with no more than message_lay can show: of a long text or output the beginning, of a
 * file not its bytes. What was left out is said by the parts, see part_left_out.
 */
size_t message_copy_shown(const struct tine_message *message, struct arena *arena,
                          struct tine_message *out);

/* What a part of such a copy lacks of its text, or a file of its bytes. */
struct part_left_out {
    size_t bytes;
    size_t lines; /* that the whole text of an output has */
};

struct part_left_out part_left_out(const struct tine_part *part);

/* The same as message_copy of an event. */
size_t event_copy(const struct tine_event *event, struct arena *arena, struct tine_event *out);

#endif
