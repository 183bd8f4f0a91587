/* Deleting: what stands on something stays whole, what nothing stands on goes, in any order. */
#include "contract.h"

static void delete_purging(struct talk *t, struct str session)
{
    struct delete_spec spec = {.owner = t->rig.owner, .session = session, .purge = true};

    CHECK_OK(engine_delete(t->rig.engine, &spec, &t->fault), &t->fault);
}

static struct gc_result gc(struct talk *t, int64_t keep_us)
{
    struct gc_spec spec = {.now_us = t->rig.now_us, .keep_us = keep_us};
    struct gc_result result;

    CHECK_OK(store_gc(t->rig.store, &spec, NULL, NULL, &result, &t->fault), &t->fault);
    return result;
}

static void check_empty(struct talk *t)
{
    struct store_counts none = {0}, left;

    gc(t, 0);
    left = talk_counts(t);
    assert_memory_equal(&left, &none, sizeof(left));
}

static void what_nothing_stands_on_goes(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct delete_spec again = {.owner = t->rig.owner, .session = session};
    struct store_counts left;

    talk_say_many(t, session, "m", 20);
    talk_rewind(t, session, before_index(3));
    talk_say(t, session, ROLE_USER, "x");
    talk_delete(t, session);
    left = talk_counts(t);
    assert_int_equal(
        left.sessions + left.deleted + left.entries + left.lines + left.moves + left.reaps, 0);
    CHECK_FAULT(engine_delete(t->rig.engine, &again, &t->fault), FAULT_SESSION_NOT_FOUND,
                &t->fault);
    check_empty(t);
}

static void a_fork_outlives_its_source(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct session was, is;
    size_t raw;

    talk_say_many(t, session, "m", 4);
    talk_rewind(t, session, before_index(2));
    talk_say_many(t, session, "n", 4);
    fork = talk_fork(t, session, after_index(3)).session.id;
    talk_say(t, fork, ROLE_USER, "f");
    was = talk_session(t, fork);
    raw = talk_raw(t, fork).count;
    talk_delete(t, session);
    is = talk_session(t, fork);
    assert_string_equal(talk_texts(t, fork), "m0 m1 n0 n1 f");
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    assert_int_equal(talk_raw(t, fork).count, raw);
    assert_int_equal(talk_counts(t).entries, raw); /* what was above the fork is gone */
    assert_int_equal(talk_counts(t).deleted, 1);
    CHECK_STR(talk_history(t, fork, true).entries[0].session, session.p); /* still its writer */
    talk_rewind(t, fork, after_message(talk_raw(t, fork).entries[3].id));
    assert_string_equal(talk_texts(t, fork), "m0 m1 m2 m3");
    talk_delete(t, fork);
    check_empty(t);
}

/* A family of five, on each other in several ways, in every order of deletion. */
static void families_go_in_any_order(struct talk *t)
{
    enum { COUNT = 5 };
    int order[COUNT] = {0, 1, 2, 3, 4};

    for (;;) {
        struct str ids[COUNT];
        const char *texts[COUNT];
        int i, k;

        ids[0] = talk_create(t, "root");
        talk_say_many(t, ids[0], "r", 3);
        ids[1] = talk_fork(t, ids[0], after_index(1)).session.id;
        talk_say_many(t, ids[1], "a", 2);
        talk_rewind(t, ids[1], before_index(3));
        ids[2] = talk_fork(t, ids[1], at_end()).session.id;        /* at a move */
        ids[3] = talk_fork(t, ids[2], before_index(1)).session.id; /* at what ids[0] wrote */
        talk_say_many(t, ids[3], "c", 1);
        ids[4] = talk_fork(t, ids[2], at_end()).session.id;
        talk_say_many(t, ids[2], "b", 1);
        talk_say_many(t, ids[4], "d", 1);
        for (i = 0; i < COUNT; i++)
            texts[i] = talk_texts(t, ids[i]);
        for (i = 0; i < COUNT; i++) {
            talk_delete(t, ids[order[i]]);
            for (k = i + 1; k < COUNT; k++)
                assert_string_equal(talk_texts(t, ids[order[k]]), texts[order[k]]);
        }
        check_empty(t);
        arena_clear(&t->arena);
        /* the next order */
        for (i = COUNT - 2; i >= 0 && order[i] > order[i + 1]; i--)
            ;
        if (i < 0)
            return;
        for (k = COUNT - 1; order[k] < order[i]; k--)
            ;
        order[i] ^= order[k], order[k] ^= order[i], order[i] ^= order[k];
        for (int a = i + 1, b = COUNT - 1; a < b; a++, b--)
            order[a] ^= order[b], order[b] ^= order[a], order[a] ^= order[b];
    }
}

static struct str refer(struct talk *t, struct str session, struct str to, struct point_spec where)
{
    struct entry_spec spec = {.kind = ENTRY_SUBSESSION, .body = STR("{}"), .ref_session = to};

    spec.ref_point = where;
    return talk_append(t, session, spec).id;
}

static void a_reference_keeps_what_it_names(struct talk *t)
{
    struct str session = talk_create(t, "T"), named = talk_create(t, "named"), fork;

    talk_say_many(t, named, "n", 6);
    refer(t, session, named, after_index(2));
    talk_delete(t, named);
    assert_int_equal(talk_counts(t).entries, 4); /* three messages and the reference */
    assert_int_equal(talk_counts(t).pins, 1);
    fork = talk_fork(t, session, at_end()).session.id;
    talk_delete(t, session);
    assert_int_equal(talk_counts(t).entries, 4);
    talk_delete(t, fork);
    check_empty(t);
}

static struct str create_sub(struct talk *t)
{
    struct create_spec spec = {
        .owner = t->rig.owner, .title = STR("sub"), .agent = STR("test/none"), .sub = true};
    struct session made;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_int_equal(made.state, SESSION_SUB);
    return made.id;
}

static void a_sub_session_goes_with_its_last_reference(struct talk *t)
{
    struct str a = talk_create(t, "a"), b = talk_create(t, "b"), sub = create_sub(t);
    struct session out;

    talk_say_many(t, sub, "s", 3);
    refer(t, a, sub, after_index(0));
    refer(t, b, sub, after_index(2));
    talk_delete(t, a);
    assert_string_equal(talk_texts(t, sub), "s0 s1 s2");
    talk_delete(t, b);
    CHECK_FAULT(
        store_session_get(t->rig.store, t->rig.owner, sub, false, &t->arena, &out, &t->fault),
        FAULT_SESSION_NOT_FOUND, &t->fault);
    talk_verify(t);
    check_empty(t);
}

/* A sub-session that nothing has named yet is waited for, but not for ever. */
static void a_loose_sub_session_goes_after_a_while(struct talk *t)
{
    struct str sub = create_sub(t);
    struct session out;

    talk_say(t, sub, ROLE_USER, "s");
    t->rig.now_us += 3600000000;
    gc(t, 7200000000);
    assert_string_equal(talk_texts(t, sub), "s");
    gc(t, 1800000000);
    CHECK_FAULT(
        store_session_get(t->rig.store, t->rig.owner, sub, false, &t->arena, &out, &t->fault),
        FAULT_SESSION_NOT_FOUND, &t->fault);
    check_empty(t);
}

/* ---- purging ---- */

static void a_purge_empties_what_is_on_no_living_path(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;
    struct gathered raw;
    struct session was, is;

    talk_say_many(t, session, "m", 3);
    talk_say(t, session, ROLE_USER, "secret");
    talk_rewind(t, session, before_index(2));
    talk_say(t, session, ROLE_USER, "open");
    fork = talk_fork(t, session, at_end()).session.id;
    was = talk_session(t, fork);
    assert_int_equal(talk_search(t, "secret").count, 1);
    delete_purging(t, session);
    assert_string_equal(talk_texts(t, fork), "m0 m1 open");
    raw = talk_raw(t, fork);
    assert_int_equal(raw.count, 6);
    for (size_t i = 0; i < raw.count; i++) {
        bool gone = i == 2 || i == 3;

        assert_int_equal(raw.entries[i].erased, gone);
        if (gone)
            assert_null(raw.entries[i].body.p);
    }
    assert_int_equal(talk_search(t, "secret").count, 0);
    assert_int_equal(talk_search(t, "open").count, 1);
    is = talk_session(t, fork);
    assert_memory_equal(was.hash, is.hash, HASH_BYTES);
    talk_verify(t); /* hashes stay, and can still be checked */
    talk_rewind(t, fork, after_message(raw.entries[3].id));
    assert_int_equal(talk_session(t, fork).messages, 4);
    talk_delete(t, fork);
    check_empty(t);
}

/* A reference that goes in the same breath, with what only the purged session kept, keeps nothing.
 */
static void a_purge_is_not_held_up_by_what_goes_with_it(struct talk *t)
{
    struct str other = talk_create(t, "U"), session = talk_create(t, "T"), fork;
    struct gathered raw;

    talk_say(t, session, ROLE_USER, "open");
    talk_say(t, session, ROLE_USER, "secret");
    refer(t, other, session, at_end());
    talk_rewind(t, session, before_index(1));
    talk_say(t, session, ROLE_USER, "more");
    fork = talk_fork(t, session, at_end()).session.id;
    refer(t, session, other, at_end());
    talk_delete(t, other); /* only the session's reference keeps it */
    delete_purging(t, session);
    assert_int_equal(talk_counts(t).pins, 0);
    assert_string_equal(talk_texts(t, fork), "open more");
    raw = talk_raw(t, fork);
    assert_int_equal(raw.count, 4);
    assert_true(raw.entries[1].erased);
    assert_int_equal(talk_search(t, "secret").count, 0);
}

static void a_delete_without_purge_keeps_the_bodies(struct talk *t)
{
    struct str session = talk_create(t, "T"), fork;

    talk_say(t, session, ROLE_USER, "rewound");
    talk_rewind(t, session, at_start());
    talk_say(t, session, ROLE_USER, "kept");
    fork = talk_fork(t, session, at_end()).session.id;
    talk_delete(t, session);
    assert_false(talk_raw(t, fork).entries[0].erased);
    talk_rewind(t, fork, after_message(talk_raw(t, fork).entries[0].id));
    assert_string_equal(talk_texts(t, fork), "rewound");
}

/* ---- in slices ---- */

static void a_large_session_goes_in_small_pieces(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct entry_spec *specs = arena_array(&t->arena, 1000, sizeof(*specs));
    struct delete_spec spec = {.owner = t->rig.owner, .session = session, .at_us = 1};
    bool more = true;
    int pieces = 0;
    int64_t before;

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 1000; k++)
            specs[k] = talk_message(t, ROLE_USER, "some text");
        talk_batch(t, session, specs, 1000);
    }
    CHECK_OK(store_session_delete(t->rig.store, &spec, &t->fault), &t->fault);
    while (more) {
        before = talk_counts(t).entries;
        CHECK_OK(store_reap(t->rig.store, &more, &t->fault), &t->fault);
        assert_true(before - talk_counts(t).entries <= 1000);
        pieces++;
    }
    assert_true(pieces > 3);
    assert_int_equal(talk_counts(t).entries, 0);
    assert_int_equal(talk_counts(t).reaps, 0);
    CHECK_OK(store_reap(t->rig.store, &more, &t->fault), &t->fault);
    assert_false(more);
}

/* A fork made while a session is being cleared away keeps what it stands on. */
static void gc_finishes_what_was_begun(struct talk *t)
{
    struct str session = talk_create(t, "T"), other = talk_create(t, "U"), fork;
    struct delete_spec spec = {.owner = t->rig.owner, .session = session, .at_us = 1};
    struct gc_result result;

    talk_say_many(t, session, "m", 4);
    talk_say_many(t, other, "o", 4);
    fork = talk_fork(t, session, after_index(1)).session.id;
    CHECK_OK(store_session_delete(t->rig.store, &spec, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).reaps, 1);
    result = gc(t, 0);
    assert_int_equal(talk_counts(t).reaps, 0);
    assert_int_equal(result.entries, 2);
    assert_string_equal(talk_texts(t, fork), "m0 m1");
    assert_string_equal(talk_texts(t, other), "o0 o1 o2 o3");
}

static void gc_keeps_what_is_young(struct talk *t)
{
    struct create_spec spec = {.owner = t->rig.owner,
                               .title = STR("T"),
                               .agent = STR("ns/a"),
                               .metadata = STR("{\"large\":\"metadata\"}")};
    struct session made;
    struct gc_result result;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_int_equal(talk_counts(t).objects, 1);
    talk_delete(t, made.id);
    t->rig.now_us += 1000000;
    gc(t, 10000000);
    assert_int_equal(talk_counts(t).objects, 1);
    assert_true(talk_counts(t).notes > 0);
    t->rig.now_us += 100000000;
    result = gc(t, 10000000);
    assert_int_equal(result.objects, 1);
    assert_true(result.notes > 0);
    check_empty(t);
}

static void objects_are_shared_and_kept_while_named(struct talk *t)
{
    struct create_spec spec = {.owner = t->rig.owner,
                               .title = STR("T"),
                               .agent = STR("ns/a"),
                               .metadata = STR("{\"shared\":true}")};
    struct session first, second;
    struct str fork;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &first, &t->fault), &t->fault);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &second, &t->fault), &t->fault);
    fork = talk_fork(t, first.id, at_end()).session.id;
    assert_int_equal(talk_counts(t).objects, 1);
    talk_delete(t, first.id);
    talk_delete(t, second.id);
    t->rig.now_us += 1000000;
    gc(t, 0);
    CHECK_STR(talk_session(t, fork).metadata, "{\"shared\":true}");
    talk_delete(t, fork);
    t->rig.now_us += 1000000;
    check_empty(t);
}

/* Numbers of acts are never given out again, whatever was deleted. */
static void numbers_are_never_used_twice(struct talk *t)
{
    int64_t highest = 0;

    for (int i = 0; i < 5; i++) {
        struct str session = talk_create(t, "T");
        struct gathered journal;

        talk_say_many(t, session, "m", 3);
        journal = talk_journal(t, session);
        for (size_t k = 0; k < journal.count; k++) {
            assert_true(journal.journal[k].e > highest);
            highest = journal.journal[k].e;
        }
        talk_delete(t, session);
        t->rig.now_us += 1000000;
        check_empty(t);
        if (t->rig.kind->lasts && i == 2)
            rig_reopen(&t->rig);
    }
}

const struct contract_test delete_contract[] = {
    CONTRACT(what_nothing_stands_on_goes),
    CONTRACT(a_fork_outlives_its_source),
    CONTRACT(families_go_in_any_order),
    CONTRACT(a_reference_keeps_what_it_names),
    CONTRACT(a_sub_session_goes_with_its_last_reference),
    CONTRACT(a_loose_sub_session_goes_after_a_while),
    CONTRACT(a_purge_empties_what_is_on_no_living_path),
    CONTRACT(a_purge_is_not_held_up_by_what_goes_with_it),
    CONTRACT(a_delete_without_purge_keeps_the_bodies),
    CONTRACT(a_large_session_goes_in_small_pieces),
    CONTRACT(gc_finishes_what_was_begun),
    CONTRACT(gc_keeps_what_is_young),
    CONTRACT(objects_are_shared_and_kept_while_named),
    CONTRACT(numbers_are_never_used_twice),
    {0},
};
