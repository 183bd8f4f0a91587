/* An event as a runtime posts it: JSON of ADK in one of its spellings, or anything else. */
#ifndef DIALECT_KAGENT_EVENT_H
#define DIALECT_KAGENT_EVENT_H

#include "dialect/kagent/adk.h"
#include "json/json_in.h"
#include "store/entry.h"
#include "store/limits.h"

enum {
    EVENT_BYTES = LIMIT_ENTRY_BYTES / 2, /* of data; its text may stand in the entry once more */
    EVENT_DEPTH = 200 /* of an event's JSON; deeper ones are kept, but not looked into */
};

/* Who wrote it, as far as its members tell. */
enum event_shape {
    EVENT_OTHER,
    EVENT_PYTHON, /* invocation_id: folds the log itself */
    EVENT_GO,     /* invocationId or InvocationID: knows nothing of rewind */
    EVENT_ITEMS   /* a batch of the OpenAI runtime, likewise */
};

struct event_read {
    enum event_shape shape;
    struct str invocation; /* empty: it names none */
    struct str author;
    struct str rewind;      /* the invocation before which it says to rewind; empty: it does not */
    struct adk_delta delta; /* without what is temporary */
    struct json_value content;
    bool has_usage;
    struct usage usage; /* tokens */
};

/* Looks into the text of an event. Strings point into it or into the arena. */
void event_read(struct str text, struct arena *arena, struct event_read *out);

/* The same for the JSON string that an event came as, whose text is the event. */
void event_read_token(struct str token, struct arena *arena, struct event_read *out);

/*
 * The entry that keeps an event: with text to show and `shown`, a message, else an event. The token
 * is kept as it came.
 */
FAULT_CHECK enum fault_code event_entry(const struct event_read *event, struct str id,
                                        struct str token, bool shown, struct arena *arena,
                                        struct entry_spec *out, struct fault *fault);

/* The token in the body of an entry that is such an event; p == NULL: it is none. */
struct str event_token(struct str body);

#endif
