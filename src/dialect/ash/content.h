/*
 * What is said, in ash's words and in tine's. A user's message is {"type":"user","content":…} with
 * the content as it was sent: text, or blocks of text, images and documents. An agent's is
 * {"type":"assistant","message":{"role","content":[blocks]},"session_id"}.
 */
#ifndef DIALECT_ASH_CONTENT_H
#define DIALECT_ASH_CONTENT_H

#include "dialect/ash/wire.h"

/* What a user sends, as an entry. FAULT_INVALID. */
FAULT_CHECK enum fault_code ash_content_read(const struct json_value *content, struct arena *arena,
                                             struct entry_spec *out, struct fault *fault);

/* The object of a message: as the value of `key`, or (NULL) by itself. */
void ash_content_write(struct json_out *out, const char *key, const struct entry *entry,
                       struct arena *arena);

/* Does ash know it as a message? Results of tools are none there. */
static inline bool ash_content_is_message(const struct entry *entry)
{
    return entry->kind == ENTRY_MESSAGE &&
           (entry->role == ROLE_USER || entry->role == ROLE_ASSISTANT);
}

#endif
