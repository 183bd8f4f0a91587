/* Feeds of a real server that comes and goes. */
#include "tui/served.h"

#include "support/check.h"

#include "base/buf.h"
#include "base/clock.h"
#include "tui/feed.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PATIENCE_MS = 30 * 1000,
    SOON_MS = 1500,
    FLOOD = 3000,     /* pieces of running text */
    BUDGET_MS = 1000, /* of one telling */
};

struct rig {
    struct served *served;
    struct tui_door door;
    struct feed *feed;
    atomic_int woken;
    int events, resets, lost, back, added, pieces, ended;
    int64_t last_id;
    int64_t end;      /* of the running text that was heard */
    struct buf heard; /* running text, as it was said */
    bool frees;       /* the next event frees the feed */
    char reason[256];
};

static void wake(void *context)
{
    struct rig *rig = context;

    atomic_fetch_add(&rig->woken, 1);
}

static void hear_event(struct rig *rig, const struct tine_event *event)
{
    rig->events++;
    if (event->id) {
        int64_t id = strtoll(event->id, NULL, 10);

        assert_true(id > rig->last_id); /* once, and in order */
        rig->last_id = id;
    }
    rig->resets += strcmp(event->type, "reset") == 0;
    rig->ended += strcmp(event->type, "turn.ended") == 0;
    if (strcmp(event->type, "message.added") == 0) {
        rig->added++;
        assert_non_null(event->message);
        assert_string_equal(event->session, "s");
    }
    if (strcmp(event->type, "message.delta") == 0) {
        rig->pieces++;
        assert_true(event->offset >= rig->end); /* a server may drop some, for who is slow */
        rig->end = event->offset + (int64_t)event->text_bytes;
        buf_add(&rig->heard, event->text, event->text_bytes);
    }
    if (rig->frees) {
        feed_free(rig->feed);
        rig->feed = NULL;
    }
}

static void hear(void *context, const struct happening *happening)
{
    struct rig *rig = context;

    switch (happening->kind) {
    case HAPPENED_EVENT:
        hear_event(rig, happening->event);
        break;
    case HAPPENED_LOST:
        rig->lost++;
        assert_int_equal(rig->lost, rig->back + 1);
        snprintf(rig->reason, sizeof(rig->reason), "%s", happening->reason);
        break;
    case HAPPENED_BACK:
        rig->back++;
        assert_int_equal(rig->lost, rig->back);
        break;
    }
}

static void rig_open(struct rig *rig, struct served *served)
{
    struct feed_options options = {.session = "s", .wake = wake, .call = hear, .context = rig};

    *rig = (struct rig){.served = served};
    buf_init(&rig->heard, 1024 * 1024);
    rig->door = served_door(served);
    options.door = &rig->door;
    rig->feed = feed_new(&options);
}

static void rig_close(struct rig *rig)
{
    int64_t before = clock_ms();

    feed_free(rig->feed);
    assert_true(clock_ms() - before < SOON_MS);
    buf_clear(&rig->heard);
}

static void listen_until(struct rig *rig, const int *what, int count)
{
    int64_t end = clock_ms() + PATIENCE_MS;

    while (*what < count && clock_ms() < end) {
        if (!feed_tell(rig->feed, BUDGET_MS))
            clock_pause_ms(1);
    }
    assert_int_equal(*what, count);
}

/* ---- tests ---- */

static void it_begins_with_a_reset_and_tells_all_that_follows(void **state)
{
    struct served *served = served_start(NULL);
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    served_fill(served, "s", 0, 10); /* before it: not told */
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    assert_int_equal(rig.events, 1);
    served_fill(served, "s", 10, 200);
    listen_until(&rig, &rig.added, 200);
    assert_int_equal(rig.lost, 0);
    assert_true(atomic_load(&rig.woken) > 0);
    rig_close(&rig);
    served_free(served);
}

static void what_happened_while_it_was_away_follows(void **state)
{
    struct served *served = served_start(NULL);
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    for (int i = 0; i < 3; i++) {
        served_fill(served, "s", 2 * i, 1); /* may be heard before the end, or after it */
        served_kill(served);
        listen_until(&rig, &rig.lost, i + 1);
        assert_true(rig.reason[0] != '\0');
        served_again(served, i == 2);
        served_fill(served, "s", 2 * i + 1, 1);
        listen_until(&rig, &rig.back, i + 1);
        listen_until(&rig, &rig.added, 2 * (i + 1));
    }
    assert_int_equal(rig.resets, 1);
    rig_close(&rig);
    served_free(served);
}

static void a_server_that_is_not_there_is_waited_for(void **state)
{
    struct served *served = served_start(NULL);
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    served_kill(served);
    rig_open(&rig, served);
    listen_until(&rig, &rig.lost, 1);
    clock_pause_ms(600);
    feed_tell(rig.feed, BUDGET_MS);
    assert_int_equal(rig.lost, 1); /* once, however often it was tried */
    served_again(served, false);
    listen_until(&rig, &rig.resets, 1);
    assert_int_equal(rig.back, 1);
    served_kill(served);
    listen_until(&rig, &rig.lost, 2);
    rig_close(&rig); /* while it waits to try again */
    served_free(served);
}

static void a_session_that_is_gone_is_lost_until_it_is_there(void **state)
{
    struct served *served = served_start(NULL);
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    listen_until(&rig, &rig.lost, 1);
    assert_non_null(strstr(rig.reason, "\"s\""));
    clock_pause_ms(1200);
    feed_tell(rig.feed, BUDGET_MS);
    assert_int_equal(rig.lost, 1);
    assert_int_equal(rig.back, 0);
    served_session(served, "s", NULL);
    listen_until(&rig, &rig.back, 1);
    listen_until(&rig, &rig.resets, 1);
    rig_close(&rig);
    served_free(served);
}

/* A turn of many small pieces, at full speed. */
static struct served *flood_served(void)
{
    struct served *served;
    struct buf config;

    buf_init(&config, 1024 * 1024);
    buf_add_text(&config, "agents:\n  - {name: test/flood, kind: scripted, default: true, script: "
                          "'[[{\"sleep_ms\":300}");
    for (int i = 0; i < FLOOD; i++)
        buf_add_format(&config, ",{\"delta\":\"%d \"}", i);
    buf_add_text(&config, ",{\"say\":{\"text\":\"done\"}}]]'}\nsandbox: off\nlog: \"off\"\n");
    served = served_start(config.p);
    buf_clear(&config);
    served_session(served, "s", "test/flood");
    return served;
}

static bool enough(void *context, const struct tine_event *event)
{
    (void)context;
    (void)event;
    return false;
}

static void turn_begin(struct served *served)
{
    struct tine_send_options options = {.text = "go", .on_event = enough};
    struct tine *tine = served_tine(served);
    struct tine_error error;

    assert_true(tine_send(tine, "s", &options, NULL, &error));
    tine_free(tine);
}

static void pieces_come_in_order_and_together(void **state)
{
    struct served *served = flood_served();
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    turn_begin(served);
    for (int64_t end = clock_ms() + PATIENCE_MS; !rig.ended && clock_ms() < end;) {
        clock_pause_ms(30); /* a slow screen */
        feed_tell(rig.feed, BUDGET_MS);
    }
    assert_int_equal(rig.ended, 1);
    assert_int_equal(rig.added, 2);
    assert_true(rig.pieces > 0 && rig.pieces < FLOOD / 4);
    assert_memory_equal(rig.heard.p, "0 1 2 3 ", 8);
    rig_close(&rig);
    served_free(served);
}

static void a_full_queue_does_not_hold_up_the_end(void **state)
{
    struct served *served = served_start(NULL);
    struct rig rig;
    struct buf text;

    (void)state;
    served_session(served, "s", NULL);
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    buf_init(&text, 64 * 1024);
    for (int i = 0; i < 60 * 1024; i++)
        buf_add_char(&text, 'x');
    for (int i = 0; i < 100; i++) /* 6 MiB and the copies: more than the queue takes */
        served_say(served, "s", text.p);
    buf_clear(&text);
    clock_pause_ms(200);
    rig_close(&rig);
    served_free(served);
}

static void a_full_queue_goes_on_when_it_is_taken(void **state)
{
    enum { COUNT = 6000 }; /* more than the queue takes */
    struct served *served = served_start(NULL);
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    served_fill(served, "s", 0, COUNT);
    clock_pause_ms(200);
    listen_until(&rig, &rig.added, COUNT);
    rig_close(&rig);
    served_free(served);
}

static void it_may_be_freed_by_whom_it_tells(void **state)
{
    struct served *served = served_start(NULL);
    int64_t end = clock_ms() + PATIENCE_MS;
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    rig_open(&rig, served);
    rig.frees = true;
    while (rig.feed && clock_ms() < end) {
        feed_tell(rig.feed, BUDGET_MS);
        clock_pause_ms(1);
    }
    assert_null(rig.feed);
    assert_int_equal(rig.events, 1);
    served_free(served);
}

static void it_ends_by_itself_when_it_is_stopped(void **state)
{
    struct served *served = served_start(NULL);
    int64_t before;
    struct rig rig;

    (void)state;
    served_session(served, "s", NULL);
    rig_open(&rig, served);
    listen_until(&rig, &rig.resets, 1);
    before = clock_ms();
    feed_stop(rig.feed);
    assert_true(clock_ms() - before < 50);
    served_fill(served, "s", 0, 5);
    while (!feed_ended(rig.feed) && clock_ms() - before < PATIENCE_MS)
        clock_pause_ms(1);
    assert_true(feed_ended(rig.feed));
    assert_false(feed_tell(rig.feed, BUDGET_MS));
    assert_int_equal(rig.added, 0);
    rig_close(&rig);
    served_free(served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_a_reset_and_tells_all_that_follows),
        cmocka_unit_test(what_happened_while_it_was_away_follows),
        cmocka_unit_test(a_server_that_is_not_there_is_waited_for),
        cmocka_unit_test(a_session_that_is_gone_is_lost_until_it_is_there),
        cmocka_unit_test(pieces_come_in_order_and_together),
        cmocka_unit_test(a_full_queue_does_not_hold_up_the_end),
        cmocka_unit_test(a_full_queue_goes_on_when_it_is_taken),
        cmocka_unit_test(it_may_be_freed_by_whom_it_tells),
        cmocka_unit_test(it_ends_by_itself_when_it_is_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
