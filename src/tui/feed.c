/*
 * A thread listens and copies what it hears into a queue; the screen's thread takes it from there.
 * Copies and not a hand-shake: a turn that streams at full speed brings tens of thousands of pieces
 * a second, which would be as many changes of thread. Pieces that follow one another are put
 * together in the queue, so that a slow screen gets fewer and longer ones. A queue that is full
 * makes the thread wait, and then the server: it drops running text for those who are slow, and
 * tells the rest later.
 *
 * How no event is lost between opening and reading. A stream that begins "now" does not say where
 * that is: nothing may happen for an hour, and when the connection is lost in between nobody knows
 * from where to go on. So the first connection asks for what came after a number that no event has
 * reached. The server answers such a number at once with "reset" and the newest number there is
 * (as it does to one who comes back to another store), and goes on from there. Therefore:
 * 1. From the reset on every event is told once, over any number of connections.
 * 2. What is read after the reset was told has everything up to it. What happened between that and
 *    the reading comes as an event, too: who takes events in must bear to hear of what he has read.
 * 3. What was read before the reset may miss something: it is read again, or looked at.
 */
#include "tui/feed.h"

#include "base/buf.h"
#include "base/clock.h"
#include "tui/message_copy.h"
#include "tui/owned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WAIT_MS_FIRST = 250, /* before the connection is made anew */
    WAIT_MS_MAX = 3000,
    ACCEPTED_MS = 1000,            /* a stream that lasts so long was not refused */
    QUEUE_BYTES = 4 * 1024 * 1024, /* that wait to be told; one event may be larger */
    QUEUE_ITEMS = 4096,
    PIECE_BYTES = 64 * 1024, /* running text that is put together */
    ID_BYTES = 64
};

#define BEYOND "999999999999999999" /* the largest number that the server takes */

struct item {
    struct item *next;
    enum happening_kind kind;
    struct arena arena;
    struct tine_event event;
    struct buf text;    /* of running text, in place of event.text */
    const char *reason; /* in the arena */
    size_t bytes;
};

struct feed {
    struct feed_options options;
    struct tui_door door;
    char *session, *types;
    pthread_t thread;
    atomic_bool over, ended;
    pthread_mutex_t lock;
    pthread_cond_t change; /* the queue has room, or it is over */
    struct item *first, **last;
    size_t items, bytes; /* of the queue */
    /* of the feed's thread */
    char since[ID_BYTES];
    bool lost;        /* that was told */
    bool refused;     /* the server is there, but did not let it listen last time */
    bool heard;       /* something came over this connection */
    int64_t began_ms; /* it listens since then; 0: it does not */
    /* of the screen's thread */
    struct item *taken; /* out of the queue, to be told */
    bool telling, doomed;
};

/* ---- the queue ---- */

static struct item *item_new(enum happening_kind kind)
{
    struct item *item = calloc(1, sizeof(*item));

    if (!item)
        abort();
    item->kind = kind;
    item->bytes = sizeof(*item);
    arena_init(&item->arena);
    buf_init(&item->text, PIECE_BYTES);
    return item;
}

static void item_free(struct item *item)
{
    arena_clear(&item->arena);
    buf_clear(&item->text);
    free(item);
}

static void items_free(struct item *item)
{
    while (item) {
        struct item *next = item->next;

        item_free(item);
        item = next;
    }
}

static bool is_piece(const struct tine_event *event)
{
    return event->text && event->kind && owned_same(event->type, "message.delta");
}

/* Is it the text right behind that of the item? */
static bool goes_on(const struct item *item, const struct tine_event *event)
{
    const struct tine_event *before = &item->event;

    return item->kind == HAPPENED_EVENT && is_piece(before) && before->step == event->step &&
           before->offset + (int64_t)item->text.n == event->offset &&
           item->text.n + event->text_bytes <= PIECE_BYTES &&
           owned_same(before->turn, event->turn) && owned_same(before->session, event->session) &&
           owned_same(before->kind, event->kind) && owned_same(before->call, event->call);
}

/* The newest item of the queue; NULL: it is empty. Under the lock. */
static struct item *newest(const struct feed *feed)
{
    if (!feed->first)
        return NULL;
    return (struct item *)((char *)feed->last - offsetof(struct item, next));
}

/* Adds the piece to the one before it, when that still waits. */
static bool join(struct feed *feed, const struct tine_event *event)
{
    struct item *item;
    bool joined;

    pthread_mutex_lock(&feed->lock);
    item = newest(feed);
    joined = item && goes_on(item, event);
    if (joined) {
        buf_add(&item->text, event->text, event->text_bytes);
        item->bytes += event->text_bytes;
        feed->bytes += event->text_bytes;
    }
    pthread_mutex_unlock(&feed->lock);
    return joined;
}

/* Waits until there is room. */
static void push(struct feed *feed, struct item *item)
{
    bool was_empty;

    pthread_mutex_lock(&feed->lock);
    while (!atomic_load(&feed->over) &&
           (feed->items >= QUEUE_ITEMS || (feed->items && feed->bytes + item->bytes > QUEUE_BYTES)))
        pthread_cond_wait(&feed->change, &feed->lock);
    was_empty = !feed->first;
    *feed->last = item;
    feed->last = &item->next;
    feed->items++;
    feed->bytes += item->bytes;
    pthread_mutex_unlock(&feed->lock);
    if (was_empty && !atomic_load(&feed->over))
        feed->options.wake(feed->options.context);
}

/* ---- listening, on the feed's thread ---- */

static void say_lost(struct feed *feed, const char *reason)
{
    struct item *item;

    if (feed->lost)
        return;
    feed->lost = true;
    item = item_new(HAPPENED_LOST);
    item->reason = arena_dup(&item->arena, str_of(reason)).p;
    push(feed, item);
}

static void say_back(struct feed *feed)
{
    if (feed->lost)
        push(feed, item_new(HAPPENED_BACK));
    feed->lost = false;
}

/* Asked by the library several times a second, whatever comes. */
static bool stop(void *context)
{
    struct feed *feed = context;

    if (feed->lost && feed->began_ms && clock_ms() - feed->began_ms > ACCEPTED_MS)
        say_back(feed);
    return atomic_load(&feed->over);
}

static struct item *item_of(const struct tine_event *event)
{
    struct item *item = item_new(HAPPENED_EVENT);
    struct tine_event like = *event;

    if (is_piece(event) && event->text_bytes <= PIECE_BYTES) {
        like.text = ""; /* it stands in `text` */
        like.text_bytes = 0;
        like.data = "";
        like.data_bytes = 0;
        buf_add(&item->text, event->text, event->text_bytes);
    }
    item->bytes += event_copy(&like, &item->arena, &item->event) + item->text.n;
    return item;
}

static bool on_event(void *context, const struct tine_event *event)
{
    struct feed *feed = context;

    say_back(feed);
    feed->heard = true;
    feed->refused = false;
    if (!is_piece(event) || !join(feed, event))
        push(feed, item_of(event));
    if (event->id && strlen(event->id) < ID_BYTES)
        memcpy(feed->since, event->id, strlen(event->id) + 1);
    return !atomic_load(&feed->over);
}

/*
 * One connection, from its beginning to its end. A stream says nothing until something happens, so
 * one that was lost first asks something else, to know whether the server is there again; and one
 * that was refused is believed when it lasts.
 */
static void listen_once(struct feed *feed)
{
    struct tine_events_options options = {.session = feed->session,
                                          .types = feed->types,
                                          .since = feed->since,
                                          .once = true,
                                          .on_event = on_event,
                                          .context = feed};
    struct tine_error error = {0};
    struct tine *tine = feed->door.connect(feed->door.context, stop, feed, &error);
    bool there = tine && (!feed->lost || tine_me(tine, NULL, &error));

    if (there && !feed->refused)
        say_back(feed);
    feed->began_ms = there ? clock_ms() : 0;
    if (there && tine_events(tine, &options, &error))
        snprintf(error.detail, sizeof(error.detail), "the server has ended the connection");
    feed->began_ms = 0;
    feed->refused = error.status >= 400;
    if (!atomic_load(&feed->over))
        say_lost(feed, error.detail);
    tine_free(tine);
}

static void rest(struct feed *feed, int ms)
{
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += ms % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&feed->lock);
    while (!atomic_load(&feed->over) &&
           pthread_cond_timedwait(&feed->change, &feed->lock, &end) == 0)
        ;
    pthread_mutex_unlock(&feed->lock);
}

static void *listen_on(void *context)
{
    struct feed *feed = context;
    int wait = WAIT_MS_FIRST;

    while (!atomic_load(&feed->over)) {
        feed->heard = false;
        listen_once(feed);
        if (feed->heard)
            wait = WAIT_MS_FIRST;
        rest(feed, wait);
        wait = 2 * wait < WAIT_MS_MAX ? 2 * wait : WAIT_MS_MAX;
    }
    atomic_store(&feed->ended, true);
    feed->options.wake(feed->options.context); /* for who waits to free it */
    return NULL;
}

/* ---- on the screen's thread ---- */

struct feed *feed_new(const struct feed_options *options)
{
    struct feed *feed = calloc(1, sizeof(*feed));
    pthread_condattr_t monotonic;

    if (!feed)
        abort();
    feed->options = *options;
    feed->door = *options->door;
    feed->session = owned_copy(options->session);
    feed->types = owned_copy(options->types);
    feed->last = &feed->first;
    memcpy(feed->since, BEYOND, sizeof(BEYOND));
    pthread_mutex_init(&feed->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&feed->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&feed->thread, NULL, listen_on, feed) != 0)
        abort();
    return feed;
}

void feed_stop(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    atomic_store(&feed->over, true);
    pthread_cond_signal(&feed->change);
    pthread_mutex_unlock(&feed->lock);
}

bool feed_ended(const struct feed *feed)
{
    return atomic_load(&feed->ended);
}

static void feed_clear(struct feed *feed)
{
    items_free(feed->taken);
    items_free(feed->first);
    pthread_cond_destroy(&feed->change);
    pthread_mutex_destroy(&feed->lock);
    free(feed->session);
    free(feed->types);
    free(feed);
}

void feed_free(struct feed *feed)
{
    if (!feed)
        return;
    feed_stop(feed);
    pthread_join(feed->thread, NULL);
    if (feed->telling)
        feed->doomed = true; /* feed_tell stands below this call, and looks */
    else
        feed_clear(feed);
}

/* Everything that waits. */
static void take(struct feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->taken = feed->first;
    feed->first = NULL;
    feed->last = &feed->first;
    feed->items = feed->bytes = 0;
    pthread_cond_signal(&feed->change);
    pthread_mutex_unlock(&feed->lock);
}

static void tell(struct feed *feed, struct item *item)
{
    struct happening happening = {.kind = item->kind, .reason = item->reason};

    if (item->kind == HAPPENED_EVENT)
        happening.event = &item->event;
    if (item->text.n) {
        item->event.text = item->text.p;
        item->event.text_bytes = item->text.n;
    }
    feed->options.call(feed->options.context, &happening);
}

bool feed_tell(struct feed *feed, int budget_ms)
{
    int64_t end = clock_ms() + budget_ms;
    bool more = true;

    feed->telling = true;
    while (more && !atomic_load(&feed->over)) {
        struct item *item;

        if (!feed->taken)
            take(feed);
        item = feed->taken;
        if (!item)
            break;
        feed->taken = item->next;
        tell(feed, item);
        item_free(item);
        more = clock_ms() < end;
    }
    feed->telling = false;
    if (feed->doomed) {
        feed_clear(feed);
        return false;
    }
    return feed->taken != NULL && !atomic_load(&feed->over);
}
