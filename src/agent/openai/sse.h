/* Server-sent events, from bytes that may be cut anywhere. */
#ifndef AGENT_OPENAI_SSE_H
#define AGENT_OPENAI_SSE_H

#include "base/buf.h"
#include "base/fault.h"

enum { SSE_EVENT_BYTES = 4 * 1024 * 1024 /* data of one event, and one line of it */ };

struct sse {
    struct buf line, data;
    bool after_cr; /* a line feed that comes now belongs to the line end before it */
    bool begun;    /* past the byte order mark */
    bool has_data;
};

/* Told the data of an event; a fault ends the feeding. */
typedef enum fault_code sse_event(void *context, struct str data, struct fault *fault);

void sse_init(struct sse *sse);
void sse_clear(struct sse *sse);

/* FAULT_AGENT_FAILED when a line or an event is too large. */
FAULT_CHECK enum fault_code sse_feed(struct sse *sse, struct str bytes, sse_event *event,
                                     void *context, struct fault *fault);

/* Nothing more comes: an event without its empty line counts, too. */
FAULT_CHECK enum fault_code sse_end(struct sse *sse, sse_event *event, void *context,
                                    struct fault *fault);

#endif
