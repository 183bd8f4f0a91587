/*
 * The ring holds the events of the numbers (ring.floor, seen], so that a commit is read once
 * however many listen. What must hold:
 * 1. A listener is told every event above `since` that its filter lets through, once, in order.
 * 2. A listener whose number is below the floor reads for itself, one batch at a time, until it has
 *    come up to the ring.
 * 3. Running text is told only to those who are up to date; it is dropped, not queued, for others.
 * 4. With nobody listening nothing is read: the hub is then asleep, and its numbers mean nothing.
 * 5. Events above `voiced_from` are in the ring as they happened, too. They are copied so only
 *    while somebody with a voice listens; to such a listener that number is the floor.
 */
#include "engine/hub.h"

#include "engine/ring.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum {
    BATCH_EVENTS = 256,            /* of one reading */
    BATCH_BYTES = 128 * 1024,      /* a reading ends after this much */
    TOLD_BYTES = 128 * 1024,       /* running text that waits for one listener */
    UNTOLD_BYTES = 4 * 1024 * 1024 /* running text on its way to the loop */
};

struct hub_listener {
    struct hub *hub;
    struct hub_listener *prev, *next;
    struct hub_filter filter;
    struct hub_voice voice; /* without `event`: none, the hub's own words */
    void (*notify)(void *context);
    void *context;
    int64_t at;             /* all events up to here were taken, or do not concern it */
    struct hub_list behind; /* what it read for itself */
    int64_t behind_to;      /* where that reading ended */
    bool reading, left;     /* a reading is under way; left meanwhile */
    struct hub_list told;   /* running text that waits to be taken */
};

struct hub {
    struct store *store;
    hub_render *render;
    struct hub_host host;
    struct hub_listener *listeners;
    bool awake, reading;
    bool again;   /* something was committed since the reading began */
    bool failed;  /* the last reading did; hub_tick tries again */
    int64_t seen; /* all events up to here were read for all */
    struct ring ring;
    int64_t voices;       /* listeners with a voice */
    int64_t voiced_from;  /* see 5 */
    struct hub_list held; /* running text that waits for an event */
    struct hub_counts counts;
    pthread_mutex_t lock; /* of all below */
    bool posted;
    bool woken;
    struct hub_list untold;
};

/* With nobody left to tell, what was read is forgotten. */
static void fall_asleep(struct hub *hub)
{
    hub->awake = false;
    ring_clear(&hub->ring);
    hub_list_clear(&hub->held);
}

static bool has_voice(const struct hub_listener *listener)
{
    return listener->voice.event != NULL;
}

/* ---- reading ---- */

/* One reading of the store, on a worker: what it looks for, and what it found. */
struct reading {
    struct hub *hub;
    struct hub_listener *listener; /* NULL: for all that are up to date */
    struct event_spec spec;
    struct hub_filter filter; /* of the listener */
    struct hub_list found;
    int64_t to;  /* all up to here was looked at */
    bool copies; /* it is for somebody with a voice: events as they happened, too */
    bool more, failed, gone;
};

static struct str event_turn(const struct event *event)
{
    const struct note *note = event->item.note;

    if (event->item.entry)
        return event->item.entry->turn;
    if (note && (note->act == NOTE_TURN_STARTED || note->act == NOTE_TURN_ENDED))
        return note->message;
    return STR_NONE;
}

static void reading_add(struct reading *reading, const struct event *event)
{
    struct hub_item item = {
        .e = event->item.e,
        .owner = event->owner,
        .session = event->session,
        .turn = event_turn(event),
        .deletes = event->item.note && event->item.note->act == NOTE_DELETED,
        .event = reading->copies ? event : NULL,
    };
    struct arena arena;
    struct hub_word word;

    arena_init(&arena);
    word = reading->hub->render(event, &arena);
    item.type = word.type;
    if (word.type)
        item.message = word.message;
    if (item.type || item.event)
        hub_list_push(&reading->found, hub_item_new(&item));
    arena_clear(&arena);
}

static enum fault_code reading_visit(void *context, const struct event *event, struct fault *fault)
{
    struct reading *reading = context;

    if (reading->found.bytes >= BATCH_BYTES) {
        reading->more = true;
        return fault_set(fault, FAULT_INTERRUPTED, "enough");
    }
    reading_add(reading, event);
    reading->to = event->item.e;
    return FAULT_OK;
}

/* A listener whose number is too old, or of another store, begins anew from what is newest. */
static void reading_reset(struct reading *reading, const struct event_info *info)
{
    struct event reset = {.owner = OWNER_ANY, .item = {.e = info->newest}};

    hub_list_clear(&reading->found);
    reading_add(reading, &reset);
    reading->to = info->newest;
    reading->more = false;
}

static void reading_work(void *context)
{
    struct reading *reading = context;
    int64_t since = reading->spec.after;
    struct event_info info = {0};
    struct fault fault;
    enum fault_code code;

    reading->to = since;
    code = store_events(reading->hub->store, &reading->spec, reading_visit, reading, &info, &fault);
    if (code == FAULT_INTERRUPTED && reading->more)
        return;
    reading->gone = code == FAULT_SESSION_NOT_FOUND;
    if (code != FAULT_OK) {
        reading->failed = true;
        return;
    }
    if (reading->listener && (since < info.floor || since > info.newest)) {
        reading_reset(reading, &info);
        return;
    }
    reading->more = info.more;
    if (!info.more)
        reading->to = info.newest;
}

static struct reading *reading_new(struct hub *hub, struct hub_listener *listener, int64_t after)
{
    struct reading *reading = calloc(1, sizeof(*reading));

    if (!reading)
        abort();
    reading->hub = hub;
    reading->listener = listener;
    reading->copies = listener ? has_voice(listener) : hub->voices > 0;
    reading->spec = (struct event_spec){.owner = OWNER_ANY, .after = after, .limit = BATCH_EVENTS};
    if (listener) {
        reading->spec.owner = listener->filter.owner;
        reading->spec.session = listener->filter.session;
    }
    hub_list_init(&reading->found);
    return reading;
}

static void look(struct hub *hub);
static void fetch(struct hub_listener *listener);

/* ---- listeners ---- */

static bool up_to_date(const struct hub_listener *listener)
{
    const struct hub *hub = listener->hub;

    return hub->awake && !listener->reading && !listener->behind.first &&
           listener->at >= hub->ring.floor &&
           (!has_voice(listener) || listener->at >= hub->voiced_from);
}

/* Is it for this listener? What the hub has no word for is told by voices alone. */
static bool lets(const struct hub_listener *listener, const struct hub_item *item)
{
    return (item->type || has_voice(listener)) && hub_filter_lets(&listener->filter, item);
}

static void notify(struct hub_listener *listener)
{
    if (!listener->left)
        listener->notify(listener->context);
}

static void listener_free(struct hub_listener *listener)
{
    hub_list_clear(&listener->behind);
    hub_list_clear(&listener->told);
    free(listener);
}

static void fetch_done(void *context)
{
    struct reading *reading = context;
    struct hub_listener *listener = reading->listener;
    struct hub *hub = reading->hub;

    listener->reading = false;
    if (listener->left) {
        hub_list_clear(&reading->found);
        free(reading);
        listener_free(listener);
        return;
    }
    if (reading->gone) {
        listener->at = INT64_MAX; /* nothing will ever be told of it again */
    } else if (!reading->failed) {
        hub->counts.caught_up += (int64_t)reading->found.count;
        hub_list_move(&listener->behind, &reading->found);
        listener->behind_to = reading->to;
        if (!listener->behind.first)
            listener->at = reading->to;
        if (!hub->awake && !reading->more) {
            hub->awake = true;
            hub->ring.floor = hub->seen = hub->voiced_from = reading->to;
            look(hub); /* for what came since that reading */
        }
        if (!up_to_date(listener) && !listener->behind.first)
            fetch(listener);
        else
            notify(listener);
    }
    hub_list_clear(&reading->found);
    free(reading);
}

/* Reads for a listener that is behind. Running text that waited for it would come too late. */
static void fetch(struct hub_listener *listener)
{
    struct hub *hub = listener->hub;

    if (listener->reading || listener->left)
        return;
    hub->counts.dropped += (int64_t)listener->told.count;
    hub_list_clear(&listener->told);
    listener->reading = true;
    hub->host.work(hub->host.context, reading_work, fetch_done,
                   reading_new(hub, listener, listener->at));
}

struct hub_listener *hub_listen(struct hub *hub, const struct hub_filter *filter,
                                const struct hub_voice *voice, int64_t since,
                                void (*call)(void *context), void *context)
{
    size_t bytes = filter->session.n + filter->turn.n + filter->types.n;
    struct hub_listener *listener = calloc(1, sizeof(*listener) + bytes);

    if (!listener)
        abort();
    listener->hub = hub;
    listener->filter = *filter;
    hub_filter_copy(&listener->filter, (char *)(listener + 1));
    listener->notify = call;
    listener->context = context;
    if (voice) {
        listener->voice = *voice;
        hub->voices++;
    }
    listener->at = since;
    hub_list_init(&listener->behind);
    hub_list_init(&listener->told);
    listener->next = hub->listeners;
    if (hub->listeners)
        hub->listeners->prev = listener;
    hub->listeners = listener;
    hub->counts.listeners++;
    if (!up_to_date(listener) || since > hub->seen)
        fetch(listener);
    return listener;
}

void hub_leave(struct hub_listener *listener)
{
    struct hub *hub = listener->hub;

    if (listener->prev)
        listener->prev->next = listener->next;
    else
        hub->listeners = listener->next;
    if (listener->next)
        listener->next->prev = listener->prev;
    hub->counts.listeners--;
    hub->voices -= has_voice(listener);
    if (!hub->listeners && !hub->reading)
        fall_asleep(hub);
    listener->left = true;
    if (!listener->reading)
        listener_free(listener);
}

/* ---- taking ---- */

static void say(const struct hub_listener *listener, const struct hub_item *item, struct buf *out)
{
    const struct hub_voice *voice = &listener->voice;

    if (!has_voice(listener))
        buf_add_str(out, item->message);
    else if (item->piece)
        voice->piece(voice->context, item->piece, out);
    else
        voice->event(voice->context, item->event, out);
}

static bool take_behind(struct hub_listener *listener, struct buf *out, size_t enough)
{
    while (listener->behind.first) {
        struct hub_item *item;

        if (out->n >= enough)
            return true;
        item = hub_list_pop(&listener->behind);
        if (lets(listener, item))
            say(listener, item, out);
        listener->at = item->e;
        free(item);
        if (!listener->behind.first)
            listener->at = listener->behind_to;
    }
    return false;
}

/* Running text that is told before the event `next`. */
static bool take_told(struct hub_listener *listener, int64_t next, struct buf *out, size_t enough)
{
    while (listener->told.first && listener->told.first->e < next) {
        struct hub_item *item;

        if (out->n >= enough)
            return true;
        item = hub_list_pop(&listener->told);
        say(listener, item, out);
        free(item);
    }
    return false;
}

bool hub_take(struct hub_listener *listener, struct buf *out, size_t enough)
{
    struct hub *hub = listener->hub;

    if (take_behind(listener, out, enough))
        return true;
    if (!up_to_date(listener)) {
        fetch(listener);
        return false;
    }
    for (size_t i = ring_above(&hub->ring, listener->at); i < hub->ring.count; i++) {
        const struct hub_item *item = ring_item(&hub->ring, i);

        if (!lets(listener, item)) {
            listener->at = item->e;
            continue;
        }
        if (take_told(listener, item->e, out, enough) || out->n >= enough)
            return true;
        say(listener, item, out);
        listener->at = item->e;
    }
    if (listener->at < hub->seen)
        listener->at = hub->seen;
    return take_told(listener, INT64_MAX, out, enough);
}

bool hub_caught_up(const struct hub_listener *listener)
{
    return up_to_date(listener);
}

/* ---- running text ---- */

/*
 * Hands a piece to those that are up to date. It keeps its number: a reading may have brought later
 * events of its turn at once with the one it stands behind, and nobody has taken those yet.
 */
static void tell_all(struct hub *hub, const struct hub_item *piece)
{
    struct hub_listener *next;

    for (struct hub_listener *listener = hub->listeners; listener; listener = next) {
        struct hub_item own = *piece;

        next = listener->next;
        if (!lets(listener, piece) || (has_voice(listener) && !piece->piece))
            continue;
        if (!up_to_date(listener) || listener->told.bytes >= TOLD_BYTES) {
            hub->counts.dropped++;
            continue;
        }
        if (has_voice(listener))
            own.message = STR_NONE;
        else
            own.piece = NULL;
        hub_list_push(&listener->told, hub_item_new(&own));
        notify(listener);
    }
}

/* Tells what waited for an event that has been read by now. */
static void tell_held(struct hub *hub)
{
    while (hub->held.first && (hub->held.first->e <= hub->seen || !hub->awake)) {
        struct hub_item *piece = hub_list_pop(&hub->held);

        if (hub->awake)
            tell_all(hub, piece);
        free(piece);
    }
}

/* ---- reading for all ---- */

/* Tells those whom something in the newest events concerns; `before`: what was seen before them. */
static void notify_all(struct hub *hub, int64_t before)
{
    size_t from = ring_above(&hub->ring, before);
    struct hub_listener *next;

    for (struct hub_listener *listener = hub->listeners; listener; listener = next) {
        bool concerned = !up_to_date(listener);

        next = listener->next;
        for (size_t i = from; i < hub->ring.count && !concerned; i++)
            concerned = lets(listener, ring_item(&hub->ring, i));
        if (concerned)
            notify(listener);
        else if (listener->at >= before && !listener->told.first)
            listener->at = hub->seen;
    }
}

static void look_done(void *context)
{
    struct reading *reading = context;
    struct hub *hub = reading->hub;
    int64_t before = hub->seen;
    bool more = reading->more;

    hub->reading = false;
    hub->failed = reading->failed;
    if (!hub->listeners) {
        fall_asleep(hub);
    } else if (!reading->failed) {
        hub->seen = reading->to;
        if (!reading->copies && hub->seen > before)
            hub->voiced_from = hub->seen;
        hub->counts.events += (int64_t)reading->found.count;
        ring_add(&hub->ring, &reading->found);
        notify_all(hub, before);
        tell_held(hub);
    }
    hub_list_clear(&reading->found);
    free(reading);
    if (hub->awake && (more || hub->again))
        look(hub);
}

/* Reads what is new for all that are up to date. */
static void look(struct hub *hub)
{
    if (!hub->awake)
        return;
    if (hub->reading) {
        hub->again = true;
        return;
    }
    hub->again = false;
    hub->reading = true;
    hub->host.work(hub->host.context, reading_work, look_done, reading_new(hub, NULL, hub->seen));
}

/* On the loop: what was said from other threads. */
static void arrive(void *context)
{
    struct hub *hub = context;
    struct hub_list untold;
    bool woken;

    hub_list_init(&untold);
    pthread_mutex_lock(&hub->lock);
    hub->posted = false;
    woken = hub->woken;
    hub->woken = false;
    hub_list_move(&untold, &hub->untold);
    pthread_mutex_unlock(&hub->lock);
    if (woken)
        look(hub);
    if (hub->held.bytes >= UNTOLD_BYTES) {
        hub->counts.dropped += (int64_t)untold.count;
        hub_list_clear(&untold);
    }
    hub_list_move(&hub->held, &untold);
    tell_held(hub);
}

/* With the lock held; gives it back. */
static void post(struct hub *hub)
{
    bool needed = !hub->posted;

    hub->posted = true;
    pthread_mutex_unlock(&hub->lock);
    if (needed)
        hub->host.post(hub->host.context, arrive, hub);
}

void hub_wake(struct hub *hub)
{
    pthread_mutex_lock(&hub->lock);
    hub->woken = true;
    post(hub);
}

void hub_tell(struct hub *hub, const struct hub_tidings *tidings)
{
    struct hub_item *piece = hub_item_new(&(struct hub_item){.e = tidings->after,
                                                             .owner = tidings->owner,
                                                             .type = tidings->type,
                                                             .session = tidings->session,
                                                             .turn = tidings->turn,
                                                             .message = tidings->message,
                                                             .piece = tidings->piece});

    pthread_mutex_lock(&hub->lock);
    if (hub->untold.bytes >= UNTOLD_BYTES) {
        pthread_mutex_unlock(&hub->lock);
        free(piece);
        return;
    }
    hub_list_push(&hub->untold, piece);
    post(hub);
}

void hub_tick(struct hub *hub)
{
    struct hub_listener *next;

    for (struct hub_listener *listener = hub->listeners; listener; listener = next) {
        next = listener->next;
        if (!up_to_date(listener) && !listener->reading)
            notify(listener);
    }
    if (hub->held.first || hub->failed)
        look(hub);
}

/* ---- the hub itself ---- */

static enum fault_code ignore(void *context, const struct event *event, struct fault *fault)
{
    (void)context;
    (void)event;
    (void)fault;
    return FAULT_OK;
}

enum fault_code hub_now(struct hub *hub, int64_t *out, struct fault *fault)
{
    struct event_spec spec = {.owner = OWNER_ANY, .after = INT64_MAX, .limit = 1};
    struct event_info info = {0};

    if (store_events(hub->store, &spec, ignore, NULL, &info, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = info.newest;
    return FAULT_OK;
}

void hub_count(struct hub *hub, struct hub_counts *out)
{
    *out = hub->counts;
}

struct hub *hub_new(struct store *store, hub_render *render, const struct hub_host *host)
{
    struct hub *hub = calloc(1, sizeof(*hub));

    if (!hub)
        abort();
    hub->store = store;
    hub->render = render;
    hub->host = *host;
    pthread_mutex_init(&hub->lock, NULL);
    hub_list_init(&hub->held);
    hub_list_init(&hub->untold);
    return hub;
}

void hub_free(struct hub *hub)
{
    if (!hub)
        return;
    assert(!hub->listeners && !hub->reading);
    ring_clear(&hub->ring);
    hub_list_clear(&hub->held);
    hub_list_clear(&hub->untold);
    pthread_mutex_destroy(&hub->lock);
    free(hub);
}
