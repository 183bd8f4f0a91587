/* Entries that no runtime posted, as ADK writes events: only members that its model knows. */
#ifndef DIALECT_KAGENT_ADK_WRITE_H
#define DIALECT_KAGENT_ADK_WRITE_H

#include "dialect/kagent/adk.h"
#include "json/json_out.h"
#include "store/entry.h"

/* Which tool a call was of: results name only the call. */
struct call_names {
    struct call_name {
        struct str call, name;
    } * items;
    size_t count, room;
};

/* A message as an event, of the agent of that name. */
void adk_write_message(struct json_out *out, const struct entry *entry, struct str agent,
                       struct call_names *calls, struct arena *arena);

/* An event that changes state, and (`target`) says to rewind. */
void adk_write_change(struct json_out *out, struct str id, struct str invocation, int64_t at_us,
                      struct str target, const struct adk_delta *delta);

#endif
