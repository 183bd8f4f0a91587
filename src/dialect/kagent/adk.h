/*
 * The log of a session as Google's ADK folds it: events, and markers that say "rewind before this
 * invocation". Pure functions over an array; nothing here knows of a store.
 *
 * ADK reads the log from its end: a marker jumps to before the first event of the invocation that
 * it names, wherever that stands before it, and is left out itself; one that names nothing that
 * stands before it is left out alone. So a later marker can bring back what an earlier one took
 * away, and one that names a marker's own invocation takes that marker back.
 *
 * tine keeps moves instead, which name a place. What this file does:
 * 1. It says which events are effective, by the moves alone.
 * 2. It names for each move an invocation that makes ADK's reading come to the same, and says
 *    whether that was possible throughout.
 * 3. It computes the change of state that ADK's rule wants in each marker.
 */
#ifndef DIALECT_KAGENT_ADK_H
#define DIALECT_KAGENT_ADK_H

#include "base/arena.h"
#include "store/address.h"

#include <stdint.h>

enum adk_kind {
    ADK_NOTHING, /* an act that ADK does not know */
    ADK_EVENT,
    ADK_MARKER, /* an event of a runtime that says rewind itself */
    ADK_MOVE
};

/* One change of state; the value is JSON, "null" takes the key away. */
struct adk_change {
    struct str key, value;
};

struct adk_delta {
    struct adk_change *items;
    size_t count;
};

/* One act of the raw log, oldest first. The numbers of a session follow each other. */
struct adk_act {
    enum adk_kind kind;
    struct address at;
    struct str invocation;  /* empty: it names none; of a move: that of its marker */
    struct str target;      /* ADK_MARKER: what it names; ADK_MOVE: filled in */
    struct address to;      /* ADK_MOVE: the last act that is kept; ADDRESS_START: none is */
    struct adk_delta delta; /* ADK_MOVE: filled in */
    /* filled in */
    bool effective; /* an event on the path */
    bool written;   /* stands in the log that ADK is given */
};

/*
 * Fills in what is to be filled in. True when ADK's reading of what is `written` gives exactly what
 * is `effective`; when false, only `effective` is of use.
 */
bool adk_resolve(struct adk_act *acts, size_t count, struct arena *arena);

/* The state that ADK comes to: of acts that are written, or (`effective`) of those alone. Sorted by
 * key; a key that was taken away is there with "null". */
struct adk_delta adk_fold(const struct adk_act *acts, size_t count, bool effective,
                          struct arena *arena);

/* What must be added to `now` so that it is `wanted`: a key that `wanted` lacks gets "null". Both
 * sorted by key. */
struct adk_delta adk_difference(const struct adk_delta *now, const struct adk_delta *wanted,
                                struct arena *arena);

/* Keys that ADK shares between sessions, and does not rewind. */
bool adk_key_shared(struct str key);

/* Keys that ADK never keeps. */
bool adk_key_temporary(struct str key);

#endif
