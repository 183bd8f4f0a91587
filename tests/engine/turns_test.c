/* Turns that tine runs: one at a time, in order, and ended whatever happens. */
#include "desk.h"

#include "engine/turn.h"
#include "message/message_in.h"
#include "message/part.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- tests ---- */

static void a_turn_is_answered(void **state)
{
    struct turn_begun begun;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "hello", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_DONE);
    assert_int_equal(desk_state(&desk), RUN_DONE);
    assert_int_equal(talk_history(&desk.talk, desk.session, false).count, 2);
    assert_true(str_eq(talk_history(&desk.talk, desk.session, false).entries[1].turn, begun.turn));
    desk_close(&desk);
}

static void a_failure_is_told_with_its_reason(void **state)
{
    struct turn_begun begun;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"half a \"},{\"fail\":\"no luck\"}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "hello", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_FAILED);
    assert_non_null(strstr(desk.ends.reasons[0], "no luck"));
    assert_int_equal(desk_state(&desk), RUN_FAILED);
    /* what was said is kept, and marked */
    assert_int_equal(talk_history(&desk.talk, desk.session, false).count, 2);
    assert_true(talk_history(&desk.talk, desk.session, false).entries[1].flags & ENTRY_INTERRUPTED);
    desk_close(&desk);
}

static void a_second_send_is_refused_or_waits(void **state)
{
    struct turn_begun begun;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"sleep_ms\":200},{\"echo\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "one", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    assert_int_equal(desk_send(&desk, desk.session, "no", 9, TURN_REFUSE, &begun),
                     FAULT_TURN_RUNNING);
    for (int i = 1; i <= 3; i++) {
        CHECK_OK(desk_send(&desk, desk.session, i == 1 ? "two" : "more", i, TURN_WAIT, &begun),
                 &desk.talk.fault);
        assert_true(begun.queued);
    }
    assert_int_equal(desk_send(&desk, desk.session, "no", 9, TURN_WAIT, &begun), FAULT_TOO_MANY);
    desk_wait(&desk, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(desk.ends.who[i], i);
        assert_int_equal(desk.ends.states[i], RUN_DONE);
    }
    assert_string_equal(desk_said(&desk, desk.session), "one one two two more more more more");
    desk_close(&desk);
}

static void a_cancel_keeps_what_was_said(void **state)
{
    struct turn_begun begun;
    struct desk desk;
    struct gathered got;

    (void)state;
    desk_open(&desk,
              "[[{\"say\":{\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"n\","
              "\"arguments\":{}}]}},{\"delta\":\"I was ab\"},{\"wait\":true}]]",
              0);
    CHECK_OK(desk_send(&desk, desk.session, "go", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    CHECK_OK(desk_send(&desk, desk.session, "later", 1, TURN_WAIT, &begun), &desk.talk.fault);
    pause_ms(100);
    CHECK_OK(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, STR_NONE, &desk.talk.fault),
        &desk.talk.fault);
    desk_wait(&desk, 2);
    assert_int_equal(desk.ends.states[0], RUN_CANCELLED);
    assert_int_equal(desk.ends.states[1], RUN_CANCELLED);
    assert_int_equal(desk_state(&desk), RUN_CANCELLED);
    got = talk_history(&desk.talk, desk.session, false);
    assert_int_equal(got.count, 4); /* question, call, its result, what was being said */
    assert_int_equal(got.entries[2].role, ROLE_TOOL);
    assert_true(got.entries[2].flags & ENTRY_INTERRUPTED);
    assert_true(got.entries[3].flags & ENTRY_INTERRUPTED);
    assert_int_equal(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, STR_NONE, &desk.talk.fault),
        FAULT_NO_TURN);
    talk_verify(&desk.talk);
    desk_close(&desk);
}

/* Between looking and stopping another turn may have begun, which nobody meant. */
static void a_cancel_with_a_name_stops_that_turn_alone(void **state)
{
    struct turn_begun first, later;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"wait\":true}],[{\"echo\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "go", 0, TURN_REFUSE, &first), &desk.talk.fault);
    CHECK_OK(desk_send(&desk, desk.session, "later", 1, TURN_WAIT, &later), &desk.talk.fault);
    CHECK_FAULT(turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, STR("another"),
                             &desk.talk.fault),
                FAULT_NO_TURN, &desk.talk.fault);
    CHECK_FAULT(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, later.turn, &desk.talk.fault),
        FAULT_NO_TURN, &desk.talk.fault);
    pause_ms(100);
    assert_int_equal(desk_state(&desk), RUN_RUNNING);
    CHECK_OK(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, first.turn, &desk.talk.fault),
        &desk.talk.fault);
    desk_wait(&desk, 2);
    assert_int_equal(desk.ends.states[0], RUN_CANCELLED);
    assert_int_equal(desk.ends.states[1], RUN_DONE);
    assert_string_equal(desk_said(&desk, desk.session), "go later later");
    CHECK_FAULT(
        turns_cancel(desk.turns, desk.talk.rig.owner, desk.session, first.turn, &desk.talk.fault),
        FAULT_NO_TURN, &desk.talk.fault);
    desk_close(&desk);
}

static void turns_beyond_the_limit_wait_for_a_thread(void **state)
{
    struct str sessions[6];
    struct turn_begun begun;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"sleep_ms\":50},{\"echo\":true}]]", 2);
    for (int i = 0; i < 6; i++) {
        sessions[i] = desk_session(&desk);
        CHECK_OK(desk_send(&desk, sessions[i], "hi", i, TURN_REFUSE, &begun), &desk.talk.fault);
    }
    desk_wait(&desk, 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(desk_said(&desk, sessions[i]), "hi hi");
    desk_close(&desk);
}

/* A turn whose process died: its row is there, with a holder that nobody is. */
static void a_turn_left_behind_is_ended(void **state)
{
    struct entry_spec entry;
    struct append_spec spec;
    struct append_result result;
    struct gathered got;
    struct run run;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]", 0);
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
    CHECK_OK(store_run_draft(desk.talk.rig.store, desk.talk.rig.owner, desk.session, STR("left"),
                             STR("{\"parts\":[{\"type\":\"text\",\"text\":\"I was\"}]}"),
                             &desk.talk.fault),
             &desk.talk.fault);
    CHECK_OK(turns_recover(desk.turns, &desk.talk.fault), &desk.talk.fault);
    got = talk_history(&desk.talk, desk.session, false);
    assert_int_equal(got.count, 2);
    assert_true(got.entries[1].flags & ENTRY_INTERRUPTED);
    CHECK_OK(store_run_get(desk.talk.rig.store, desk.talk.rig.owner, desk.session, &desk.talk.arena,
                           &run, &desk.talk.fault),
             &desk.talk.fault);
    assert_int_equal(run.state, RUN_FAILED);
    assert_true(str_starts(run.reason, STR("interrupted")));
    desk_close(&desk);
}

/* A directory with more in it than a snapshot takes: the turn runs, and is not said to be done. */
static void files_that_cannot_be_recorded_fail_the_turn(void **state)
{
    struct workspaces_options options = {.limits = {.entries = 3}};
    struct turn_begun begun;
    struct session session;
    struct desk desk;
    struct str dir;
    struct run run;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]", 0);
    CHECK_OK(store_session_get(desk.talk.rig.store, desk.talk.rig.owner, desk.session, false,
                               &desk.talk.arena, &session, &desk.talk.fault),
             &desk.talk.fault);
    CHECK_OK(workspaces_dir(desk.workspaces, &session, &desk.talk.arena, &dir, &desk.talk.fault),
             &desk.talk.fault);
    for (int i = 0; i < 9; i++)
        assert_int_equal(mkdir(arena_printf(&desk.talk.arena, "%s/%d", dir.p, i).p, 0755), 0);
    assert_true(turns_close(desk.turns, 5000));
    workspaces_close(desk.workspaces);
    options.engine = desk.talk.rig.engine;
    options.home = desk.talk.rig.directory;
    CHECK_OK(workspaces_open(&options, &desk.workspaces, &desk.talk.fault), &desk.talk.fault);
    desk_turns(&desk, 0);
    CHECK_OK(desk_send(&desk, desk.session, "hello", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    desk_wait(&desk, 1);
    assert_int_equal(desk.ends.states[0], RUN_FAILED);
    assert_non_null(strstr(desk.ends.reasons[0], "files"));
    CHECK_OK(store_run_get(desk.talk.rig.store, desk.talk.rig.owner, desk.session, &desk.talk.arena,
                           &run, &desk.talk.fault),
             &desk.talk.fault);
    assert_int_equal(run.state, RUN_FAILED);
    assert_true(str_starts(run.reason, STR("the files could not be recorded")));
    assert_int_equal(talk_history(&desk.talk, desk.session, false).count,
                     2); /* what was said stays */
    desk_close(&desk);
}

static void closing_ends_what_runs(void **state)
{
    struct turn_begun begun;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"delta\":\"so far\"},{\"wait\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "one", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    CHECK_OK(desk_send(&desk, desk.session, "two", 1, TURN_WAIT, &begun), &desk.talk.fault);
    pause_ms(50);
    assert_true(turns_close(desk.turns, 5000));
    desk_wait(&desk, 2);
    assert_int_equal(desk_state(&desk), RUN_FAILED);
    assert_int_equal(talk_history(&desk.talk, desk.session, false).count, 2);
    desk_turns(&desk, 0);
    desk_close(&desk);
}

static void a_repeated_send_joins_its_turn(void **state)
{
    struct once once = {.key = STR("k")}, again;
    struct entry_spec entry;
    struct turn_cmd cmd;
    struct turn_begun first, second, third;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"sleep_ms\":150},{\"echo\":true}]]", 0);
    once.owner = desk.talk.rig.owner;
    entry = message_of_text(ROLE_USER, STR("hi"), &desk.talk.arena);
    cmd = (struct turn_cmd){.owner = desk.talk.rig.owner,
                            .session = desk.session,
                            .entries = &entry,
                            .count = 1,
                            .once = &once};
    for (int i = 0; i < 3; i++)
        desk.tickets[i] = (struct ticket){&desk.ends, i};
    CHECK_OK(turns_send(desk.turns, &cmd, &desk.talk.arena, &first, desk_ended, &desk.tickets[0],
                        &desk.talk.fault),
             &desk.talk.fault);
    again = (struct once){.owner = once.owner, .key = once.key};
    cmd.once = &again;
    CHECK_OK(turns_send(desk.turns, &cmd, &desk.talk.arena, &second, desk_ended, &desk.tickets[1],
                        &desk.talk.fault),
             &desk.talk.fault);
    assert_true(second.joined && !second.over && str_eq(first.turn, second.turn));
    desk_wait(&desk, 2);
    again = (struct once){.owner = once.owner, .key = once.key};
    CHECK_OK(turns_send(desk.turns, &cmd, &desk.talk.arena, &third, desk_ended, &desk.tickets[2],
                        &desk.talk.fault),
             &desk.talk.fault);
    assert_true(third.joined && third.over && str_eq(first.turn, third.turn));
    assert_string_equal(desk_said(&desk, desk.session), "hi hi");
    desk_close(&desk);
}

static void count_end(void *context, enum run_state state, const struct fault *fault)
{
    (void)fault;
    assert_int_equal(state, RUN_CANCELLED);
    atomic_fetch_add((atomic_int *)context, 1);
}

/* Who joined is known until the turn ends, so there is a limit to how many may. */
static void a_turn_is_joined_so_many_times(void **state)
{
    struct turn_begun begun, joined;
    atomic_int ends = 0;
    struct turn_watch_cmd cmd;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"wait\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "hi", 0, TURN_REFUSE, &begun), &desk.talk.fault);
    cmd = (struct turn_watch_cmd){.owner = desk.talk.rig.owner,
                                  .session = desk.session,
                                  .turn = begun.turn,
                                  .done = count_end,
                                  .context = &ends};
    for (int i = 0; i < TURN_WATCHERS_MAX; i++)
        CHECK_OK(turns_join(desk.turns, &cmd, &desk.talk.arena, &joined, &desk.talk.fault),
                 &desk.talk.fault);
    assert_true(joined.joined && !joined.over);
    assert_int_equal(turns_join(desk.turns, &cmd, &desk.talk.arena, &joined, &desk.talk.fault),
                     FAULT_TOO_MANY);
    CHECK_OK(turns_cancel(desk.turns, cmd.owner, cmd.session, STR_NONE, &desk.talk.fault),
             &desk.talk.fault);
    desk_wait(&desk, 1);
    for (int i = 0; i < 1000 && ends < TURN_WATCHERS_MAX; i++)
        pause_ms(5);
    assert_int_equal(ends, TURN_WATCHERS_MAX);
    desk_close(&desk);
}

/* A key counts also while its request waits, and after it was carried out. */
static void a_send_that_waits_is_carried_out_once(void **state)
{
    struct once keys[4] = {0};
    struct entry_spec entries[4];
    struct turn_begun begun[4], first;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"sleep_ms\":200},{\"echo\":true}],[{\"echo\":true}]]", 0);
    CHECK_OK(desk_send(&desk, desk.session, "one", 0, TURN_REFUSE, &first), &desk.talk.fault);
    for (int i = 0; i < 4; i++) {
        struct turn_cmd cmd = {.owner = desk.talk.rig.owner,
                               .session = desk.session,
                               .entries = &entries[i],
                               .count = 1,
                               .once = &keys[i],
                               .busy = TURN_WAIT};
        enum fault_code code;

        keys[i] = (struct once){.owner = desk.talk.rig.owner, .key = STR("pay")};
        keys[i].request[0] = i == 2; /* another request */
        entries[i] = message_of_text(ROLE_USER, STR("pay"), &desk.talk.arena);
        desk.tickets[i + 1] = (struct ticket){&desk.ends, i + 1};
        if (i == 3)
            desk_wait(&desk, 3);
        code = turns_send(desk.turns, &cmd, &desk.talk.arena, &begun[i], desk_ended,
                          &desk.tickets[i + 1], &desk.talk.fault);
        assert_int_equal(code, i == 2 ? FAULT_KEY_REUSED : FAULT_OK);
    }
    assert_true(begun[0].queued && !begun[0].joined);
    assert_true(begun[1].queued && begun[1].joined);
    assert_true(begun[3].joined && begun[3].over);
    assert_true(str_eq(begun[0].turn, begun[1].turn) && str_eq(begun[0].turn, begun[3].turn));
    assert_string_equal(desk_said(&desk, desk.session), "one one pay pay");
    desk_close(&desk);
}

static void a_message_sent_again_joins_its_turn(void **state)
{
    struct entry_spec entry;
    struct turn_cmd cmd;
    struct turn_begun first, second;
    struct desk desk;

    (void)state;
    desk_open(&desk, "[[{\"echo\":true}]]", 0);
    entry = message_of_text(ROLE_USER, STR("hi"), &desk.talk.arena);
    entry.id = STR("mine");
    cmd = (struct turn_cmd){
        .owner = desk.talk.rig.owner, .session = desk.session, .entries = &entry, .count = 1};
    desk.tickets[0] = (struct ticket){&desk.ends, 0};
    CHECK_OK(turns_send(desk.turns, &cmd, &desk.talk.arena, &first, desk_ended, &desk.tickets[0],
                        &desk.talk.fault),
             &desk.talk.fault);
    desk_wait(&desk, 1);
    entry = message_of_text(ROLE_USER, STR("hi"), &desk.talk.arena);
    entry.id = STR("mine");
    CHECK_OK(turns_send(desk.turns, &cmd, &desk.talk.arena, &second, desk_ended, &desk.tickets[0],
                        &desk.talk.fault),
             &desk.talk.fault);
    assert_true(second.joined && second.over && str_eq(first.turn, second.turn));
    entry = message_of_text(ROLE_USER, STR("other bytes"), &desk.talk.arena);
    entry.id = STR("mine");
    assert_int_equal(turns_send(desk.turns, &cmd, &desk.talk.arena, &second, desk_ended,
                                &desk.tickets[0], &desk.talk.fault),
                     FAULT_ID_TAKEN);
    assert_string_equal(desk_said(&desk, desk.session), "hi hi");
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_answered),
        cmocka_unit_test(a_failure_is_told_with_its_reason),
        cmocka_unit_test(a_second_send_is_refused_or_waits),
        cmocka_unit_test(a_cancel_keeps_what_was_said),
        cmocka_unit_test(a_cancel_with_a_name_stops_that_turn_alone),
        cmocka_unit_test(turns_beyond_the_limit_wait_for_a_thread),
        cmocka_unit_test(a_turn_left_behind_is_ended),
        cmocka_unit_test(files_that_cannot_be_recorded_fail_the_turn),
        cmocka_unit_test(closing_ends_what_runs),
        cmocka_unit_test(a_repeated_send_joins_its_turn),
        cmocka_unit_test(a_turn_is_joined_so_many_times),
        cmocka_unit_test(a_message_sent_again_joins_its_turn),
        cmocka_unit_test(a_send_that_waits_is_carried_out_once),
    };

    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
