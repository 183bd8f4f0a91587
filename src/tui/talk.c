#include "base/clock.h"
#include "tui/talk_own.h"

#include <stdlib.h>

enum { TAKE_MS = 8, SENDING_BYTES = 64 * 1024 * 1024 };

struct talk *talk_new(const struct talk_options *options)
{
    struct talk *talk = calloc(1, sizeof(*talk));

    if (!talk)
        abort();
    talk->options = *options;
    talk->pages = pages_new();
    talk->saying = saying_new();
    talk->reading = talk->ahead = -1;
    talk->heavy[0] = talk->heavy[1] = -1;
    talk->version = 1;
    arena_init(&talk->ask_memory);
    buf_init(&talk->sending, SENDING_BYTES);
    return talk;
}

void talk_changed(struct talk *talk)
{
    talk->options.changed(talk->options.context);
}

void talk_fail(struct talk *talk, const struct tine_error *error)
{
    talk->failed = true;
    talk->error = *error;
    talk_changed(talk);
}

/* ---- opening and leaving ---- */

/* Frees the feeds that have ended; all of them when they are to be waited for. */
static void retired_sweep(struct talk *talk, bool wait)
{
    for (size_t i = 0; i < TALK_RETIRED; i++)
        if (talk->retired[i] && (wait || feed_ended(talk->retired[i]))) {
            feed_free(talk->retired[i]);
            talk->retired[i] = NULL;
        }
}

/* It ends by itself: waiting for it would be seen. */
static void feed_retire(struct talk *talk)
{
    struct feed *feed = talk->feed;

    talk->feed = NULL;
    if (!feed)
        return;
    feed_stop(feed);
    retired_sweep(talk, false);
    for (size_t i = 0; i < TALK_RETIRED; i++)
        if (!talk->retired[i]) {
            talk->retired[i] = feed;
            return;
        }
    feed_free(feed);
}

static void leave(struct talk *talk)
{
    errands_forget(talk->options.errands, talk);
    feed_retire(talk);
    tine_result_free(talk->session);
    talk->session = NULL;
    talk->failed = talk->lost = false;
    pages_clear(talk->pages);
    talk->count = 0;
    talk->version++;
    talk_labels_clear(&talk->labels);
    talk->generation++;
    talk->opening = talk->again = talk->stale = talk->listens = talk->check = false;
    talk->session_asked = talk->session_again = talk->labels_asked = talk->labels_again = false;
    talk->want_count = 0;
    talk->reading = talk->ahead = talk->heavy[0] = talk->heavy[1] = -1;
    talk->retry_ms = 0;
    talk->seen = 0;
    talk->settled = 0;
    owned_set(&talk->head, NULL);
    saying_end(talk->saying);
    talk_turn_set(talk, NULL, NULL, NULL);
}

void talk_free(struct talk *talk)
{
    if (!talk)
        return;
    leave(talk);
    retired_sweep(talk, true);
    pages_free(talk->pages);
    saying_free(talk->saying);
    buf_clear(&talk->sending);
    free(talk->id);
    free(talk);
}

/* On any thread. */
static void wake(void *context)
{
    const struct talk *talk = context;

    talk->options.wake(talk->options.context);
}

void talk_open(struct talk *talk, const char *session)
{
    struct feed_options options = {
        .door = talk->options.door, .wake = wake, .call = talk_happened, .context = talk};
    bool first = talk->id == NULL; /* what is sent makes the session: it stays */

    leave(talk);
    owned_set(&talk->id, session);
    if (!first)
        talk_sending_failed(talk);
    if (talk->id) {
        talk_read_all(talk);
        options.session = talk->id;
        talk->feed = feed_new(&options);
    }
    talk_changed(talk);
}

void talk_take(struct talk *talk)
{
    retired_sweep(talk, false);
    talk_retry(talk);
    if (talk->feed && feed_tell(talk->feed, TAKE_MS))
        wake(talk);
}

int talk_wait_ms(const struct talk *talk)
{
    int64_t left_ms = talk->retry_ms - clock_ms();

    if (talk->retry_ms == 0)
        return -1;
    return left_ms > 0 ? (int)left_ms : 0;
}

/* ---- what it is ---- */

const struct tine_session *talk_session(const struct talk *talk)
{
    return talk->session ? talk->session->session : NULL;
}

const char *talk_id(const struct talk *talk)
{
    return talk->id;
}

const struct tine_error *talk_error(const struct talk *talk)
{
    return talk->failed ? &talk->error : NULL;
}

bool talk_lost(const struct talk *talk)
{
    return talk->lost;
}

int64_t talk_count(const struct talk *talk)
{
    return talk->count;
}

uint64_t talk_version(const struct talk *talk)
{
    return talk->version;
}

const struct tine_message *talk_at(struct talk *talk, int64_t index)
{
    const struct tine_message *message;

    if (index < 0 || index >= talk->count)
        return NULL;
    talk->seen = index;
    message = pages_find(talk->pages, index);
    if (message)
        talk_want_near(talk, index);
    else
        talk_want(talk, index);
    return message;
}

const char *talk_label(const struct talk *talk, const char *message)
{
    return talk_labels_find(&talk->labels, message);
}

void talk_session_given(struct talk *talk, struct tine_result *result)
{
    if (!result || !result->session || !talk->id || strcmp(result->session->id, talk->id) != 0) {
        tine_result_free(result);
        return;
    }
    tine_result_free(talk->session);
    talk->session = result;
    talk_changed(talk);
}

/* ---- the turn ---- */

bool talk_runs(const struct talk *talk)
{
    return talk_runs_in(talk->turn_state);
}

bool talk_runs_in(const char *state)
{
    return state && (strcmp(state, "queued") == 0 || strcmp(state, "running") == 0 ||
                     strcmp(state, "waiting") == 0);
}

const char *talk_turn_state(const struct talk *talk)
{
    return talk->turn_state;
}

const char *talk_turn_reason(const struct talk *talk)
{
    return talk->turn_reason;
}

size_t talk_pieces(const struct talk *talk, const struct message_piece **out)
{
    return saying_pieces(talk->saying, out);
}

uint64_t talk_pieces_version(const struct talk *talk)
{
    return saying_version(talk->saying);
}

const struct talk_ask *talk_ask(const struct talk *talk)
{
    return talk->asks ? &talk->ask : NULL;
}

void talk_answered(struct talk *talk)
{
    if (!talk->asks)
        return;
    talk_turn_set(talk, talk->turn, "running", NULL);
    talk_changed(talk);
}

/* ---- sending ---- */

void talk_sending(struct talk *talk, struct str text)
{
    buf_reset(&talk->sending);
    buf_add_str(&talk->sending, text);
    talk->sends = true;
    talk_changed(talk);
}

void talk_sending_failed(struct talk *talk)
{
    if (!talk->sends)
        return;
    buf_clear(&talk->sending);
    talk->sends = false;
    talk_changed(talk);
}

struct str talk_sending_text(const struct talk *talk)
{
    return talk->sends ? buf_str(&talk->sending) : STR_NONE;
}

/* The texts of its parts, one after the other, are what was sent. */
void talk_sent(struct talk *talk, const struct tine_message *message)
{
    struct str rest = buf_str(&talk->sending);

    if (!talk->sends || !message->role || strcmp(message->role, "user") != 0)
        return;
    for (size_t i = 0; i < message->part_count; i++) {
        struct str text = {message->parts[i].text, message->parts[i].text_bytes};

        if (!text.p)
            continue;
        if (!str_starts(rest, text))
            return;
        rest = (struct str){rest.p + text.n, rest.n - text.n};
    }
    if (rest.n == 0)
        talk_sending_failed(talk);
}
