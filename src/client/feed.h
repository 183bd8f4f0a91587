/*
 * Server-sent events out of bytes that come in pieces of any size, by the rules of the HTML
 * standard: lines end with CR, LF or both, a byte order mark at the beginning is dropped, fields
 * that are not known are, too.
 */
#ifndef CLIENT_FEED_H
#define CLIENT_FEED_H

#include "base/buf.h"

struct feed_event {
    struct str type; /* "message" when the server named none */
    struct str id;   /* p == NULL: this one has none */
    struct str data;
};

/* What it points to lives as long as the call; false ends the reading. */
typedef bool feed_call(void *context, const struct feed_event *event);

enum feed_end { FEED_MORE, FEED_STOPPED, FEED_TOO_LARGE };

struct feed {
    struct buf line, data, type, id;
    bool has_id, has_data;
    bool after_cr; /* a LF that comes now belongs to the line before */
    int bom;       /* bytes of the mark seen so far; -1: its place is past */
    int retry_ms;  /* what the server wants; -1: it did not say */
    feed_call *call;
    void *context;
};

void feed_init(struct feed *feed, size_t event_bytes, feed_call *call, void *context);
void feed_clear(struct feed *feed);

/* A new stream: what of an event had come is forgotten. */
void feed_reset(struct feed *feed);

/* Takes the next bytes and calls for each event that is whole. */
enum feed_end feed_take(struct feed *feed, struct str bytes);

#endif
