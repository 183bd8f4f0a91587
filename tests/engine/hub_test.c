/* The hub: every listener is told what its filter lets through, once and in order. */
#include "engine/hub.h"

#include "support/talk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a loop that runs when the test says so ---- */

struct job {
    struct job *next;
    void (*work)(void *);
    void (*done)(void *);
    void *arg;
};

struct loop {
    struct job *first, **last;
};

static void loop_add(struct loop *loop, void (*work)(void *), void (*done)(void *), void *arg)
{
    struct job *job = calloc(1, sizeof(*job));

    *job = (struct job){NULL, work, done, arg};
    *loop->last = job;
    loop->last = &job->next;
}

static void loop_post(void *context, void (*run)(void *), void *arg)
{
    loop_add(context, NULL, run, arg);
}

static void loop_work(void *context, void (*work)(void *), void (*done)(void *), void *arg)
{
    loop_add(context, work, done, arg);
}

/* Runs one waiting thing; false when there is none. */
static bool loop_step(struct loop *loop)
{
    struct job *job = loop->first;

    if (!job)
        return false;
    loop->first = job->next;
    if (!loop->first)
        loop->last = &loop->first;
    if (job->work)
        job->work(job->arg);
    job->done(job->arg);
    free(job);
    return true;
}

static void loop_settle(struct loop *loop)
{
    while (loop_step(loop))
        ;
}

/* ---- a rig with a hub ---- */

struct desk {
    struct talk talk;
    struct loop loop;
    struct hub *hub;
};

static struct hub_word render(const struct event *event, struct arena *arena)
{
    struct hub_word word = {.type = "note"};

    if (event->item.entry)
        word.type = event->item.entry->kind == ENTRY_MOVE ? "session.moved" : "message.added";
    else if (!event->item.note)
        word.type = "reset";
    word.message = arena_printf(arena, "%" PRId64 ":%s\n", event->item.e, word.type);
    return word;
}

static void committed(void *context)
{
    hub_wake(context);
}

static void desk_open(struct desk *desk)
{
    struct hub_host host = {loop_post, loop_work, &desk->loop};

    desk->loop = (struct loop){0};
    desk->loop.last = &desk->loop.first;
    talk_open(&desk->talk, &rig_kinds[0], 1);
    desk->hub = hub_new(desk->talk.rig.store, render, &host);
    store_watch(desk->talk.rig.store, committed, desk->hub);
}

static void desk_close(struct desk *desk)
{
    store_watch(desk->talk.rig.store, NULL, NULL);
    loop_settle(&desk->loop);
    hub_free(desk->hub);
    talk_close(&desk->talk);
}

static int64_t now(struct desk *desk)
{
    int64_t e;

    CHECK_OK(hub_now(desk->hub, &e, &desk->talk.fault), &desk->talk.fault);
    return e;
}

/* A listener that takes all it is told, or only when asked. */
struct ear {
    struct hub_listener *listener;
    struct buf heard;
    int called;
};

static void ear_call(void *context)
{
    ((struct ear *)context)->called++;
}

static void ear_open(struct ear *ear, struct desk *desk, struct hub_filter filter, int64_t since)
{
    *ear = (struct ear){0};
    buf_init(&ear->heard, 1 << 24);
    ear->listener = hub_listen(desk->hub, &filter, NULL, since, ear_call, ear);
}

static void ear_take(struct ear *ear)
{
    while (hub_take(ear->listener, &ear->heard, ear->heard.n + 64))
        ;
}

static void ear_close(struct ear *ear)
{
    hub_leave(ear->listener);
    buf_clear(&ear->heard);
}

static const char *ear_text(struct ear *ear)
{
    return ear->heard.n ? ear->heard.p : "";
}

static const struct hub_filter everything = {.owner = OWNER_ANY};

/* ---- tests ---- */

static void what_is_committed_is_told(void **state)
{
    struct desk desk;
    struct ear ear;
    struct str session;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    ear_open(&ear, &desk, everything, now(&desk));
    loop_settle(&desk.loop);
    talk_say(&desk.talk, session, ROLE_USER, "one");
    loop_settle(&desk.loop);
    assert_true(ear.called > 0);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "2:message.added\n");
    talk_say(&desk.talk, session, ROLE_USER, "two");
    talk_rewind(&desk.talk, session, before_index(1));
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "2:message.added\n3:message.added\n4:session.moved\n");
    ear_close(&ear);
    desk_close(&desk);
}

static void nothing_is_lost_between_asking_and_listening(void **state)
{
    struct desk desk;
    struct ear ear;
    struct str session;
    int64_t since;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    since = now(&desk);
    talk_say(&desk.talk, session, ROLE_USER, "in between");
    ear_open(&ear, &desk, everything, since);
    talk_say(&desk.talk, session, ROLE_USER, "after");
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "2:message.added\n3:message.added\n");
    ear_close(&ear);
    desk_close(&desk);
}

static void filters_let_through_what_they_name(void **state)
{
    struct desk desk;
    struct ear by_session, by_type, by_start, other_owner;
    struct str a, b;
    int64_t since;

    (void)state;
    desk_open(&desk);
    a = talk_create(&desk.talk, "A");
    b = talk_create(&desk.talk, "B");
    since = now(&desk);
    ear_open(&by_session, &desk, (struct hub_filter){.owner = OWNER_ANY, .session = b}, since);
    ear_open(&by_type, &desk,
             (struct hub_filter){.owner = OWNER_ANY, .types = STR("x,session.moved")}, since);
    ear_open(&by_start, &desk, (struct hub_filter){.owner = OWNER_ANY, .types = STR("message.")},
             since);
    ear_open(&other_owner, &desk, (struct hub_filter){.owner = desk.talk.rig.owner + 1}, since);
    loop_settle(&desk.loop);
    talk_say(&desk.talk, a, ROLE_USER, "one");
    talk_say(&desk.talk, b, ROLE_USER, "two");
    talk_rewind(&desk.talk, a, at_start());
    loop_settle(&desk.loop);
    ear_take(&by_session);
    ear_take(&by_type);
    ear_take(&by_start);
    ear_take(&other_owner);
    assert_string_equal(ear_text(&by_session), "4:message.added\n");
    assert_string_equal(ear_text(&by_type), "5:session.moved\n");
    assert_string_equal(ear_text(&by_start), "3:message.added\n4:message.added\n");
    assert_string_equal(ear_text(&other_owner), "");
    ear_close(&by_session);
    ear_close(&by_type);
    ear_close(&by_start);
    ear_close(&other_owner);
    desk_close(&desk);
}

static void tell(struct desk *desk, struct str session, int64_t after, const char *text)
{
    struct hub_tidings tidings = {.owner = desk->talk.rig.owner,
                                  .session = session,
                                  .turn = STR("t"),
                                  .type = "message.delta",
                                  .message = str_of(text),
                                  .after = after};

    hub_tell(desk->hub, &tidings);
}

static void running_text_stands_between_the_right_events(void **state)
{
    struct desk desk;
    struct ear ear;
    struct str session;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    ear_open(&ear, &desk, everything, now(&desk));
    loop_settle(&desk.loop);
    talk_say(&desk.talk, session, ROLE_USER, "question"); /* 2 */
    tell(&desk, session, 2, "he\n");
    loop_settle(&desk.loop);
    tell(&desk, session, 2, "llo\n");
    talk_say(&desk.talk, session, ROLE_ASSISTANT, "hello"); /* 3 */
    tell(&desk, session, 3, "next\n");
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "2:message.added\nhe\nllo\n3:message.added\nnext\n");
    ear_close(&ear);
    desk_close(&desk);
}

static void a_slow_listener_is_spared_running_text(void **state)
{
    struct desk desk;
    struct ear ear;
    struct str session;
    struct hub_counts counts;
    char big[1024];

    (void)state;
    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    ear_open(&ear, &desk, everything, now(&desk));
    loop_settle(&desk.loop);
    for (int i = 0; i < 1000; i++)
        tell(&desk, session, 0, big);
    loop_settle(&desk.loop);
    hub_count(desk.hub, &counts);
    assert_true(counts.dropped > 800);
    talk_say(&desk.talk, session, ROLE_USER, "kept");
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_true(ear.heard.n < 200 * 1024);
    assert_non_null(strstr(ear_text(&ear), "2:message.added\n"));
    ear_close(&ear);
    desk_close(&desk);
}

static void a_number_from_the_future_is_a_reset(void **state)
{
    struct desk desk;
    struct ear ear;
    struct str session;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    ear_open(&ear, &desk, everything, 1000);
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "1:reset\n");
    talk_say(&desk.talk, session, ROLE_USER, "on");
    loop_settle(&desk.loop);
    ear_take(&ear);
    assert_string_equal(ear_text(&ear), "1:reset\n2:message.added\n");
    ear_close(&ear);
    desk_close(&desk);
}

/* It has heard an unbroken run of numbers from its own on; returns the last. */
static int64_t heard_to(struct ear *ear, int64_t since)
{
    const char *at = ear_text(ear);

    while (*at) {
        assert_int_equal(strtoll(at, NULL, 10), since + 1);
        since++;
        at = strchr(at, '\n') + 1;
    }
    return since;
}

enum { EARS = 8, STEPS = 4000 };

/* Many listeners that come, go, sleep and take a little, while things happen. */
static void random_listeners_miss_nothing(void **state)
{
    struct chance chance = {20261116};
    struct ear ears[EARS];
    int64_t since[EARS];
    bool there[EARS] = {false};
    struct desk desk;
    struct str sessions[3];

    (void)state;
    desk_open(&desk);
    for (int i = 0; i < 3; i++)
        sessions[i] = talk_create(&desk.talk, "S");
    for (int step = 0; step < STEPS; step++) {
        int i = chance_below(&chance, EARS);

        switch (chance_below(&chance, 6)) {
        case 0:
        case 1:
            talk_say(&desk.talk, sessions[chance_below(&chance, 3)], ROLE_USER, "word");
            break;
        case 2:
            loop_step(&desk.loop);
            break;
        case 3:
            if (there[i])
                hub_take(ears[i].listener, &ears[i].heard,
                         ears[i].heard.n + (size_t)chance_below(&chance, 200));
            break;
        case 4:
            if (!there[i]) {
                since[i] = chance_below(&chance, (int)now(&desk) + 1);
                ear_open(&ears[i], &desk, everything, since[i]);
                there[i] = true;
            }
            break;
        default:
            if (there[i] && chance_of(&chance, 20)) {
                heard_to(&ears[i], since[i]);
                ear_close(&ears[i]);
                there[i] = false;
            }
            break;
        }
    }
    loop_settle(&desk.loop);
    for (int i = 0; i < EARS; i++) {
        if (!there[i])
            continue;
        do
            ear_take(&ears[i]);
        while (loop_step(&desk.loop));
        assert_int_equal(heard_to(&ears[i], since[i]), now(&desk));
        ear_close(&ears[i]);
    }
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_committed_is_told),
        cmocka_unit_test(nothing_is_lost_between_asking_and_listening),
        cmocka_unit_test(filters_let_through_what_they_name),
        cmocka_unit_test(running_text_stands_between_the_right_events),
        cmocka_unit_test(a_slow_listener_is_spared_running_text),
        cmocka_unit_test(a_number_from_the_future_is_a_reset),
        cmocka_unit_test(random_listeners_miss_nothing),
    };

    return cmocka_run_group_tests_name("hub", tests, NULL, NULL);
}
