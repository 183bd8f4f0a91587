/*
 * Ids as ash's clients read them: UUIDs, also where tine has another name, or none. They are
 * computed and never stored.
 *
 * A message that a session wrote itself has its own id; one that it inherited has, as is expected
 * of a fork, another: that of the message and that of the session in one, of version 8. Where one
 * of the two is no id that tine drew, it is "SESSION~ID".
 */
#ifndef DIALECT_ASH_IDS_H
#define DIALECT_ASH_IDS_H

#include "dialect/ash/wire.h"

struct str ash_message_id(const struct entry *entry, struct str session, struct arena *arena);

/* The id of the entry that such an id stands for in that session. */
struct str ash_message_named(struct str id, struct str session, struct arena *arena);

/* The same id for the same name and number, always. */
struct str ash_id_of(const char *kind, struct str name, int64_t number, struct arena *arena);

#endif
