/* What happened in a store, in the order of its numbers, as those who listen are told. */
#ifndef STORE_EVENT_H
#define STORE_EVENT_H

#include "store/session.h"

struct event_spec {
    int64_t owner;      /* OWNER_ANY: of all */
    struct str session; /* empty: of all the owner's */
    int64_t after;      /* the last number seen */
    int64_t limit;      /* 0: all */
};

struct event {
    int64_t owner;
    struct str session; /* id, also when it is gone */
    struct journal_item item;
};

/* What a reading came to. */
struct event_info {
    int64_t newest; /* the highest number that is committed: all up to there was looked at, unless
                       the limit ended it */
    int64_t floor;  /* events up to this number may have been cleared away */
    bool more;      /* the limit ended it */
};

typedef enum fault_code event_visit(void *context, const struct event *event, struct fault *fault);

#endif
