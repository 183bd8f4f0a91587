/*
 * A turn as docker-agent tells it while it runs: one JSON object a line, "data: {…}". Its client
 * stops reading at a line of 64 KiB, so texts are told in pieces and what a tool gave back is cut
 * where it is too long; what is stored is whole.
 *
 * In this order: who answers, what the user said, what the agent says; a message when it is
 * complete; each call of a tool when it begins and when it has ended, before it a question when the
 * session wants to be asked; the end.
 *
 * Whoever closes the stream before its end wants the turn to stop: that is how its clients cancel.
 */
#ifndef DIALECT_DOCKER_AGENT_VOICE_H
#define DIALECT_DOCKER_AGENT_VOICE_H

#include "dialect/docker_agent/kept.h"
#include "dialect/docker_agent/team.h"
#include "dialect/feed.h"

enum {
    VOICE_PIECE_BYTES = 8 * 1024,  /* of running text in one event, as JSON */
    VOICE_OUTPUT_BYTES = 16 * 1024 /* of a longer text in one event, likewise */
};

/* For a session and the agent that is about to answer in it. */
struct feed_voice voice_make(struct exchange *x, const struct session *session,
                             const struct kept *kept, const struct agent_def *def);

#endif
