/* A conversation followed through everything that can happen to it on a real server. */
#include "tui/served.h"

#include "support/check.h"

#include "base/buf.h"
#include "base/clock.h"
#include "tui/pages.h"
#include "tui/saying.h"
#include "tui/talk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 30 * 1000 };

#define AGENTS                                                                                  \
    "agents:\n"                                                                                 \
    "  - {name: test/echo, kind: scripted, default: true, script: '[[{\"echo\":true}]]'}\n"     \
    "  - {name: test/slow, kind: scripted, script: '[[{\"reasoning\":\"hm\"},"                  \
    "{\"delta\":\"first \"},{\"delta\":\"second\"},{\"wait\":true}]]'}\n"                       \
    "  - {name: test/steps, kind: scripted, script: '[[{\"delta\":\"one\"},{\"sleep_ms\":200}," \
    "{\"say\":{\"text\":\"one\"}},{\"output\":[\"c1\",\"printed\"]},{\"sleep_ms\":200},"        \
    "{\"say\":{\"text\":\"two\"}}]]'}\n"                                                        \
    "  - {name: test/fails, kind: scripted, script: '[[{\"fail\":\"out of luck\"}]]'}\n"        \
    "  - {name: test/asks, kind: scripted, script: '[[{\"question\":\"Which?\"}]]'}\n"          \
    "sandbox: off\nlog: \"off\"\n"

struct rig {
    struct served *served;
    struct tui_door door, feed_door;
    atomic_bool shut; /* the feed cannot go through its door */
    struct errands *errands;
    struct talk *talk;
    struct tine *tine; /* of somebody else, who does things to the session */
    atomic_int woken;
    int changes, happened;
};

static struct served *served;

static void wake(void *context)
{
    struct rig *rig = context;

    atomic_fetch_add(&rig->woken, 1);
}

static void changed(void *context)
{
    struct rig *rig = context;

    rig->changes++;
}

static void happened(void *context, const struct happening *happening)
{
    struct rig *rig = context;

    (void)happening;
    rig->happened++;
}

static struct tine *connect_feed(void *context, bool (*stop)(void *), void *stop_context,
                                 struct tine_error *error)
{
    struct rig *rig = context;

    while (atomic_load(&rig->shut) && !stop(stop_context))
        clock_pause_ms(1);
    return rig->door.connect(rig->door.context, stop, stop_context, error);
}

static void rig_open(struct rig *rig, struct served *with)
{
    struct talk_options options = {
        .wake = wake, .changed = changed, .happened = happened, .context = rig};

    *rig = (struct rig){.served = with};
    rig->door = served_door(with);
    rig->errands = errands_new(&rig->door, wake, rig);
    rig->tine = served_tine(with);
    options.errands = rig->errands;
    rig->feed_door = (struct tui_door){connect_feed, rig};
    options.door = &rig->feed_door;
    rig->talk = talk_new(&options);
}

static void rig_close(struct rig *rig)
{
    talk_free(rig->talk);
    errands_free(rig->errands);
    tine_free(rig->tine);
}

static void step(struct rig *rig)
{
    errands_take(rig->errands);
    talk_take(rig->talk);
    clock_pause_ms(1);
}

#define WAIT_FOR(rig, condition)                               \
    do {                                                       \
        int64_t end_ms = clock_ms() + PATIENCE_MS;             \
        while (!(condition) && clock_ms() < end_ms)            \
            step(rig);                                         \
        if (!(condition))                                      \
            fail_msg("it never came to this: %s", #condition); \
    } while (0)

static const char *text_at(struct rig *rig, int64_t index)
{
    const struct tine_message *message = talk_at(rig->talk, index);

    if (!message)
        return "";
    assert_int_equal(message->index, index);
    return message->part_count ? message->parts[0].text : "";
}

static bool text_is(struct rig *rig, int64_t index, const char *text)
{
    return strcmp(text_at(rig, index), text) == 0;
}

static void open_and_wait(struct rig *rig, const char *session, int64_t count)
{
    talk_open(rig->talk, session);
    WAIT_FOR(rig, talk_session(rig->talk) && talk_count(rig->talk) == count);
}

/* ---- reading ---- */

static void the_end_comes_first_and_the_rest_when_it_is_asked_for(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "long", NULL);
    served_fill(served, "long", 0, 2037);
    rig_open(&rig, served);
    assert_null(talk_session(rig.talk));
    assert_int_equal(talk_count(rig.talk), 0);
    open_and_wait(&rig, "long", 2037);
    assert_string_equal(talk_id(rig.talk), "long");
    assert_string_equal(talk_session(rig.talk)->id, "long");
    assert_string_equal(text_at(&rig, 2036), "message 2036"); /* it is here already */
    assert_string_equal(text_at(&rig, 1950), "message 1950");
    assert_null(talk_at(rig.talk, 3));
    assert_null(talk_at(rig.talk, 2037));
    assert_null(talk_at(rig.talk, -1));
    WAIT_FOR(&rig, text_is(&rig, 3, "message 3"));
    for (int64_t i = 0; i < 2037; i += 41) { /* through more than is kept */
        char want[32];

        snprintf(want, sizeof(want), "message %d", (int)i);
        WAIT_FOR(&rig, text_is(&rig, i, want));
    }
    assert_null(talk_error(rig.talk));
    rig_close(&rig);
}

static void neighbours_are_read_ahead(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "ahead", NULL);
    served_fill(served, "ahead", 0, 600);
    rig_open(&rig, served);
    open_and_wait(&rig, "ahead", 600);
    WAIT_FOR(&rig, text_is(&rig, 301, "message 301"));
    assert_non_null(talk_at(rig.talk, 310)); /* asks for the page before it */
    WAIT_FOR(&rig, !errands_busy(rig.errands, rig.talk));
    assert_string_equal(text_at(&rig, 299), "message 299");
    rig_close(&rig);
}

static void what_is_not_there_is_said(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    talk_open(rig.talk, "nowhere");
    WAIT_FOR(&rig, talk_error(rig.talk));
    assert_int_equal(talk_error(rig.talk)->status, 404);
    served_session(served, "empty", NULL);
    talk_open(rig.talk, "empty");
    WAIT_FOR(&rig, talk_session(rig.talk));
    assert_null(talk_error(rig.talk));
    assert_int_equal(talk_count(rig.talk), 0);
    talk_open(rig.talk, NULL);
    assert_null(talk_id(rig.talk));
    assert_null(talk_session(rig.talk));
    rig_close(&rig);
}

/* ---- following ---- */

static void what_others_add_is_there(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "added", NULL);
    served_fill(served, "added", 0, 49);
    rig_open(&rig, served);
    open_and_wait(&rig, "added", 49);
    served_fill(served, "added", 49, 3); /* over the edge of a page */
    WAIT_FOR(&rig, talk_count(rig.talk) == 52);
    for (int i = 0; i < 52; i++) {
        char want[32];

        snprintf(want, sizeof(want), "message %d", i);
        WAIT_FOR(&rig, text_is(&rig, i, want));
    }
    assert_true(rig.happened > 0);
    WAIT_FOR(&rig, talk_session(rig.talk)->messages == 52);
    rig_close(&rig);
}

static void a_large_message_is_read(void **state)
{
    struct rig rig;
    struct buf text;

    (void)state;
    served_session(served, "large", NULL);
    served_fill(served, "large", 0, 3);
    rig_open(&rig, served);
    open_and_wait(&rig, "large", 3);
    buf_init(&text, 1024 * 1024);
    for (int i = 0; i < 200 * 1024; i++)
        buf_add_char(&text, 'y');
    served_say(served, "large", text.p);
    WAIT_FOR(&rig, talk_count(rig.talk) == 4 && talk_at(rig.talk, 3));
    assert_int_equal(talk_at(rig.talk, 3)->parts[0].text_bytes, 200 * 1024);
    served_fill(served, "large", 4, 1);
    WAIT_FOR(&rig, text_is(&rig, 4, "message 4"));
    buf_clear(&text);
    rig_close(&rig);
}

static void a_rewind_and_its_undo_are_followed(void **state)
{
    struct tine_move_options rewind = {.point.after = "#99"}, undo = {0};
    struct tine_error error;
    struct rig rig;
    uint64_t version;

    (void)state;
    served_session(served, "moved", NULL);
    served_fill(served, "moved", 0, 400);
    rig_open(&rig, served);
    open_and_wait(&rig, "moved", 400);
    version = talk_version(rig.talk);
    assert_true(tine_rewind(rig.tine, "moved", &rewind, NULL, &error));
    WAIT_FOR(&rig, talk_count(rig.talk) == 100);
    assert_true(talk_version(rig.talk) > version);
    assert_string_equal(text_at(&rig, 99), "message 99"); /* with the new count it is there */
    served_fill(served, "moved", 1000, 2);
    WAIT_FOR(&rig, talk_count(rig.talk) == 102 && text_is(&rig, 101, "message 1001"));
    assert_true(tine_rewind(rig.tine, "moved", &rewind, NULL, &error));
    assert_true(tine_undo(rig.tine, "moved", &undo, NULL, &error));
    served_fill(served, "moved", 2000, 1);
    WAIT_FOR(&rig, talk_count(rig.talk) == 103 && text_is(&rig, 102, "message 2000"));
    WAIT_FOR(&rig, text_is(&rig, 101, "message 1001"));
    rig_close(&rig);
}

static void what_is_shown_stays_until_the_new_is_here(void **state)
{
    struct tine_move_options rewind = {.point.after = "#299", .scope = "conversation"};
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "still", NULL);
    served_fill(served, "still", 0, 400);
    rig_open(&rig, served);
    open_and_wait(&rig, "still", 400);
    WAIT_FOR(&rig, text_is(&rig, 120, "message 120"));
    WAIT_FOR(&rig, text_is(&rig, 149, "message 149"));
    WAIT_FOR(&rig, text_is(&rig, 155, "message 155"));
    assert_true(tine_rewind(rig.tine, "still", &rewind, NULL, &error));
    for (int64_t end = clock_ms() + PATIENCE_MS; talk_count(rig.talk) != 300 && clock_ms() < end;) {
        step(&rig);
        assert_non_null(talk_at(rig.talk, 149)); /* never away */
        assert_non_null(talk_at(rig.talk, 155));
    }
    assert_int_equal(talk_count(rig.talk), 300);
    rig_close(&rig);
}

static void names_follow(void **state)
{
    struct tine_update_options update = {.title = "A better name"};
    const bool archived = true;
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "named", NULL);
    served_fill(served, "named", 0, 4);
    rig_open(&rig, served);
    assert_true(tine_label(rig.tine, "named", "#1", false, "early", NULL, &error));
    open_and_wait(&rig, "named", 4);
    WAIT_FOR(&rig, talk_at(rig.talk, 1) && talk_label(rig.talk, talk_at(rig.talk, 1)->id));
    assert_string_equal(talk_label(rig.talk, talk_at(rig.talk, 1)->id), "early");
    assert_null(talk_label(rig.talk, talk_at(rig.talk, 2)->id));
    assert_true(tine_label(rig.tine, "named", "#2", false, "late", NULL, &error));
    assert_true(tine_label(rig.tine, "named", "#1", false, NULL, NULL, &error));
    WAIT_FOR(&rig, talk_label(rig.talk, talk_at(rig.talk, 2)->id) &&
                       !talk_label(rig.talk, talk_at(rig.talk, 1)->id));
    assert_true(tine_update(rig.tine, "named", &update, NULL, &error));
    WAIT_FOR(&rig, strcmp(talk_session(rig.talk)->title, "A better name") == 0);
    update = (struct tine_update_options){.archived = &archived};
    assert_true(tine_update(rig.tine, "named", &update, NULL, &error));
    WAIT_FOR(&rig, talk_session(rig.talk)->archived);
    assert_true(tine_delete(rig.tine, "named", false, &error));
    WAIT_FOR(&rig, talk_error(rig.talk));
    assert_int_equal(talk_error(rig.talk)->status, 404);
    rig_close(&rig);
}

/* ---- turns ---- */

static bool enough(void *context, const struct tine_event *event)
{
    (void)context;
    (void)event;
    return false;
}

static void turn_begin(struct rig *rig, const char *session)
{
    struct tine_send_options options = {.text = "go", .on_event = enough};
    struct tine_error error;

    assert_true(tine_send(rig->tine, session, &options, NULL, &error));
}

static bool says(struct rig *rig, size_t piece, const char *kind, const char *text)
{
    const struct message_piece *pieces;
    size_t count = talk_pieces(rig->talk, &pieces);

    return piece < count && strcmp(pieces[piece].kind, kind) == 0 &&
           str_eq(pieces[piece].text, str_of(text));
}

static void a_turn_is_seen_from_its_middle_on(void **state)
{
    const struct message_piece *pieces;
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "slow", "test/slow");
    rig_open(&rig, served);
    turn_begin(&rig, "slow");
    clock_pause_ms(200); /* it has said what it says */
    open_and_wait(&rig, "slow", 1);
    WAIT_FOR(&rig, says(&rig, 0, "reasoning", "hm") && says(&rig, 1, "text", "first second"));
    assert_true(talk_runs(rig.talk));
    assert_string_equal(talk_turn_state(rig.talk), "running");
    assert_true(tine_cancel(rig.tine, "slow", NULL, &error));
    WAIT_FOR(&rig, !talk_runs(rig.talk) && talk_count(rig.talk) == 2);
    assert_int_equal(talk_pieces(rig.talk, &pieces), 0);
    assert_string_equal(talk_turn_state(rig.talk), "cancelled");
    rig_close(&rig);
}

static void what_is_said_becomes_a_message(void **state)
{
    const struct message_piece *pieces;
    struct rig rig;

    (void)state;
    served_session(served, "steps", "test/steps");
    rig_open(&rig, served);
    open_and_wait(&rig, "steps", 0);
    talk_sending(rig.talk, STR("go"));
    CHECK_STR(talk_sending_text(rig.talk), "go");
    turn_begin(&rig, "steps");
    WAIT_FOR(&rig, talk_count(rig.talk) == 1);
    assert_null(talk_sending_text(rig.talk).p);
    WAIT_FOR(&rig, says(&rig, 0, "text", "one"));
    assert_int_equal(talk_count(rig.talk), 1);
    WAIT_FOR(&rig, talk_count(rig.talk) == 2);
    assert_false(says(&rig, 0, "text", "one")); /* not twice at any time */
    WAIT_FOR(&rig, says(&rig, 0, "output", "printed"));
    WAIT_FOR(&rig, talk_count(rig.talk) == 3 && !talk_runs(rig.talk));
    assert_int_equal(talk_pieces(rig.talk, &pieces), 0);
    assert_string_equal(talk_turn_state(rig.talk), "done");
    assert_string_equal(text_at(&rig, 2), "two");
    rig_close(&rig);
}

static void a_turn_that_fails_says_why(void **state)
{
    struct rig rig;

    (void)state;
    served_session(served, "fails", "test/fails");
    rig_open(&rig, served);
    open_and_wait(&rig, "fails", 0);
    turn_begin(&rig, "fails");
    WAIT_FOR(&rig, talk_turn_state(rig.talk) && strcmp(talk_turn_state(rig.talk), "failed") == 0);
    WAIT_FOR(&rig, talk_turn_reason(rig.talk)); /* the session itself does not say why */
    assert_non_null(strstr(talk_turn_reason(rig.talk), "out of luck"));
    rig_close(&rig);
}

static void what_a_turn_asks_is_known(void **state)
{
    struct tine_answer_options answer = {.approve = true, .text = "the red one"};
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "asks", "test/asks");
    rig_open(&rig, served);
    turn_begin(&rig, "asks");
    clock_pause_ms(100);
    open_and_wait(&rig, "asks", 1);
    WAIT_FOR(&rig, talk_ask(rig.talk));
    assert_string_equal(talk_ask(rig.talk)->question, "Which?");
    assert_null(talk_ask(rig.talk)->tool);
    assert_true(talk_runs(rig.talk));
    assert_string_equal(talk_turn_state(rig.talk), "waiting");
    talk_answered(rig.talk);
    assert_null(talk_ask(rig.talk));
    assert_true(tine_answer(rig.tine, "asks", &answer, NULL, &error));
    WAIT_FOR(&rig, !talk_runs(rig.talk) && talk_count(rig.talk) == 2);
    assert_null(talk_ask(rig.talk));
    rig_close(&rig);
}

static void what_failed_to_be_sent_is_not_shown(void **state)
{
    struct rig rig;

    (void)state;
    rig_open(&rig, served);
    talk_sending(rig.talk, STR("hello"));
    talk_open(rig.talk, "steps"); /* the first message makes the session: it is still on its way */
    CHECK_STR(talk_sending_text(rig.talk), "hello");
    talk_sending_failed(rig.talk);
    assert_null(talk_sending_text(rig.talk).p);
    talk_sending(rig.talk, STR("again"));
    talk_open(rig.talk, "long");
    assert_null(talk_sending_text(rig.talk).p);
    rig_close(&rig);
}

/* ---- trouble ---- */

static void a_server_that_goes_and_comes_back_is_followed(void **state)
{
    struct served *mine = served_start(AGENTS);
    struct rig rig;

    (void)state;
    served_session(mine, "s", NULL);
    served_fill(mine, "s", 0, 60);
    rig_open(&rig, mine);
    open_and_wait(&rig, "s", 60);
    WAIT_FOR(&rig, !errands_busy(rig.errands, rig.talk));
    served_kill(mine);
    WAIT_FOR(&rig, talk_lost(rig.talk));
    assert_string_equal(text_at(&rig, 59), "message 59"); /* what is here stays */
    served_again(mine, true);
    served_fill(mine, "s", 60, 5);
    WAIT_FOR(&rig, !talk_lost(rig.talk) && talk_count(rig.talk) == 65);
    assert_string_equal(text_at(&rig, 64), "message 64");
    assert_null(talk_error(rig.talk));
    served_kill(mine);
    talk_open(rig.talk, "s"); /* nothing can be read now */
    WAIT_FOR(&rig, talk_error(rig.talk));
    served_again(mine, false);
    WAIT_FOR(&rig, talk_count(rig.talk) == 65);
    assert_null(talk_error(rig.talk));
    rig_close(&rig);
    served_free(mine);
}

/* Nobody draws, and no event tells that it would be worth while. */
static void a_page_that_could_not_be_read_is_asked_for_again(void **state)
{
    struct served *mine = served_start(AGENTS);
    struct rig rig;

    (void)state;
    served_session(mine, "s", NULL);
    served_fill(mine, "s", 0, 400);
    rig_open(&rig, mine);
    open_and_wait(&rig, "s", 400);
    WAIT_FOR(&rig, !errands_busy(rig.errands, rig.talk));
    assert_int_equal(talk_wait_ms(rig.talk), -1);
    atomic_store(&rig.shut, true);
    served_kill(mine);
    WAIT_FOR(&rig, talk_lost(rig.talk));
    assert_null(talk_at(rig.talk, 0));
    WAIT_FOR(&rig, talk_wait_ms(rig.talk) > 0);
    rig.changes = 0;
    served_again(mine, false);
    WAIT_FOR(&rig, rig.changes);
    assert_string_equal(text_at(&rig, 0), "message 0");
    atomic_store(&rig.shut, false);
    rig_close(&rig);
    served_free(mine);
}

/* What happens after the reading and before the listening is told by nobody. */
static void what_happened_before_it_listened_is_found(void **state)
{
    struct tine_move_options rewind = {.point.after = "#8"};
    struct tine_error error;
    struct rig rig;

    (void)state;
    served_session(served, "gap", NULL);
    served_fill(served, "gap", 0, 10);
    for (int i = 0; i < 2; i++) {
        rig_open(&rig, served);
        atomic_store(&rig.shut, true);
        open_and_wait(&rig, "gap", 10);
        assert_int_equal(rig.happened, 0);
        assert_true(tine_rewind(rig.tine, "gap", &rewind, NULL, &error));
        served_fill(served, "gap", 100 + i, 1); /* as many as before, but another one */
        assert_true(tine_label(rig.tine, "gap", "#3", false, i ? "b" : "a", NULL, &error));
        atomic_store(&rig.shut, false);
        WAIT_FOR(&rig, text_is(&rig, 9, i ? "message 101" : "message 100"));
        WAIT_FOR(&rig, talk_label(rig.talk, talk_at(rig.talk, 3)->id) &&
                           talk_label(rig.talk, talk_at(rig.talk, 3)->id)[0] == (i ? 'b' : 'a'));
        assert_int_equal(talk_count(rig.talk), 10);
        rig_close(&rig);
    }
}

/* Events come while the answer that does not have them waits to be told. */
static void what_happened_after_the_answer_is_found(void **state)
{
    struct tine_move_options rewind = {.point.after = "#8"};
    struct tine_error error;
    struct rig rig;
    int before;

    (void)state;
    served_session(served, "late", NULL);
    served_fill(served, "late", 0, 20);
    rig_open(&rig, served);
    open_and_wait(&rig, "late", 20);
    WAIT_FOR(&rig, rig.happened > 0 && !errands_busy(rig.errands, rig.talk));
    before = rig.happened;
    assert_true(tine_rewind(rig.tine, "late", &rewind, NULL, &error));
    while (rig.happened == before)
        talk_take(rig.talk); /* it is read anew now … */
    clock_pause_ms(300);     /* … and the answer is there by now, but not told */
    before = rig.happened;
    served_fill(served, "late", 30, 1);
    while (rig.happened == before)
        talk_take(rig.talk);
    WAIT_FOR(&rig, talk_count(rig.talk) == 10 && text_is(&rig, 9, "message 30"));
    rig_close(&rig);
}

/* Somebody who adds messages without a pause, and now and then takes some back. */
struct writer {
    atomic_bool over;
    int said;
};

static void *write_on(void *context)
{
    struct tine_move_options rewind = {.point.before = "-3"};
    struct writer *writer = context;
    struct tine *tine = served_tine(served);
    struct tine_error error;

    while (!atomic_load(&writer->over)) {
        struct tine_send_options options = {.store_only = true};
        char text[32];

        snprintf(text, sizeof(text), "said %d", writer->said++);
        options.text = text;
        assert_true(tine_send(tine, "busy", &options, NULL, &error));
        if (writer->said % 17 == 0)
            assert_true(tine_rewind(tine, "busy", &rewind, NULL, &error));
    }
    tine_free(tine);
    return NULL;
}

static bool is_same(struct rig *rig, const struct tine_result *page)
{
    if (talk_count(rig->talk) != page->total)
        return false;
    for (size_t i = 0; i < page->message_count; i++) {
        const struct tine_message *message = talk_at(rig->talk, page->messages[i].index);

        if (!message || strcmp(message->id, page->messages[i].id) != 0)
            return false;
    }
    return true;
}

/* In the end it is what the server has, and stays so. */
static void check_same(struct rig *rig, const char *session)
{
    struct tine_messages_options tail = {.tail = 60};
    struct tine_error error;
    struct tine_result *page;

    assert_true(tine_messages(rig->tine, session, &tail, &page, &error));
    WAIT_FOR(rig, is_same(rig, page));
    for (int i = 0; i < 20; i++)
        step(rig);
    WAIT_FOR(rig, is_same(rig, page));
    tine_result_free(page);
}

/* Opening races with what is said; whatever the order, nothing is lost in the end. */
static void nothing_is_missed_between_reading_and_listening(void **state)
{
    (void)state;
    served_session(served, "busy", NULL);
    served_fill(served, "busy", 0, 40);
    for (int i = 0; i < 10; i++) {
        struct writer writer = {.said = 1000 * i};
        pthread_t thread;
        struct rig rig;

        rig_open(&rig, served);
        assert_int_equal(pthread_create(&thread, NULL, write_on, &writer), 0);
        talk_open(rig.talk, "busy");
        for (int64_t end = clock_ms() + 20 + 13 * i; clock_ms() < end;)
            step(&rig);
        atomic_store(&writer.over, true);
        pthread_join(thread, NULL);
        check_same(&rig, "busy");
        rig_close(&rig);
    }
}

/* ---- the parts ---- */

static struct tine_event piece(const char *kind, const char *call, int64_t step_, int64_t offset,
                               const char *text)
{
    return (struct tine_event){.type = "message.delta",
                               .turn = "t",
                               .kind = kind,
                               .call = call,
                               .call_name = call ? "bash" : NULL,
                               .step = step_,
                               .offset = offset,
                               .text = text,
                               .text_bytes = strlen(text)};
}

static void check_pieces(struct saying *saying, const char *want)
{
    const struct message_piece *pieces;
    size_t count = saying_pieces(saying, &pieces);
    struct buf got;

    buf_init(&got, 64 * 1024);
    for (size_t i = 0; i < count; i++)
        buf_add_format(&got, "%s%s:%.*s", i ? "|" : "", pieces[i].kind, STR_ARG(pieces[i].text));
    assert_string_equal(got.p ? got.p : "", want);
    buf_clear(&got);
}

static void pieces_are_put_together_by_their_place(void **state)
{
    struct saying *saying = saying_new();
    struct tine_event events[] = {
        piece("reasoning", NULL, 1, 0, "hm"),
        piece("text", NULL, 1, 0, "one "),
        piece("text", NULL, 1, 4, "two"),
        piece("call", "c1", 1, 0, ""),
        piece("call", "c1", 1, 0, "{}"),
        piece("output", "c1", 1, 0, "out"),
        piece("text", NULL, 1, 7, " three"),
        piece("text", NULL, 1, 0, "one two thr"),
        piece("text", NULL, 1, 0, "one two three four"),
        piece("output", "c1", 1, 3, "put"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        assert_int_equal(saying_take(saying, &events[i]), i != 7); /* all of that was heard */
    check_pieces(saying,
                 "reasoning:hm|text:one two|call:{}|output:out|text: three four|output:put");
    events[0] = piece("text", NULL, 0, 0, "late");
    assert_false(saying_take(saying, &events[0]));
    events[0] = piece("text", NULL, 2, 5, "rest");
    assert_true(saying_take(saying, &events[0]));
    check_pieces(saying, "text:\xe2\x80\xa6rest");
    assert_true(saying_end(saying));
    assert_false(saying_end(saying));
    check_pieces(saying, "");
    saying_free(saying);
}

static void of_a_long_text_the_end_is_kept(void **state)
{
    struct saying *saying = saying_new();
    const struct message_piece *pieces;
    struct buf text;
    int64_t offset = 0;

    (void)state;
    buf_init(&text, 8 * 1024 * 1024);
    for (int i = 0; i < 40000; i++) {
        char line[32];
        struct tine_event event;

        snprintf(line, sizeof(line), "line %d \xc3\xa4\n", i);
        event = piece("text", NULL, 0, offset, line);
        assert_true(saying_take(saying, &event));
        offset += (int64_t)event.text_bytes;
        buf_add_text(&text, line);
    }
    assert_int_equal(saying_pieces(saying, &pieces), 1);
    assert_true(pieces[0].text.n <= SAYING_BYTES && pieces[0].text.n >= SAYING_BYTES / 4);
    assert_memory_equal(pieces[0].text.p, "line ", 5); /* begins with a line */
    assert_memory_equal(pieces[0].text.p, text.p + text.n - pieces[0].text.n, pieces[0].text.n);
    saying_end(saying);
    for (int i = 0; i < 1000; i++) {
        char call[16];
        struct tine_event event;

        snprintf(call, sizeof(call), "c%d", i);
        event = piece("call", call, 1, 0, "{}");
        assert_true(saying_take(saying, &event));
    }
    assert_int_equal(saying_pieces(saying, &pieces), SAYING_PIECES);
    buf_clear(&text);
    saying_free(saying);
}

static void put_page(struct pages *pages, int64_t page, const char *text, bool asked)
{
    struct tine_part part = {.type = "text", .text = text, .text_bytes = strlen(text), .json = ""};

    for (int64_t i = page * PAGE_MESSAGES; i < (page + 1) * PAGE_MESSAGES; i++) {
        struct tine_message message = {
            .id = "m", .index = i, .kind = "message", .parts = &part, .part_count = 1};

        pages_put(pages, &message, 1, asked);
    }
}

static int pages_here(struct pages *pages, int64_t most)
{
    int count = 0;

    for (int64_t page = 0; page < most; page++)
        count += pages_has(pages, page);
    return count;
}

static void pages_are_few_and_small(void **state)
{
    struct pages *pages = pages_new();
    struct tine_message gap = {.id = "m", .index = 5, .kind = "message"};
    char *large = calloc(1, 100 * 1024 + 1);

    (void)state;
    assert_non_null(large);
    memset(large, 'z', 100 * 1024);
    pages_put(pages, &gap, 1, true); /* does not stand behind anything */
    assert_false(pages_has(pages, 0));
    for (int64_t page = 0; page < 100; page++)
        put_page(pages, page, "x", true);
    assert_int_equal(pages_here(pages, 100), PAGES_MAX);
    assert_true(pages_has(pages, 99) && !pages_has(pages, 0));
    assert_non_null(pages_find(pages, 80 * PAGE_MESSAGES)); /* seen: it stays */
    for (int64_t page = 100; page < 100 + PAGES_MAX - 1; page++)
        put_page(pages, page, "x", true);
    assert_true(pages_has(pages, 80) && !pages_has(pages, 99));
    put_page(pages, 200, large, true); /* 5 MiB each */
    put_page(pages, 201, large, true);
    assert_true(pages_here(pages, 300) <= PAGES_KEPT);
    put_page(pages, 202, large, true);
    put_page(pages, 203, large, true);
    assert_int_equal(pages_here(pages, 300), PAGES_KEPT);
    assert_int_equal(pages_missing(pages, 203), 204 * PAGE_MESSAGES);
    assert_int_equal(pages_missing(pages, 7), 7 * PAGE_MESSAGES);
    pages_clear(pages);
    assert_int_equal(pages_here(pages, 300), 0);
    pages_free(pages);
    free(large);
}

static int begin(void **state)
{
    (void)state;
    served = served_start(AGENTS);
    return 0;
}

static int end(void **state)
{
    (void)state;
    served_free(served);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_comes_first_and_the_rest_when_it_is_asked_for),
        cmocka_unit_test(neighbours_are_read_ahead),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(what_others_add_is_there),
        cmocka_unit_test(a_large_message_is_read),
        cmocka_unit_test(a_rewind_and_its_undo_are_followed),
        cmocka_unit_test(what_is_shown_stays_until_the_new_is_here),
        cmocka_unit_test(names_follow),
        cmocka_unit_test(a_turn_is_seen_from_its_middle_on),
        cmocka_unit_test(what_is_said_becomes_a_message),
        cmocka_unit_test(a_turn_that_fails_says_why),
        cmocka_unit_test(what_a_turn_asks_is_known),
        cmocka_unit_test(what_failed_to_be_sent_is_not_shown),
        cmocka_unit_test(a_server_that_goes_and_comes_back_is_followed),
        cmocka_unit_test(a_page_that_could_not_be_read_is_asked_for_again),
        cmocka_unit_test(what_happened_before_it_listened_is_found),
        cmocka_unit_test(what_happened_after_the_answer_is_found),
        cmocka_unit_test(nothing_is_missed_between_reading_and_listening),
        cmocka_unit_test(pieces_are_put_together_by_their_place),
        cmocka_unit_test(of_a_long_text_the_end_is_kept),
        cmocka_unit_test(pages_are_few_and_small),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
