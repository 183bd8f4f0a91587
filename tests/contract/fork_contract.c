/* Forks: what they have, what they are called, and that the source is left alone. */
#include "contract.h"

#include "store/limits.h"

#include <stdio.h>

static void a_fork_has_what_was_before_the_point(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 5);
    struct fork_result fork;

    fork = talk_fork(t, session, at_end());
    assert_string_equal(talk_texts(t, fork.session.id), "m0 m1 m2 m3 m4");
    assert_int_equal(fork.session.messages, 5);
    assert_int_equal(fork.session.fork_index, 5);
    assert_false(fork.has_excluded);
    fork = talk_fork(t, session, before_message(m[3]));
    assert_string_equal(talk_texts(t, fork.session.id), "m0 m1 m2");
    assert_true(fork.has_excluded);
    assert_true(str_eq(fork.excluded.id, m[3]));
    assert_true(str_eq(fork.point.message, m[3]));
    assert_int_equal(fork.point.side, SIDE_BEFORE);
    assert_int_equal(fork.point.index, 3);
    fork = talk_fork(t, session, after_message(m[3]));
    assert_string_equal(talk_texts(t, fork.session.id), "m0 m1 m2 m3");
    assert_false(fork.has_excluded);
    assert_string_equal(talk_texts(t, talk_fork(t, session, before_index(0)).session.id), "");
    assert_string_equal(talk_texts(t, talk_fork(t, session, before_index(1)).session.id), "m0");
    assert_string_equal(talk_texts(t, talk_fork(t, session, after_index(-1)).session.id),
                        "m0 m1 m2 m3 m4");
    assert_string_equal(talk_texts(t, talk_fork(t, session, before_index(-2)).session.id),
                        "m0 m1 m2");
    assert_string_equal(talk_texts(t, talk_fork(t, session, at_start()).session.id), "");
}

static void forks_go_their_own_ways(struct talk *t)
{
    struct str a = talk_create(t, "T"), b, c;

    talk_say_many(t, a, "a", 3);
    b = talk_fork(t, a, after_index(1)).session.id;
    talk_say_many(t, b, "b", 2);
    c = talk_fork(t, b, after_index(2)).session.id;
    talk_say_many(t, c, "c", 1);
    talk_say_many(t, a, "A", 1);
    assert_string_equal(talk_texts(t, a), "a0 a1 a2 A0");
    assert_string_equal(talk_texts(t, b), "a0 a1 b0 b1");
    assert_string_equal(talk_texts(t, c), "a0 a1 b0 c0");
    assert_int_equal(talk_session(t, c).own_messages, 1);
    assert_int_equal(talk_session(t, c).fork_index, 3);
    assert_int_equal(talk_session(t, a).children, 1);
    assert_int_equal(talk_session(t, b).children, 1);
    assert_int_equal(talk_session(t, c).children, 0);
}

static void a_fork_remembers_where_it_came_from(struct talk *t)
{
    struct str session = talk_create(t, "The source"), *m = talk_say_many(t, session, "m", 3);
    struct session fork = talk_fork(t, session, before_message(m[1])).session;

    talk_rename(t, session, "Renamed since");
    fork = talk_session(t, fork.id);
    assert_true(fork.parent.known);
    assert_true(str_eq(fork.parent.session, session));
    CHECK_STR(fork.parent.title, "The source");
    assert_true(str_eq(fork.parent.message, m[1]));
    assert_int_equal(fork.parent.side, SIDE_BEFORE);
    assert_false(fork.parent.deleted);
    fork = talk_session(t, talk_fork(t, session, at_end()).session.id);
    CHECK_STR(fork.parent.message, "");
    CHECK_STR(fork.parent.title, "Renamed since");
}

/* One session and one note more, whatever the length; nothing of the source changes. */
static void a_fork_is_one_row_and_the_source_is_left_alone(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct store_counts before, after;
    struct session was, is;
    size_t journal;

    talk_say_many(t, session, "m", 50);
    talk_rewind(t, session, before_index(40));
    was = talk_session(t, session);
    before = talk_counts(t);
    journal = talk_journal(t, session).count;
    for (int i = 0; i < 3; i++)
        talk_fork(t, session, before_index(10 * i + 1));
    after = talk_counts(t);
    is = talk_session(t, session);
    before.sessions += 3;
    before.notes += 3;
    assert_memory_equal(&before, &after, sizeof(before));
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    assert_int_equal(was.updated_us, is.updated_us);
    assert_true(address_eq(was.head_at, is.head_at));
    assert_int_equal(talk_journal(t, session).count, journal);
}

static void a_fork_takes_over_settings(struct talk *t)
{
    struct create_spec create = {.owner = t->rig.owner,
                                 .title = STR("T"),
                                 .agent = STR("ns/a"),
                                 .metadata = STR("{\"m\":1}"),
                                 .limits = STR("{\"l\":1}")};
    struct str title = STR("Own title"), agent = STR("ns/b"), metadata = STR("{\"m\":2}");
    struct fork_spec spec = {.owner = t->rig.owner};
    struct session source;
    struct fork_result fork;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &source, &t->fault), &t->fault);
    spec.session = source.id;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.agent, "ns/a");
    CHECK_STR(fork.session.metadata, "{\"m\":1}");
    CHECK_STR(fork.session.limits, "{\"l\":1}");
    spec.title = &title;
    spec.agent = &agent;
    spec.metadata = &metadata;
    spec.id = STR("my-fork");
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.id, "my-fork");
    CHECK_STR(fork.session.title, "Own title");
    CHECK_STR(fork.session.agent, "ns/b");
    CHECK_STR(fork.session.metadata, "{\"m\":2}");
    CHECK_STR(fork.session.limits, "{\"l\":1}");
    CHECK_FAULT(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), FAULT_EXISTS,
                &t->fault);
    title = STR("\xff");
    spec.id = STR_NONE;
    CHECK_FAULT(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), FAULT_INVALID,
                &t->fault);
}

/* What dialects keep goes along; through which of them the fork was made is its own. */
static void a_fork_takes_over_what_dialects_keep(struct talk *t)
{
    struct create_spec create = {.owner = t->rig.owner,
                                 .agent = STR("ns/a"),
                                 .home = STR("kagent"),
                                 .settings = STR("{\"kagent\":{\"x\":1}}")};
    struct str other = STR("{\"ash\":{}}"), none = STR("{}");
    struct fork_spec spec = {.owner = t->rig.owner};
    struct session source;
    struct fork_result fork;

    CHECK_OK(engine_create(t->rig.engine, &create, &t->arena, &source, &t->fault), &t->fault);
    spec.session = source.id;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.home, "");
    CHECK_STR(fork.session.settings, "{\"kagent\":{\"x\":1}}");
    spec.home = STR("ash");
    spec.settings = &other;
    spec.dry_run = true;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.home, "ash");
    CHECK_STR(fork.session.settings, "{\"ash\":{}}");
    spec.dry_run = false;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.home, "ash");
    CHECK_STR(fork.session.settings, "{\"ash\":{}}");
    spec.settings = &none;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    CHECK_STR(fork.session.settings, "{}");
    CHECK_STR(talk_session(t, source.id).settings, "{\"kagent\":{\"x\":1}}");
    CHECK_STR(talk_session(t, source.id).home, "kagent");
}

static void a_dry_fork_touches_nothing(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 4);
    struct fork_spec spec = {
        .owner = t->rig.owner, .session = session, .point = before_message(m[2]), .dry_run = true};
    struct store_counts before = talk_counts(t), after;
    struct fork_result dry, wet;

    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &dry, &t->fault), &t->fault);
    after = talk_counts(t);
    assert_memory_equal(&before, &after, sizeof(before));
    CHECK_STR(dry.session.id, "");
    wet = talk_fork(t, session, spec.point);
    assert_true(str_eq(dry.session.title, wet.session.title)); /* it was not used up */
    assert_int_equal(dry.session.messages, wet.session.messages);
    assert_int_equal(dry.session.fork_index, wet.session.fork_index);
    assert_memory_equal(dry.session.hash, wet.session.hash, HASH_BYTES);
    assert_true(address_eq(dry.point.at, wet.point.at));
    assert_true(str_eq(dry.excluded.id, wet.excluded.id));
    spec.point = before_message(STR("nothing"));
    CHECK_FAULT(engine_fork(t->rig.engine, &spec, &t->arena, &dry, &t->fault),
                FAULT_MESSAGE_NOT_FOUND, &t->fault);
}

static void a_fork_expects_a_head(struct talk *t)
{
    struct str session = talk_create(t, "T"), *m = talk_say_many(t, session, "m", 2);
    struct fork_spec spec = {.owner = t->rig.owner, .session = session, .expect_head = m[0]};
    struct fork_result fork;

    CHECK_FAULT(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.expect_head = m[1];
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).sessions, 2);
}

static void a_fork_starts_with_nothing_to_undo(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct move_spec spec = {.owner = t->rig.owner};
    struct move_result result;

    talk_say_many(t, session, "m", 3);
    talk_rewind(t, session, before_index(1));
    fork = talk_fork(t, session, at_end()).session.id;
    assert_false(talk_session(t, fork).can_undo);
    spec.session = fork;
    CHECK_FAULT(engine_undo(t->rig.engine, &spec, &t->arena, &result, &t->fault),
                FAULT_NOTHING_TO_UNDO, &t->fault);
    assert_true(talk_session(t, session).can_undo);
    /* but it can rewind to what its source had rewound away */
    talk_rewind(t, fork, after_message(talk_raw(t, session).entries[2].id));
    assert_string_equal(talk_texts(t, fork), "m0 m1 m2");
}

/* ---- titles ---- */

static struct str forked_title(struct talk *t, struct str session)
{
    return talk_fork(t, session, at_end()).session.title;
}

static void titles_go_up_in_one_series(struct talk *t)
{
    struct str session = talk_create(t, "Plan"), fork;

    CHECK_STR(forked_title(t, session), "Plan (fork 1)");
    CHECK_STR(forked_title(t, session), "Plan (fork 2)");
    fork = talk_fork(t, session, at_end()).session.id;
    CHECK_STR(talk_session(t, fork).title, "Plan (fork 3)");
    CHECK_STR(forked_title(t, fork), "Plan (fork 4)"); /* a fork of a fork is of the series */
    CHECK_STR(forked_title(t, session), "Plan (fork 5)");
    talk_delete(t, fork);
    CHECK_STR(forked_title(t, session), "Plan (fork 6)");
}

static void the_highest_number_in_use_counts(struct talk *t)
{
    struct str session = talk_create(t, "Plan"), high = talk_create(t, "Plan   (fork 41)");

    CHECK_STR(forked_title(t, session), "Plan (fork 42)");
    talk_rename(t, high, "Something else");
    CHECK_STR(forked_title(t, session), "Plan (fork 43)");
    talk_create(t, "Plan (fork 007)");
    CHECK_STR(forked_title(t, session), "Plan (fork 44)");
}

static void a_renamed_fork_leaves_the_series(struct talk *t)
{
    struct str session = talk_create(t, "A"), one = talk_fork(t, session, at_end()).session.id;

    talk_rename(t, one, "B");
    CHECK_STR(forked_title(t, session), "A (fork 1)");
    CHECK_STR(forked_title(t, one), "B (fork 1)");
    talk_rename(t, session, "B (fork 9)");
    CHECK_STR(forked_title(t, one), "B (fork 10)");
    CHECK_STR(forked_title(t, session), "B (fork 11)");
}

static void deleted_titles_are_free(struct talk *t)
{
    struct str session = talk_create(t, "A"), forks[3], stands;

    for (int i = 0; i < 3; i++) {
        forks[i] = talk_fork(t, session, at_end()).session.id;
        talk_say(t, forks[i], ROLE_USER, "x");
    }
    stands = talk_fork(t, forks[2], at_end()).session.id; /* on A (fork 3) */
    talk_rename(t, stands, "another");
    talk_delete(t, forks[2]);
    CHECK_STR(forked_title(t, session), "A (fork 3)");
    talk_delete(t, forks[0]); /* not the highest */
    CHECK_STR(forked_title(t, session), "A (fork 4)");
}

static void odd_titles(struct talk *t)
{
    static const struct {
        const char *title, *fork;
    } rows[] = {
        {"", ""},
        {"(fork 3)", " (fork 4)"},
        {"T (fork 2) in it", "T (fork 2) in it (fork 1)"},
        {"U (fork 1234567890)", "U (fork 1234567890) (fork 1)"},
        {"V (fork x)", "V (fork x) (fork 1)"},
        {"W (Fork 1)", "W (Fork 1) (fork 1)"},
        {"X(fork 5)", "X (fork 6)"},
        {"Y (fork 1) (fork 2)", "Y (fork 1) (fork 3)"},
        {"\xe2\x82\xac \"quoted\" 100%", "\xe2\x82\xac \"quoted\" 100% (fork 1)"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_STR(forked_title(t, talk_create(t, rows[i].title)), rows[i].fork);
}

static void a_series_is_of_one_owner(struct talk *t)
{
    struct str session = talk_create(t, "T"), theirs;
    int64_t mine = t->rig.owner, other;

    CHECK_OK(store_owner(t->rig.store, STR("other"), &other, &t->fault), &t->fault);
    t->rig.owner = other;
    theirs = talk_create(t, "T (fork 50)");
    CHECK_STR(forked_title(t, theirs), "T (fork 51)");
    t->rig.owner = mine;
    CHECK_STR(forked_title(t, session), "T (fork 1)");
}

static void a_sub_session_is_in_no_series(struct talk *t)
{
    struct create_spec spec = {
        .owner = t->rig.owner, .title = STR("T (fork 90)"), .agent = STR("test/none"), .sub = true};
    struct session made;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    CHECK_STR(forked_title(t, talk_create(t, "T")), "T (fork 1)");
}

static void a_long_title_is_cut(struct talk *t)
{
    char title[LIMIT_TITLE_BYTES + 1];
    struct str session, first, second;

    for (int i = 0; i < LIMIT_TITLE_BYTES; i += 2)
        memcpy(title + i, "\xc3\xa4", 2);
    title[LIMIT_TITLE_BYTES] = '\0';
    session = talk_create(t, title);
    first = forked_title(t, session);
    second = forked_title(t, session);
    assert_true(first.n <= LIMIT_TITLE_BYTES && second.n <= LIMIT_TITLE_BYTES);
    assert_true(str_eq((struct str){first.p, first.n - 9}, (struct str){second.p, second.n - 9}));
    CHECK_STR(((struct str){first.p + first.n - 9, 9}), " (fork 1)");
    CHECK_STR(((struct str){second.p + second.n - 9, 9}), " (fork 2)");
    assert_true(str_starts(str_of(title), (struct str){first.p, first.n - 9}));
    assert_true(first.n + 2 + 9 > LIMIT_TITLE_BYTES); /* room for nine digits, not much more */
}

static void the_numbers_of_a_series_run_out(struct talk *t)
{
    struct str session = talk_create(t, "T (fork 999999998)");
    struct fork_spec spec = {.owner = t->rig.owner, .session = session};
    struct fork_result fork;
    struct str own = STR("own");

    CHECK_STR(forked_title(t, session), "T (fork 999999999)");
    CHECK_FAULT(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), FAULT_LIMIT,
                &t->fault);
    spec.title = &own;
    CHECK_OK(engine_fork(t->rig.engine, &spec, &t->arena, &fork, &t->fault), &t->fault);
}

/* ---- depth ---- */

/* Forks of forks, each at another place, a thousand deep: lookups still find everything. */
static void a_deep_chain_of_forks(struct talk *t)
{
    enum { DEPTH = 1000 };
    struct str session = talk_create(t, "T"), first = talk_say(t, session, ROLE_USER, "m0");
    struct session deep;

    for (int i = 1; i < DEPTH; i++) {
        session = talk_fork(t, session, at_end()).session.id;
        talk_say(t, session, ROLE_USER, arena_printf(&t->arena, "m%d", i).p);
    }
    deep = talk_session(t, session);
    assert_int_equal(deep.messages, DEPTH);
    assert_int_equal(deep.own_messages, 1);
    CHECK_STR(deep.title, "T (fork 999)");
    for (int i = 0; i < DEPTH; i += 37) {
        struct point_spec point = after_index(i);
        struct entry entry;

        CHECK_OK(store_entry_get(t->rig.store, t->rig.owner, session, &point, &t->arena, &entry,
                                 &t->fault),
                 &t->fault);
        assert_int_equal(entry.index, i);
        CHECK_STR(entry.body, arena_printf(&t->arena, "{\"text\":\"m%d\"}", i).p);
    }
    assert_string_equal(talk_texts(t, talk_fork(t, session, after_message(first)).session.id),
                        "m0");
    talk_rewind(t, session, after_index(499));
    assert_int_equal(talk_session(t, session).messages, 500);
    assert_int_equal(talk_raw(t, session).count, DEPTH + 1);
}

const struct contract_test fork_contract[] = {
    CONTRACT(a_fork_has_what_was_before_the_point),
    CONTRACT(forks_go_their_own_ways),
    CONTRACT(a_fork_remembers_where_it_came_from),
    CONTRACT(a_fork_is_one_row_and_the_source_is_left_alone),
    CONTRACT(a_fork_takes_over_settings),
    CONTRACT(a_fork_takes_over_what_dialects_keep),
    CONTRACT(a_dry_fork_touches_nothing),
    CONTRACT(a_fork_expects_a_head),
    CONTRACT(a_fork_starts_with_nothing_to_undo),
    CONTRACT(titles_go_up_in_one_series),
    CONTRACT(the_highest_number_in_use_counts),
    CONTRACT(a_renamed_fork_leaves_the_series),
    CONTRACT(deleted_titles_are_free),
    CONTRACT(odd_titles),
    CONTRACT(a_series_is_of_one_owner),
    CONTRACT(a_sub_session_is_in_no_series),
    CONTRACT(a_long_title_is_cut),
    CONTRACT(the_numbers_of_a_series_run_out),
    CONTRACT(a_deep_chain_of_forks),
    {0},
};
