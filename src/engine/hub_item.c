#include "engine/hub_item.h"

#include <stdlib.h>

void hub_list_init(struct hub_list *list)
{
    *list = (struct hub_list){0};
    list->last = &list->first;
}

void hub_list_push(struct hub_list *list, struct hub_item *item)
{
    item->next = NULL;
    *list->last = item;
    list->last = &item->next;
    list->count++;
    list->bytes += item->message.n;
}

struct hub_item *hub_list_pop(struct hub_list *list)
{
    struct hub_item *item = list->first;

    list->first = item->next;
    if (!list->first)
        list->last = &list->first;
    list->count--;
    list->bytes -= item->message.n;
    return item;
}

void hub_list_clear(struct hub_list *list)
{
    while (list->first)
        free(hub_list_pop(list));
}

void hub_list_move(struct hub_list *to, struct hub_list *from)
{
    while (from->first)
        hub_list_push(to, hub_list_pop(from));
}

static struct str put(char **at, struct str s)
{
    struct str copy = {*at, s.n};

    if (s.n)
        memcpy(*at, s.p, s.n);
    *at += s.n;
    return copy;
}

struct hub_item *hub_item_new(int64_t e, int64_t owner, const char *type, struct str session,
                              struct str turn, struct str message)
{
    struct hub_item *item = malloc(sizeof(*item) + session.n + turn.n + message.n);
    char *at;

    if (!item)
        abort();
    at = (char *)(item + 1);
    *item = (struct hub_item){.e = e, .owner = owner, .type = type};
    item->session = put(&at, session);
    item->turn = put(&at, turn);
    item->message = put(&at, message);
    return item;
}

void hub_filter_copy(struct hub_filter *filter, char *at)
{
    filter->session = put(&at, filter->session);
    filter->turn = put(&at, filter->turn);
    filter->types = put(&at, filter->types);
}

/* Is the type in the list "session.forked,message." ? */
static bool type_listed(struct str types, const char *type)
{
    struct str name = str_of(type);

    while (types.n) {
        const char *comma = memchr(types.p, ',', types.n);
        struct str one = {types.p, comma ? (size_t)(comma - types.p) : types.n};

        if (str_eq(one, name) || (one.n && one.p[one.n - 1] == '.' && str_starts(name, one)))
            return true;
        types.p += one.n + (comma ? 1 : 0);
        types.n -= one.n + (comma ? 1 : 0);
    }
    return false;
}

bool hub_filter_lets(const struct hub_filter *filter, const struct hub_item *item)
{
    if (item->owner == OWNER_ANY)
        return true;
    return (filter->owner == OWNER_ANY || filter->owner == item->owner) &&
           (filter->session.n == 0 || str_eq(filter->session, item->session)) &&
           (filter->turn.n == 0 || str_eq(filter->turn, item->turn)) &&
           (filter->types.n == 0 || type_listed(filter->types, item->type));
}
