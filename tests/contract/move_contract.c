/* Rewind, undo, redo and adopt: the head goes elsewhere, and nothing is lost. */
#include "contract.h"

static struct move_spec moving(struct talk *t, struct str session)
{
    return (struct move_spec){.owner = t->rig.owner, .session = session};
}

static void check_rewind(struct talk *t, struct str session, struct point_spec point,
                         enum fault_code code)
{
    struct move_spec spec = moving(t, session);
    struct move_result result;

    spec.point = point;
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault), code,
                &t->fault);
}

static void a_rewind_moves_the_head(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 5);
    struct move_result moved = talk_rewind(t, session, before_message(m[2]));
    struct id id;

    assert_string_equal(talk_texts(t, session), "m0 m1");
    assert_true(id_parse(moved.id, &id));
    assert_true(str_eq(moved.from, m[4]));
    assert_true(str_eq(moved.to, m[1]));
    assert_int_equal(moved.dropped, 3);
    assert_int_equal(moved.kept, 2);
    assert_true(moved.has_excluded);
    assert_true(str_eq(moved.excluded.id, m[2]));
    assert_true(str_eq(moved.session.head, m[1]));
    assert_int_equal(moved.session.messages, 2);
    assert_true(moved.session.can_undo);
    assert_false(moved.session.can_redo);
    talk_say(t, session, ROLE_USER, "new");
    assert_string_equal(talk_texts(t, session), "m0 m1 new");
    /* to something rewound away */
    moved = talk_rewind(t, session, after_message(m[3]));
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_int_equal(moved.dropped, 1);
    assert_int_equal(moved.kept, 4);
    moved = talk_rewind(t, session, at_start());
    assert_string_equal(talk_texts(t, session), "");
    CHECK_STR(moved.to, "");
    CHECK_STR(moved.session.head, "");
    assert_int_equal(moved.dropped, 4);
    assert_int_equal(talk_raw(t, session).count, 5 + 1 + 1 + 2);
}

static void a_rewind_that_goes_nowhere_is_refused(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m;

    check_rewind(t, session, at_start(), FAULT_POINT_IS_HEAD);
    m = talk_say_many(t, session, "m", 3);
    check_rewind(t, session, at_end(), FAULT_POINT_INVALID);
    check_rewind(t, session, after_message(m[2]), FAULT_POINT_IS_HEAD);
    check_rewind(t, session, after_index(-1), FAULT_POINT_IS_HEAD);
    talk_rewind(t, session, before_message(m[1]));
    check_rewind(t, session, after_message(m[0]), FAULT_POINT_IS_HEAD);
    check_rewind(t, session, before_message(m[1]), FAULT_POINT_IS_HEAD);
    assert_int_equal(talk_raw(t, session).count, 4);
}

static void undo_and_redo_go_both_ways(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 4);
    struct move_spec spec = moving(t, session);
    struct move_result result;

    CHECK_FAULT(engine_undo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_UNDO, &t->fault);
    CHECK_FAULT(engine_redo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_REDO, &t->fault);
    talk_rewind(t, session, before_message(m[3]));
    talk_rewind(t, session, before_message(m[1]));
    assert_string_equal(talk_texts(t, session), "m0");
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_false(talk_session(t, session).can_undo);
    CHECK_FAULT(engine_undo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_UNDO, &t->fault);
    talk_redo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
    talk_redo(t, session);
    assert_string_equal(talk_texts(t, session), "m0");
    assert_false(talk_session(t, session).can_redo);
    CHECK_FAULT(engine_redo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_REDO, &t->fault);
    talk_undo(t, session); /* a redo is undone like a rewind */
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
}

/* Each goes to where the head was before the act taken back, with what was appended there. */
static void appends_stay_where_they_were(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);

    talk_rewind(t, session, before_message(m[1]));
    talk_say(t, session, ROLE_USER, "x");
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
    talk_say(t, session, ROLE_USER, "y");
    talk_redo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 x");
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 y");
}

static void a_new_rewind_empties_redo(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 4);
    struct move_spec spec = moving(t, session);
    struct move_result result;

    talk_rewind(t, session, before_message(m[2]));
    talk_undo(t, session);
    assert_true(talk_session(t, session).can_redo);
    talk_rewind(t, session, before_message(m[3]));
    assert_false(talk_session(t, session).can_redo);
    CHECK_FAULT(engine_redo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_REDO, &t->fault);
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_false(talk_session(t, session).can_undo);
}

/* A rewind as the very first act of a fork goes back to its base when undone. */
static void the_first_act_of_a_fork_may_be_a_rewind(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 4);

    fork = talk_fork(t, session, at_end()).session.id;
    talk_rewind(t, fork, before_message(m[1]));
    assert_string_equal(talk_texts(t, fork), "m0");
    talk_undo(t, fork);
    assert_string_equal(talk_texts(t, fork), "m0 m1 m2 m3");
    talk_redo(t, fork);
    talk_say(t, fork, ROLE_USER, "f");
    assert_string_equal(talk_texts(t, fork), "m0 f");
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
}

static void dry_moves_touch_nothing(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 4);
    struct move_spec spec = moving(t, session);
    struct store_counts before, after;
    struct session was, is;
    struct move_result dry;

    talk_rewind(t, session, before_message(m[3]));
    talk_rewind(t, session, before_message(m[2]));
    talk_undo(t, session);
    was = talk_session(t, session);
    before = talk_counts(t);
    spec.dry_run = true;
    spec.point = before_message(m[1]);
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &dry, &t->fault), &t->fault);
    CHECK_STR(dry.id, "");
    assert_int_equal(dry.dropped, 2);
    assert_int_equal(dry.kept, 1);
    assert_true(str_eq(dry.excluded.id, m[1]));
    assert_int_equal(dry.session.messages, 3);
    spec.point = at_end();
    CHECK_OK(engine_undo(t->rig.engine, &spec, &t->arena, &dry, &t->fault), &t->fault);
    CHECK_STR(dry.id, "");
    assert_int_equal(dry.dropped, 0);
    assert_int_equal(dry.kept, 4);
    CHECK_OK(engine_redo(t->rig.engine, &spec, &t->arena, &dry, &t->fault), &t->fault);
    assert_int_equal(dry.dropped, 1);
    assert_int_equal(dry.kept, 2);
    after = talk_counts(t);
    is = talk_session(t, session);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    assert_true(address_eq(was.head_at, is.head_at));
    assert_true(is.can_undo && is.can_redo);
}

static void moves_expect_a_head(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);
    struct move_spec spec = moving(t, session);
    struct move_result result;

    spec.point = before_message(m[1]);
    spec.expect_head = m[1];
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_HEAD_MOVED, &t->fault);
    spec.expect_head = m[2];
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    CHECK_FAULT(engine_undo(t->rig.engine, &spec, &t->arena, &result, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.expect_head = m[0];
    CHECK_OK(engine_undo(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    CHECK_FAULT(engine_redo(t->rig.engine, &spec, &t->arena, &result, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
}

static void moves_stand_in_the_raw_log(struct talk *t)
{
    static const enum move_act acts[] = {MOVE_REWIND, MOVE_UNDO, MOVE_REDO};
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);
    struct move_spec spec = moving(t, session);
    struct move_result moved[3];
    struct gathered raw;

    spec.point = before_message(m[1]);
    spec.scope = SCOPE_CONVERSATION;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved[0], &t->fault), &t->fault);
    moved[1] = talk_undo(t, session);
    moved[2] = talk_redo(t, session);
    raw = talk_raw(t, session);
    assert_int_equal(raw.count, 6);
    for (size_t i = 0; i < 3; i++) {
        const struct entry *move = &raw.entries[3 + i];

        assert_int_equal(move->kind, ENTRY_MOVE);
        assert_int_equal(move->move, acts[i]);
        assert_true(str_eq(move->id, moved[i].id));
        assert_false(move->visible || move->erased);
        assert_int_equal(move->index, -1);
        assert_int_equal(move->at.n, 4 + i);
    }
    assert_int_equal(raw.entries[3].scope, SCOPE_CONVERSATION);
    assert_int_equal(talk_history(t, session, true).count, 1); /* and on no path */
}

/* ---- state that is not moved ---- */

static void set(struct talk *t, struct str session, const char *key, const char *value)
{
    struct state_item item = {str_of(key), value ? str_of(value) : STR_NONE};
    struct entry_spec spec = {.kind = ENTRY_STATE, .body = STR("{}"), .state = {&item, 1}};

    talk_append(t, session, spec);
}

static const char *state_of(struct talk *t, struct str session)
{
    struct state state = talk_session(t, session).state_at_head;
    const char *got = "";

    for (size_t i = 0; i < state.count; i++)
        got = arena_printf(&t->arena, "%s%s%.*s=%.*s", got, i ? " " : "",
                           STR_ARG(state.items[i].key), STR_ARG(state.items[i].value))
                  .p;
    return got;
}

static void a_rewind_can_leave_state_where_it_is(struct talk *t)
{
    const struct str keep[] = {STR("app:"), STR("user:")};
    struct str session = talk_create(t, "T"), fork, first, head;
    struct move_spec spec = moving(t, session);
    struct move_result moved;

    set(t, session, "app:a", "1");
    set(t, session, "plain", "1");
    first = talk_say(t, session, ROLE_USER, "m");
    set(t, session, "app:a", "2");
    set(t, session, "app:b", "2");
    set(t, session, "user:c", "2");
    set(t, session, "plain", "2");
    spec.point = after_message(first);
    spec.keep = keep;
    spec.keep_count = 2;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(state_of(t, session), "app:a=2 app:b=2 plain=1 user:c=2");
    assert_string_equal(talk_texts(t, session), "m");
    /* it goes on from there, and a fork has it too */
    set(t, session, "app:b", NULL);
    assert_string_equal(state_of(t, session), "app:a=2 plain=1 user:c=2");
    fork = talk_fork(t, session, at_end()).session.id;
    assert_string_equal(state_of(t, fork), "app:a=2 plain=1 user:c=2");
    fork = talk_fork(t, session, after_message(moved.id)).session.id;
    assert_string_equal(state_of(t, fork), "app:a=2 app:b=2 plain=1 user:c=2");
    /* the place itself is as it was */
    fork = talk_fork(t, session, after_message(first)).session.id;
    assert_string_equal(state_of(t, fork), "app:a=1 plain=1");
    talk_undo(t, session);
    assert_string_equal(state_of(t, session), "app:a=2 app:b=2 plain=2 user:c=2");
    head = talk_session(t, session).head;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_true(str_eq(moved.from, head));
}

/* ---- adopt ---- */

static struct adopt_spec adopting(struct talk *t, struct str session, struct str from)
{
    return (struct adopt_spec){.owner = t->rig.owner, .session = session, .from = from};
}

static void adopt_takes_the_winner_over(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct entry_spec answer = talk_message(t, ROLE_ASSISTANT, "f1");
    struct state_item item = {STR("k"), STR("\"won\"")};
    struct adopt_spec spec;
    struct move_result moved;
    struct gathered source, copies;

    talk_say_many(t, session, "m", 4);
    fork = talk_fork(t, session, after_index(1)).session.id;
    talk_say(t, fork, ROLE_USER, "f0");
    answer.id = STR("chosen");
    answer.turn_rule = TURN_NAMED;
    answer.turn = STR("turn");
    answer.has_usage = true;
    answer.usage = (struct usage){1, 2, 3};
    answer.state = (struct state){&item, 1};
    talk_append(t, fork, answer);
    spec = adopting(t, session, fork);
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, session), "m0 m1 f0 f1");
    assert_int_equal(moved.added, 2);
    assert_int_equal(moved.dropped, 2);
    source = talk_history(t, fork, true);
    copies = talk_history(t, session, true);
    for (size_t i = 2; i < 4; i++) {
        const struct entry *from = &source.entries[i], *to = &copies.entries[i];

        assert_false(str_eq(from->id, to->id));
        assert_true(to->flags & ENTRY_ADOPTED);
        assert_true(address_eq(to->ref, from->at));
        assert_true(str_eq(from->body, to->body));
        assert_true(str_eq(from->turn, to->turn));
        assert_true(str_eq(to->session, session));
        assert_false(to->has_usage);
        assert_int_equal(from->role, to->role);
        assert_int_equal(to->index, i);
    }
    assert_string_equal(state_of(t, session), "k=\"won\"");
    assert_int_equal(talk_session(t, session).own.input, 0);
    assert_int_equal(talk_session(t, fork).own.input, 1);
    assert_string_equal(talk_texts(t, fork), "m0 m1 f0 f1");
    /* as one act */
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_false(talk_session(t, session).can_undo);
    talk_redo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 f0 f1");
}

static void adopt_finds_where_the_two_parted(struct talk *t)
{
    struct str root = talk_create(t, "T"), a, b;
    struct adopt_spec spec;
    struct move_result moved;

    talk_say_many(t, root, "r", 3);
    a = talk_fork(t, root, at_end()).session.id;
    b = talk_fork(t, root, after_index(1)).session.id;
    talk_say_many(t, a, "a", 2);
    talk_say_many(t, b, "b", 1);
    spec = adopting(t, a, b); /* cousins */
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, a), "r0 r1 b0");
    spec = adopting(t, root, a); /* a fork's copies, copied again */
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, root), "r0 r1 b0");
    spec = adopting(t, b, root); /* equal texts, but not the same entries */
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, b), "r0 r1 b0");
    assert_int_equal(moved.added, 1);
}

static void adopt_has_its_faults(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, other = talk_create(t, "U"), message;
    struct entry_spec call = talk_message(t, ROLE_ASSISTANT, "call");
    struct adopt_spec spec;
    struct move_result moved;
    struct store_counts before, after;

    message = talk_say(t, session, ROLE_USER, "x");
    fork = talk_fork(t, session, at_end()).session.id;
    spec = adopting(t, session, other);
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_NOT_FAMILY,
                &t->fault);
    spec = adopting(t, session, fork);
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_NOTHING_TO_ADOPT, &t->fault);
    spec = adopting(t, session, session);
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_NOTHING_TO_ADOPT, &t->fault);
    spec = adopting(t, session, STR("nobody"));
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    talk_say(t, fork, ROLE_USER, "y");
    spec = adopting(t, session, fork);
    spec.expect_head = STR("other");
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.expect_head = message;
    spec.dry_run = true;
    before = talk_counts(t);
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    after = talk_counts(t);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(moved.added, 1);
    CHECK_STR(moved.id, "");
    call.calls = 1;
    talk_append(t, fork, call);
    spec.dry_run = false;
    CHECK_FAULT(engine_adopt(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_TOOL_CALL_OPEN, &t->fault);
    assert_string_equal(talk_texts(t, session), "x");
}

/* Also when the head is a move: what is named is an entry, never the move. */
static void a_dry_adopt_names_entries(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 3);
    struct adopt_spec spec;
    struct move_result moved, dry;

    fork = talk_fork(t, session, after_message(m[0])).session.id;
    talk_say(t, fork, ROLE_USER, "f");
    moved = talk_rewind(t, session, after_message(m[1]));
    spec = adopting(t, session, fork);
    spec.dry_run = true;
    CHECK_OK(engine_adopt(t->rig.engine, &spec, &t->arena, &dry, &t->fault), &t->fault);
    assert_true(str_eq(dry.from, m[1]));
    assert_false(str_eq(dry.to, moved.id));
    assert_string_equal(talk_texts(t, session), "m0 m1");
}

/* ---- a runtime's own word for a move ---- */

static struct entry_spec marker(const char *id)
{
    return (struct entry_spec){.kind = ENTRY_EVENT,
                               .id = str_of(id),
                               .turn_rule = TURN_NAMED,
                               .turn = STR("of the marker"),
                               .body = STR("{\"rewind\":true}")};
}

static struct move_result rewind_with(struct talk *t, struct str session, struct point_spec point,
                                      struct entry_spec *entry, bool dry_run)
{
    struct move_spec spec = moving(t, session);
    struct move_result result;

    spec.point = point;
    spec.entry = entry;
    spec.dry_run = dry_run;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &result, &t->fault), &t->fault);
    return result;
}

static void the_word_for_a_move_stands_before_it(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 4);
    struct entry_spec entry = marker("mark");
    struct store_counts before = talk_counts(t), after;
    struct move_result moved;
    struct gathered raw;
    struct point point;
    struct point_spec turn = before_turn(STR("of the marker"));

    rewind_with(t, session, before_message(m[2]), &entry, true);
    after = talk_counts(t);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_int_equal(talk_session(t, session).moved_n, 0);

    moved = rewind_with(t, session, before_message(m[2]), &entry, false);
    assert_string_equal(talk_texts(t, session), "m0 m1");
    assert_true(str_eq(moved.from, m[3]));
    assert_true(str_eq(moved.to, m[1]));
    assert_int_equal(moved.dropped, 2);
    assert_true(str_eq(moved.excluded.id, m[2]));
    assert_int_equal(moved.session.moved_n, 6);
    raw = talk_raw(t, session);
    assert_int_equal(raw.count, 6);
    assert_int_equal(raw.entries[4].kind, ENTRY_EVENT);
    CHECK_STR(raw.entries[4].id, "mark");
    CHECK_STR(raw.entries[4].body, "{\"rewind\":true}");
    assert_int_equal(raw.entries[5].kind, ENTRY_MOVE);
    assert_int_equal(talk_history(t, session, true).count, 2);

    /* Its turn is found, and begins where the head was. */
    CHECK_OK(store_point(t->rig.store, t->rig.owner, session, &turn, &t->arena, &point, &t->fault),
             &t->fault);
    assert_true(address_eq(point.at, (struct address){moved.session.s, 4}));
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_int_equal(talk_history(t, session, true).count, 5);
    CHECK_STR(talk_session(t, session).head, "mark");
    talk_redo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1");
    talk_rewind(t, session, turn);
    assert_string_equal(talk_texts(t, session), "m0 m1 m2 m3");
    assert_int_equal(talk_history(t, session, true).count, 4);
    talk_verify(t);
}

/* The point is looked for before the entry is there. */
static void the_word_for_a_move_is_not_its_point(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);
    struct entry_spec entry = talk_message(t, ROLE_USER, "the word");
    struct move_spec spec = moving(t, session);
    struct move_result moved;

    rewind_with(t, session, before_index(-1), &entry, false);
    assert_string_equal(talk_texts(t, session), "m0 m1");
    spec.entry = &entry;
    spec.point = before_message(STR("soon"));
    entry.id = STR("soon");
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault),
                FAULT_MESSAGE_NOT_FOUND, &t->fault);
    /* The log changes, so this is no rewind that goes nowhere. */
    moved = rewind_with(t, session, after_message(m[1]), &entry, false);
    assert_int_equal(moved.dropped, 0);
    assert_string_equal(talk_texts(t, session), "m0 m1");
    assert_int_equal(talk_raw(t, session).count, 3 + 2 + 2);
    talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "m0 m1 the word");
    spec = moving(t, session);
    entry = marker("undone");
    spec.entry = &entry;
    CHECK_OK(engine_redo(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(talk_texts(t, session), "m0 m1");
    CHECK_OK(engine_undo(t->rig.engine,
                         &(struct move_spec){.owner = t->rig.owner, .session = session}, &t->arena,
                         &moved, &t->fault),
             &t->fault);
    CHECK_STR(moved.session.head, "undone");
    talk_verify(t);
}

static void the_word_for_a_move_has_its_faults(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 3);
    struct entry_spec entry = marker("mark");
    struct move_spec spec = moving(t, session);
    struct store_counts before, after;
    struct move_result moved;

    spec.point = before_message(m[1]);
    spec.entry = &entry;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    before = talk_counts(t);
    spec.point = before_message(m[0]);
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_ID_TAKEN,
                &t->fault);
    entry = (struct entry_spec){.kind = ENTRY_FILES};
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_INVALID,
                &t->fault);
    entry = marker("bad id");
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_INVALID,
                &t->fault);
    entry = marker("new");
    spec.expect_head = STR("other");
    CHECK_FAULT(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    after = talk_counts(t);
    assert_memory_equal(&before, &after, sizeof(before));
}

/* Where the conversation stays, the word for the move stays on it. */
static void the_word_for_a_move_of_files_stays(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 2);
    struct entry_spec entry = marker("mark");
    struct move_spec spec = moving(t, session);
    struct move_result moved;

    spec.scope = SCOPE_FILES;
    spec.point = before_message(m[1]);
    spec.entry = &entry;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_STR(moved.session.head, "mark");
    assert_string_equal(talk_texts(t, session), "m0 m1");
    talk_undo(t, session);
    CHECK_STR(talk_session(t, session).head, "mark");
    talk_verify(t);
}

/* State that the entry brings goes with it, but for the keys that no move takes back. */
static void the_word_for_a_move_may_bring_state(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 2);
    struct state_item items[] = {{STR("k"), STR("1")}, {STR("user:k"), STR("2")}};
    struct str keep = STR("user:");
    struct entry_spec entry = marker("mark");
    struct move_spec spec = moving(t, session);
    struct move_result moved;

    entry.state = (struct state){items, 2};
    spec.point = before_message(m[1]);
    spec.entry = &entry;
    spec.keep = &keep;
    spec.keep_count = 1;
    CHECK_OK(engine_rewind(t->rig.engine, &spec, &t->arena, &moved, &t->fault), &t->fault);
    assert_string_equal(state_of(t, session), "user:k=2");
    talk_undo(t, session);
    assert_string_equal(state_of(t, session), "k=1 user:k=2");
    talk_verify(t);
}

/* ---- a move as a point ---- */

/* Before a move is where the head was then, whatever that was. */
static void before_a_move_is_where_the_head_was(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, *m = talk_say_many(t, session, "m", 3);
    struct str first = talk_rewind(t, session, before_message(m[1])).id, second, third;
    struct move_result moved;

    talk_say(t, session, ROLE_USER, "x");
    second = talk_rewind(t, session, at_start()).id;
    third = talk_rewind(t, session, after_message(m[1])).id; /* right behind another one */
    moved = talk_rewind(t, session, before_message(first));
    assert_string_equal(talk_texts(t, session), "m0 m1 m2");
    assert_false(moved.has_excluded);
    assert_true(str_eq(moved.point.message, first));
    talk_rewind(t, session, before_message(second));
    assert_string_equal(talk_texts(t, session), "m0 x");
    talk_rewind(t, session, before_message(third));
    assert_string_equal(talk_texts(t, session), "");
    talk_rewind(t, session, after_message(first));
    assert_string_equal(talk_texts(t, session), "m0");

    /* A fork has the moves of what it stands on; its own first act has its base before it. */
    fork = talk_fork(t, session, at_end()).session.id;
    first = talk_rewind(t, fork, before_message(second)).id;
    assert_string_equal(talk_texts(t, fork), "m0 x");
    talk_rewind(t, fork, before_message(third));
    assert_string_equal(talk_texts(t, fork), "");
    talk_rewind(t, fork, before_message(first));
    assert_string_equal(talk_texts(t, fork), "m0");
    check_rewind(t, session, before_message(first), FAULT_MESSAGE_NOT_FOUND);
    assert_string_equal(talk_texts(t, talk_fork(t, fork, before_message(second)).session.id),
                        "m0 x");
    talk_verify(t);
}

/* ---- length ---- */

/* Many short lines, so that jump pointers have something to jump over. */
static void many_moves_in_one_session(struct talk *t)
{
    enum { ROUNDS = 300 };
    struct str session = talk_create(t, "T");

    for (int i = 0; i < ROUNDS; i++) {
        talk_say(t, session, ROLE_USER, arena_printf(&t->arena, "keep%d", i).p);
        talk_say(t, session, ROLE_USER, "drop");
        talk_rewind(t, session, before_index(-1));
    }
    assert_int_equal(talk_session(t, session).messages, ROUNDS);
    for (int i = 0; i < ROUNDS; i += 17) {
        struct point_spec point = after_index(i);
        struct entry entry;

        CHECK_OK(store_entry_get(t->rig.store, t->rig.owner, session, &point, &t->arena, &entry,
                                 &t->fault),
                 &t->fault);
        CHECK_STR(entry.body, arena_printf(&t->arena, "{\"text\":\"keep%d\"}", i).p);
    }
    for (int i = 0; i < ROUNDS; i++)
        talk_undo(t, session);
    assert_string_equal(talk_texts(t, session), "keep0 drop");
    for (int i = 0; i < ROUNDS; i++)
        talk_redo(t, session);
    assert_int_equal(talk_session(t, session).messages, ROUNDS);
    assert_int_equal(talk_raw(t, session).count, ROUNDS * 5);
}

const struct contract_test move_contract[] = {
    CONTRACT(a_rewind_moves_the_head),
    CONTRACT(a_rewind_that_goes_nowhere_is_refused),
    CONTRACT(undo_and_redo_go_both_ways),
    CONTRACT(appends_stay_where_they_were),
    CONTRACT(a_new_rewind_empties_redo),
    CONTRACT(the_first_act_of_a_fork_may_be_a_rewind),
    CONTRACT(dry_moves_touch_nothing),
    CONTRACT(moves_expect_a_head),
    CONTRACT(moves_stand_in_the_raw_log),
    CONTRACT(a_rewind_can_leave_state_where_it_is),
    CONTRACT(adopt_takes_the_winner_over),
    CONTRACT(adopt_finds_where_the_two_parted),
    CONTRACT(adopt_has_its_faults),
    CONTRACT(a_dry_adopt_names_entries),
    CONTRACT(the_word_for_a_move_stands_before_it),
    CONTRACT(the_word_for_a_move_is_not_its_point),
    CONTRACT(the_word_for_a_move_has_its_faults),
    CONTRACT(the_word_for_a_move_of_files_stays),
    CONTRACT(the_word_for_a_move_may_bring_state),
    CONTRACT(before_a_move_is_where_the_head_was),
    CONTRACT(many_moves_in_one_session),
    {0},
};
