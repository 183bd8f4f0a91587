/* The hub: every listener is told what its filter lets through, once and in order. */
#include "engine/hub_item.h"
#include "engine/turns.h"

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
    else if (event->item.note->act == NOTE_LABELLED)
        word.type = NULL; /* there is no word for it */
    word.message = arena_printf(arena, "%" PRId64 ":%s\n", event->item.e,
                                word.type ? word.type : "never seen");
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

static void ear_listen(struct ear *ear, struct desk *desk, struct hub_filter filter,
                       const struct hub_voice *voice, int64_t since)
{
    *ear = (struct ear){0};
    buf_init(&ear->heard, 1 << 24);
    ear->listener = hub_listen(desk->hub, &filter, voice, since, ear_call, ear);
}

static void ear_open(struct ear *ear, struct desk *desk, struct hub_filter filter, int64_t since)
{
    ear_listen(ear, desk, filter, NULL, since);
}

/* A language of its own: the number, and of what happened as much as can be seen. */
static void voice_event(void *context, const struct event *event, struct buf *out)
{
    const struct entry *entry = event->item.entry;
    const struct note *note = event->item.note;

    (void)context;
    buf_add_format(out, "%" PRId64, event->item.e);
    if (entry)
        buf_add_format(out, " entry %.*s in %.*s: %.*s", STR_ARG(entry->id),
                       STR_ARG(event->session), STR_ARG(entry->body));
    else if (note)
        buf_add_format(out, " note %d of %.*s: %.*s", (int)note->act, STR_ARG(event->session),
                       STR_ARG(note->now));
    else
        buf_add_text(out, " reset");
    buf_add_char(out, '\n');
}

static void voice_piece(void *context, const struct turn_piece *piece, struct buf *out)
{
    (void)context;
    buf_add_format(out, "piece %d %.*s of %.*s at %" PRId64 "+%" PRId64 ": %.*s\n",
                   (int)piece->delta.kind, STR_ARG(piece->delta.id), STR_ARG(piece->turn),
                   piece->step, piece->offset, STR_ARG(piece->delta.text));
}

static const struct hub_voice voice = {voice_event, voice_piece, NULL};

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

/* It has heard these words and no others; forgets them. */
static void check_heard(struct ear *ear, struct str words)
{
    ear_take(ear);
    CHECK_STR(buf_str(&ear->heard), words.p);
    buf_reset(&ear->heard);
}

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

/* All is read at once, and the text still comes before the message that it became. */
static void running_text_keeps_its_place_in_a_reading(void **state)
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
    tell(&desk, session, 2, "hello\n");
    talk_say(&desk.talk, session, ROLE_ASSISTANT, "hello"); /* 3 */
    tell(&desk, session, 3, "next\n");
    loop_settle(&desk.loop);
    check_heard(&ear, STR("2:message.added\nhello\n3:message.added\nnext\n"));
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

/* ---- voices ---- */

static struct str voice_words(struct desk *desk, int64_t e, struct str id, struct str session,
                              const char *text)
{
    return arena_printf(&desk->talk.arena, "%" PRId64 " entry %.*s in %.*s: {\"text\":\"%s\"}\n", e,
                        STR_ARG(id), STR_ARG(session), text);
}

static void a_voice_is_given_what_happened(void **state)
{
    struct turn_piece piece = {.turn = STR("t"),
                               .delta = {.kind = DELTA_OUTPUT, .id = STR("c1"), .text = STR("ls")},
                               .step = 2,
                               .offset = 7};
    struct hub_tidings tidings = {.turn = STR("t"),
                                  .type = "message.delta",
                                  .message = STR("own\n"),
                                  .piece = &piece,
                                  .after = 2};
    struct desk desk;
    struct ear ear, own;
    struct str session, id;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    ear_listen(&ear, &desk, everything, &voice, now(&desk));
    ear_open(&own, &desk, everything, now(&desk));
    loop_settle(&desk.loop);
    id = talk_say(&desk.talk, session, ROLE_USER, "one"); /* 2 */
    tidings.owner = desk.talk.rig.owner;
    tidings.session = piece.session = session;
    hub_tell(desk.hub, &tidings);
    tidings.piece = NULL;
    hub_tell(desk.hub, &tidings); /* not for voices */
    loop_settle(&desk.loop);
    check_heard(&own, STR("2:message.added\nown\nown\n"));
    check_heard(&ear, arena_printf(&desk.talk.arena, "%.*spiece 3 c1 of t at 2+7: ls\n",
                                   STR_ARG(voice_words(&desk, 2, id, session, "one"))));
    ear_close(&own);
    ear_close(&ear);
    desk_close(&desk);
}

static void what_the_hub_has_no_word_for_reaches_a_voice(void **state)
{
    struct hub_tidings tidings = {.type = NULL, .message = STR("nobody hears this\n"), .after = 3};
    struct turn_piece piece = {.turn = STR("t"), .delta = {.text = STR("hm")}};
    struct desk desk;
    struct ear ear, own;
    struct str session, id;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    id = talk_say(&desk.talk, session, ROLE_USER, "one"); /* 2 */
    ear_listen(&ear, &desk, everything, &voice, now(&desk));
    ear_open(&own, &desk, everything, now(&desk));
    loop_settle(&desk.loop);
    talk_label(&desk.talk, session, id, "here"); /* 3 */
    tidings.owner = desk.talk.rig.owner;
    tidings.session = session;
    tidings.turn = STR("t");
    tidings.piece = &piece;
    hub_tell(desk.hub, &tidings);
    loop_settle(&desk.loop);
    check_heard(&own, STR(""));
    check_heard(&ear, arena_printf(&desk.talk.arena,
                                   "3 note %d of %.*s: here\npiece 0  of t at 0+0: hm\n",
                                   (int)NOTE_LABELLED, STR_ARG(session)));
    ear_close(&own);
    ear_close(&ear);
    desk_close(&desk);
}

/* What was read while nobody had a voice is not in the ring for it. */
static void a_voice_that_comes_late_reads_for_itself(void **state)
{
    struct desk desk;
    struct ear own, late;
    struct hub_counts counts;
    struct str session, one, two, three;
    int64_t since;

    (void)state;
    desk_open(&desk);
    session = talk_create(&desk.talk, "T");
    since = now(&desk);
    ear_open(&own, &desk, everything, since);
    loop_settle(&desk.loop);
    one = talk_say(&desk.talk, session, ROLE_USER, "one"); /* 2 */
    talk_label(&desk.talk, session, one, "x");             /* 3: not in the ring at all */
    loop_settle(&desk.loop);
    two = talk_say(&desk.talk, session, ROLE_USER, "two"); /* 4: being read when it comes */
    loop_step(&desk.loop);
    ear_listen(&late, &desk, everything, &voice, since);
    assert_false(hub_caught_up(late.listener));
    do
        ear_take(&late);
    while (loop_step(&desk.loop));
    assert_true(hub_caught_up(late.listener));
    hub_count(desk.hub, &counts);
    assert_true(counts.caught_up >= 3);
    three = talk_say(&desk.talk, session, ROLE_USER, "three"); /* 5: for both */
    loop_settle(&desk.loop);
    check_heard(&late, arena_printf(&desk.talk.arena, "%.*s3 note %d of %.*s: x\n%.*s%.*s",
                                    STR_ARG(voice_words(&desk, 2, one, session, "one")),
                                    (int)NOTE_LABELLED, STR_ARG(session),
                                    STR_ARG(voice_words(&desk, 4, two, session, "two")),
                                    STR_ARG(voice_words(&desk, 5, three, session, "three"))));
    check_heard(&own, STR("2:message.added\n4:message.added\n5:message.added\n"));
    hub_count(desk.hub, &counts);
    assert_int_equal(counts.events, 3); /* the last was read once, for both */
    ear_close(&own);
    ear_close(&late);
    desk_close(&desk);
}

static void a_voice_hears_of_a_reset(void **state)
{
    struct desk desk;
    struct ear ear;

    (void)state;
    desk_open(&desk);
    talk_create(&desk.talk, "T");
    ear_listen(&ear, &desk, everything, &voice, 1000);
    loop_settle(&desk.loop);
    check_heard(&ear, STR("1 reset\n"));
    ear_close(&ear);
    desk_close(&desk);
}

static void what_is_kept_for_voices_counts(void **state)
{
    struct entry entry = {.id = STR("m1"), .body = STR("{\"text\":\"hello\"}")};
    struct event event = {.session = STR("s1"), .item = {.e = 3, .entry = &entry}};
    struct hub_item like = {.e = 3, .session = STR("s1"), .message = STR("word"), .event = &event};
    struct hub_item *item = hub_item_new(&like);

    (void)state;
    assert_true(item->bytes >= 4 + sizeof(event) + sizeof(entry) + entry.id.n + entry.body.n);
    assert_ptr_not_equal(item->event, &event);
    assert_ptr_not_equal(item->event->item.entry, &entry);
    assert_ptr_not_equal(item->event->item.entry->body.p, entry.body.p);
    CHECK_STR(item->event->item.entry->body, "{\"text\":\"hello\"}");
    CHECK_STR(item->event->session, "s1");
    assert_null(item->event->item.entry->turn.p);
    free(item);
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
                ear_listen(&ears[i], &desk, everything, i % 2 ? &voice : NULL, since[i]);
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
        cmocka_unit_test(running_text_keeps_its_place_in_a_reading),
        cmocka_unit_test(a_slow_listener_is_spared_running_text),
        cmocka_unit_test(a_number_from_the_future_is_a_reset),
        cmocka_unit_test(a_voice_is_given_what_happened),
        cmocka_unit_test(what_the_hub_has_no_word_for_reaches_a_voice),
        cmocka_unit_test(a_voice_that_comes_late_reads_for_itself),
        cmocka_unit_test(a_voice_hears_of_a_reset),
        cmocka_unit_test(what_is_kept_for_voices_counts),
        cmocka_unit_test(random_listeners_miss_nothing),
    };

    return cmocka_run_group_tests_name("hub", tests, NULL, NULL);
}
