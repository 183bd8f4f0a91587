/* Events: acts and notes of the whole store in the order of their numbers. */
#include "contract.h"

static struct gathered events(struct talk *t, int64_t owner, struct str session, int64_t after,
                              int64_t limit, struct event_info *info)
{
    struct event_spec spec = {owner, session, after, limit};
    struct gathered got = {.arena = &t->arena};
    struct event_info none;

    CHECK_OK(store_events(t->rig.store, &spec, gather_event, &got, info ? info : &none, &t->fault),
             &t->fault);
    return got;
}

static struct gathered all(struct talk *t, int64_t after)
{
    return events(t, OWNER_ANY, STR_NONE, after, 0, NULL);
}

static struct str create_for(struct talk *t, int64_t owner, const char *id, bool sub)
{
    struct create_spec spec = {
        .owner = owner, .id = str_of(id), .title = STR("T"), .agent = STR("ns/a"), .sub = sub};
    struct session made;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    return made.id;
}

static int64_t other_owner(struct talk *t)
{
    int64_t owner;

    CHECK_OK(store_owner(t->rig.store, STR("other"), &owner, &t->fault), &t->fault);
    return owner;
}

static void everything_is_told_in_order(struct talk *t)
{
    struct str a = talk_create(t, "A"), b, m;
    struct event_info info;
    struct gathered got;

    m = talk_say(t, a, ROLE_USER, "hello");
    b = talk_fork(t, a, at_end()).session.id;
    talk_say(t, b, ROLE_USER, "there");
    talk_rewind(t, a, at_start());
    talk_label(t, a, m, "here");
    got = events(t, OWNER_ANY, STR_NONE, 0, 0, &info);
    assert_int_equal(got.count, 6);
    for (size_t i = 0; i < got.count; i++) {
        assert_int_equal(got.events[i].item.e, i + 1);
        assert_int_equal(got.events[i].owner, t->rig.owner);
    }
    assert_int_equal(got.events[0].item.note->act, NOTE_CREATED);
    CHECK_STR(got.events[0].session, a.p);
    CHECK_STR(got.events[1].item.entry->id, m.p);
    assert_int_equal(got.events[2].item.note->act, NOTE_FORKED);
    CHECK_STR(got.events[2].session, b.p);
    CHECK_STR(got.events[3].session, b.p);
    assert_int_equal(got.events[4].item.entry->kind, ENTRY_MOVE);
    assert_int_equal(got.events[4].item.entry->move, MOVE_REWIND);
    assert_int_equal(got.events[5].item.note->act, NOTE_LABELLED);
    assert_int_equal(info.newest, 6);
    assert_int_equal(info.floor, 0);
    assert_false(info.more);
    /* from any number on, and in pieces of any size */
    for (int64_t after = 0; after <= 7; after++)
        for (int64_t limit = 1; limit <= 7; limit++) {
            int64_t left = after < 6 ? 6 - after : 0, want = limit < left ? limit : left;

            got = events(t, t->rig.owner, STR_NONE, after, limit, &info);
            assert_int_equal(got.count, want);
            assert_int_equal(info.more, want < left);
            assert_int_equal(info.newest, 6);
            if (want)
                assert_int_equal(got.events[0].item.e, after + 1);
        }
    assert_int_equal(all(t, INT64_MAX).count, 0);
}

static void owners_hear_of_their_own(struct talk *t)
{
    int64_t other = other_owner(t);
    struct str mine = talk_create(t, "mine");
    struct gathered got;

    create_for(t, other, "theirs", false);
    talk_say(t, mine, ROLE_USER, "a");
    got = events(t, t->rig.owner, STR_NONE, 0, 0, NULL);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.events[1].item.e, 3);
    got = events(t, other, STR_NONE, 0, 0, NULL);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.events[0].owner, other);
    CHECK_STR(got.events[0].session, "theirs");
    assert_int_equal(all(t, 0).count, 3);
}

static void one_session_is_told_alone(struct talk *t)
{
    enum { EACH = 60 };
    struct str a = talk_create(t, "A"), b = talk_create(t, "B");
    struct event_spec spec = {.owner = t->rig.owner, .session = STR("none")};
    struct log_spec log = {.owner = t->rig.owner, .session = a};
    struct gathered whole, none = {.arena = &t->arena};
    struct event_info info;
    size_t from = 0;

    for (int i = 0; i < EACH; i++) {
        talk_say(t, a, ROLE_USER, "a");
        talk_say(t, b, ROLE_USER, "b");
        if (i % 7 == 0)
            talk_rename(t, a, arena_printf(&t->arena, "A%d", i).p);
    }
    whole = events(t, t->rig.owner, a, 0, 0, &info);
    assert_int_equal(whole.count, 1 + EACH + (EACH + 6) / 7);
    for (size_t i = 1; i < whole.count; i++)
        assert_true(whole.events[i - 1].item.e < whole.events[i].item.e);
    /* what is above a number is found at every number; the journal is the same */
    for (int64_t after = 0; after <= info.newest + 1; after++) {
        struct gathered got = events(t, OWNER_ANY, a, after, 0, NULL);
        struct gathered journal = {.arena = &t->arena};

        while (from < whole.count && whole.events[from].item.e <= after)
            from++;
        assert_int_equal(got.count, whole.count - from);
        if (got.count) {
            assert_int_equal(got.events[0].item.e, whole.events[from].item.e);
            CHECK_STR(got.events[0].session, a.p);
        }
        log.after_e = after;
        CHECK_OK(store_journal(t->rig.store, &log, gather_journal, &journal, &t->fault), &t->fault);
        assert_int_equal(journal.count, got.count);
        if (got.count)
            assert_int_equal(journal.journal[0].e, got.events[0].item.e);
    }
    CHECK_FAULT(store_events(t->rig.store, &spec, gather_event, &none, &info, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    spec = (struct event_spec){.owner = other_owner(t), .session = a};
    CHECK_FAULT(store_events(t->rig.store, &spec, gather_event, &none, &info, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
}

static void of_a_deleted_session_its_deletion_is_told(struct talk *t)
{
    struct event_spec spec = {.owner = t->rig.owner};
    struct str a = talk_create(t, "A"), fork;
    struct gathered got, none = {.arena = &t->arena};
    struct event_info info;
    int64_t before;

    talk_say_many(t, a, "m", 3);
    fork = talk_fork(t, a, after_index(1)).session.id; /* keeps some of its acts */
    before = all(t, 0).count > 0 ? all(t, 0).events[all(t, 0).count - 1].item.e : 0;
    talk_delete(t, a);
    got = all(t, before);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.events[0].item.note->act, NOTE_DELETED);
    CHECK_STR(got.events[0].item.note->now, a.p);
    CHECK_STR(got.events[0].session, a.p);
    got = all(t, 0);
    assert_int_equal(got.count, 2); /* that the fork was made, and that */
    CHECK_STR(got.events[0].session, fork.p);
    /* who listens to it is told, and then it is gone */
    got = events(t, t->rig.owner, a, before, 0, &info);
    assert_int_equal(got.count, 1);
    assert_int_equal(got.events[0].item.note->act, NOTE_DELETED);
    spec.session = a;
    spec.after = info.newest;
    CHECK_FAULT(store_events(t->rig.store, &spec, gather_event, &none, &info, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    spec = (struct event_spec){.owner = other_owner(t), .session = a};
    CHECK_FAULT(store_events(t->rig.store, &spec, gather_event, &none, &info, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    /* also when nothing of it is left */
    talk_delete(t, fork);
    assert_int_equal(talk_counts(t).deleted, 0);
    got = all(t, before);
    assert_int_equal(got.count, 2);
    CHECK_STR(got.events[0].session, a.p);
    CHECK_STR(got.events[1].session, fork.p);
}

static void sub_sessions_are_told_to_those_who_name_them(struct talk *t)
{
    struct str sub = create_for(t, t->rig.owner, "sub", true);
    struct delete_spec gone = {.owner = t->rig.owner, .session = sub};

    talk_say_many(t, sub, "s", 3);
    assert_int_equal(all(t, 0).count, 0);
    assert_int_equal(events(t, t->rig.owner, sub, 0, 0, NULL).count, 4);
    CHECK_OK(engine_delete(t->rig.engine, &gone, &t->fault), &t->fault);
    assert_int_equal(all(t, 0).count, 0);
}

static void what_was_cleared_away_is_below_the_floor(struct talk *t)
{
    struct gc_spec gc = {.now_us = t->rig.now_us + 1000000};
    struct str a = talk_create(t, "A"), b = talk_create(t, "B");
    struct gc_result cleared;
    struct event_info info;
    int64_t deleted;

    talk_delete(t, a);
    events(t, OWNER_ANY, STR_NONE, 0, 0, &info);
    deleted = info.newest;
    assert_int_equal(info.floor, 0);
    talk_say(t, b, ROLE_USER, "b");
    gc.keep_us = 10000000;
    CHECK_OK(store_gc(t->rig.store, &gc, NULL, NULL, &cleared, &t->fault), &t->fault);
    events(t, OWNER_ANY, STR_NONE, 0, 0, &info);
    assert_int_equal(info.floor, 0); /* it is kept for a while */
    gc.keep_us = 0;
    CHECK_OK(store_gc(t->rig.store, &gc, NULL, NULL, &cleared, &t->fault), &t->fault);
    assert_int_equal(cleared.notes, 1);
    assert_int_equal(events(t, OWNER_ANY, STR_NONE, 0, 0, &info).count, 2);
    assert_int_equal(info.floor, deleted);
    assert_int_equal(info.newest, deleted + 1);
    if (t->rig.kind->lasts)
        rig_reopen(&t->rig);
    talk_delete(t, b);
    CHECK_OK(store_gc(t->rig.store, &gc, NULL, NULL, &cleared, &t->fault), &t->fault);
    /* numbers go on when everything is gone */
    events(t, OWNER_ANY, STR_NONE, 0, 0, &info);
    assert_int_equal(info.floor, deleted + 2);
    assert_int_equal(info.newest, deleted + 2);
    talk_create(t, "C");
    assert_int_equal(all(t, 0).events[0].item.e, deleted + 3);
}

static enum fault_code refuse(void *context, const struct event *event, struct fault *fault)
{
    int *count = context;

    (void)event;
    return ++*count == 2 ? fault_set(fault, FAULT_INTERRUPTED, "enough") : FAULT_OK;
}

static void a_visit_may_end_it(struct talk *t)
{
    struct event_spec spec = {.owner = OWNER_ANY};
    struct event_info info = {.newest = -7};
    int count = 0;

    talk_say_many(t, talk_create(t, "A"), "m", 5);
    CHECK_FAULT(store_events(t->rig.store, &spec, refuse, &count, &info, &t->fault),
                FAULT_INTERRUPTED, &t->fault);
    assert_int_equal(count, 2);
    assert_int_equal(info.newest, -7);
    assert_int_equal(all(t, 0).count, 6);
}

const struct contract_test event_contract[] = {
    CONTRACT(everything_is_told_in_order),
    CONTRACT(owners_hear_of_their_own),
    CONTRACT(one_session_is_told_alone),
    CONTRACT(of_a_deleted_session_its_deletion_is_told),
    CONTRACT(sub_sessions_are_told_to_those_who_name_them),
    CONTRACT(what_was_cleared_away_is_below_the_floor),
    CONTRACT(a_visit_may_end_it),
    {0},
};
