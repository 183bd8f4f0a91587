/*
 * Messages as they were laid out, kept until something about them changes or there are too many:
 * the least recently drawn go first.
 */
#ifndef TUI_LAYOUTS_H
#define TUI_LAYOUTS_H

#include "tui/message_lay.h"

enum {
    LAYOUTS_BYTES = 4 * 1024 * 1024,
    LAYOUTS_KEPT = 4 /* so many of the newest stay however large they are */
};

struct layouts;

struct layouts *layouts_new(void);
void layouts_free(struct layouts *layouts);
void layouts_clear(struct layouts *layouts);

/* What makes a message look as it does, besides the options. */
struct layout_key {
    uint64_t version; /* of the conversation */
    int64_t index;
};

/* Laid out now, if it was not. Lives until the next call; `label` of the options is compared. */
struct laid layouts_get(struct layouts *layouts, struct layout_key key,
                        const struct tine_message *message,
                        const struct message_lay_options *options);

/* About how much memory is held. */
size_t layouts_bytes(const struct layouts *layouts);

#endif
