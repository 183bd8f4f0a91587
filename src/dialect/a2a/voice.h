/*
 * A turn in the words of A2A. First the task, then, while it is worked on, each message of the
 * agent as a status and its text as an artifact that grows; at the end, or when it waits for an
 * answer, one final status.
 */
#ifndef DIALECT_A2A_VOICE_H
#define DIALECT_A2A_VOICE_H

#include "dialect/a2a/rpc.h"
#include "dialect/feed.h"

/* For a turn that is about to be sent. */
struct feed_voice voice_new(const struct rpc *rpc, int64_t owner, const struct session *session);

/* For one that is there already: begins with the task as it is when it is joined. */
struct feed_voice voice_late(const struct rpc *rpc, const struct rpc_task *task);

/* The id of the task of a turn. */
struct str voice_task_id(struct str session, struct str turn, struct arena *arena);

#endif
