/* What happened to the session, taken into the conversation. */
#include "tui/talk_own.h"

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* ---- the turn ---- */

void talk_turn_set(struct talk *talk, const char *turn, const char *state, const char *reason)
{
    owned_set(&talk->turn, turn);
    owned_set(&talk->turn_state, state);
    owned_set(&talk->turn_reason, reason);
    talk->asks = false;
    arena_clear(&talk->ask_memory);
}

static void turn_told(struct talk *talk, const struct tine_event *event)
{
    talk->turn_news++;
    talk_turn_set(talk, event->turn, event->turn_state, event->reason);
}

static const char *ask_keep(struct talk *talk, const char *text)
{
    return text ? arena_dup(&talk->ask_memory, str_of(text)).p : NULL;
}

static void turn_waits(struct talk *talk, const struct tine_event *event)
{
    turn_told(talk, event);
    talk->ask = (struct talk_ask){ask_keep(talk, event->ask), ask_keep(talk, event->ask_tool),
                                  ask_keep(talk, event->ask_arguments),
                                  ask_keep(talk, event->ask_question)};
    talk->asks = event->ask != NULL;
}

/* The turn says something: it does not wait any more, if it did. */
static void turn_goes_on(struct talk *talk, const char *turn)
{
    if (same(talk->turn, turn) && same(talk->turn_state, "running"))
        return;
    talk->turn_news++;
    talk_turn_set(talk, turn, "running", NULL);
}

static void delta_take(struct talk *talk, const struct tine_event *event)
{
    if (!event->turn || !saying_take(talk->saying, event))
        return;
    talk->settled = 0;
    turn_goes_on(talk, event->turn);
}

static void turn_ended(struct talk *talk, const struct tine_event *event)
{
    turn_told(talk, event);
    if (!talk->settled)
        saying_end(talk->saying);
    talk_read_session(talk);
}

/* ---- messages ---- */

/* Where it stands is known: puts it there, or reads anew when it does not fit. */
static void message_place(struct talk *talk, const struct tine_message *message)
{
    const struct tine_message *here;

    if (talk->opening) {
        talk->again = true; /* who knows whether the answer has it */
        return;
    }
    here = message->index < talk->count ? pages_find(talk->pages, message->index) : NULL;
    if (message->index > talk->count || (here && strcmp(here->id, message->id) != 0)) {
        talk_read_all(talk);
        return;
    }
    pages_put(talk->pages, message, 1, false);
    if (message->index == talk->count)
        talk->count++;
}

static void message_added(struct talk *talk, const struct tine_event *event)
{
    const struct tine_message *message = event->message;
    bool of_turn =
        message && message->turn && same(message->turn, talk->turn) && !same(message->role, "user");

    if (!message)
        return;
    if (of_turn && talk_runs(talk))
        turn_goes_on(talk, message->turn);
    if (message->large) { /* what was said of it stays until it is read */
        if (of_turn)
            talk->settled = saying_version(talk->saying);
        talk_read_all(talk);
        return;
    }
    if (of_turn || same(message->turn, saying_turn(talk->saying)))
        if (!same(message->role, "user"))
            saying_end(talk->saying);
    if (message->index >= 0)
        message_place(talk, message);
    talk_sent(talk, message);
    talk_read_session(talk);
}

/* ---- the session ---- */

static void moved(struct talk *talk, const struct tine_event *event)
{
    (void)event;
    talk_read_all(talk);
    talk_read_labels(talk);
}

static void updated(struct talk *talk, const struct tine_event *event)
{
    (void)event;
    talk_read_session(talk);
    talk_read_labels(talk);
}

static void deleted(struct talk *talk, const struct tine_event *event)
{
    static const struct tine_error error = {404, "session_not_found", "the session was deleted"};

    (void)event;
    talk_turn_set(talk, NULL, NULL, NULL);
    saying_end(talk->saying);
    talk_fail(talk, &error);
}

/*
 * The first reset is where the feed begins (see feed.c): what was read before may miss something,
 * so it is looked whether the newest message is still the same. Any other one: events were missed
 * for good.
 */
static void reset(struct talk *talk, const struct tine_event *event)
{
    (void)event;
    if (talk->listens || talk->failed || talk->stale) {
        talk_read_all(talk);
    } else {
        talk->check = true;
        if (!talk->opening)
            talk_read_session(talk);
    }
    talk->listens = true;
    talk_read_labels(talk);
}

static const struct {
    const char *type;
    void (*take)(struct talk *talk, const struct tine_event *event);
} takers[] = {
    {"message.delta", delta_take},
    {"message.added", message_added},
    {"turn.started", turn_told},
    {"turn.waiting", turn_waits},
    {"turn.ended", turn_ended},
    {"session.rewound", moved},
    {"session.undone", moved},
    {"session.redone", moved},
    {"session.adopted", moved},
    {"session.merged", moved},
    {"session.updated", updated},
    {"session.deleted", deleted},
    {"reset", reset},
};

static void event_take(struct talk *talk, const struct tine_event *event)
{
    if (event->session && !same(event->session, talk->id))
        return;
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
        if (strcmp(takers[i].type, event->type) == 0) {
            takers[i].take(talk, event);
            return;
        }
}

void talk_happened(void *context, const struct happening *happening)
{
    struct talk *talk = context;

    switch (happening->kind) {
    case HAPPENED_EVENT:
        event_take(talk, happening->event);
        break;
    case HAPPENED_LOST:
        talk->lost = true;
        talk_read_session(talk); /* it may be that only the session is gone */
        break;
    case HAPPENED_BACK:
        talk->lost = false;
        talk->retry_ms = 0;
        if (talk->stale || talk->failed)
            talk_read_all(talk);
        else
            talk_read_session(talk); /* how the turn stands */
        break;
    }
    talk_changed(talk);
    if (talk->options.happened)
        talk->options.happened(talk->options.context, happening); /* may open another session */
}
