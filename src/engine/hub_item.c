#include "engine/hub_item.h"

#include "engine/turns.h"

#include <assert.h>
#include <stdlib.h>

/* ---- lists ---- */

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
    list->bytes += item->bytes;
}

struct hub_item *hub_list_pop(struct hub_list *list)
{
    struct hub_item *item = list->first;

    list->first = item->next;
    if (!list->first)
        list->last = &list->first;
    list->count--;
    list->bytes -= item->bytes;
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

/* ---- items ---- */

/* All in one block: structs first, which are aligned alike, then the texts. */
_Static_assert(_Alignof(struct hub_item) == _Alignof(struct event) &&
                   _Alignof(struct event) == _Alignof(struct entry) &&
                   _Alignof(struct entry) == _Alignof(struct note) &&
                   _Alignof(struct note) == _Alignof(struct turn_piece),
               "they stand behind one another");

static struct str put(char **at, struct str s)
{
    struct str copy = {*at, s.n};

    if (!s.p)
        return s;
    if (s.n)
        memcpy(*at, s.p, s.n);
    *at += s.n;
    return copy;
}

static size_t event_bytes(const struct event *event)
{
    const struct entry *entry = event->item.entry;
    const struct note *note = event->item.note;
    size_t bytes = sizeof(*event);

    if (entry)
        bytes += sizeof(*entry) + entry->id.n + entry->turn.n + entry->session.n +
                 entry->ref_session.n + entry->ref_id.n + entry->body.n;
    if (note)
        bytes += sizeof(*note) + note->message.n + note->was.n + note->now.n;
    return bytes;
}

static size_t piece_bytes(const struct turn_piece *piece)
{
    return sizeof(*piece) + piece->delta.id.n + piece->delta.name.n + piece->delta.text.n;
}

/* The struct at `from`, copied to *room, which moves on. */
static void *put_struct(char **room, const void *from, size_t bytes)
{
    void *copy = *room;

    memcpy(copy, from, bytes);
    *room += bytes;
    return copy;
}

/* Structs go to `room`, texts to `at`; the session is the item's. */
static const struct event *put_event(const struct event *from, struct str session, char *room,
                                     char **at)
{
    struct event *event = put_struct(&room, from, sizeof(*from));

    event->session = session;
    if (from->item.entry) {
        struct entry *entry = put_struct(&room, from->item.entry, sizeof(*entry));

        entry->id = put(at, entry->id);
        entry->turn = put(at, entry->turn);
        entry->session = put(at, entry->session);
        entry->ref_session = put(at, entry->ref_session);
        entry->ref_id = put(at, entry->ref_id);
        entry->body = put(at, entry->body);
        event->item.entry = entry;
    }
    if (from->item.note) {
        struct note *note = put_struct(&room, from->item.note, sizeof(*note));

        note->message = put(at, note->message);
        note->was = put(at, note->was);
        note->now = put(at, note->now);
        event->item.note = note;
    }
    return event;
}

static const struct turn_piece *put_piece(const struct turn_piece *from,
                                          const struct hub_item *item, char *room, char **at)
{
    struct turn_piece *piece = put_struct(&room, from, sizeof(*from));

    piece->session = item->session;
    piece->turn = item->turn;
    piece->delta.id = put(at, piece->delta.id);
    piece->delta.name = put(at, piece->delta.name);
    piece->delta.text = put(at, piece->delta.text);
    return piece;
}

static size_t structs_bytes(const struct hub_item *item)
{
    size_t bytes = 0;

    if (item->event)
        bytes += sizeof(struct event) + (item->event->item.entry ? sizeof(struct entry) : 0) +
                 (item->event->item.note ? sizeof(struct note) : 0);
    if (item->piece)
        bytes += sizeof(struct turn_piece);
    return bytes;
}

struct hub_item *hub_item_new(const struct hub_item *like)
{
    size_t bytes = like->message.n + (like->event ? event_bytes(like->event) : 0) +
                   (like->piece ? piece_bytes(like->piece) : 0);
    struct hub_item *item = malloc(sizeof(*item) + like->session.n + like->turn.n + bytes);
    char *room, *at;

    if (!item)
        abort();
    assert(!like->event || !like->piece);
    room = (char *)(item + 1);
    at = room + structs_bytes(like);
    *item = *like;
    item->next = NULL;
    item->bytes = bytes;
    item->session = put(&at, like->session);
    item->turn = put(&at, like->turn);
    item->message = put(&at, like->message);
    if (like->event)
        item->event = put_event(like->event, item->session, room, &at);
    if (like->piece)
        item->piece = put_piece(like->piece, item, room, &at);
    return item;
}

/* ---- filters ---- */

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
           (filter->types.n == 0 || (item->type && type_listed(filter->types, item->type)));
}
