/* Every way to name a point, what is around open tool calls, and what is inside sub-sessions. */
#include "contract.h"

static struct point point(struct talk *t, struct str session, struct point_spec spec)
{
    struct point got;

    CHECK_OK(store_point(t->rig.store, t->rig.owner, session, &spec, &t->arena, &got, &t->fault),
             &t->fault);
    return got;
}

static void check_point(struct talk *t, struct str session, struct point_spec spec,
                        enum fault_code code)
{
    struct point got;

    CHECK_FAULT(store_point(t->rig.store, t->rig.owner, session, &spec, &t->arena, &got, &t->fault),
                code, &t->fault);
}

static struct point_spec by(enum point_by kind, enum point_side side, int64_t ordinal)
{
    return (struct point_spec){.by = kind, .side = side, .ordinal = ordinal};
}

static void ordinals_count_from_both_ends(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 6);

    for (int i = 0; i < 6; i++) {
        assert_true(str_eq(point(t, session, before_index(i)).message, m[i]));
        assert_true(str_eq(point(t, session, before_index(i - 6)).message, m[i]));
        assert_int_equal(point(t, session, before_index(i)).index, i);
        assert_int_equal(point(t, session, after_index(i)).index, i + 1);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(str_eq(point(t, session, by(POINT_USER, SIDE_BEFORE, i)).message, m[2 * i]));
        assert_true(str_eq(point(t, session, by(POINT_USER, SIDE_AFTER, i - 3)).message, m[2 * i]));
        assert_int_equal(point(t, session, by(POINT_USER, SIDE_AFTER, i)).index, 2 * i + 1);
    }
    for (size_t i = 0; i < 4; i++) {
        static const enum point_by kinds[] = {POINT_INDEX, POINT_USER, POINT_FLAT, POINT_FLAT_USER};
        int64_t count = kinds[i] == POINT_INDEX || kinds[i] == POINT_FLAT ? 6 : 3;

        check_point(t, session, by(kinds[i], SIDE_BEFORE, count), FAULT_POINT_INVALID);
        check_point(t, session, by(kinds[i], SIDE_AFTER, -count - 1), FAULT_POINT_INVALID);
        check_point(t, session, by(kinds[i], SIDE_AFTER, INT64_MAX), FAULT_POINT_INVALID);
        check_point(t, session, by(kinds[i], SIDE_AFTER, INT64_MIN), FAULT_POINT_INVALID);
        check_point(t, talk_create(t, "empty"), by(kinds[i], SIDE_AFTER, 0), FAULT_POINT_INVALID);
    }
}

static void names_that_are_not_there(struct talk *t)
{
    struct str session = talk_create(t, "T"), other = talk_create(t, "U"), theirs;

    talk_say(t, session, ROLE_USER, "x");
    theirs = talk_say(t, other, ROLE_USER, "y");
    check_point(t, session, before_message(STR("nothing")), FAULT_MESSAGE_NOT_FOUND);
    check_point(t, session, before_message(theirs), FAULT_MESSAGE_NOT_FOUND);
    check_point(t, session, before_message(STR("01234567-89ab-7cde-8011-223344556677")),
                FAULT_MESSAGE_NOT_FOUND);
    check_point(t, session, before_message(STR("")), FAULT_POINT_INVALID);
    check_point(t, session, before_turn(STR("nothing")), FAULT_TURN_NOT_FOUND);
    check_point(t, session, (struct point_spec){.by = POINT_LABEL, .name = STR("nothing")},
                FAULT_LABEL_NOT_FOUND);
    check_point(t, STR("nobody"), at_end(), FAULT_SESSION_NOT_FOUND);
}

/* What the source did after the fork was made, the fork never had. */
static void a_fork_has_only_what_was_before_it(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 4), later;

    fork = talk_fork(t, session, after_message(m[1])).session.id;
    later = talk_say(t, session, ROLE_USER, "later");
    assert_int_equal(point(t, fork, after_message(m[1])).index, 2);
    assert_int_equal(point(t, fork, before_message(m[0])).index, 0);
    check_point(t, fork, after_message(m[2]), FAULT_MESSAGE_NOT_FOUND);
    check_point(t, fork, after_message(later), FAULT_MESSAGE_NOT_FOUND);
}

static void a_start_of_an_id_will_do(struct talk *t)
{
    struct str session = talk_create(t, "T"), message, client;
    struct entry_spec spec = talk_message(t, ROLE_USER, "x");
    struct point_spec wanted;

    message = talk_say(t, session, ROLE_USER, "drawn");
    spec.id = STR("client-one");
    client = talk_append(t, session, spec).id;
    spec.id = STR("client-two");
    talk_append(t, session, spec);
    wanted = after_message((struct str){message.p, 35});
    check_point(t, session, wanted, FAULT_MESSAGE_NOT_FOUND); /* not asked for */
    wanted.name_may_be_start = true;
    assert_true(str_eq(point(t, session, wanted).message, message));
    wanted.name = STR("client-o");
    assert_true(str_eq(point(t, session, wanted).message, client));
    wanted.name = STR("client-");
    check_point(t, session, wanted, FAULT_AMBIGUOUS);
    wanted.name = STR("client-three");
    check_point(t, session, wanted, FAULT_MESSAGE_NOT_FOUND);
    wanted.name = STR("client-one");
    assert_true(str_eq(point(t, session, wanted).message, client));
}

/* A whole id wins although another one starts so. */
static void a_whole_id_wins_over_a_start(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = talk_message(t, ROLE_USER, "x");
    struct point_spec wanted = after_message(STR("ab"));

    spec.id = STR("ab");
    talk_append(t, session, spec);
    spec.id = STR("abc");
    talk_append(t, session, spec);
    wanted.name_may_be_start = true;
    CHECK_STR(point(t, session, wanted).message, "ab");
}

static void before_a_turn_is_before_its_first_entry(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct entry_spec spec = talk_message(t, ROLE_USER, "one");
    struct point got;

    talk_say(t, session, ROLE_USER, "zero");
    spec.turn_rule = TURN_NAMED;
    spec.turn = STR("t1");
    talk_append(t, session, spec);
    talk_say(t, session, ROLE_USER, "between");
    talk_append(t, session, spec); /* a late entry of the turn */
    got = point(t, session, before_turn(STR("t1")));
    assert_int_equal(got.index, 1);
    assert_int_equal(got.side, SIDE_BEFORE);
    talk_rewind(t, session, before_turn(STR("t1")));
    assert_string_equal(talk_texts(t, session), "zero");
    talk_append(t, session, spec); /* again, later in the log: the first still counts */
    talk_say(t, session, ROLE_USER, "end");
    assert_int_equal(point(t, session, before_turn(STR("t1"))).index, 1);
    fork = talk_fork(t, session, at_end()).session.id;
    talk_append(t, fork, spec);
    assert_int_equal(point(t, fork, before_turn(STR("t1"))).index, 1);
    fork = talk_fork(t, session, at_start()).session.id;
    check_point(t, fork, before_turn(STR("t1")), FAULT_TURN_NOT_FOUND);
}

/* Files with which a turn ended belong to its last message; what came later by others does not. */
static void after_a_message_is_after_its_files(struct talk *t)
{
    struct str session = talk_create(t, "T"), message, fork;
    struct entry_spec files = {.kind = ENTRY_FILES, .turn_rule = TURN_JOIN, .body = STR("{}")};
    struct entry_spec others = {.kind = ENTRY_FILES, .body = STR("{}")};

    message = talk_say(t, session, ROLE_USER, "x");
    talk_append(t, session, files);
    talk_append(t, session, files);
    talk_say(t, session, ROLE_USER, "y");
    talk_append(t, session, files);
    assert_int_equal(point(t, session, after_message(message)).at.n, 3);
    assert_int_equal(point(t, session, after_index(1)).at.n, 5);
    fork = talk_fork(t, session, after_message(message)).session.id;
    assert_int_equal(talk_history(t, fork, true).count, 3);
    fork = talk_fork(t, session, before_message(talk_raw(t, session).entries[2].id)).session.id;
    assert_int_equal(talk_history(t, fork, true).count, 2);
    talk_append(t, fork, files); /* the fork's own first act is not the source's third */
    assert_int_equal(point(t, fork, after_message(message)).at.n, 2);
    talk_append(t, session, others); /* put over the API, say */
    others.flags = ENTRY_FOREIGN;
    talk_append(t, session, others);
    assert_int_equal(point(t, session, after_index(1)).at.n, 5);
    assert_int_equal(point(t, session, after_message(talk_raw(t, session).entries[5].id)).at.n, 6);
    files.flags = ENTRY_FOREIGN; /* in the turn, but by others */
    talk_append(t, fork, files);
    assert_int_equal(point(t, fork, after_message(talk_raw(t, fork).entries[2].id)).at.n, 1);
}

/* ---- open tool calls ---- */

static void points_with_open_calls(struct talk *t)
{
    struct str session = talk_create(t, "T"), call, fork, good;
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "calls");
    struct point_spec wanted;
    struct fork_spec forking = {.owner = t->rig.owner, .session = session};
    struct fork_result forked;

    good = talk_say(t, session, ROLE_USER, "question");
    spec.calls = 2;
    call = talk_append(t, session, spec).id;
    spec = talk_message(t, ROLE_TOOL, "result");
    spec.results = 1;
    talk_append(t, session, spec);
    wanted = after_index(2);
    check_point(t, session, wanted, FAULT_TOOL_CALL_OPEN);
    /* the end of a session at work is its newest good place */
    forked = talk_fork(t, session, at_end());
    assert_true(forked.point.snapped);
    assert_string_equal(talk_texts(t, forked.session.id), "question");
    talk_append(t, session, spec);
    talk_say(t, session, ROLE_ASSISTANT, "answer");

    check_point(t, session, after_message(call), FAULT_TOOL_CALL_OPEN);
    if (!strstr(t->fault.message, good.p))
        fail_msg("\"%s\" does not name the good point before", t->fault.message);
    check_point(t, session, before_index(2), FAULT_TOOL_CALL_OPEN);
    check_point(t, session, before_index(3), FAULT_TOOL_CALL_OPEN);
    assert_int_equal(point(t, session, before_index(1)).index, 1);
    assert_int_equal(point(t, session, before_index(4)).index, 4);
    forking.point = after_message(call);
    CHECK_FAULT(engine_fork(t->rig.engine, &forking, &t->arena, &forked, &t->fault),
                FAULT_TOOL_CALL_OPEN, &t->fault);
    wanted = before_index(3);
    wanted.guard = GUARD_SNAP;
    assert_true(point(t, session, wanted).snapped);
    assert_int_equal(point(t, session, wanted).index, 1);
    fork = talk_fork(t, session, wanted).session.id;
    assert_string_equal(talk_texts(t, fork), "question");
    wanted.guard = GUARD_NONE;
    assert_false(point(t, session, wanted).snapped);
    fork = talk_fork(t, session, wanted).session.id;
    assert_string_equal(talk_texts(t, fork), "question calls result");
    wanted = before_index(4);
    wanted.guard = GUARD_SNAP;
    assert_false(point(t, session, wanted).snapped);
}

static void another_turn_leaves_calls_behind(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "calls");

    spec.turn_rule = TURN_NEW;
    spec.calls = 1;
    talk_append(t, session, spec);
    check_point(t, session, after_index(-1), FAULT_TOOL_CALL_OPEN);
    talk_say(t, session, ROLE_USER, "names no turn");
    check_point(t, session, after_index(-1), FAULT_TOOL_CALL_OPEN);
    spec = talk_message(t, ROLE_USER, "next");
    spec.turn_rule = TURN_NEW;
    talk_append(t, session, spec);
    assert_int_equal(point(t, session, after_index(-1)).index, 3);
}

/* ---- sub-sessions ---- */

static struct str refer(struct talk *t, struct str session, struct str sub, struct point_spec where)
{
    struct entry_spec spec = {.kind = ENTRY_SUBSESSION, .body = STR("{}"), .ref_session = sub};

    spec.ref_point = where;
    return talk_append(t, session, spec).id;
}

static void sub_sessions_are_flattened(struct talk *t)
{
    struct str session = talk_create(t, "T"), sub = talk_create(t, "sub"), inner, reference, *m;

    m = talk_say_many(t, sub, "s", 4); /* user, assistant, user, assistant */
    inner = m[1];
    talk_say(t, session, ROLE_USER, "u");
    reference = refer(t, session, sub, after_message(m[2]));
    talk_say(t, session, ROLE_ASSISTANT, "a");
    talk_say(t, session, ROLE_USER, "v");
    /* flat: u [s0 s1 s2] a v; users: u [s0 s2] v */
    assert_int_equal(talk_session(t, session).messages, 3);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 0)).index, 0);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 4)).index, 1);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_AFTER, 5)).index, 3);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, -1)).index, 2);
    assert_int_equal(point(t, session, by(POINT_FLAT_USER, SIDE_BEFORE, 3)).index, 2);
    check_point(t, session, by(POINT_FLAT, SIDE_BEFORE, 6), FAULT_POINT_INVALID);
    check_point(t, session, by(POINT_FLAT_USER, SIDE_BEFORE, 4), FAULT_POINT_INVALID);
    check_point(t, session, by(POINT_FLAT, SIDE_BEFORE, 2), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, by(POINT_FLAT, SIDE_BEFORE, 3), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, by(POINT_FLAT, SIDE_AFTER, 1), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, by(POINT_FLAT, SIDE_AFTER, 2), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, by(POINT_FLAT_USER, SIDE_BEFORE, 2), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, before_message(inner), FAULT_POINT_INSIDE_SUBSESSION);
    /* on its edges the point is beside the reference */
    assert_true(str_eq(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 1)).message, reference));
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 1)).at.n, 1);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_AFTER, 3)).at.n, 2);
    /* what the sub-session did after it was named is not part of it */
    check_point(t, session, before_message(m[3]), FAULT_MESSAGE_NOT_FOUND);
}

/* A user message that stands behind others of the sub-session is inside it, first or not. */
static void the_first_user_message_may_be_inside(struct talk *t)
{
    struct str session = talk_create(t, "T"), sub = talk_create(t, "sub");

    talk_say(t, sub, ROLE_ASSISTANT, "before");
    talk_say(t, sub, ROLE_USER, "inside");
    talk_say(t, sub, ROLE_ASSISTANT, "behind");
    refer(t, session, sub, at_end());
    check_point(t, session, by(POINT_FLAT_USER, SIDE_BEFORE, 0), FAULT_POINT_INSIDE_SUBSESSION);
    check_point(t, session, by(POINT_FLAT_USER, SIDE_AFTER, 0), FAULT_POINT_INSIDE_SUBSESSION);
}

static void a_reference_is_to_a_fixed_place(struct talk *t)
{
    struct str session = talk_create(t, "T"), sub = talk_create(t, "sub"),
               nested = talk_create(t, "n");
    struct append_spec spec = {.owner = t->rig.owner, .session = session};
    struct entry_spec empty = {.kind = ENTRY_SUBSESSION, .body = STR("{}"), .ref_session = sub};
    struct append_result result;

    CHECK_FAULT(engine_append(t->rig.engine, &spec, &empty, 1, &t->arena, &result, &t->fault),
                FAULT_POINT_INVALID, &t->fault); /* nothing there to refer to */
    talk_say(t, nested, ROLE_USER, "n0");
    talk_say(t, sub, ROLE_USER, "s0");
    refer(t, sub, nested, at_end());
    refer(t, session, sub, at_end());
    talk_say(t, sub, ROLE_USER, "s1"); /* goes on */
    talk_rewind(t, nested, at_start());
    talk_say(t, session, ROLE_USER, "u");
    /* flat: [s0 [n0]] u */
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 2)).index, 0);
    check_point(t, session, by(POINT_FLAT, SIDE_BEFORE, 3), FAULT_POINT_INVALID);
    talk_delete(t, sub);
    talk_delete(t, nested);
    assert_int_equal(point(t, session, by(POINT_FLAT, SIDE_BEFORE, 2)).index, 0);
    check_point(t, session, by(POINT_FLAT, SIDE_BEFORE, 1), FAULT_POINT_INSIDE_SUBSESSION);
}

const struct contract_test point_contract[] = {
    CONTRACT(ordinals_count_from_both_ends),
    CONTRACT(names_that_are_not_there),
    CONTRACT(a_fork_has_only_what_was_before_it),
    CONTRACT(a_start_of_an_id_will_do),
    CONTRACT(a_whole_id_wins_over_a_start),
    CONTRACT(before_a_turn_is_before_its_first_entry),
    CONTRACT(after_a_message_is_after_its_files),
    CONTRACT(points_with_open_calls),
    CONTRACT(another_turn_leaves_calls_behind),
    CONTRACT(sub_sessions_are_flattened),
    CONTRACT(the_first_user_message_may_be_inside),
    CONTRACT(a_reference_is_to_a_fixed_place),
    {0},
};
