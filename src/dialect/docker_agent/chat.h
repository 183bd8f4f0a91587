/* Messages as docker-agent writes them, from entries and to entries. */
#ifndef DIALECT_DOCKER_AGENT_CHAT_H
#define DIALECT_DOCKER_AGENT_CHAT_H

#include "dialect/docker_agent/handler.h"

/* An element of a session's list: the message with the name of the agent that said it. */
void chat_write(struct json_out *out, const struct entry *entry, struct arena *scratch);

/* What a message says in words; of a tool, what it gave back. */
struct str chat_text(const struct entry *entry, struct arena *arena);

/* Its "multi_content" as JSON; STR_NONE when it has none. */
struct str chat_parts(const struct entry *entry, struct arena *arena);

/* The arguments of a call as the text that docker-agent has them in. */
struct str chat_arguments(const struct json_value *arguments, struct arena *arena);

/*
 * Reads a message ({"role", "content", "multi_content", …}). `role` ROLE_NONE: as it says.
 * `wrapped` is the element around it ({"agentName", "implicit"}), NULL: none. What tine has no word
 * for is kept and given back as it came.
 */
FAULT_CHECK enum fault_code chat_read(const struct json_value *message, enum role role,
                                      const struct json_value *wrapped, struct arena *arena,
                                      struct entry_spec *out, struct fault *fault);

#endif
