/* The desk: users and their tokens, agents, any owner's sessions, and what a server watches. */
#include "contract.h"

#include "store/limits.h"

#include <stdio.h>

/* ---- users ---- */

static struct user_spec user(struct talk *t, const char *name, unsigned char token)
{
    struct user_spec spec = {
        .name = str_of(name), .label = STR("laptop"), .at_us = t->rig.now_us += 1000};

    memset(spec.token, token, HASH_BYTES);
    return spec;
}

static int64_t user_add(struct talk *t, const char *name, unsigned char token)
{
    struct user_spec spec = user(t, name, token);
    int64_t owner = 0;

    CHECK_OK(store_user_add(t->rig.store, &spec, &owner, &t->fault), &t->fault);
    assert_true(owner > 0);
    return owner;
}

static enum fault_code find(struct talk *t, unsigned char token, struct user *out)
{
    unsigned char hash[HASH_BYTES];

    memset(hash, token, HASH_BYTES);
    return store_user_find(t->rig.store, hash, &t->arena, out, &t->fault);
}

static struct gathered users(struct talk *t)
{
    struct gathered got = {.arena = &t->arena};

    CHECK_OK(store_user_list(t->rig.store, gather_user, &got, &t->fault), &t->fault);
    return got;
}

static void a_user_comes_in_with_a_token(struct talk *t)
{
    int64_t anna = user_add(t, "anna", 1), berta = user_add(t, "berta", 2);
    struct user_spec taken = user(t, "carla", 1), later;
    struct user found;

    assert_int_equal(user_add(t, "anna", 3), anna); /* a second one */
    CHECK_OK(find(t, 1, &found), &t->fault);
    CHECK_STR(found.name, "anna");
    assert_int_equal(found.owner, anna);
    assert_int_equal(found.tokens, 2);
    CHECK_OK(find(t, 3, &found), &t->fault);
    assert_int_equal(found.owner, anna);
    CHECK_OK(find(t, 2, &found), &t->fault);
    assert_int_equal(found.owner, berta);
    CHECK_FAULT(find(t, 4, &found), FAULT_UNAUTHORIZED, &t->fault);
    CHECK_FAULT(store_user_add(t->rig.store, &taken, &anna, &t->fault), FAULT_EXISTS, &t->fault);
    assert_int_equal(users(t).count, 3); /* no carla; the rig's own */
    later = user(t, "tester", 9);        /* who was there without one */
    CHECK_OK(store_user_add(t->rig.store, &later, &anna, &t->fault), &t->fault);
    assert_int_equal(anna, t->rig.owner);
    assert_int_equal(talk_counts(t).tokens, 4);
}

static void users_are_listed_by_name(struct talk *t)
{
    int64_t first = t->rig.now_us + 1000;
    struct gathered got;

    user_add(t, "zoe", 1);
    user_add(t, "anna", 2);
    user_add(t, "zoe", 3);
    talk_create(t, "one");
    talk_delete(t, talk_create(t, "two"));
    got = users(t);
    assert_int_equal(got.count, 3);
    CHECK_STR(got.users[0].name, "anna");
    CHECK_STR(got.users[1].name, "tester");
    assert_int_equal(got.users[1].tokens, 0);
    assert_int_equal(got.users[1].sessions, 1);
    assert_int_equal(got.users[1].created_us, 0);
    CHECK_STR(got.users[2].name, "zoe");
    assert_int_equal(got.users[2].tokens, 2);
    assert_int_equal(got.users[2].sessions, 0);
    assert_int_equal(got.users[2].created_us, first);
}

static void a_user_who_goes_leaves_the_sessions(struct talk *t)
{
    struct create_spec spec = {.agent = STR("ns/a"), .title = STR("T")};
    int64_t anna = user_add(t, "anna", 1), berta = user_add(t, "berta", 2), again;
    struct delete_spec gone;
    struct session made;
    struct user found;

    spec.owner = anna;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    CHECK_OK(store_user_remove(t->rig.store, STR("anna"), &t->fault), &t->fault);
    CHECK_FAULT(find(t, 1, &found), FAULT_UNAUTHORIZED, &t->fault);
    CHECK_OK(store_owner(t->rig.store, STR("anna"), &again, &t->fault), &t->fault);
    assert_int_equal(again, anna); /* the name stays with what is hers */
    assert_int_equal(user_add(t, "anna", 1), anna);
    CHECK_OK(store_user_remove(t->rig.store, STR("berta"), &t->fault), &t->fault);
    assert_int_equal(users(t).count, 2);
    CHECK_FAULT(store_user_remove(t->rig.store, STR("berta"), &t->fault), FAULT_USER_NOT_FOUND,
                &t->fault);
    /* nobody takes her number, and so what she left behind */
    again = user_add(t, "carla", 3);
    assert_true(again > berta);
    CHECK_OK(store_user_remove(t->rig.store, STR("carla"), &t->fault), &t->fault);
    spec.owner = again;
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault),
                FAULT_USER_NOT_FOUND, &t->fault);
    spec.owner = OWNER_ANY;
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault),
                FAULT_USER_NOT_FOUND, &t->fault);
    gone = (struct delete_spec){.owner = anna, .session = made.id};
    CHECK_OK(engine_delete(t->rig.engine, &gone, &t->fault), &t->fault);
    CHECK_OK(store_user_remove(t->rig.store, STR("anna"), &t->fault), &t->fault);
    again = user_add(t, "dora", 4);
    assert_true(again > anna && again > berta);
    assert_int_equal(talk_counts(t).tokens, 1);
}

static void names_of_users_have_limits(struct talk *t)
{
    char name[LIMIT_OWNER_BYTES + 2] = {0};
    struct user_spec spec = user(t, "", 1);
    int64_t owner;

    CHECK_FAULT(store_user_add(t->rig.store, &spec, &owner, &t->fault), FAULT_INVALID, &t->fault);
    memset(name, 'n', LIMIT_OWNER_BYTES + 1);
    spec.name = str_of(name);
    CHECK_FAULT(store_user_add(t->rig.store, &spec, &owner, &t->fault), FAULT_TOO_LARGE, &t->fault);
    spec.name.n--;
    CHECK_OK(store_user_add(t->rig.store, &spec, &owner, &t->fault), &t->fault);
}

/* ---- agents ---- */

static void agents_are_kept(struct talk *t)
{
    struct agent_row b = {STR("ns/b"), STR("{\"kind\":1}"), 7}, a = {STR("ns/a"), STR("{}"), 8};
    struct gathered got = {.arena = &t->arena}, rest = got;
    char *huge = calloc(1, LIMIT_AGENT_BODY_BYTES + 1);
    struct agent_row bad = a;

    assert_non_null(huge);
    CHECK_OK(store_agent_put(t->rig.store, &b, true, NULL, NULL, &t->fault), &t->fault);
    CHECK_OK(store_agent_put(t->rig.store, &a, true, NULL, NULL, &t->fault), &t->fault);
    b.body = STR("{\"kind\":2}");
    CHECK_FAULT(store_agent_put(t->rig.store, &b, true, NULL, NULL, &t->fault), FAULT_EXISTS,
                &t->fault);
    b.at_us = 9;
    CHECK_OK(store_agent_put(t->rig.store, &b, false, NULL, NULL, &t->fault), &t->fault);
    bad.name = STR("");
    CHECK_FAULT(store_agent_put(t->rig.store, &bad, false, NULL, NULL, &t->fault), FAULT_INVALID,
                &t->fault);
    bad = (struct agent_row){STR("ns/c"), {huge, LIMIT_AGENT_BODY_BYTES + 1}, 1};
    CHECK_FAULT(store_agent_put(t->rig.store, &bad, false, NULL, NULL, &t->fault), FAULT_TOO_LARGE,
                &t->fault);
    free(huge);
    if (t->rig.kind->lasts)
        rig_reopen(&t->rig);
    CHECK_OK(store_agent_list(t->rig.store, gather_agent, &got, &t->fault), &t->fault);
    assert_int_equal(got.count, 2);
    CHECK_STR(got.agents[0].name, "ns/a");
    CHECK_STR(got.agents[1].body, "{\"kind\":2}");
    assert_int_equal(got.agents[1].at_us, 9);
    CHECK_OK(store_agent_remove(t->rig.store, STR("ns/a"), &t->fault), &t->fault);
    CHECK_FAULT(store_agent_remove(t->rig.store, STR("ns/a"), &t->fault), FAULT_AGENT_NOT_FOUND,
                &t->fault);
    CHECK_OK(store_agent_list(t->rig.store, gather_agent, &rest, &t->fault), &t->fault);
    assert_int_equal(rest.count, 1);
}

/* ---- whomever it belongs to ---- */

struct shared {
    int64_t other;
    struct str theirs, mine;
};

static struct shared two_owners(struct talk *t)
{
    struct create_spec spec = {.title = STR("Theirs"), .agent = STR("ns/a")};
    struct session made;
    struct shared shared;

    CHECK_OK(store_owner(t->rig.store, STR("other"), &shared.other, &t->fault), &t->fault);
    shared.mine = talk_create(t, "Mine");
    spec.owner = shared.other;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    shared.theirs = made.id;
    return shared;
}

static void any_owners_session_is_worked_on(struct talk *t)
{
    struct shared s = two_owners(t);
    struct entry_spec entry = talk_message(t, ROLE_USER, "a pear");
    struct append_spec append = {.owner = OWNER_ANY, .session = s.theirs};
    struct fork_spec fork = {.owner = OWNER_ANY, .session = s.theirs};
    struct move_spec move = {.owner = OWNER_ANY, .session = s.theirs, .point = at_start()};
    struct adopt_spec adopt = {.owner = OWNER_ANY, .session = s.theirs};
    struct str title = STR("Renamed");
    struct update_spec update = {.owner = OWNER_ANY, .session = s.theirs, .title = &title};
    struct label_spec label = {
        .owner = OWNER_ANY, .session = s.theirs, .message = after_index(0), .text = STR("x")};
    struct record_spec record = {
        .owner = OWNER_ANY, .session = s.theirs, .id = STR("r"), .body = STR("{}")};
    struct delete_spec gone = {.owner = OWNER_ANY};
    struct gathered items = {.arena = &t->arena}, family = items;
    struct append_result appended;
    struct fork_result forked;
    struct move_result moved;
    struct session session;
    struct label labelled;

    CHECK_OK(engine_append(t->rig.engine, &append, &entry, 1, &t->arena, &appended, &t->fault),
             &t->fault);
    CHECK_OK(engine_label(t->rig.engine, &label, &t->arena, &labelled, &t->fault), &t->fault);
    CHECK_OK(engine_save(t->rig.engine, &record, &t->fault), &t->fault);
    CHECK_OK(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), &t->fault);
    CHECK_STR(forked.session.owner, "other"); /* the fork is whose the source is */
    append.session = adopt.from = forked.session.id;
    CHECK_OK(engine_append(t->rig.engine, &append, &entry, 1, &t->arena, &appended, &t->fault),
             &t->fault);
    CHECK_OK(engine_rewind(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_undo(t->rig.engine, &move, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_adopt(t->rig.engine, &adopt, &t->arena, &moved, &t->fault), &t->fault);
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &session, &t->fault), &t->fault);
    assert_int_equal(session.messages, 2);
    CHECK_OK(store_relatives(t->rig.store, OWNER_ANY, s.theirs, RELATION_FAMILY, gather_session,
                             &family, &t->fault),
             &t->fault);
    assert_int_equal(family.count, 2);
    CHECK_OK(store_export(t->rig.store, OWNER_ANY, STR_NONE, gather_item, &items, &t->fault),
             &t->fault);
    assert_true(items.count > 8);
    gone.session = forked.session.id;
    CHECK_OK(engine_delete(t->rig.engine, &gone, &t->fault), &t->fault);
    CHECK_FAULT(engine_delete(t->rig.engine, &gone, &t->fault), FAULT_SESSION_NOT_FOUND, &t->fault);
}

static void any_owners_sessions_are_listed_and_found(struct talk *t)
{
    struct shared s = two_owners(t);
    struct list_spec list = {.owner = OWNER_ANY};
    struct search_spec search = {.owner = OWNER_ANY, .words = STR("pear"), .limit = 10};
    struct gathered got = {.arena = &t->arena}, page = got, mine = got, hits = got, own = got;
    struct entry_spec entry = talk_message(t, ROLE_USER, "a pear");
    struct append_spec append = {.owner = s.other, .session = s.theirs};
    struct append_result appended;

    t->rig.now_us += 60 * 1000000; /* it was written to last */
    talk_say(t, s.mine, ROLE_USER, "a pear");
    CHECK_OK(store_session_list(t->rig.store, &list, gather_session, &got, &t->fault), &t->fault);
    assert_int_equal(got.count, 2);
    CHECK_STR(got.sessions[0].id, s.mine.p);
    CHECK_STR(got.sessions[0].owner, "tester");
    CHECK_STR(got.sessions[1].owner, "other");
    list.limit = 1;
    list.before_us = got.sessions[0].updated_us;
    list.before_s = got.sessions[0].s;
    CHECK_OK(store_session_list(t->rig.store, &list, gather_session, &page, &t->fault), &t->fault);
    assert_int_equal(page.count, 1);
    CHECK_STR(page.sessions[0].id, s.theirs.p);
    list = (struct list_spec){.owner = OWNER_ANY, .agent = STR("ns/a")};
    CHECK_OK(store_session_list(t->rig.store, &list, gather_session, &mine, &t->fault), &t->fault);
    assert_int_equal(mine.count, 1);
    CHECK_OK(engine_append(t->rig.engine, &append, &entry, 1, &t->arena, &appended, &t->fault),
             &t->fault);
    CHECK_OK(store_search(t->rig.store, &search, gather_hit, &hits, NULL, &t->fault), &t->fault);
    assert_int_equal(hits.count, 2);
    assert_true(hits.hits[0].snippet.n > 0);
    search.owner = t->rig.owner;
    CHECK_OK(store_search(t->rig.store, &search, gather_hit, &own, NULL, &t->fault), &t->fault);
    assert_int_equal(own.count, 1);
}

static void a_name_that_two_have_is_ambiguous(struct talk *t)
{
    struct shared s = two_owners(t);
    struct create_spec spec = {.owner = s.other, .id = STR("same"), .agent = STR("ns/a")};
    struct history_spec history = {.owner = OWNER_ANY, .session = STR("same")};
    struct gathered got = {.arena = &t->arena};
    struct session made;
    struct str start = {s.theirs.p, s.theirs.n - 1}, ends = {s.theirs.p + 1, s.theirs.n - 1};

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    CHECK_OK(
        store_session_get(t->rig.store, OWNER_ANY, STR("same"), false, &t->arena, &made, &t->fault),
        &t->fault);
    CHECK_STR(made.owner, "other");
    CHECK_OK(store_session_get(t->rig.store, OWNER_ANY, start, true, &t->arena, &made, &t->fault),
             &t->fault);
    CHECK_OK(store_session_get(t->rig.store, OWNER_ANY, ends, true, &t->arena, &made, &t->fault),
             &t->fault);
    CHECK_OK(store_session_get(t->rig.store, OWNER_ANY, STR("Theirs"), true, &t->arena, &made,
                               &t->fault),
             &t->fault);
    CHECK_STR(made.id, s.theirs.p);
    CHECK_FAULT(store_session_get(t->rig.store, t->rig.owner, STR("Theirs"), true, &t->arena, &made,
                                  &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
    spec.owner = t->rig.owner;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    CHECK_FAULT(
        store_session_get(t->rig.store, OWNER_ANY, STR("same"), false, &t->arena, &made, &t->fault),
        FAULT_AMBIGUOUS, &t->fault);
    CHECK_FAULT(store_history(t->rig.store, &history, gather_entry, &got, NULL, &t->fault),
                FAULT_AMBIGUOUS, &t->fault);
    CHECK_OK(store_session_get(t->rig.store, t->rig.owner, STR("same"), false, &t->arena, &made,
                               &t->fault),
             &t->fault);
    CHECK_FAULT(store_session_get(t->rig.store, OWNER_ANY, STR("nothing"), true, &t->arena, &made,
                                  &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
}

/* ---- watching ---- */

static void count_call(void *context)
{
    ++*(int *)context;
}

static int64_t version(struct talk *t)
{
    int64_t out = -1;

    CHECK_OK(store_version(t->rig.store, &out, &t->fault), &t->fault);
    return out;
}

static void commits_are_told_and_counted(struct talk *t)
{
    struct store_timings before, after;
    struct str session;
    int64_t was = version(t);
    int calls = 0;

    store_watch(t->rig.store, count_call, &calls);
    assert_int_equal(version(t), was);
    store_time(t->rig.store, &before);
    session = talk_create(t, "T");
    assert_int_equal(calls, 1);
    assert_int_not_equal(version(t), was);
    was = version(t);
    talk_session(t, session);
    assert_int_equal(version(t), was); /* reading is no commit */
    talk_say(t, session, ROLE_USER, "a");
    assert_int_not_equal(version(t), was);
    assert_int_equal(calls, 2);
    store_watch(t->rig.store, NULL, NULL);
    talk_say(t, session, ROLE_USER, "b");
    assert_int_equal(calls, 2);
    store_time(t->rig.store, &after);
    assert_int_equal(after.commits - before.commits, 3);
    assert_int_equal(after.pieces - before.pieces, 3);
    assert_true(after.commit_us >= before.commit_us && after.work_us >= before.work_us);
    assert_int_equal(after.waiting, 0);
}

static void commits_of_another_process_change_the_version(struct talk *t)
{
    struct create_spec spec = {.owner = t->rig.owner, .agent = STR("ns/a")};
    struct store *other;
    struct engine *engine;
    struct session made;
    int64_t was;
    int calls = 0;

    if (!t->rig.kind->lasts)
        return;
    talk_create(t, "T");
    CHECK_OK(t->rig.kind->open(t->rig.directory, &other, &t->fault), &t->fault);
    engine = engine_new(other, NULL);
    store_watch(t->rig.store, count_call, &calls);
    was = version(t);
    assert_int_equal(version(t), was);
    CHECK_OK(engine_create(engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_int_not_equal(version(t), was);
    assert_int_equal(calls, 0); /* only own ones are told at once */
    engine_free(engine);
    store_close(other);
}

const struct contract_test desk_contract[] = {
    CONTRACT(a_user_comes_in_with_a_token),
    CONTRACT(users_are_listed_by_name),
    CONTRACT(a_user_who_goes_leaves_the_sessions),
    CONTRACT(names_of_users_have_limits),
    CONTRACT(agents_are_kept),
    CONTRACT(any_owners_session_is_worked_on),
    CONTRACT(any_owners_sessions_are_listed_and_found),
    CONTRACT(a_name_that_two_have_is_ambiguous),
    CONTRACT(commits_are_told_and_counted),
    CONTRACT(commits_of_another_process_change_the_version),
    {0},
};
