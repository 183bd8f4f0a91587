/* Turns that ask, and wait for whoever answers. */
#include "desk.h"

#include "message/message_in.h"
#include "message/part.h"

#include <stdatomic.h>
#include <stdlib.h>

#define ASK(tool, id) \
    "{\"ask\":{\"tool\":\"" tool "\",\"arguments\":{\"command\":\"ls\"},\"id\":\"" id "\"}}"
#define AFTER "{\"say\":{\"text\":\"after\"}}"

static void settings_set(struct desk *desk, struct str session, const char *text)
{
    struct str settings = str_of(text);
    struct update_spec spec = {
        .owner = desk->talk.rig.owner, .session = session, .settings = &settings};
    struct session out;

    CHECK_OK(
        engine_update(desk->talk.rig.engine, &spec, &desk->talk.arena, &out, &desk->talk.fault),
        &desk->talk.fault);
}

static const char *settings_of(struct desk *desk, struct str session)
{
    return arena_dup(&desk->talk.arena, talk_session(&desk->talk, session).settings).p;
}

static void asking_desk(struct desk *desk, const char *script, const char *settings)
{
    desk_open(desk, script, 0);
    settings_set(desk, desk->session, settings);
}

static void go(struct desk *desk, struct str session, int who)
{
    struct turn_begun begun;

    CHECK_OK(desk_send(desk, session, "go", who, TURN_REFUSE, &begun), &desk->talk.fault);
}

static bool asked(struct desk *desk, struct str session, struct question *out)
{
    return turns_asked(desk->turns, desk->talk.rig.owner, session, &desk->talk.arena, out);
}

/* Until the turn waits, durably. */
static struct question wait_for_ask(struct desk *desk, struct str session, const char *id)
{
    struct question question;

    for (int i = 0; i < 2000; i++) {
        if (asked(desk, session, &question) && str_eq(question.id, str_of(id)) &&
            talk_session(&desk->talk, session).turn_state == RUN_WAITING)
            return question;
        pause_ms(5);
    }
    fail_msg("nothing asks \"%s\"", id);
    abort();
}

static enum fault_code answer(struct desk *desk, struct str session, const char *id,
                              enum answer_verdict verdict, const char *text)
{
    struct question_answer given = {verdict, str_of(text)};

    return turns_answer(desk->turns, desk->talk.rig.owner, session, str_of(id), &given,
                        &desk->talk.fault);
}

/* The body of message number i of the session. */
static const char *body(struct desk *desk, struct str session, size_t i)
{
    struct gathered got = talk_history(&desk->talk, session, false);

    assert_true(i < got.count);
    return arena_dup(&desk->talk.arena, got.entries[i].body).p;
}

static void has(const char *text, const char *piece)
{
    if (!strstr(text, piece))
        fail_msg("\"%s\" is not in: %s", piece, text);
}

/* ---- tests ---- */

static void a_yes_lets_it_run(void **state)
{
    struct question question;
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[" ASK("bash", "c1") "," AFTER "]]", "{\"agent\":{\"asks\":true}}");
    go(&desk, desk.session, 0);
    question = wait_for_ask(&desk, desk.session, "c1");
    assert_int_equal(question.kind, ASK_TOOL);
    CHECK_STR(question.name, "bash");
    CHECK_STR(question.arguments, "{\"command\":\"ls\"}");
    assert_true(question.text.n > 0);
    assert_int_equal(answer(&desk, desk.session, "other", ANSWER_YES, ""), FAULT_NO_TURN);
    CHECK_OK(answer(&desk, desk.session, "c1", ANSWER_YES, ""), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_DONE);
    assert_int_equal(desk_state(&desk), RUN_DONE);
    has(body(&desk, desk.session, 1), "tool_call");
    has(body(&desk, desk.session, 2), "\"ran\"");
    has(body(&desk, desk.session, 3), "after");
    assert_string_equal(settings_of(&desk, desk.session), "{\"agent\":{\"asks\":true}}");
    assert_int_equal(answer(&desk, desk.session, "c1", ANSWER_YES, ""), FAULT_NO_TURN);
    assert_int_equal(answer(&desk, STR("nowhere"), "", ANSWER_YES, ""), FAULT_SESSION_NOT_FOUND);
    desk_close(&desk);
}

static void a_no_is_a_result(void **state)
{
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[" ASK("bash", "c1") "," ASK("bash", "c2") "," AFTER "]]",
                "{\"agent\":{\"ask\":[\"ba*\"]}}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "c1");
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_NO, "too dangerous"), &desk.talk.fault);
    wait_for_ask(&desk, desk.session, "c2");
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_NO, ""), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_DONE);
    has(body(&desk, desk.session, 2), "the user said no: too dangerous");
    has(body(&desk, desk.session, 2), "\"error\":true");
    has(body(&desk, desk.session, 4), "\"the user said no\"");
    has(body(&desk, desk.session, 5), "after");
    talk_verify(&desk.talk);
    desk_close(&desk);
}

static void a_yes_for_the_tool_is_kept(void **state)
{
    struct fork_result fork;
    struct desk desk;

    (void)state;
    asking_desk(&desk,
                "[[" ASK("bash", "c1") "," ASK("bash", "c2") "," ASK("write_file", "c3") "]]",
                "{\"other\":{\"a\": 1},\"agent\":{\"asks\":true,\"allow\":[\"x\"]}}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "c1");
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_YES_TOOL, ""), &desk.talk.fault);
    assert_string_equal(
        settings_of(&desk, desk.session),
        "{\"other\":{\"a\": 1},\"agent\":{\"allow\":[\"x\",\"bash\"],\"asks\":true}}");
    wait_for_ask(&desk, desk.session, "c3"); /* c2 was not asked */
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_YES_SESSION, ""), &desk.talk.fault);
    desk_wait(&desk, 1);
    has(settings_of(&desk, desk.session), "\"approved\":true");
    go(&desk, desk.session, 1); /* nothing is asked any more … */
    desk_wait(&desk, 2);
    fork = talk_fork(&desk.talk, desk.session, at_end());
    go(&desk, fork.session.id, 2); /* … nor in a fork */
    desk_wait(&desk, 3);
    assert_int_equal(desk.ends.states[2], RUN_DONE);
    desk_close(&desk);
}

static void the_settings_decide_before_anybody_is_asked(void **state)
{
    struct desk desk;

    (void)state;
    asking_desk(&desk,
                "[[" ASK("bash", "c1") "," ASK("grep", "c2") ",{\"ask\":{\"tool\":\"look\","
                                                             "\"reads\":true}}]]",
                "{\"agent\":{\"asks\":true,\"approved\":false,\"allow\":[\"bash\",\"grep\"],"
                "\"deny\":[\"bash\"]}}");
    go(&desk, desk.session, 0);
    desk_wait(&desk, 1);
    has(body(&desk, desk.session, 2), "not allowed in this session");
    has(body(&desk, desk.session, 4), "\"ran\"");
    has(body(&desk, desk.session, 6), "\"ran\"");
    desk_close(&desk);
}

/* Somebody allows it for the session while the turn already runs. */
static void settings_that_change_meanwhile_count(void **state)
{
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[{\"sleep_ms\":150}," ASK("bash", "c1") "]]",
                "{\"agent\":{\"asks\":true}}");
    go(&desk, desk.session, 0);
    settings_set(&desk, desk.session, "{\"agent\":{\"asks\":true,\"approved\":true}}");
    desk_wait(&desk, 1);
    has(body(&desk, desk.session, 2), "\"ran\"");
    desk_close(&desk);
}

static void a_question_gets_its_answer(void **state)
{
    struct question question;
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[{\"question\":\"which colour?\"},{\"question\":\"why?\"}]]", "{}");
    go(&desk, desk.session, 0);
    question = wait_for_ask(&desk, desk.session, "q1");
    assert_int_equal(question.kind, ASK_INPUT);
    CHECK_STR(question.text, "which colour?");
    assert_int_equal(question.name.n, 0);
    CHECK_OK(answer(&desk, desk.session, "q1", ANSWER_YES_SESSION, "blue"), &desk.talk.fault);
    wait_for_ask(&desk, desk.session, "q2");
    CHECK_OK(answer(&desk, desk.session, "q2", ANSWER_NO, "none of your business"),
             &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_string_equal(desk_said(&desk, desk.session), "go blue no answer: none of your business");
    assert_string_equal(settings_of(&desk, desk.session), "{}");
    desk_close(&desk);
}

static void an_answer_has_a_limit(void **state)
{
    static char large[LIMIT_ANSWER_BYTES + 2];
    struct desk desk;

    (void)state;
    memset(large, 'x', sizeof(large) - 1);
    asking_desk(&desk, "[[{\"question\":\"?\"}]]", "{}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "q1");
    assert_int_equal(answer(&desk, desk.session, "", ANSWER_YES, large), FAULT_TOO_LARGE);
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_YES, large + 1), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(strlen(desk_said(&desk, desk.session)), 3 + LIMIT_ANSWER_BYTES);
    desk_close(&desk);
}

static void a_cancel_ends_the_waiting(void **state)
{
    struct gathered got;
    struct question question;
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[" ASK("bash", "c1") "," AFTER "]]", "{\"agent\":{\"asks\":true}}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "c1");
    CHECK_OK(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, STR_NONE, &desk.talk.fault),
        &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_CANCELLED);
    assert_int_equal(desk_state(&desk), RUN_CANCELLED);
    assert_false(asked(&desk, desk.session, &question));
    assert_int_equal(answer(&desk, desk.session, "", ANSWER_YES, ""), FAULT_NO_TURN);
    got = talk_history(&desk.talk, desk.session, false);
    assert_int_equal(got.count, 3); /* the call has a result */
    assert_int_equal(got.entries[2].role, ROLE_TOOL);
    assert_true(got.entries[2].flags & ENTRY_INTERRUPTED);
    talk_verify(&desk.talk);
    desk_close(&desk);
}

static void stopping_ends_the_waiting(void **state)
{
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[" ASK("bash", "c1") "]]", "{\"agent\":{\"asks\":true}}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "c1");
    assert_true(turns_close(desk.turns, 5000));
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_FAILED);
    has(desk.ends.reasons[0], "interrupted");
    assert_int_equal(desk_state(&desk), RUN_FAILED);
    desk_turns(&desk, 0);
    desk_close(&desk);
}

/* A turn whose process died while it waited. */
static void a_waiting_turn_left_behind_is_ended(void **state)
{
    struct append_result result;
    struct append_spec spec;
    struct entry_spec entry;
    struct desk desk;
    struct run run;

    (void)state;
    asking_desk(&desk, "[[{\"echo\":true}]]", "{}");
    entry = message_of_text(ROLE_USER, STR("question"), &desk.talk.arena);
    entry.turn_rule = TURN_NAMED;
    entry.turn = STR("left");
    spec = (struct append_spec){.owner = desk.talk.rig.owner,
                                .session = desk.session,
                                .run = {.act = RUN_BEGIN,
                                        .turn = STR("left"),
                                        .state = RUN_RUNNING,
                                        .holder = STR("00112233445566778899aabbccddeeff")}};
    CHECK_OK(engine_append(desk.talk.rig.engine, &spec, &entry, 1, &desk.talk.arena, &result,
                           &desk.talk.fault),
             &desk.talk.fault);
    spec.run = (struct run_step){.act = RUN_GO_ON, .turn = STR("left"), .state = RUN_WAITING};
    CHECK_OK(engine_append(desk.talk.rig.engine, &spec, NULL, 0, &desk.talk.arena, &result,
                           &desk.talk.fault),
             &desk.talk.fault);
    assert_int_equal(desk_state(&desk), RUN_WAITING);
    assert_int_equal(answer(&desk, desk.session, "", ANSWER_YES, ""), FAULT_NO_TURN);
    CHECK_OK(turns_recover(desk.turns, &desk.talk.fault), &desk.talk.fault);
    CHECK_OK(store_run_get(desk.talk.rig.store, desk.talk.rig.owner, desk.session, &desk.talk.arena,
                           &run, &desk.talk.fault),
             &desk.talk.fault);
    assert_int_equal(run.state, RUN_FAILED);
    assert_true(str_starts(run.reason, STR("interrupted")));
    go(&desk, desk.session, 0);
    desk_wait(&desk, 1);
    desk_close(&desk);
}

/* One that waits takes no place among those that run, and all come to their end. */
static void others_run_meanwhile(void **state)
{
    struct turns_counts counts;
    struct str sessions[4];
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"question\":\"?\"},{\"echo\":true}],[{\"echo\":true}]]", 1);
    for (int i = 0; i < 4; i++) {
        sessions[i] = desk_session(&desk);
        go(&desk, sessions[i], i);
    }
    for (int i = 0; i < 4; i++)
        wait_for_ask(&desk, sessions[i], "q1");
    turns_count(desk.turns, &counts);
    assert_int_equal(counts.waiting, 4);
    assert_int_equal(counts.running, 0);
    for (int i = 0; i < 4; i++)
        CHECK_OK(answer(&desk, sessions[i], "", ANSWER_YES, "so"), &desk.talk.fault);
    desk_wait(&desk, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(desk_said(&desk, sessions[i]), "go so go");
    go(&desk, sessions[0], 4);
    desk_wait(&desk, 5);
    desk_close(&desk);
}

static void who_comes_late_is_told_what_is_asked(void **state)
{
    struct turn_piece pieces[TURN_PIECES];
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[{\"delta\":\"hm\"},{\"question\":\"which?\"}]]", "{}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "q1");
    assert_int_equal(turns_so_far(desk.turns, OWNER_ANY, desk.session, &desk.talk.arena, pieces),
                     2);
    assert_int_equal(pieces[0].delta.kind, DELTA_TEXT);
    assert_int_equal(pieces[1].delta.kind, DELTA_ASK);
    CHECK_STR(pieces[1].delta.id, "q1");
    CHECK_STR(pieces[1].delta.text, "which?");
    CHECK_OK(answer(&desk, desk.session, "", ANSWER_YES, "this"), &desk.talk.fault);
    desk_wait(&desk, 1);
    desk_close(&desk);
}

/* ---- who is told ---- */

struct hearing {
    struct ticket ticket; /* first: of desk_ended */
    struct desk *desk;
    atomic_int asks;
    enum fault_code code;
};

/* Answers at once, on the turn's own thread. */
static void hear(void *context, const struct question *question)
{
    struct hearing *hearing = context;
    struct question_answer given = {ANSWER_YES, STR("heard")};
    struct fault fault;

    assert_int_equal(talk_session(&hearing->desk->talk, hearing->desk->session).turn_state,
                     RUN_WAITING);
    if (atomic_fetch_add(&hearing->asks, 1) == 0)
        hearing->code = turns_answer(hearing->desk->turns, hearing->desk->talk.rig.owner,
                                     hearing->desk->session, question->id, &given, &fault);
}

static void who_sent_is_called(void **state)
{
    struct hearing hearing = {.code = FAULT_INTERNAL};
    struct turn_begun begun;
    struct entry_spec entry;
    struct turn_cmd cmd;
    struct desk desk;

    (void)state;
    asking_desk(&desk, "[[{\"question\":\"?\"}]]", "{}");
    entry = message_of_text(ROLE_USER, STR("go"), &desk.talk.arena);
    cmd = (struct turn_cmd){.owner = desk.talk.rig.owner,
                            .session = desk.session,
                            .entries = &entry,
                            .count = 1,
                            .asked = hear};
    hearing.desk = &desk;
    hearing.ticket = (struct ticket){&desk.ends, 0};
    {
        struct arena arena;
        struct fault fault;

        arena_init(&arena); /* the desk's is used on the turn's thread */
        CHECK_OK(turns_send(desk.turns, &cmd, &arena, &begun, desk_ended, &hearing, &fault),
                 &fault);
        arena_clear(&arena);
    }
    desk_wait(&desk, 1);
    assert_int_equal(atomic_load(&hearing.asks), 1);
    assert_int_equal(hearing.code, FAULT_OK);
    assert_string_equal(desk_said(&desk, desk.session), "go heard");
    desk_close(&desk);
}

/* ---- many at once ---- */

struct rival {
    struct desk *desk;
    pthread_t thread;
    enum fault_code code;
};

static void *answer_too(void *context)
{
    struct rival *rival = context;
    struct question_answer given = {ANSWER_YES_TOOL, STR_NONE};
    struct fault fault;

    rival->code = turns_answer(rival->desk->turns, rival->desk->talk.rig.owner,
                               rival->desk->session, STR_NONE, &given, &fault);
    return NULL;
}

/* Changes another member of the settings, as a dialect does. */
static void *change_settings(void *context)
{
    struct rival *rival = context;
    struct engine *engine = rival->desk->talk.rig.engine;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    for (int i = 0; i < 20; i++) {
        struct update_spec spec = {.owner = rival->desk->talk.rig.owner,
                                   .session = rival->desk->session};
        struct session session;
        struct str settings;

        rival->code = store_session_get(engine_store(engine), spec.owner, spec.session, false,
                                        &arena, &session, &fault);
        settings = arena_printf(&arena, "{\"x\":%d,%s", i, strstr(session.settings.p, "\"agent\""));
        spec.settings = &settings;
        spec.expect_settings = &session.settings;
        if (!rival->code)
            rival->code = engine_update(engine, &spec, &arena, &session, &fault);
        if (rival->code == FAULT_HEAD_MOVED)
            i--;
        else if (rival->code)
            break;
    }
    arena_clear(&arena);
    return NULL;
}

static void one_answer_counts(void **state)
{
    struct rival rivals[5];
    struct desk desk;
    int given = 0;

    (void)state;
    asking_desk(&desk, "[[" ASK("bash", "c1") "]]", "{\"x\":0,\"agent\":{\"asks\":true}}");
    go(&desk, desk.session, 0);
    wait_for_ask(&desk, desk.session, "c1");
    for (int i = 0; i < 5; i++) {
        rivals[i].desk = &desk;
        assert_int_equal(pthread_create(&rivals[i].thread, NULL,
                                        i == 4 ? change_settings : answer_too, &rivals[i]),
                         0);
    }
    for (int i = 0; i < 5; i++)
        pthread_join(rivals[i].thread, NULL);
    for (int i = 0; i < 4; i++) {
        given += rivals[i].code == FAULT_OK;
        assert_true(rivals[i].code == FAULT_OK || rivals[i].code == FAULT_NO_TURN);
    }
    assert_int_equal(given, 1);
    assert_int_equal(rivals[4].code, FAULT_OK);
    desk_wait(&desk, 1);
    assert_string_equal(settings_of(&desk, desk.session),
                        "{\"x\":19,\"agent\":{\"allow\":[\"bash\"],\"asks\":true}}");
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_yes_lets_it_run),
        cmocka_unit_test(a_no_is_a_result),
        cmocka_unit_test(a_yes_for_the_tool_is_kept),
        cmocka_unit_test(the_settings_decide_before_anybody_is_asked),
        cmocka_unit_test(settings_that_change_meanwhile_count),
        cmocka_unit_test(a_question_gets_its_answer),
        cmocka_unit_test(an_answer_has_a_limit),
        cmocka_unit_test(a_cancel_ends_the_waiting),
        cmocka_unit_test(stopping_ends_the_waiting),
        cmocka_unit_test(a_waiting_turn_left_behind_is_ended),
        cmocka_unit_test(others_run_meanwhile),
        cmocka_unit_test(who_comes_late_is_told_what_is_asked),
        cmocka_unit_test(who_sent_is_called),
        cmocka_unit_test(one_answer_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
