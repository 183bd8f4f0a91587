/* A turn as ash streams it. */
#ifndef DIALECT_ASH_VOICE_H
#define DIALECT_ASH_VOICE_H

#include "dialect/ash/wire.h"
#include "dialect/feed.h"

enum voice_partial {
    VOICE_WHOLE,     /* no running text */
    VOICE_DELTAS,    /* text_delta and thinking_delta */
    VOICE_EVERYTHING /* … and the raw message of each */
};

struct feed_voice ash_voice(struct str session, const char *version, enum voice_partial partial);

#endif
