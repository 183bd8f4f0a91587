/* Where a history stands: another mark after all that changes what is read, the same one else. */
#include "contract.h"

static struct history_mark mark_in(struct talk *t, struct store *store, struct str session)
{
    struct history_mark mark;

    CHECK_OK(store_history_mark(store, t->rig.owner, session, &mark, &t->fault), &t->fault);
    return mark;
}

static struct history_mark mark_of(struct talk *t, struct str session)
{
    return mark_in(t, t->rig.store, session);
}

static void check_same(struct history_mark a, struct history_mark b)
{
    assert_memory_equal(&a, &b, sizeof(a));
}

/* All of it only grows. */
static void check_later(struct history_mark before, struct history_mark after)
{
    assert_int_equal(before.s, after.s);
    assert_true(after.n >= before.n);
    assert_true(after.cleared >= before.cleared);
    assert_true(after.n > before.n || after.cleared > before.cleared);
}

static void what_is_written_moves_it(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct history_mark was = mark_of(t, session), is;

    talk_say_many(t, session, "m", 3);
    check_later(was, is = mark_of(t, session));
    was = is;
    talk_rewind(t, session, before_index(1));
    check_later(was, is = mark_of(t, session));
    was = is;
    talk_undo(t, session);
    check_later(was, is = mark_of(t, session)); /* where it was, but never the same mark */
    was = is;
    talk_redo(t, session);
    check_later(was, mark_of(t, session));
}

static void what_the_history_does_not_show_leaves_it(struct talk *t)
{
    struct str session = talk_create(t, "T"), *ids = talk_say_many(t, session, "m", 3), fork;
    struct history_mark was = mark_of(t, session), of_fork;

    talk_rename(t, session, "another");
    talk_label(t, session, ids[1], "here");
    fork = talk_fork(t, session, after_index(1)).session.id;
    of_fork = mark_of(t, fork);
    assert_true(of_fork.s != was.s);
    assert_int_equal(of_fork.n, 0);
    talk_say(t, fork, ROLE_USER, "f");
    check_same(was, mark_of(t, session));
    check_later(of_fork, mark_of(t, fork));
    was = mark_of(t, fork);
    talk_say(t, session, ROLE_USER, "behind the fork");
    check_same(was, mark_of(t, fork));
}

static void what_is_cleared_away_moves_all(struct talk *t)
{
    struct str session = talk_create(t, "T"), other = talk_create(t, "U"), fork;
    struct delete_spec spec = {.owner = t->rig.owner, .session = session, .purge = true};
    struct history_mark was, was_other;

    talk_say_many(t, session, "m", 3);
    talk_rewind(t, session, before_index(1));
    fork = talk_fork(t, session, at_end()).session.id;
    was = mark_of(t, fork);
    was_other = mark_of(t, other);
    CHECK_OK(engine_delete(t->rig.engine, &spec, &t->fault), &t->fault); /* bodies are emptied */
    for (bool more = true; more;)
        CHECK_OK(store_reap(t->rig.store, &more, &t->fault), &t->fault);
    assert_true(talk_raw(t, fork).entries[1].erased);
    check_later(was, mark_of(t, fork));
    check_later(was_other, mark_of(t, other));
    was_other = mark_of(t, other);
    talk_delete(t, fork); /* acts are removed */
    for (bool more = true; more;)
        CHECK_OK(store_reap(t->rig.store, &more, &t->fault), &t->fault);
    check_later(was_other, mark_of(t, other));
}

static void it_is_of_a_session_that_one_has(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct store *store = t->rig.store;
    struct history_mark mark;
    int64_t stranger;

    CHECK_OK(store_owner(store, STR("stranger"), &stranger, &t->fault), &t->fault);
    CHECK_FAULT(store_history_mark(store, stranger, session, &mark, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    CHECK_OK(store_history_mark(store, OWNER_ANY, session, &mark, &t->fault), &t->fault);
    check_same(mark, mark_of(t, session));
    talk_delete(t, session);
    CHECK_FAULT(store_history_mark(store, t->rig.owner, session, &mark, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
}

static void what_another_process_writes_is_seen(struct talk *t)
{
    struct str session = talk_create(t, "T");
    struct history_mark was;
    struct store *second;

    if (!t->rig.kind->lasts)
        return;
    CHECK_OK(t->rig.kind->open(t->rig.directory, &second, &t->fault), &t->fault);
    was = mark_in(t, second, session);
    talk_say(t, session, ROLE_USER, "m");
    check_later(was, mark_in(t, second, session));
    check_same(mark_of(t, session), mark_in(t, second, session));
    store_close(second);
}

const struct contract_test mark_contract[] = {
    CONTRACT(what_is_written_moves_it),
    CONTRACT(what_the_history_does_not_show_leaves_it),
    CONTRACT(what_is_cleared_away_moves_all),
    CONTRACT(it_is_of_a_session_that_one_has),
    CONTRACT(what_another_process_writes_is_seen),
    {0},
};
