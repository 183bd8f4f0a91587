/* A summary that takes the place of what was said, when that has come near to the model's window.
 */
#ifndef AGENT_OPENAI_SUMMARY_H
#define AGENT_OPENAI_SUMMARY_H

#include "agent/openai/talk.h"

/* The body of a request for one; the model is given at most `tokens` to read. */
struct str summary_request(const struct talk *talk, const struct agent_def *def, int64_t tokens,
                           struct arena *arena);

/*
 * The entry, of kind ENTRY_SUMMARY. Below what the model wrote it has the user's newest message in
 * its own words, because that is the task that goes on.
 */
struct entry_spec summary_entry(const struct talk *talk, struct str text, struct arena *arena);

#endif
