/* A place in a session's history: how it is named, and what the name came to. */
#ifndef STORE_POINT_H
#define STORE_POINT_H

#include "base/str.h"
#include "store/address.h"

enum point_by {
    POINT_END,       /* after everything */
    POINT_START,     /* before everything */
    POINT_MESSAGE,   /* `name`: id of an entry that the session ever had, or of a move: before it is
                        where the head was then, after it where it went */
    POINT_LABEL,     /* `name`: a label */
    POINT_INDEX,     /* `ordinal` in the visible list; below 0 counts from the end */
    POINT_USER,      /* `ordinal` among the user messages, likewise */
    POINT_FLAT,      /* `ordinal` in the visible list with sub-sessions flattened in */
    POINT_FLAT_USER, /* `ordinal` among the user messages of that list */
    POINT_TURN,      /* `name`: a turn; always before its first entry */
    POINT_ADDRESS /* `address` itself, from a cursor, whatever the side; one that the session has */
};

enum point_side { SIDE_BEFORE, SIDE_AFTER };

/* What to do when a tool call of the turn is still open at the point. */
enum point_guard {
    GUARD_REFUSE, /* FAULT_TOOL_CALL_OPEN, naming the nearest good points */
    GUARD_SNAP,   /* go to the nearest good point before it */
    GUARD_NONE    /* take it as it is */
};

struct point_spec {
    enum point_by by;
    enum point_side side;
    struct str name;
    bool name_may_be_start; /* POINT_MESSAGE: a unique start of an id will do */
    int64_t ordinal;
    struct address address;
    enum point_guard guard;
};

struct point {
    struct address at;     /* the path up to here is kept; ADDRESS_START: nothing is */
    struct address anchor; /* the entry that was named; ADDRESS_START: none was */
    struct str message;    /* id of that entry */
    enum point_side side;
    int64_t index; /* visible messages kept */
    bool snapped;
};

#endif
