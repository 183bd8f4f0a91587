/* Appending and reading back: bytes, ids, batches, facts and hashes. */
#include "contract.h"

#include "store/limits.h"

#include <openssl/evp.h>

static struct append_spec to(struct talk *t, struct str session)
{
    return (struct append_spec){.owner = t->rig.owner, .session = session};
}

static struct entry_spec plain(enum entry_kind kind, enum role role, const char *body)
{
    return (struct entry_spec){.kind = kind, .role = role, .body = str_of(body)};
}

static void bodies_are_kept_byte_for_byte(struct talk *t)
{
    static const char *const bodies[] = {
        "{}",
        "{ \"b\" : 1 ,\n\t\"a\":2, \"a\": 3 }",
        "{\"t\":\"\\u0041\\/\\ud83c\\udf74 \xc3\xa4 \xf0\x9f\x8d\xb4\"}",
        "{\"n\":1.00000000000000000000001e+400}",
        "  {\"padded\":true}  ",
        "{\"nul\":\"\\u0000\"}",
    };
    struct str session = talk_create(t, "T");
    struct gathered got;
    size_t count = sizeof(bodies) / sizeof(bodies[0]);

    for (size_t i = 0; i < count; i++) {
        struct entry stored = talk_append(t, session, plain(ENTRY_MESSAGE, ROLE_USER, bodies[i]));

        CHECK_STR(stored.body, bodies[i]);
        assert_int_equal(stored.index, i);
    }
    got = talk_history(t, session, false);
    assert_int_equal(got.count, count);
    for (size_t i = 0; i < count; i++)
        CHECK_STR(got.entries[i].body, bodies[i]);
}

static void a_large_body_comes_back(struct talk *t)
{
    struct str session = talk_create(t, "T");
    size_t n = 3000000;
    char *text = arena_alloc(&t->arena, n + 1);
    struct entry_spec spec;
    struct gathered got;

    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i * 7919 % 26);
    spec = talk_message(t, ROLE_USER, text);
    talk_append(t, session, spec);
    got = talk_history(t, session, false);
    assert_int_equal(got.count, 1);
    assert_true(str_eq(got.entries[0].body, spec.body));
}

static void what_is_visible(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec specs[] = {
        plain(ENTRY_MESSAGE, ROLE_SYSTEM, "{\"n\":0}"),
        plain(ENTRY_MESSAGE, ROLE_USER, "{\"n\":1}"),
        plain(ENTRY_EVENT, ROLE_NONE, "{\"n\":2}"),
        plain(ENTRY_MESSAGE, ROLE_ASSISTANT, "{\"n\":3}"),
        plain(ENTRY_SUMMARY, ROLE_NONE, "{\"n\":4}"),
        plain(ENTRY_FILES, ROLE_NONE, "{\"n\":5}"),
        plain(ENTRY_MESSAGE, ROLE_TOOL, "{\"n\":6}"),
        plain(ENTRY_EVENT, ROLE_NONE, "{\"n\":7}"),
    };
    static const int indexes[] = {-1, 0, -1, 1, -1, -1, 2, -1};
    struct append_result result = talk_batch(t, session, specs, 8);
    struct gathered all = talk_history(t, session, true), shown = talk_history(t, session, false);

    assert_int_equal(all.count, 8);
    assert_int_equal(shown.count, 3);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(result.entries[i].index, indexes[i]);
        assert_int_equal(result.entries[i].visible, indexes[i] >= 0);
        assert_int_equal(all.entries[i].index, indexes[i]);
        assert_int_equal(all.entries[i].kind, specs[i].kind);
        assert_int_equal(all.entries[i].role, specs[i].role);
        assert_int_equal(all.entries[i].at.n, i + 1);
        CHECK_STR(all.entries[i].body, specs[i].body.p);
        if (indexes[i] >= 0)
            assert_true(str_eq(shown.entries[indexes[i]].id, all.entries[i].id));
    }
    assert_int_equal(talk_session(t, session).messages, 3);
    assert_true(str_eq(talk_session(t, session).head, all.entries[7].id));
}

static struct gathered from_summary(struct talk *t, struct str session)
{
    struct history_spec spec = {
        .owner = t->rig.owner, .session = session, .all = true, .from_summary = true};
    struct gathered got = {.arena = &t->arena};

    CHECK_OK(store_history(t->rig.store, &spec, gather_entry, &got, NULL, &t->fault), &t->fault);
    return got;
}

/* What a model is shown: the newest summary on the path, and what came after it. */
static void a_history_from_the_newest_summary(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct gathered got;

    talk_say(t, session, ROLE_USER, "one");
    assert_int_equal(from_summary(t, session).count, 1);
    talk_append(t, session, plain(ENTRY_SUMMARY, ROLE_NONE, "{\"first\":1}"));
    talk_say(t, session, ROLE_USER, "two");
    talk_append(t, session, plain(ENTRY_SUMMARY, ROLE_NONE, "{\"second\":1}"));
    got = from_summary(t, session);
    assert_int_equal(got.count, 1);
    CHECK_STR(got.entries[0].body, "{\"second\":1}");
    /* the first act of a fork's own line, and a summary that was rewound away */
    fork = talk_fork(t, session, after_index(1)).session.id;
    got = from_summary(t, fork);
    assert_int_equal(got.count, 2);
    CHECK_STR(got.entries[0].body, "{\"first\":1}");
    talk_append(t, fork, plain(ENTRY_SUMMARY, ROLE_NONE, "{\"third\":1}"));
    talk_say(t, fork, ROLE_USER, "three");
    got = from_summary(t, fork);
    assert_int_equal(got.count, 2);
    CHECK_STR(got.entries[0].body, "{\"third\":1}");
    talk_rewind(t, session, after_index(0));
    assert_int_equal(from_summary(t, session).count, 1);
}

static void times_and_numbers_strictly_increase(struct talk *t)
{
    struct str session = talk_create(t, "T"), other = talk_create(t, "U");
    struct gathered raw;
    int64_t start = t->rig.now_us;

    for (int i = 0; i < 5; i++) {
        t->rig.now_us = start - 2000; /* the clock went back; talk adds 1000 */
        talk_say(t, session, ROLE_USER, "x");
        talk_say(t, other, ROLE_USER, "y");
    }
    t->rig.now_us = start + 5000000;
    talk_say(t, session, ROLE_USER, "later");
    raw = talk_raw(t, session);
    assert_int_equal(raw.count, 6);
    for (size_t i = 1; i < raw.count; i++) {
        assert_true(raw.entries[i].at_us > raw.entries[i - 1].at_us);
        assert_true(raw.entries[i].e > raw.entries[i - 1].e);
        assert_int_equal(raw.entries[i].at.n, raw.entries[i - 1].at.n + 1);
    }
    assert_int_equal(raw.entries[5].at_us, t->rig.now_us);
}

/* ---- batches ---- */

/* A batch of three of which one cannot be stored leaves nothing behind. */
static void check_refused(struct talk *t, struct str session, struct entry_spec bad,
                          enum fault_code code)
{
    struct store_counts before = talk_counts(t), after;
    struct session was = talk_session(t, session), is;
    struct append_result result;

    for (size_t at = 0; at < 3; at++) {
        struct append_spec spec = to(t, session);
        struct entry_spec specs[] = {talk_message(t, ROLE_USER, "one"),
                                     talk_message(t, ROLE_USER, "two"),
                                     talk_message(t, ROLE_USER, "three")};

        specs[at] = bad;
        CHECK_FAULT(engine_append(t->rig.engine, &spec, specs, 3, &t->arena, &result, &t->fault),
                    code, &t->fault);
    }
    after = talk_counts(t);
    is = talk_session(t, session);
    assert_memory_equal(&before, &after, sizeof(before));
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    assert_true(address_eq(was.head_at, is.head_at));
}

static void a_batch_is_stored_whole_or_not_at_all(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec bad = talk_message(t, ROLE_USER, "bad");

    bad.id = STR("taken");
    talk_append(t, session, bad);
    bad = talk_message(t, ROLE_USER, "other bytes");
    bad.id = STR("taken");
    check_refused(t, session, bad, FAULT_ID_TAKEN);
    bad = plain(ENTRY_SUBSESSION, ROLE_NONE, "{}");
    bad.ref_session = STR("no-such-session");
    check_refused(t, session, bad, FAULT_SESSION_NOT_FOUND);
    bad = plain(ENTRY_SUBSESSION, ROLE_NONE, "{}");
    bad.ref_session = session;
    bad.ref_point = after_message(STR("no-such-message"));
    check_refused(t, session, bad, FAULT_MESSAGE_NOT_FOUND);
    bad = talk_message(t, ROLE_USER, "bad");
    bad.id = STR("not an id");
    check_refused(t, session, bad, FAULT_INVALID);
    assert_string_equal(talk_texts(t, session), "bad");
}

static void what_is_no_entry_is_refused(struct talk *t)
{
    struct str session = talk_create(t, "T");

    check_refused(t, session, plain(ENTRY_MOVE, ROLE_NONE, "{}"), FAULT_INVALID);
    check_refused(t, session, plain(ENTRY_KIND_COUNT, ROLE_NONE, "{}"), FAULT_INVALID);
    check_refused(t, session, plain(ENTRY_MESSAGE, ROLE_NONE, "{}"), FAULT_INVALID);
    check_refused(t, session, plain(ENTRY_MESSAGE, ROLE_COUNT, "{}"), FAULT_INVALID);
}

static void an_empty_batch_is_refused(struct talk *t)
{
    struct append_spec spec = to(t, talk_create(t, "T"));
    struct entry_spec none = {0};
    struct append_result result;

    CHECK_FAULT(engine_append(t->rig.engine, &spec, &none, 0, &t->arena, &result, &t->fault),
                FAULT_INVALID, &t->fault);
}

/* ---- ids ---- */

static void the_same_id_with_the_same_bytes_is_the_same_answer(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec specs[2] = {talk_message(t, ROLE_USER, "one"),
                                  talk_message(t, ROLE_ASSISTANT, "two")},
                      again[2];
    struct append_spec spec = to(t, session);
    struct append_result first, second;
    struct state_item items[2] = {{STR("k"), STR("1")}, {STR("j"), STR_NONE}};
    struct store_counts before;

    specs[0].id = STR("id-1");
    specs[1].id = STR("id-2");
    specs[1].turn_rule = TURN_NAMED;
    specs[1].turn = STR("t1");
    specs[1].has_usage = true;
    specs[1].usage = (struct usage){1, 2, 3};
    specs[1].state = (struct state){items, 2};
    memcpy(again, specs, sizeof(again));
    first = talk_batch(t, session, specs, 2);
    assert_false(first.repeated);
    talk_say(t, session, ROLE_USER, "three");
    before = talk_counts(t);
    CHECK_OK(engine_append(t->rig.engine, &spec, again, 2, &t->arena, &second, &t->fault),
             &t->fault);
    assert_true(second.repeated);
    assert_int_equal(second.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(address_eq(first.entries[i].at, second.entries[i].at));
        assert_true(str_eq(first.entries[i].id, second.entries[i].id));
        assert_true(str_eq(first.entries[i].body, second.entries[i].body));
        assert_memory_equal(first.entries[i].hash, second.entries[i].hash, HASH_BYTES);
        assert_int_equal(first.entries[i].at_us, second.entries[i].at_us);
    }
    assert_int_equal(talk_counts(t).entries, before.entries);
    assert_int_equal(talk_counts(t).turns, before.turns);
}

/* Whatever part differs, it is another message with a taken id. */
static void the_same_id_with_other_bytes_is_taken(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct state_item item = {STR("k"), STR("1")}, other = {STR("k"), STR("2")};
    struct entry_spec good = talk_message(t, ROLE_USER, "one"), bad[7];
    struct append_spec spec = to(t, session);
    struct append_result result;

    good.id = STR("id-1");
    good.turn_rule = TURN_NAMED;
    good.turn = STR("t1");
    good.state = (struct state){&item, 1};
    good.has_usage = true;
    good.usage = (struct usage){1, 2, 3};
    talk_append(t, session, good);
    for (size_t i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].body = STR("{\"text\":\"two\"}");
    bad[1].role = ROLE_ASSISTANT;
    bad[2].kind = ENTRY_EVENT;
    bad[2].role = ROLE_NONE;
    bad[3].turn = STR("t2");
    bad[4].state = (struct state){&other, 1};
    bad[5].state = (struct state){NULL, 0};
    bad[6].usage.cost = 4;
    for (size_t i = 0; i < 7; i++)
        CHECK_FAULT(engine_append(t->rig.engine, &spec, &bad[i], 1, &t->arena, &result, &t->fault),
                    FAULT_ID_TAKEN, &t->fault);
    assert_int_equal(talk_history(t, session, true).count, 1);
}

static void a_batch_may_not_be_half_known(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec known = talk_message(t, ROLE_USER, "one"), specs[2];
    struct append_spec spec = to(t, session);
    struct append_result result;

    known.id = STR("id-1");
    talk_append(t, session, known);
    specs[0] = known;
    specs[1] = talk_message(t, ROLE_USER, "new");
    CHECK_FAULT(engine_append(t->rig.engine, &spec, specs, 2, &t->arena, &result, &t->fault),
                FAULT_ID_TAKEN, &t->fault);
    specs[0] = specs[1] = talk_message(t, ROLE_USER, "twice");
    specs[0].id = specs[1].id = STR("id-2");
    CHECK_FAULT(engine_append(t->rig.engine, &spec, specs, 2, &t->arena, &result, &t->fault),
                FAULT_ID_TAKEN, &t->fault);
    assert_string_equal(talk_texts(t, session), "one");
}

/* A client's id is unique in what a session ever had: also what was inherited or rewound away. */
static void ids_are_unique_in_what_a_session_ever_had(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, other = talk_create(t, "U");
    struct entry_spec spec = talk_message(t, ROLE_USER, "one"), different;
    struct append_spec where = to(t, session);
    struct append_result result;

    spec.id = STR("id-1");
    different = talk_message(t, ROLE_USER, "different");
    different.id = STR("id-1");
    talk_append(t, session, spec);
    fork = talk_fork(t, session, at_end()).session.id;
    talk_rewind(t, session, at_start());
    CHECK_FAULT(engine_append(t->rig.engine, &where, &different, 1, &t->arena, &result, &t->fault),
                FAULT_ID_TAKEN, &t->fault); /* rewound away */
    where.session = fork;
    CHECK_FAULT(engine_append(t->rig.engine, &where, &different, 1, &t->arena, &result, &t->fault),
                FAULT_ID_TAKEN, &t->fault); /* inherited */
    talk_append(t, other, different);       /* of another family */
    different.id = STR("id-2");
    talk_append(t, session, different);
    different.body = STR("{\"text\":\"third\"}");
    different.span_count = 0;
    talk_append(t, fork, different); /* the fork never had the source's id-2 */
    assert_string_equal(talk_texts(t, fork), "one third");
    assert_string_equal(talk_texts(t, session), "different");
}

static void expectations_of_the_head(struct talk *t)
{
    struct str session = talk_create(t, "T"), first;
    struct append_spec spec = to(t, session);
    struct entry_spec entry = talk_message(t, ROLE_USER, "x");
    struct append_result result;

    spec.expect_head = STR("nothing-yet");
    CHECK_FAULT(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
                FAULT_HEAD_MOVED, &t->fault);
    spec.expect_head = STR("");
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault);
    first = result.entries[0].id;
    CHECK_FAULT(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
                FAULT_HEAD_MOVED, &t->fault);
    spec.expect_head = first;
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault);
    CHECK_FAULT(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
                FAULT_HEAD_MOVED, &t->fault);
    talk_rewind(t, session, after_message(first));
    CHECK_OK(engine_append(t->rig.engine, &spec, &entry, 1, &t->arena, &result, &t->fault),
             &t->fault); /* the head is that message again */
    assert_string_equal(talk_texts(t, session), "x x");
}

/* ---- turns ---- */

static void entries_come_to_their_turns(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec spec = talk_message(t, ROLE_USER, "x");
    struct entry first, got;
    struct id id;

    got = talk_append(t, session, spec);
    CHECK_STR(got.turn, "");
    assert_false(got.flags & ENTRY_IN_TURN);
    spec.turn_rule = TURN_JOIN;
    first = talk_append(t, session, spec);
    assert_true(id_parse(first.turn, &id)); /* nothing to join: a new one */
    assert_true(first.flags & ENTRY_IN_TURN);
    assert_true(str_eq(talk_append(t, session, spec).turn, first.turn));
    spec.turn_rule = TURN_NEW;
    got = talk_append(t, session, spec);
    assert_true(id_parse(got.turn, &id));
    assert_false(str_eq(got.turn, first.turn));
    spec.turn_rule = TURN_NONE;
    CHECK_STR(talk_append(t, session, spec).turn, "");
    spec.turn_rule = TURN_JOIN;
    assert_true(str_eq(talk_append(t, session, spec).turn, got.turn));
    spec.turn_rule = TURN_NAMED;
    spec.turn = STR("any name at all");
    CHECK_STR(talk_append(t, session, spec).turn, "any name at all");
    talk_rewind(t, session, after_message(first.id));
    spec.turn_rule = TURN_JOIN;
    assert_true(str_eq(talk_append(t, session, spec).turn, first.turn));
    talk_rewind(t, session, at_start());
    got = talk_append(t, session, spec);
    assert_true(id_parse(got.turn, &id));
    assert_false(str_eq(got.turn, first.turn));
}

static void a_turn_goes_on_in_a_fork(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, message;
    struct entry_spec call = talk_message(t, ROLE_ASSISTANT, "call");
    struct entry_spec more = talk_message(t, ROLE_ASSISTANT, "more");
    struct point_spec open = at_end();
    struct point got;

    call.turn_rule = more.turn_rule = TURN_NAMED;
    call.turn = more.turn = STR("t1");
    call.calls = 1;
    message = talk_append(t, session, call).id;
    open = after_message(message);
    open.guard = GUARD_NONE;
    fork = talk_fork(t, session, open).session.id;
    talk_append(t, fork, more); /* the same turn, in another session: the call is still open */
    open = after_index(1);
    CHECK_FAULT(store_point(t->rig.store, t->rig.owner, fork, &open, &t->arena, &got, &t->fault),
                FAULT_TOOL_CALL_OPEN, &t->fault);
}

/* ---- facts ---- */

static void usage_is_own_inherited_and_spent(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "x");
    struct session got;
    struct str ids[3];

    spec.has_usage = true;
    for (int i = 0; i < 3; i++) {
        spec.usage = (struct usage){1 << i, 10 << i, 100 << i};
        ids[i] = talk_append(t, session, spec).id;
    }
    got = talk_session(t, session);
    assert_int_equal(got.own.input, 7);
    assert_int_equal(got.own.output, 70);
    assert_int_equal(got.own.cost, 700);
    assert_int_equal(got.inherited.input, 0);
    assert_int_equal(got.spent.input, 7);
    fork = talk_fork(t, session, after_message(ids[1])).session.id;
    got = talk_session(t, fork);
    assert_int_equal(got.own.input, 0);
    assert_int_equal(got.inherited.input, 3);
    assert_int_equal(got.spent.input, 0);
    spec.usage = (struct usage){1000, 0, 0};
    talk_append(t, fork, spec);
    got = talk_session(t, fork);
    assert_int_equal(got.own.input, 1000);
    assert_int_equal(got.inherited.input, 3);
    talk_rewind(t, fork, after_message(ids[0])); /* above where it was forked */
    got = talk_session(t, fork);
    assert_int_equal(got.own.input, 0);
    assert_int_equal(got.inherited.input, 1);
    assert_int_equal(got.spent.input, 1000);
    talk_append(t, fork, spec);
    got = talk_session(t, fork);
    assert_int_equal(got.own.input, 1000);
    assert_int_equal(got.inherited.input, 1);
    assert_int_equal(got.spent.input, 2000);
    assert_int_equal(talk_session(t, session).spent.input, 7);
}

static void check_state_at(struct talk *t, struct str session, struct point_spec point,
                           const char *want)
{
    struct state state;
    const char *got = "";

    point.guard = GUARD_NONE;
    CHECK_OK(
        store_state_get(t->rig.store, t->rig.owner, session, &point, &t->arena, &state, &t->fault),
        &t->fault);
    for (size_t i = 0; i < state.count; i++)
        got = arena_printf(&t->arena, "%s%s%.*s=%.*s", got, i ? " " : "",
                           STR_ARG(state.items[i].key), STR_ARG(state.items[i].value))
                  .p;
    CHECK_STR(str_of(got), want);
}

static struct str change(struct talk *t, struct str session, struct state_item a,
                         struct state_item b)
{
    struct state_item items[] = {a, b};
    struct entry_spec spec = plain(ENTRY_STATE, ROLE_NONE, "{}");

    spec.state = (struct state){items, 2};
    return talk_append(t, session, spec).id;
}

static void state_is_that_of_the_path(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork, one, two;

    check_state_at(t, session, at_end(), "");
    one = change(t, session, (struct state_item){STR("b"), STR("2")},
                 (struct state_item){STR("a"), STR("{\"x\": [1]}")});
    check_state_at(t, session, at_end(), "a={\"x\": [1]} b=2");
    two = change(t, session, (struct state_item){STR("a"), STR_NONE},
                 (struct state_item){STR("c"), STR("null")});
    check_state_at(t, session, at_end(), "b=2 c=null");
    check_state_at(t, session, after_message(one), "a={\"x\": [1]} b=2");
    check_state_at(t, session, before_message(one), "");
    fork = talk_fork(t, session, after_message(one)).session.id;
    check_state_at(t, fork, at_end(), "a={\"x\": [1]} b=2");
    change(t, fork, (struct state_item){STR("f"), STR("1")},
           (struct state_item){STR("f"), STR("2")});
    check_state_at(t, fork, at_end(), "a={\"x\": [1]} b=2 f=2");
    check_state_at(t, session, at_end(), "b=2 c=null");
    talk_rewind(t, session, before_message(two));
    check_state_at(t, session, at_end(), "a={\"x\": [1]} b=2");
    talk_undo(t, session);
    check_state_at(t, session, at_end(), "b=2 c=null");
    assert_int_equal(talk_session(t, session).state_at_head.count, 2);
}

/* Many changes, so that whole copies come between the deltas. */
static void a_long_history_of_state(struct talk *t)
{
    struct str session = talk_create(t, "T"), ids[300];
    const char *want[300];
    char value[2][200];

    for (int i = 0; i < 300; i++) {
        memset(value, '0' + i % 10, sizeof(value));
        ids[i] = change(t, session,
                        (struct state_item){arena_printf(&t->arena, "k%d", i % 7),
                                            {value[0], (size_t)(i % 190 + 1)}},
                        (struct state_item){STR("n"), arena_printf(&t->arena, "%d", i)});
    }
    for (int i = 0; i < 300; i++) {
        want[i] = "";
        for (int key = 0; key < 7; key++) {
            int last = i - (i - key + 7 * 100) % 7; /* the newest change of that key up to i */

            if (last < 0)
                continue;
            memset(value[1], '0' + last % 10, sizeof(value[1]));
            want[i] =
                arena_printf(&t->arena, "%sk%d=%.*s ", want[i], key, last % 190 + 1, value[1]).p;
        }
        want[i] = arena_printf(&t->arena, "%sn=%d", want[i], i).p;
        if (i % 13 == 0)
            check_state_at(t, session, after_message(ids[i]), want[i]);
    }
    check_state_at(t, session, at_end(), want[299]);
}

/* ---- hashes, put together from the bytes, without the code that is under test ---- */

static void number_add(struct buf *buf, int64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        buf_add_char(buf, (char)(unsigned char)((uint64_t)value >> shift));
}

static void text_add(struct buf *buf, struct str text)
{
    number_add(buf, (int64_t)text.n);
    buf_add_str(buf, text);
}

static void sha256(const struct buf *buf, unsigned char out[HASH_BYTES])
{
    assert_int_equal(EVP_Digest(buf->p, buf->n, out, NULL, EVP_sha256(), NULL), 1);
}

/* The path hash of an exported act that follows `before`. */
static void hash_next(const struct log_act *act, struct str pinned,
                      const unsigned char before[HASH_BYTES], unsigned char out[HASH_BYTES])
{
    unsigned char content[HASH_BYTES];
    struct buf buf;

    buf_init(&buf, 1 << 20);
    text_add(&buf, STR("tine content 1"));
    assert_int_equal(act->salt.n, SALT_BYTES);
    buf_add_str(&buf, act->salt);
    number_add(&buf, (int64_t)act->kind);
    number_add(&buf, (int64_t)act->role);
    text_add(&buf, act->id);
    text_add(&buf, act->turn);
    number_add(&buf, act->at_us);
    number_add(&buf, act->usage.input);
    number_add(&buf, act->usage.output);
    number_add(&buf, act->usage.cost);
    text_add(&buf, act->state);
    text_add(&buf, act->tree);
    text_add(&buf, pinned);
    text_add(&buf, act->body);
    sha256(&buf, content);
    buf_reset(&buf);
    text_add(&buf, STR("tine path 1"));
    buf_add(&buf, before, HASH_BYTES);
    buf_add(&buf, content, HASH_BYTES);
    sha256(&buf, out);
    buf_clear(&buf);
}

static const struct log_act *exported(const struct gathered *items, struct address at)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i].kind == LOG_ACT && address_eq(items->items[i].act.at, at))
            return &items->items[i].act;
    fail();
    return NULL;
}

/* A conversation with all parts of the content: turn, usage, state, a reference, a fork, a move. */
static void path_hashes_can_be_computed_by_anybody(struct talk *t)
{
    struct str sub = talk_create(t, "sub"), session = talk_create(t, "T"), fork;
    struct entry_spec spec = talk_message(t, ROLE_ASSISTANT, "gr\xc3\xbc\xc3\x9f dich");
    struct entry_spec reference = plain(ENTRY_SUBSESSION, ROLE_NONE, "{\"sub\":true}");
    struct state_item items[] = {{STR("k"), STR("1")}, {STR("gone"), STR_NONE}};
    struct gathered acts = {.arena = &t->arena}, path;
    unsigned char hash[HASH_BYTES] = {0}, pinned[HASH_BYTES];

    talk_say(t, sub, ROLE_USER, "inner");
    talk_say(t, session, ROLE_USER, "hello");
    spec.turn_rule = TURN_NAMED;
    spec.turn = STR("turn-1");
    spec.has_usage = true;
    spec.usage = (struct usage){5, 6, 7};
    spec.state = (struct state){items, 2};
    spec.id = STR("client.id");
    talk_append(t, session, spec);
    reference.ref_session = sub;
    talk_append(t, session, reference);
    talk_say(t, session, ROLE_USER, "to be rewound");
    talk_rewind(t, session, before_index(-1));
    fork = talk_fork(t, session, at_end()).session.id;
    talk_say(t, fork, ROLE_TOOL, "after the move");

    CHECK_OK(store_export(t->rig.store, t->rig.owner, STR_NONE, gather_item, &acts, &t->fault),
             &t->fault);
    memcpy(pinned, talk_session(t, sub).hash, HASH_BYTES);
    path = talk_history(t, fork, true);
    assert_int_equal(path.count, 4);
    for (size_t i = 0; i < path.count; i++) {
        const struct entry *entry = &path.entries[i];
        struct str inner = {(const char *)pinned, HASH_BYTES};

        hash_next(exported(&acts, entry->at), entry->kind == ENTRY_SUBSESSION ? inner : STR_NONE,
                  hash, hash);
        assert_memory_equal(entry->hash, hash, HASH_BYTES);
    }
    assert_memory_equal(talk_session(t, fork).hash, hash, HASH_BYTES);
    path = talk_history(t, sub, true);
    memset(hash, 0, sizeof(hash));
    hash_next(exported(&acts, path.entries[0].at), STR_NONE, hash, hash);
    assert_memory_equal(hash, pinned, HASH_BYTES);
}

/* ---- pages ---- */

static void cursors_stay_on_their_head(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct history_spec spec = {.owner = t->rig.owner, .session = session, .limit = 4};
    struct gathered got = {.arena = &t->arena};
    struct history_info info;

    talk_say_many(t, session, "m", 10);
    spec.at = at_end();
    CHECK_OK(store_history(t->rig.store, &spec, gather_entry, &got, &info, &t->fault), &t->fault);
    assert_true(info.more);
    assert_int_equal(info.total, 10);
    /* others go on: the page after the cursor is still that of the first answer */
    talk_rewind(t, session, before_index(2));
    talk_say_many(t, session, "new", 3);
    spec.at = (struct point_spec){.by = POINT_ADDRESS, .address = info.head};
    spec.after = info.last;
    CHECK_OK(store_history(t->rig.store, &spec, gather_entry, &got, &info, &t->fault), &t->fault);
    spec.after = info.last;
    CHECK_OK(store_history(t->rig.store, &spec, gather_entry, &got, &info, &t->fault), &t->fault);
    assert_false(info.more);
    assert_int_equal(got.count, 10);
    for (size_t i = 0; i < 10; i++)
        CHECK_STR(got.entries[i].body, arena_printf(&t->arena, "{\"text\":\"m%zu\"}", i).p);
    assert_string_equal(talk_texts(t, session), "m0 m1 new0 new1 new2");
}

static void cursors_of_others_are_refused(struct talk *t)
{
    struct str session = talk_create(t, "T"), other = talk_create(t, "U");
    struct address wrong[3] = {{0}, {999999, 1}, {0, 999999}};
    struct history_spec history = {.owner = t->rig.owner, .session = session, .at = at_end()};
    struct log_spec log = {.owner = t->rig.owner, .session = session};
    struct gathered got = {.arena = &t->arena};

    talk_say(t, session, ROLE_USER, "x");
    wrong[0] = talk_append(t, other, talk_message(t, ROLE_USER, "y")).at;
    wrong[2].s = talk_session(t, session).s;
    for (int i = 0; i < 3; i++) {
        history.at = (struct point_spec){.by = POINT_ADDRESS, .address = wrong[i]};
        history.after = ADDRESS_START;
        CHECK_FAULT(store_history(t->rig.store, &history, gather_entry, &got, NULL, &t->fault),
                    FAULT_POINT_INVALID, &t->fault);
        history.at = at_end();
        history.after = wrong[i];
        CHECK_FAULT(store_history(t->rig.store, &history, gather_entry, &got, NULL, &t->fault),
                    FAULT_POINT_INVALID, &t->fault);
    }
    for (int i = 0; i < 2; i++) {
        log.after = wrong[i];
        CHECK_FAULT(store_raw_log(t->rig.store, &log, gather_entry, &got, &t->fault),
                    FAULT_POINT_INVALID, &t->fault);
    }
    assert_int_equal(got.count, 0);
}

static void windows_and_tails(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct history_spec spec = {.owner = t->rig.owner, .session = session, .at = at_end()};

    talk_say_many(t, session, "m", 20);
    for (int64_t from = 0; from <= 21; from++)
        for (int64_t limit = 0; limit <= 21; limit++)
            for (int tail = 0; tail < 2; tail++) {
                struct gathered got = {.arena = &t->arena};
                struct history_info info;
                int64_t first = tail        ? (limit && limit < 20 ? 20 - limit : 0)
                                : from < 20 ? from
                                            : 20;
                int64_t count = limit && limit < 20 - first ? limit : 20 - first;

                spec.from = from;
                spec.limit = limit;
                spec.tail = tail;
                CHECK_OK(store_history(t->rig.store, &spec, gather_entry, &got, &info, &t->fault),
                         &t->fault);
                assert_int_equal(got.count, count);
                for (int64_t i = 0; i < count; i++)
                    assert_int_equal(got.entries[i].index, first + i);
                assert_int_equal(info.total, 20);
                assert_int_equal(info.more, count > 0 && first + count < 20);
            }
}

/* ---- visits ---- */

static enum fault_code stop_at_third(void *context, const struct entry *entry, struct fault *fault)
{
    int *seen = context;

    (void)entry;
    return ++*seen == 3 ? fault_set(fault, FAULT_INTERRUPTED, "the third is enough") : FAULT_OK;
}

static void a_visit_that_fails_ends_the_verb(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct history_spec history = {.owner = t->rig.owner, .session = session, .at = at_end()};
    struct log_spec log = {.owner = t->rig.owner, .session = session};
    int seen = 0;

    talk_say_many(t, session, "m", 10);
    CHECK_FAULT(store_history(t->rig.store, &history, stop_at_third, &seen, NULL, &t->fault),
                FAULT_INTERRUPTED, &t->fault);
    assert_int_equal(seen, 3);
    seen = 0;
    CHECK_FAULT(store_raw_log(t->rig.store, &log, stop_at_third, &seen, &t->fault),
                FAULT_INTERRUPTED, &t->fault);
    assert_int_equal(seen, 3);
    assert_int_equal(talk_history(t, session, false).count, 10); /* and the store goes on */
}

const struct contract_test entry_contract[] = {
    CONTRACT(bodies_are_kept_byte_for_byte),
    CONTRACT(a_large_body_comes_back),
    CONTRACT(what_is_visible),
    CONTRACT(a_history_from_the_newest_summary),
    CONTRACT(times_and_numbers_strictly_increase),
    CONTRACT(a_batch_is_stored_whole_or_not_at_all),
    CONTRACT(what_is_no_entry_is_refused),
    CONTRACT(an_empty_batch_is_refused),
    CONTRACT(the_same_id_with_the_same_bytes_is_the_same_answer),
    CONTRACT(the_same_id_with_other_bytes_is_taken),
    CONTRACT(a_batch_may_not_be_half_known),
    CONTRACT(ids_are_unique_in_what_a_session_ever_had),
    CONTRACT(expectations_of_the_head),
    CONTRACT(entries_come_to_their_turns),
    CONTRACT(a_turn_goes_on_in_a_fork),
    CONTRACT(usage_is_own_inherited_and_spent),
    CONTRACT(state_is_that_of_the_path),
    CONTRACT(a_long_history_of_state),
    CONTRACT(path_hashes_can_be_computed_by_anybody),
    CONTRACT(cursors_stay_on_their_head),
    CONTRACT(cursors_of_others_are_refused),
    CONTRACT(windows_and_tails),
    CONTRACT(a_visit_that_fails_ends_the_verb),
    {0},
};
