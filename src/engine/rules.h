/* Inside the engine: what it draws, and how it looks at what a client chose. */
#ifndef ENGINE_RULES_H
#define ENGINE_RULES_H

#include "engine/engine.h"
#include "store/limits.h"

int64_t engine_sessions_max(const struct engine *engine);
struct reaper *engine_reaper(const struct engine *engine); /* NULL: none */

/* A new id; ids of one engine only grow. */
struct id engine_draw_id(struct engine *engine);
void engine_draw_salt(struct engine *engine, unsigned char salt[SALT_BYTES]);

/* Everything of an entry that the engine draws. */
void engine_draw_entry(struct engine *engine, struct entry_spec *entry);

/* FAULT_TOO_LARGE, naming `what` and the limit. */
FAULT_CHECK enum fault_code rule_length(const char *what, struct str s, size_t max,
                                        struct fault *fault);

/* Text for people: valid UTF-8 without control characters. */
FAULT_CHECK enum fault_code rule_text(const char *what, struct str s, size_t max,
                                      struct fault *fault);

/* An id that a client chose: A-Za-z0-9._:- */
FAULT_CHECK enum fault_code rule_id(const char *what, struct str s, struct fault *fault);

/* An idempotency key: printable ASCII, at least one character. `once` may be NULL. */
FAULT_CHECK enum fault_code rule_once(const struct once *once, struct fault *fault);

FAULT_CHECK enum fault_code rule_agent(struct str s, struct fault *fault);
FAULT_CHECK enum fault_code rule_home(struct str s, struct fault *fault);

/* What may be appended; its state is sorted, and a body that is missing becomes {}. */
FAULT_CHECK enum fault_code rule_entry(struct entry_spec *entry, struct fault *fault);
FAULT_CHECK enum fault_code rule_state(struct state *state, struct fault *fault);
FAULT_CHECK enum fault_code rule_point(const struct point_spec *point, struct fault *fault);

#endif
