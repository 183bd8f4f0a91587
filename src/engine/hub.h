/*
 * Who listens, and what they are told: committed events by number, read once for all that are up to
 * date, and the running text of turns, which is not kept. A slow listener costs a number and never
 * a queue. All on one thread (the loop), but for hub_now, hub_wake and hub_tell.
 */
#ifndef ENGINE_HUB_H
#define ENGINE_HUB_H

#include "base/buf.h"
#include "store/store.h"

struct hub_host {
    void (*post)(void *context, void (*run)(void *), void *arg); /* on the loop; from any thread */
    void (*work)(void *context, void (*work)(void *), void (*done)(void *),
                 void *arg); /* on a worker, then on the loop */
    void *context;
};

/* What an event is called on the wire of the one who listens, and its text. */
struct hub_word {
    const char *type;   /* "message.added"; a constant. NULL: only voices of their own tell it */
    struct str message; /* the whole event as it is sent, with its number */
};

/*
 * Writes an event; called on a worker, once for each event. One without an entry and a note is a
 * reset at its number: the listener has missed something for good and goes on from there.
 */
typedef struct hub_word hub_render(const struct event *event, struct arena *arena);

struct hub;

struct hub *hub_new(struct store *store, hub_render *render, const struct hub_host *host);
void hub_free(struct hub *hub); /* no listener is left, and nothing is told any more */

/*
 * The newest number: who listens from here on misses nothing that is committed later. To be asked
 * before the client is told that it is connected. From any thread but the loop.
 */
FAULT_CHECK enum fault_code hub_now(struct hub *hub, int64_t *out, struct fault *fault);

/* Something was committed; from any thread, and often. */
void hub_wake(struct hub *hub);

/* Tries again what failed; called now and then on the loop. */
void hub_tick(struct hub *hub);

/* Something that is not kept and has no number. */
struct hub_tidings {
    int64_t owner;
    struct str session, turn;
    const char *type; /* a constant; NULL: there is no word for it in the hub's own language */
    struct str message;
    const struct turn_piece *piece; /* the same for those with a voice of their own; copied. NULL:
                                       they are not told */
    int64_t after; /* told after the event of this number, to whom has not seen a later one */
};

void hub_tell(struct hub *hub, const struct hub_tidings *tidings); /* from any thread */

struct hub_filter {
    int64_t owner;      /* OWNER_ANY: all */
    struct str session; /* id; empty: all */
    struct str turn;    /* only what belongs to this turn; empty: all */
    struct str types;   /* names with commas between, "message." stands for all that begin so;
                           empty: all */
};

/*
 * A listener that speaks another language than the hub's own: it is given what happened and adds
 * its words for it, or nothing. Called by hub_take alone; must not block, nor call the hub. A
 * reset has neither entry nor note.
 */
struct turn_piece;
struct hub_voice {
    void (*event)(void *context, const struct event *event, struct buf *out);
    void (*piece)(void *context, const struct turn_piece *piece, struct buf *out);
    void *context;
};

struct hub_listener;

/*
 * `voice` NULL: the hub's own words; it is copied. `since`: the last number that the listener has
 * seen. `notify` is called when there may be something to take, never during this call; there may
 * be something at once.
 */
struct hub_listener *hub_listen(struct hub *hub, const struct hub_filter *filter,
                                const struct hub_voice *voice, int64_t since,
                                void (*notify)(void *context), void *context);

/* Adds what is ready, until `out` has `enough` bytes; true when there is more at once. */
bool hub_take(struct hub_listener *listener, struct buf *out, size_t enough);

/* It has caught up: running text that is told from now on reaches it. */
bool hub_caught_up(const struct hub_listener *listener);
void hub_leave(struct hub_listener *listener);

/* For /metrics; on the loop. */
struct hub_counts {
    int64_t listeners; /* now */
    int64_t events;    /* read for those that are up to date */
    int64_t caught_up; /* read for one that was behind */
    int64_t dropped;   /* running text that a listener was too slow for */
};
void hub_count(struct hub *hub, struct hub_counts *out);

#endif
