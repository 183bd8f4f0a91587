/* What was said in a session, as a chat-completions server wants to hear it. */
#ifndef AGENT_OPENAI_TALK_H
#define AGENT_OPENAI_TALK_H

#include "agent/agent.h"
#include "agent/agent_def.h"
#include "json/json_out.h"

enum {
    TALK_BYTES = 64 * 1024 * 1024, /* of one request */
    TALK_CONTEXT_TOKENS = 128 * 1000
};

/* The entries that the agent is to know, copied into its arena. */
struct talk {
    struct arena *arena;
    struct entry *entries;
    size_t count, room;
};

FAULT_CHECK enum fault_code talk_read(struct agent_call *call, struct talk *out,
                                      struct fault *fault);

/*
 * The body of a request. Every tool call has its result directly behind it, as servers demand: one
 * that was never answered gets "interrupted", and a result that answers nothing is left out.
 */
struct str talk_request(const struct talk *talk, const struct agent_def *def,
                        const struct tool_rules *deny, struct arena *arena);

/* The conversation as plain text of at most `max` bytes: the beginning and the end of it. */
struct str talk_transcript(const struct talk *talk, size_t max, struct arena *arena);

/* The text of the user's newest message. */
struct str talk_newest(const struct talk *talk, struct arena *arena);

/* A guess at the tokens of so many bytes of a request. */
int64_t talk_tokens(size_t bytes);

#endif
