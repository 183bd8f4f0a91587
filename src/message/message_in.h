/* Messages of the native API, from JSON to entries that can be appended. */
#ifndef MESSAGE_MESSAGE_IN_H
#define MESSAGE_MESSAGE_IN_H

#include "base/arena.h"
#include "base/fault.h"
#include "json/json_in.h"
#include "store/entry.h"

enum message_run { RUN_NOT_SAID, RUN_NO, RUN_YES };

struct message_batch {
    struct entry_spec *entries;
    size_t count;
    enum message_run run;
    bool single;            /* one message, not {"messages": […]} */
    struct str expect_head; /* of message_send_read; p == NULL: not said */
    bool wait;              /* of message_send_read: "busy" is "wait" */
};

/*
 * Reads one message, {"text"} or {"parts"} with what may stand beside them, or a batch,
 * {"messages": […]}. The body of an entry is {"parts": …} with the parts byte for byte as they
 * came, and "metadata" likewise. Strings point into `bytes` or the arena.
 */
FAULT_CHECK enum fault_code message_read(struct str bytes, struct arena *arena,
                                         struct message_batch *out, struct fault *fault);

/* The same for a request to send: "expect_head" and "busy" may stand beside "run". */
FAULT_CHECK enum fault_code message_send_read(struct str bytes, struct arena *arena,
                                              struct message_batch *out, struct fault *fault);

/* A message with one part, the text, which must be valid UTF-8. */
struct entry_spec message_of_text(enum role role, struct str text, struct arena *arena);

/* Reads "user", "assistant", "tool" or "system". */
bool message_role(struct str name, enum role *out);

/*
 * Reads an object of state: a key, and the JSON text it gets; null takes the key away. `what` is
 * its name in a fault.
 */
FAULT_CHECK enum fault_code message_state(const struct json_value *object, const char *what,
                                          struct arena *arena, struct state *out,
                                          struct fault *fault);

#endif
