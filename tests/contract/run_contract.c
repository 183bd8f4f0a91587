/* Turns that tine runs: one at a time in a session, each step in the transaction of its entries. */
#include "contract.h"

#include "store/limits.h"

/* A step of a turn with one message, or with none when `text` is NULL. */
static enum fault_code step(struct talk *t, struct str session, struct run_step run,
                            const char *text, struct append_result *out)
{
    struct append_spec spec = {.owner = t->rig.owner, .session = session, .run = run};
    struct entry_spec entry =
        talk_message(t, run.act == RUN_BEGIN ? ROLE_USER : ROLE_ASSISTANT, text ? text : "");

    entry.turn_rule = TURN_NAMED;
    entry.turn = run.turn.n ? run.turn : STR("loose");
    t->rig.now_us += 1000;
    return engine_append(t->rig.engine, &spec, &entry, text ? 1 : 0, &t->arena, out, &t->fault);
}

static struct append_result must(struct talk *t, struct str session, struct run_step run,
                                 const char *text)
{
    struct append_result result;

    CHECK_OK(step(t, session, run, text, &result), &t->fault);
    return result;
}

static void must_not(struct talk *t, struct str session, struct run_step run, const char *text,
                     enum fault_code code)
{
    struct store_counts before = talk_counts(t), after;
    struct append_result result;

    CHECK_FAULT(step(t, session, run, text, &result), code, &t->fault);
    after = talk_counts(t);
    assert_memory_equal(&before, &after, sizeof(before));
}

static struct run_step begin(const char *turn)
{
    return (struct run_step){
        .act = RUN_BEGIN, .turn = str_of(turn), .state = RUN_RUNNING, .holder = STR("runner-1")};
}

static struct run_step go_on(const char *turn, enum run_state state)
{
    return (struct run_step){.act = RUN_GO_ON, .turn = str_of(turn), .state = state};
}

static struct run_step end(const char *turn, enum run_state state)
{
    return (struct run_step){.act = RUN_END, .turn = str_of(turn), .state = state};
}

static struct run run_get(struct talk *t, struct str session)
{
    struct run run;

    CHECK_OK(store_run_get(t->rig.store, t->rig.owner, session, &t->arena, &run, &t->fault),
             &t->fault);
    return run;
}

static void draft(struct talk *t, struct str session, const char *turn, const char *body)
{
    CHECK_OK(
        store_run_draft(t->rig.store, t->rig.owner, session, str_of(turn), str_of(body), &t->fault),
        &t->fault);
}

static size_t active(struct talk *t, struct run *first)
{
    struct gathered got = {.arena = &t->arena};

    CHECK_OK(store_run_active(t->rig.store, gather_run, &got, &t->fault), &t->fault);
    if (first && got.count)
        *first = got.runs[0];
    return got.count;
}

static void a_turn_begins_goes_on_and_ends(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct append_result begun, ended;
    struct gathered journal;
    struct session now;
    struct run run;

    CHECK_FAULT(store_run_get(t->rig.store, t->rig.owner, session, &t->arena, &run, &t->fault),
                FAULT_NO_TURN, &t->fault);
    assert_int_equal(talk_session(t, session).turn_state, RUN_STATE_NONE);
    CHECK_STR(talk_session(t, session).turn, "");
    begun = must(t, session,
                 (struct run_step){.act = RUN_BEGIN,
                                   .turn = STR("turn 1"),
                                   .state = RUN_QUEUED,
                                   .holder = STR("runner-1")},
                 "question");
    now = talk_session(t, session);
    CHECK_STR(now.turn, "turn 1");
    assert_int_equal(now.turn_state, RUN_QUEUED);
    must(t, session, go_on("turn 1", RUN_RUNNING), NULL);
    assert_int_equal(talk_session(t, session).turn_state, RUN_RUNNING);
    must(t, session, go_on("turn 1", RUN_WAITING), "which one?");
    must(t, session, go_on("turn 1", RUN_RUNNING), NULL);
    ended = must(t, session, end("turn 1", RUN_DONE), "answer");
    run = run_get(t, session);
    CHECK_STR(run.turn, "turn 1");
    CHECK_STR(run.holder, "runner-1");
    assert_int_equal(run.state, RUN_DONE);
    assert_int_equal(run.ended_us, t->rig.now_us);
    assert_true(run.started_us < run.ended_us);
    assert_string_equal(talk_texts(t, session), "question which one? answer");
    /* created, started, question, which one?, answer, ended */
    journal = talk_journal(t, session);
    assert_int_equal(journal.count, 6);
    assert_int_equal(journal.journal[1].note->act, NOTE_TURN_STARTED);
    CHECK_STR(journal.journal[1].note->message, "turn 1");
    assert_int_equal(journal.journal[1].e + 1, begun.entries[0].e);
    assert_int_equal(begun.entries[0].e, begun.e);
    assert_int_equal(journal.journal[5].note->act, NOTE_TURN_ENDED);
    CHECK_STR(journal.journal[5].note->message, "turn 1");
    CHECK_STR(journal.journal[5].note->now, "done");
    CHECK_STR(journal.journal[5].note->was, "");
    assert_int_equal(journal.journal[5].e, ended.e);
    assert_int_equal(ended.entries[0].e, ended.e - 1);
    /* the next one takes its place */
    must(t, session, begin("turn 2"), "again");
    must(t, session,
         (struct run_step){.act = RUN_END,
                           .turn = STR("turn 2"),
                           .state = RUN_FAILED,
                           .reason = STR("the model is gone")},
         NULL);
    run = run_get(t, session);
    CHECK_STR(run.turn, "turn 2");
    CHECK_STR(run.reason, "the model is gone");
    assert_int_equal(talk_session(t, session).turn_state, RUN_FAILED);
    assert_int_equal(talk_counts(t).runs, 1);
    journal = talk_journal(t, session);
    CHECK_STR(journal.journal[journal.count - 1].note->was, "the model is gone");
}

static void lists_and_relatives_know_the_turn(struct talk *t)
{
    struct list_spec spec = {.owner = t->rig.owner};
    struct gathered listed = {.arena = &t->arena}, family = listed;
    struct str session = talk_create(t, "T");

    must(t, session, begin("x"), "hello");
    CHECK_OK(store_session_list(t->rig.store, &spec, gather_session, &listed, &t->fault),
             &t->fault);
    assert_int_equal(listed.sessions[0].turn_state, RUN_RUNNING);
    CHECK_STR(listed.sessions[0].turn, "x");
    CHECK_OK(store_relatives(t->rig.store, t->rig.owner, session, RELATION_FAMILY, gather_session,
                             &family, &t->fault),
             &t->fault);
    assert_int_equal(family.sessions[0].turn_state, RUN_RUNNING);
}

static void others_are_refused_while_a_turn_is_active(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct str *m = talk_say_many(t, session, "m", 4);
    struct move_spec move = {.owner = t->rig.owner, .session = session, .point = before_index(1)};
    struct adopt_spec adopt = {.owner = t->rig.owner, .session = session};
    struct move_result moved;
    struct session now;

    fork = talk_fork(t, session, after_index(1)).session.id;
    talk_say(t, fork, ROLE_USER, "f");
    talk_rewind(t, session, after_index(2));
    adopt.from = fork;
    must(t, session, begin("x"), "hello");
    for (int waiting = 0; waiting < 2; waiting++) {
        must_not(t, session, (struct run_step){0}, "hey", FAULT_TURN_RUNNING);
        must_not(t, session, begin("y"), "hey", FAULT_TURN_RUNNING);
        must_not(t, session, begin("x"), "hey", FAULT_TURN_RUNNING);
        CHECK_FAULT(engine_rewind(t->rig.engine, &move, &t->arena, &moved, &t->fault),
                    FAULT_TURN_RUNNING, &t->fault);
        CHECK_FAULT(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault),
                    FAULT_TURN_RUNNING, &t->fault);
        CHECK_FAULT(engine_redo(t->rig.engine, &move, &t->arena, &moved, &t->fault),
                    FAULT_TURN_RUNNING, &t->fault);
        CHECK_FAULT(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault),
                    FAULT_TURN_RUNNING, &t->fault);
        must(t, session, go_on("x", RUN_WAITING), NULL);
    }
    /* looking and naming are free */
    move.dry_run = adopt.dry_run = true;
    CHECK_OK(engine_rewind(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault), &t->fault);
    talk_rename(t, session, "renamed");
    talk_label(t, session, m[0], "here");
    talk_fork(t, session, at_end());
    now = talk_session(t, session);
    assert_int_equal(now.turn_state, RUN_WAITING);
    /* and another session is another session */
    talk_say(t, fork, ROLE_USER, "g");
    must(t, fork, begin("x"), "h");
    must(t, session, end("x", RUN_CANCELLED), NULL);
    move.dry_run = adopt.dry_run = false;
    talk_say(t, session, ROLE_USER, "hey");
    CHECK_OK(engine_rewind(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault), &t->fault);
}

static void a_turn_that_is_over_is_not_added_to(struct talk *t)
{
    struct str session = talk_create(t, "T");

    must_not(t, session, go_on("x", RUN_RUNNING), "a", FAULT_TURN_OVER);
    must_not(t, session, end("x", RUN_DONE), NULL, FAULT_TURN_OVER);
    must(t, session, begin("x"), "q");
    must_not(t, session, go_on("y", RUN_RUNNING), "a", FAULT_TURN_OVER);
    must_not(t, session, end("y", RUN_DONE), NULL, FAULT_TURN_OVER);
    must(t, session, end("x", RUN_CANCELLED), NULL);
    must_not(t, session, go_on("x", RUN_RUNNING), "a", FAULT_TURN_OVER);
    must_not(t, session, end("x", RUN_DONE), "a", FAULT_TURN_OVER);
    CHECK_FAULT(store_run_draft(t->rig.store, t->rig.owner, session, STR("x"), STR("d"), &t->fault),
                FAULT_TURN_OVER, &t->fault);
    assert_string_equal(talk_texts(t, session), "q");
    assert_int_equal(talk_session(t, session).turn_state, RUN_CANCELLED);
}

static void states_follow_the_drawing(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct run_step bad = begin("x");

    bad.state = RUN_DONE;
    must_not(t, session, bad, "q", FAULT_INVALID);
    bad.state = RUN_STATE_NONE;
    must_not(t, session, bad, "q", FAULT_INVALID);
    must(t, session, begin("x"), "q");
    must_not(t, session, go_on("x", RUN_QUEUED), NULL, FAULT_INVALID);
    must_not(t, session, go_on("x", RUN_DONE), NULL, FAULT_INVALID);
    must_not(t, session, end("x", RUN_RUNNING), NULL, FAULT_INVALID);
    must(t, session, go_on("x", RUN_WAITING), NULL);
    must_not(t, session, go_on("x", RUN_QUEUED), NULL, FAULT_INVALID);
    must(t, session, end("x", RUN_DONE), NULL);
}

static void names_and_reasons_have_limits(struct talk *t)
{
    struct str session = talk_create(t, "T");
    char long_text[LIMIT_REASON_BYTES + 2];
    struct run_step run = begin("");

    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    must_not(t, session, run, "q", FAULT_INVALID);
    run = begin(long_text);
    must_not(t, session, run, "q", FAULT_TOO_LARGE);
    run = begin("a\nb");
    must_not(t, session, run, "q", FAULT_INVALID);
    run = begin("x");
    run.holder = str_of(long_text);
    must_not(t, session, run, "q", FAULT_TOO_LARGE);
    must_not(t, session, begin("x"), NULL, FAULT_INVALID); /* a turn begins with something */
    must_not(t, session, (struct run_step){0}, NULL, FAULT_INVALID);
    must(t, session, begin("x"), "q");
    run = end("x", RUN_FAILED);
    run.reason = str_of(long_text);
    must_not(t, session, run, NULL, FAULT_TOO_LARGE);
    run.reason.n = LIMIT_REASON_BYTES;
    must(t, session, run, NULL);
    assert_int_equal(run_get(t, session).reason.n, LIMIT_REASON_BYTES);
}

static void a_fork_of_a_running_session_takes_the_newest_good_place(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec call = talk_message(t, ROLE_ASSISTANT, "calling");
    struct append_spec spec = {
        .owner = t->rig.owner, .session = session, .run = go_on("x", RUN_RUNNING)};
    struct fork_spec fork = {.owner = t->rig.owner, .session = session, .point = after_index(-1)};
    struct append_result result;
    struct fork_result made;

    must(t, session, begin("x"), "question");
    made = talk_fork(t, session, at_end());
    assert_false(made.point.snapped);
    assert_string_equal(talk_texts(t, made.session.id), "question");
    assert_int_equal(made.session.turn_state, RUN_STATE_NONE); /* nothing runs in the fork */
    call.calls = 1;
    call.turn_rule = TURN_NAMED;
    call.turn = STR("x");
    CHECK_OK(engine_append(t->rig.engine, &spec, &call, 1, &t->arena, &result, &t->fault),
             &t->fault);
    made = talk_fork(t, session, at_end());
    assert_true(made.point.snapped);
    assert_string_equal(talk_texts(t, made.session.id), "question");
    /* a point that was named is not changed by itself */
    CHECK_FAULT(engine_fork(t->rig.engine, &fork, &t->arena, &made, &t->fault),
                FAULT_TOOL_CALL_OPEN, &t->fault);
    must(t, session, end("x", RUN_CANCELLED), NULL);
    assert_true(talk_fork(t, session, at_end()).point.snapped);
}

static void drafts_come_and_go(struct talk *t)
{
    struct str session = talk_create(t, "T"), huge;
    char *bytes;

    must(t, session, begin("x"), "q");
    CHECK_STR(run_get(t, session).draft, "");
    draft(t, session, "x", "one");
    draft(t, session, "x", "one two");
    CHECK_STR(run_get(t, session).draft, "one two");
    must(t, session, go_on("x", RUN_RUNNING), NULL); /* nothing was said: it stays */
    CHECK_STR(run_get(t, session).draft, "one two");
    must(t, session, go_on("x", RUN_RUNNING), "one two three"); /* it was */
    CHECK_STR(run_get(t, session).draft, "");
    draft(t, session, "x", "four");
    draft(t, session, "x", "");
    CHECK_STR(run_get(t, session).draft, "");
    draft(t, session, "x", "five");
    CHECK_FAULT(store_run_draft(t->rig.store, t->rig.owner, session, STR("y"), STR("d"), &t->fault),
                FAULT_TURN_OVER, &t->fault);
    CHECK_FAULT(
        store_run_draft(t->rig.store, t->rig.owner, STR("none"), STR("y"), STR("d"), &t->fault),
        FAULT_SESSION_NOT_FOUND, &t->fault);
    bytes = calloc(1, LIMIT_ENTRY_BYTES + 1);
    assert_non_null(bytes);
    huge = (struct str){bytes, LIMIT_ENTRY_BYTES + 1};
    CHECK_FAULT(store_run_draft(t->rig.store, t->rig.owner, session, STR("x"), huge, &t->fault),
                FAULT_TOO_LARGE, &t->fault);
    free(bytes);
    must(t, session, end("x", RUN_DONE), NULL);
    CHECK_STR(run_get(t, session).draft, "");
}

static void active_turns_are_found_again(struct talk *t)
{
    struct str a = talk_create(t, "A"), b = talk_create(t, "B"), c = talk_create(t, "C");
    struct run run;

    assert_int_equal(active(t, NULL), 0);
    must(t, a, begin("a"), "q");
    must(t, b, begin("b"), "q");
    must(t, c, begin("c"), "q");
    must(t, a, end("a", RUN_DONE), NULL);
    draft(t, b, "b", "half a sen");
    if (t->rig.kind->lasts)
        rig_reopen(&t->rig);
    assert_int_equal(active(t, &run), 2);
    CHECK_STR(run.session, b.p);
    CHECK_STR(run.turn, "b");
    CHECK_STR(run.holder, "runner-1");
    CHECK_STR(run.draft, "half a sen");
    assert_int_equal(run.owner, t->rig.owner);
    assert_int_equal(run.state, RUN_RUNNING);
    assert_int_equal(run.ended_us, 0);
    must(t, b, end("b", RUN_FAILED), NULL);
    assert_int_equal(active(t, &run), 1);
    CHECK_STR(run.session, c.p);
}

static void a_turn_goes_with_its_session(struct talk *t)
{
    struct gc_spec gc = {.now_us = t->rig.now_us + 1000000};
    struct store_counts none = {0}, left;
    struct str session = talk_create(t, "T"), fork;
    struct gc_result cleared;

    must(t, session, begin("x"), "q");
    draft(t, session, "x", "half");
    fork = talk_fork(t, session, at_end()).session.id; /* something stands on it */
    talk_delete(t, session);
    assert_int_equal(active(t, NULL), 0);
    assert_int_equal(talk_counts(t).runs, 0);
    must_not(t, session, go_on("x", RUN_RUNNING), "a", FAULT_SESSION_NOT_FOUND);
    must_not(t, session, end("x", RUN_DONE), NULL, FAULT_SESSION_NOT_FOUND);
    must(t, fork, begin("x"), "q");
    talk_delete(t, fork);
    CHECK_OK(store_gc(t->rig.store, &gc, NULL, NULL, &cleared, &t->fault), &t->fault);
    left = talk_counts(t);
    assert_memory_equal(&left, &none, sizeof(left));
}

/* The same message once more is the answer to the first, and no second turn. */
static void messages_that_are_there_begin_no_turn(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct append_spec spec = {.owner = t->rig.owner, .session = session, .run = begin("x")};
    struct entry_spec entry = talk_message(t, ROLE_USER, "q");
    struct append_result first, again;

    entry.id = STR("mine");
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &first, &t->fault),
             &t->fault);
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &again, &t->fault),
             &t->fault);
    assert_true(again.repeated);
    must(t, session, end("x", RUN_DONE), NULL);
    spec.run = begin("y");
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &again, &t->fault),
             &t->fault);
    assert_true(again.repeated);
    CHECK_STR(talk_session(t, session).turn, "x");
    assert_int_equal(talk_session(t, session).turn_state, RUN_DONE);
    /* but a turn that is running goes on, whatever is there */
    must(t, session, begin("z"), "q2");
    spec.run = end("z", RUN_DONE);
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &again, &t->fault),
             &t->fault);
    assert_true(again.repeated);
    assert_int_equal(talk_session(t, session).turn_state, RUN_DONE);
    assert_string_equal(talk_texts(t, session), "q q2");
}

static void the_entries_of_a_turn_are_read(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct gathered got = {.arena = &t->arena}, rest = got, none = got;
    struct str first;

    first = must(t, session, begin("x"), "a").entries[0].id;
    must(t, session, go_on("x", RUN_RUNNING), "b");
    must(t, session, end("x", RUN_DONE), "c");
    must(t, session, begin("y"), "d");
    must(t, session, end("y", RUN_DONE), NULL);
    talk_rewind(t, session, after_message(first));
    CHECK_OK(
        store_turn(t->rig.store, t->rig.owner, session, STR("x"), gather_entry, &got, &t->fault),
        &t->fault);
    assert_int_equal(got.count, 3); /* also what was rewound away */
    CHECK_STR(got.entries[0].id, first.p);
    CHECK_STR(got.entries[2].body, "{\"text\":\"c\"}");
    CHECK_OK(
        store_turn(t->rig.store, t->rig.owner, session, STR("y"), gather_entry, &rest, &t->fault),
        &t->fault);
    assert_int_equal(rest.count, 1);
    CHECK_FAULT(
        store_turn(t->rig.store, t->rig.owner, session, STR("z"), gather_entry, &none, &t->fault),
        FAULT_TURN_NOT_FOUND, &t->fault);
    fork = talk_fork(t, session, at_end()).session.id; /* has none of its own */
    CHECK_FAULT(
        store_turn(t->rig.store, t->rig.owner, fork, STR("x"), gather_entry, &none, &t->fault),
        FAULT_TURN_NOT_FOUND, &t->fault);
    assert_int_equal(none.count, 0);
}

static void notes_of_turns_are_exported_and_taken_in(struct talk *t)
{
    struct gathered items = {.arena = &t->arena}, journal;
    struct str session = talk_create(t, "T");
    struct replay replay = {&items, 0};
    struct talk other;

    must(t, session, begin("a turn with blanks"), "q");
    must(t, session,
         (struct run_step){.act = RUN_END,
                           .turn = STR("a turn with blanks"),
                           .state = RUN_FAILED,
                           .reason = STR("why not")},
         "a");
    CHECK_OK(store_export(t->rig.store, t->rig.owner, session, gather_item, &items, &t->fault),
             &t->fault);
    talk_open(&other, t->rig.kind, 2);
    CHECK_OK(store_import(other.rig.store, other.rig.owner, replay_item, &replay, &other.fault),
             &other.fault);
    journal = talk_journal(&other, session);
    assert_int_equal(journal.count, 5);
    assert_int_equal(journal.journal[1].note->act, NOTE_TURN_STARTED);
    CHECK_STR(journal.journal[4].note->message, "a turn with blanks");
    CHECK_STR(journal.journal[4].note->was, "why not");
    CHECK_STR(journal.journal[4].note->now, "failed");
    assert_int_equal(talk_session(&other, session).turn_state, RUN_STATE_NONE); /* it ran there */
    talk_verify(&other);
    talk_close(&other);
}

const struct contract_test run_contract[] = {
    CONTRACT(a_turn_begins_goes_on_and_ends),
    CONTRACT(lists_and_relatives_know_the_turn),
    CONTRACT(others_are_refused_while_a_turn_is_active),
    CONTRACT(a_turn_that_is_over_is_not_added_to),
    CONTRACT(states_follow_the_drawing),
    CONTRACT(names_and_reasons_have_limits),
    CONTRACT(a_fork_of_a_running_session_takes_the_newest_good_place),
    CONTRACT(drafts_come_and_go),
    CONTRACT(active_turns_are_found_again),
    CONTRACT(a_turn_goes_with_its_session),
    CONTRACT(messages_that_are_there_begin_no_turn),
    CONTRACT(the_entries_of_a_turn_are_read),
    CONTRACT(notes_of_turns_are_exported_and_taken_in),
    {0},
};
