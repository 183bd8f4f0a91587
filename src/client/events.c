/* Events as they happen, over connections that come and go. */
#include "base/clock.h"
#include "client/errand.h"
#include "client/streaming.h"

#include <stdlib.h>
#include <time.h>

enum { WAIT_MS_FIRST = 250, WAIT_MS_MAX = 10 * 1000 };

/* False when the caller wants to stop meanwhile. */
static bool wait_ms(struct tine *tine, int ms)
{
    int64_t end = clock_ms() + ms;

    while (clock_ms() < end) {
        struct timespec step = {.tv_nsec = (long)STEP_MS / 2 * 1000 * 1000};

        if (tine->options.stop && tine->options.stop(tine->options.context))
            return false;
        nanosleep(&step, NULL);
    }
    return true;
}

/* Half of it to all of it, so that many clients do not come back at one moment. */
static int with_chance(int ms)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return ms / 2 + (int)(now.tv_nsec / 1000 % (ms / 2 + 1));
}

/* One connection, from its first event to its end. */
static bool listen_once(struct tine *tine, const struct tine_events_options *options,
                        struct streaming *streaming, struct tine_error *error)
{
    struct errand errand;
    bool done;

    if (options->session) {
        errand_begin_session(&errand, tine, "GET", options->session, "/events", error);
    } else {
        errand_begin(&errand, tine, "GET", error);
        path_add(&errand.path, "/events");
    }
    path_query(&errand.path, "types", options->types);
    if (streaming->last_id.n)
        errand.transfer.last_event_id = streaming->last_id.p;
    errand.transfer.take = streaming_take;
    errand.transfer.context = streaming;
    feed_reset(&streaming->feed);
    done = errand_send(&errand);
    if (done && !errand.transfer.streamed)
        done = error_set(error, 0, "protocol", "%s does not send events", tine->server);
    errand_clear(&errand);
    return done;
}

/* Is it worth making the connection anew? Not when the server refuses, or the caller stops. */
static bool may_try_again(const struct tine_error *error)
{
    if (error->status == 0)
        return strcmp(error->code, "connection") == 0 || strcmp(error->code, "timeout") == 0;
    return error->status == 503 || error->status == 502 || error->status == 504;
}

bool tine_events(struct tine *tine, const struct tine_events_options *options,
                 struct tine_error *error)
{
    struct tine_error why;
    struct streaming streaming;
    int wait = WAIT_MS_FIRST;
    bool done;

    streaming_init(&streaming, tine, options->on_event, options->context);
    if (options->since)
        buf_add_text(&streaming.last_id, options->since);
    for (;;) {
        int64_t before = streaming.events;
        int least;

        done = listen_once(tine, options, &streaming, &why);
        if (streaming.failed)
            why = streaming.error;
        if (streaming.failed || streaming.stopped || options->once ||
            (!done && !may_try_again(&why)))
            break;
        if (streaming.events > before)
            wait = WAIT_MS_FIRST;
        least = streaming.feed.retry_ms;
        if (!wait_ms(tine, with_chance(wait > least ? wait : least))) {
            done = error_set(&why, 0, "interrupted", "interrupted");
            break;
        }
        wait = wait * 2 < WAIT_MS_MAX ? wait * 2 : WAIT_MS_MAX;
    }
    done = (done || streaming.stopped) && !streaming.failed;
    if (!done && error)
        *error = why;
    streaming_clear(&streaming);
    return done;
}
