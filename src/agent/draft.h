/* A message that is being said: its body as far as it has come. */
#ifndef AGENT_DRAFT_H
#define AGENT_DRAFT_H

#include "base/arena.h"
#include "store/entry.h"

/* The body of an assistant's message with these parts; empty ones are left out. */
struct str draft_body(struct str reasoning, struct str text, struct arena *arena);

/*
 * The message that such a body becomes when it is cut off: role assistant, flagged
 * ENTRY_INTERRUPTED. False when the body is not what draft_body writes.
 */
bool draft_entry(struct str body, struct arena *arena, struct entry_spec *out);

#endif
