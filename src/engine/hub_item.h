/* What the hub hands on: events and pieces of running text, one by one, in lists, for whom. */
#ifndef ENGINE_HUB_ITEM_H
#define ENGINE_HUB_ITEM_H

#include "engine/hub.h"

/*
 * An event or a piece of running text: ready to be sent, and, where somebody with a voice of its
 * own may want it, as it happened. One block of memory, given to free().
 */
struct hub_item {
    struct hub_item *next;
    int64_t e;        /* its number; of running text: the event after which it is told */
    int64_t owner;    /* OWNER_ANY: for whoever reads it (a reset) */
    const char *type; /* NULL: the hub has no word for it, so that only voices tell it */
    struct str session, turn, message;
    bool deletes; /* tells that the session is gone: nothing before it is told any more */
    const struct event *event;      /* what happened, or … */
    const struct turn_piece *piece; /* … what is being said; both NULL: kept as its message alone */
    size_t bytes;                   /* of the message and of what happened */
};

/* A copy of `like` and of all that it points at, in one block; `next` and `bytes` are its own. */
struct hub_item *hub_item_new(const struct hub_item *like);

/* Items in their order, which are the list's. */
struct hub_list {
    struct hub_item *first, **last;
    size_t count, bytes; /* `bytes`: of all items */
};

void hub_list_init(struct hub_list *list);
void hub_list_push(struct hub_list *list, struct hub_item *item);
struct hub_item *hub_list_pop(struct hub_list *list); /* the first; there is one */
void hub_list_clear(struct hub_list *list);
void hub_list_move(struct hub_list *to, struct hub_list *from); /* all, to the end of `to` */

/* Does the filter let it through? */
bool hub_filter_lets(const struct hub_filter *filter, const struct hub_item *item);

/* Copies the filter's texts to `at`, where there is room for them, and points there. */
void hub_filter_copy(struct hub_filter *filter, char *at);

#endif
