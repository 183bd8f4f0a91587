/* Sessions as a whole: made, found, changed, listed; and those of another owner. */
#include "contract.h"

static struct create_spec new_session(struct talk *t)
{
    return (struct create_spec){.owner = t->rig.owner, .title = STR("T"), .agent = STR("ns/agent")};
}

static void a_new_session_is_empty(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct session made, got;
    struct id id;

    spec.metadata = STR("{\"a\": 1}");
    spec.limits = STR("{\"turns\":3}");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    assert_true(id_parse(made.id, &id));
    got = talk_session(t, made.id);
    assert_true(str_eq(got.id, made.id));
    assert_int_equal(got.state, SESSION_LIVE);
    CHECK_STR(got.title, "T");
    CHECK_STR(got.agent, "ns/agent");
    CHECK_STR(got.owner, "tester");
    CHECK_STR(got.metadata, "{\"a\": 1}");
    CHECK_STR(got.limits, "{\"turns\":3}");
    CHECK_STR(got.head, "");
    assert_false(got.parent.known);
    assert_true(address_eq(got.head_at, ADDRESS_START));
    assert_int_equal(got.messages, 0);
    assert_int_equal(got.children, 0);
    assert_false(got.archived || got.can_undo || got.can_redo);
    assert_int_equal(got.state_at_head.count, 0);
    assert_int_equal(got.created_us, t->rig.now_us);
    assert_int_equal(got.updated_us, t->rig.now_us);
    CHECK_STR(str_of(talk_texts(t, made.id)), "");
}

static void metadata_is_an_object_when_none_was_given(struct talk *t)
{
    struct session got = talk_session(t, talk_create(t, "T"));

    CHECK_STR(got.metadata, "{}");
    CHECK_STR(got.limits, "{}");
}

static void an_id_may_be_the_clients(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct session made;

    spec.id = STR("My.session:1-x");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    CHECK_STR(made.id, "My.session:1-x");
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_EXISTS,
                &t->fault);
    assert_int_equal(talk_counts(t).sessions, 1);
    talk_delete(t, spec.id);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
}

/* A deleted session that is stood upon does not keep its name. */
static void a_deleted_id_is_free_again(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct session made;
    struct str fork;

    spec.id = STR("again");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    talk_say(t, spec.id, ROLE_USER, "first");
    fork = talk_fork(t, spec.id, at_end()).session.id;
    talk_delete(t, spec.id);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    talk_say(t, spec.id, ROLE_USER, "second");
    assert_string_equal(talk_texts(t, fork), "first");
    assert_string_equal(talk_texts(t, spec.id), "second");
}

static void bad_ids_are_refused(struct talk *t)
{
    static const char *const bad[] = {"a b", "a/b", "\xc3\xa4", "a\n", "a\"b", "a%b", "a,b"};
    struct create_spec spec = new_session(t);
    struct session made;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        spec.id = str_of(bad[i]);
        CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_INVALID,
                    &t->fault);
    }
    spec.id = STR("a\0b");
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), FAULT_INVALID,
                &t->fault);
    assert_int_equal(talk_counts(t).sessions, 0);
}

static void only_so_many_sessions(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct fork_spec fork = {.owner = t->rig.owner, .at_us = 1, .sessions_max = 2};
    struct session made;
    struct fork_result forked;

    spec.sessions_max = 2;
    spec.at_us = 1;
    for (int i = 0; i < 2; i++) {
        spec.drawn.b[0] = (unsigned char)i;
        CHECK_OK(store_session_create(t->rig.store, &spec, &t->arena, &made, &t->fault), &t->fault);
    }
    spec.drawn.b[0] = 2;
    CHECK_FAULT(store_session_create(t->rig.store, &spec, &t->arena, &made, &t->fault), FAULT_LIMIT,
                &t->fault);
    fork.session = talk_create(t, "one more, through the engine");
    fork.drawn.b[0] = 3;
    CHECK_FAULT(store_session_fork(t->rig.store, &fork, &t->arena, &forked, &t->fault), FAULT_LIMIT,
                &t->fault);
    assert_int_equal(talk_counts(t).sessions, 3);
}

static struct str get(struct talk *t, const char *name)
{
    struct session got;

    CHECK_OK(store_session_get(t->rig.store, t->rig.owner, str_of(name), true, &t->arena, &got,
                               &t->fault),
             &t->fault);
    return got.id;
}

static void check_get(struct talk *t, const char *name, bool may_be_part, enum fault_code code)
{
    struct session got;

    CHECK_FAULT(store_session_get(t->rig.store, t->rig.owner, str_of(name), may_be_part, &t->arena,
                                  &got, &t->fault),
                code, &t->fault);
}

static void make_named(struct talk *t, const char *id, const char *title)
{
    struct create_spec spec = new_session(t);
    struct session made;

    spec.id = str_of(id);
    spec.title = str_of(title);
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
}

static void a_session_is_found_by_part_of_its_name(struct talk *t)
{
    make_named(t, "alpha-0001-tail", "First one");
    make_named(t, "alpha-0002-last", "Second one");
    make_named(t, "beta-00003-what", "Twin");
    make_named(t, "gamma-0004-ever", "Twin");
    CHECK_STR(get(t, "alpha-0001-tail"), "alpha-0001-tail");
    CHECK_STR(get(t, "alpha-0002"), "alpha-0002-last");
    CHECK_STR(get(t, "beta"), "beta-00003-what");
    CHECK_STR(get(t, "tail"), "alpha-0001-tail");
    CHECK_STR(get(t, "0004-ever"), "gamma-0004-ever");
    CHECK_STR(get(t, "First one"), "alpha-0001-tail");
    check_get(t, "alpha-000", true, FAULT_AMBIGUOUS);
    check_get(t, "Twin", true, FAULT_AMBIGUOUS);
    check_get(t, "bet", true, FAULT_SESSION_NOT_FOUND); /* too short */
    check_get(t, "ail", true, FAULT_SESSION_NOT_FOUND);
    check_get(t, "00003", true, FAULT_SESSION_NOT_FOUND); /* neither start nor end */
    check_get(t, "First", true, FAULT_SESSION_NOT_FOUND); /* a title must be whole */
    check_get(t, "%%%%", true, FAULT_SESSION_NOT_FOUND);
    check_get(t, "____", true, FAULT_SESSION_NOT_FOUND);
    check_get(t, "", true, FAULT_SESSION_NOT_FOUND);
    check_get(t, "beta", false, FAULT_SESSION_NOT_FOUND);
    check_get(t, "First one", false, FAULT_SESSION_NOT_FOUND);
}

static void a_whole_id_wins_over_parts(struct talk *t)
{
    make_named(t, "abcd", "other");
    make_named(t, "abcd-longer", "abcd");
    CHECK_STR(get(t, "abcd"), "abcd");
}

static void deleted_sessions_have_no_name(struct talk *t)
{
    make_named(t, "gone-session", "Gone");
    make_named(t, "gone-not", "Here");
    talk_delete(t, STR("gone-session"));
    check_get(t, "gone-session", false, FAULT_SESSION_NOT_FOUND);
    check_get(t, "Gone", true, FAULT_SESSION_NOT_FOUND);
    CHECK_STR(get(t, "gone"), "gone-not");
}

static void a_session_is_changed(struct talk *t)
{
    struct str id = talk_create(t, "before"), title = STR("after"), metadata = STR("{\"m\":[1]}"),
               limits = STR("{\"l\":2}");
    struct update_spec spec = {.owner = t->rig.owner, .session = id};
    bool yes = true, no = false;
    struct session out;

    spec.title = &title;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.title, "after");
    CHECK_STR(out.metadata, "{}");
    spec.title = NULL;
    spec.metadata = &metadata;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.title, "after");
    CHECK_STR(out.metadata, "{\"m\":[1]}");
    spec.metadata = NULL;
    spec.limits = &limits;
    spec.archived = &yes;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    out = talk_session(t, id);
    CHECK_STR(out.title, "after");
    CHECK_STR(out.metadata, "{\"m\":[1]}");
    CHECK_STR(out.limits, "{\"l\":2}");
    assert_true(out.archived);
    spec.limits = NULL;
    spec.archived = &no;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    assert_false(out.archived);
    metadata = STR("{}");
    spec.archived = NULL;
    spec.metadata = &metadata;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.metadata, "{}");
    CHECK_STR(out.limits, "{\"l\":2}");
    spec.session = STR("nobody");
    CHECK_FAULT(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault),
                FAULT_SESSION_NOT_FOUND, &t->fault);
}

/* "agent home settings" of a session. */
static const char *kept(struct session session, struct talk *t)
{
    return arena_printf(&t->arena, "%.*s %.*s %.*s", STR_ARG(session.agent), STR_ARG(session.home),
                        STR_ARG(session.settings))
        .p;
}

static void settings_and_home_are_kept(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct str other = STR("{\"ash\":{\"env\":{ \"A\":\"1\" }}}"), none = STR("{}"),
               agent = STR("ns/other"), no_agent = STR("other");
    struct update_spec update = {.owner = t->rig.owner, .settings = &other};
    struct session out;

    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.home, "");
    CHECK_STR(out.settings, "{}");
    spec = new_session(t);
    spec.home = STR("docker-agent");
    spec.settings = STR("{\"a\": 1}");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    assert_string_equal(kept(talk_session(t, out.id), t), "ns/agent docker-agent {\"a\": 1}");
    update.session = out.id;
    update.agent = &agent;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    assert_string_equal(kept(talk_session(t, out.id), t),
                        "ns/other docker-agent {\"ash\":{\"env\":{ \"A\":\"1\" }}}");
    CHECK_STR(out.metadata, "{}");
    update.agent = &no_agent;
    CHECK_FAULT(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), FAULT_INVALID,
                &t->fault);
    update.agent = NULL;
    update.settings = &none;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.settings, "{}");
    CHECK_STR(out.agent, "ns/other");
    talk_verify(t);
}

static void settings_change_as_expected_or_not_at_all(struct talk *t)
{
    struct str first = STR("{\"a\":1}"), second = STR("{\"a\":2}"), none = STR("{}"),
               title = STR("not this"), session = talk_create(t, "T");
    struct update_spec spec = {.owner = t->rig.owner,
                               .session = session,
                               .title = &title,
                               .settings = &second,
                               .expect_settings = &first};
    struct session out;
    int64_t notes = talk_counts(t).notes;

    CHECK_FAULT(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    assert_non_null(strstr(t->fault.message, "settings"));
    assert_int_equal(talk_counts(t).notes, notes);
    CHECK_STR(talk_session(t, session).title, "T");
    spec.expect_settings = &none;
    spec.settings = &first;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_FAULT(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_HEAD_MOVED,
                &t->fault);
    spec.expect_settings = &first;
    spec.settings = &second;
    CHECK_OK(engine_update(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    CHECK_STR(out.settings, "{\"a\":2}");
    CHECK_STR(out.title, "not this");
}

static void a_home_is_a_short_word(struct talk *t)
{
    static const char *const bad[] = {"Kagent", "a_b", "a b", "a/b", "\xc3\xa9", "a\n"};
    struct str long_word = STR("abcdefghijklmnopqrstuvwxyz-abcdef");
    struct create_spec spec = new_session(t);
    struct fork_spec fork = {.owner = t->rig.owner, .session = talk_create(t, "T")};
    struct fork_result forked;
    struct session out;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        spec.home = fork.home = str_of(bad[i]);
        CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_INVALID,
                    &t->fault);
        CHECK_FAULT(engine_fork(t->rig.engine, &fork, &t->arena, &forked, &t->fault), FAULT_INVALID,
                    &t->fault);
    }
    spec.home = long_word;
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_TOO_LARGE,
                &t->fault);
    spec.home.n--;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    assert_int_equal(out.home.n, LIMIT_HOME_BYTES);
}

static void titles_must_be_text(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct str id = talk_create(t, "T"), bad = STR("bad \xff bytes");
    struct update_spec update = {.owner = t->rig.owner, .session = id, .title = &bad};
    struct session out;

    spec.title = bad;
    CHECK_FAULT(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), FAULT_INVALID,
                &t->fault);
    CHECK_FAULT(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), FAULT_INVALID,
                &t->fault);
    CHECK_STR(talk_session(t, id).title, "T");
}

static const char *listed(struct talk *t, struct list_spec spec)
{
    struct gathered got = {.arena = &t->arena};
    const char *all = "";

    spec.owner = t->rig.owner;
    CHECK_OK(store_session_list(t->rig.store, &spec, gather_session, &got, &t->fault), &t->fault);
    for (size_t i = 0; i < got.count; i++)
        all = arena_printf(&t->arena, "%s%s%.*s", all, i ? " " : "", STR_ARG(got.sessions[i].title))
                  .p;
    return all;
}

static void the_list_has_the_newest_first(struct talk *t)
{
    struct str a = talk_create(t, "a"), b;

    t->rig.now_us += 60000000;
    b = talk_create(t, "b");
    t->rig.now_us += 60000000;
    talk_create(t, "c");
    assert_string_equal(listed(t, (struct list_spec){0}), "c b a");
    t->rig.now_us += 60000000;
    talk_say(t, a, ROLE_USER, "x");
    assert_string_equal(listed(t, (struct list_spec){0}), "a c b");
    t->rig.now_us += 1000; /* less than what a session's time may lag behind */
    talk_say(t, b, ROLE_USER, "y");
    assert_string_equal(listed(t, (struct list_spec){0}), "b a c");
    t->rig.now_us += 1000;
    talk_say(t, a, ROLE_USER, "z");
    assert_string_equal(listed(t, (struct list_spec){0}), "a b c");
    assert_string_equal(listed(t, (struct list_spec){.limit = 1}), "a");
    t->rig.now_us += 1000;
    talk_say(t, b, ROLE_USER, "y");
    assert_string_equal(listed(t, (struct list_spec){.limit = 1}), "b");
    assert_string_equal(listed(t, (struct list_spec){.limit = 2}), "b a");
    t->rig.now_us += 1000;
    talk_rewind(t, a, at_start());
    assert_string_equal(listed(t, (struct list_spec){.limit = 2}), "a b");
}

static void the_list_is_filtered(struct talk *t)
{
    struct create_spec spec = new_session(t);
    struct update_spec update = {.owner = t->rig.owner};
    bool yes = true;
    struct session out;

    spec.agent = STR("ns/other");
    spec.title = STR("o");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    spec.agent = STR("ns/sub");
    spec.sub = true;
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &out, &t->fault), &t->fault);
    talk_create(t, "plain");
    update.session = talk_create(t, "old");
    update.archived = &yes;
    CHECK_OK(engine_update(t->rig.engine, &update, &t->arena, &out, &t->fault), &t->fault);
    assert_string_equal(listed(t, (struct list_spec){0}), "plain o");
    assert_string_equal(listed(t, (struct list_spec){.archived = 1}), "old");
    assert_string_equal(listed(t, (struct list_spec){.archived = -1}), "old plain o");
    assert_string_equal(listed(t, (struct list_spec){.agent = STR("ns/other")}), "o");
    assert_string_equal(listed(t, (struct list_spec){.agent = STR("test/none"), .archived = -1}),
                        "old plain");
    assert_string_equal(listed(t, (struct list_spec){.agent = STR("nobody")}), "");
    talk_delete(t, update.session);
    assert_string_equal(listed(t, (struct list_spec){.archived = -1}), "plain o");
}

/* Page after page gives each session once, also when many have the same time. */
static void the_list_is_paged(struct talk *t)
{
    enum { COUNT = 57 };
    bool seen[COUNT] = {0};

    for (int i = 0; i < COUNT; i++) {
        t->rig.now_us -= i % 3 ? 1000 : 0; /* talk_create adds it: two in three at one time */
        talk_create(t, arena_printf(&t->arena, "%d", i).p);
    }
    for (int limit = 1; limit < 20; limit += 6) {
        struct list_spec spec = {.owner = t->rig.owner, .limit = limit};
        int count = 0;

        memset(seen, 0, sizeof(seen));
        for (;;) {
            struct gathered got = {.arena = &t->arena};

            CHECK_OK(store_session_list(t->rig.store, &spec, gather_session, &got, &t->fault),
                     &t->fault);
            for (size_t i = 0; i < got.count; i++) {
                long number = strtol(got.sessions[i].title.p, NULL, 10);

                assert_false(seen[number]);
                seen[number] = true;
                count++;
            }
            if (got.count < (size_t)limit)
                break;
            spec.before_us = got.sessions[got.count - 1].updated_us;
            spec.before_s = got.sessions[got.count - 1].s;
        }
        assert_int_equal(count, COUNT);
    }
}

/* ---- owners ---- */

static void owners_are_made_once(struct talk *t)
{
    int64_t other, again;

    CHECK_OK(store_owner(t->rig.store, STR("other"), &other, &t->fault), &t->fault);
    CHECK_OK(store_owner(t->rig.store, STR("other"), &again, &t->fault), &t->fault);
    assert_int_equal(other, again);
    assert_int_not_equal(other, t->rig.owner);
    CHECK_OK(store_owner(t->rig.store, STR("tester"), &again, &t->fault), &t->fault);
    assert_int_equal(again, t->rig.owner);
}

/* Two owners may use the same ids, and neither finds the other's. */
static void owners_do_not_see_each_other(struct talk *t)
{
    struct create_spec spec = new_session(t);
    int64_t mine = t->rig.owner, other;
    struct session made;
    struct gathered hits;

    CHECK_OK(store_owner(t->rig.store, STR("other"), &other, &t->fault), &t->fault);
    make_named(t, "same-id", "mine");
    talk_say(t, STR("same-id"), ROLE_USER, "mine apple");
    spec.owner = other;
    spec.id = STR("same-id");
    spec.title = STR("theirs");
    CHECK_OK(engine_create(t->rig.engine, &spec, &t->arena, &made, &t->fault), &t->fault);
    t->rig.owner = other;
    talk_say(t, STR("same-id"), ROLE_USER, "theirs apple");
    assert_string_equal(talk_texts(t, STR("same-id")), "theirs apple");
    assert_string_equal(listed(t, (struct list_spec){0}), "theirs");
    hits = talk_search(t, "apple");
    assert_int_equal(hits.count, 1);
    CHECK_STR(hits.hits[0].title, "theirs");
    assert_int_equal(talk_search(t, "mine").count, 0);
    t->rig.owner = mine;
    assert_string_equal(talk_texts(t, STR("same-id")), "mine apple");
    assert_int_equal(talk_search(t, "theirs").count, 0);
    talk_delete(t, STR("same-id"));
    t->rig.owner = other;
    assert_string_equal(talk_texts(t, STR("same-id")), "theirs apple");
    t->rig.owner = mine;
}

/* Every verb, on a session that another owner has. */
static void another_owners_session_does_not_exist(struct talk *t)
{
    struct str id = talk_create(t, "mine"), mine, message, title = STR("x");
    struct point_spec point = at_end();
    struct entry_spec entry = talk_message(t, ROLE_USER, "hello");
    struct gathered all = {.arena = &t->arena};
    struct engine *engine = t->rig.engine;
    struct store *store = t->rig.store;
    struct arena *arena = &t->arena;
    struct fault *fault = &t->fault;
    int64_t other;
    union {
        struct session session;
        struct append_result append;
        struct fork_result fork;
        struct move_result move;
        struct label label;
        struct point point;
        struct entry entry;
        struct state state;
    } out;

    message = talk_say(t, id, ROLE_USER, "secret");
    talk_rewind(t, id, at_start());
    CHECK_OK(store_owner(store, STR("other"), &other, fault), fault);
    t->rig.owner = other;
    mine = talk_create(t, "theirs");

#define NOT_FOUND(call) CHECK_FAULT(call, FAULT_SESSION_NOT_FOUND, fault)
    NOT_FOUND(store_session_get(store, other, id, false, arena, &out.session, fault));
    NOT_FOUND(store_session_get(store, other, id, true, arena, &out.session, fault));
    NOT_FOUND(store_session_get(store, other, STR("mine"), true, arena, &out.session, fault));
    NOT_FOUND(engine_update(engine,
                            &(struct update_spec){.owner = other, .session = id, .title = &title},
                            arena, &out.session, fault));
    NOT_FOUND(engine_append(engine, &(struct append_spec){.owner = other, .session = id}, &entry, 1,
                            arena, &out.append, fault));
    entry.kind = ENTRY_SUBSESSION;
    entry.role = ROLE_NONE;
    entry.ref_session = id;
    NOT_FOUND(engine_append(engine, &(struct append_spec){.owner = other, .session = mine}, &entry,
                            1, arena, &out.append, fault));
    NOT_FOUND(engine_fork(engine, &(struct fork_spec){.owner = other, .session = id}, arena,
                          &out.fork, fault));
    NOT_FOUND(engine_rewind(
        engine, &(struct move_spec){.owner = other, .session = id, .point = after_message(message)},
        arena, &out.move, fault));
    NOT_FOUND(engine_undo(engine, &(struct move_spec){.owner = other, .session = id}, arena,
                          &out.move, fault));
    NOT_FOUND(engine_redo(engine, &(struct move_spec){.owner = other, .session = id}, arena,
                          &out.move, fault));
    NOT_FOUND(engine_adopt(engine,
                           &(struct adopt_spec){.owner = other, .session = id, .from = mine}, arena,
                           &out.move, fault));
    NOT_FOUND(engine_adopt(engine,
                           &(struct adopt_spec){.owner = other, .session = mine, .from = id}, arena,
                           &out.move, fault));
    NOT_FOUND(engine_save(
        engine,
        &(struct record_spec){.owner = other, .session = id, .id = STR("r"), .body = STR("{}")},
        fault));
    NOT_FOUND(engine_label(
        engine,
        &(struct label_spec){
            .owner = other, .session = id, .message = after_message(message), .text = STR("l")},
        arena, &out.label, fault));
    NOT_FOUND(engine_delete(engine, &(struct delete_spec){.owner = other, .session = id}, fault));
    NOT_FOUND(store_point(store, other, id, &point, arena, &out.point, fault));
    NOT_FOUND(store_entry_get(store, other, id, &point, arena, &out.entry, fault));
    NOT_FOUND(store_state_get(store, other, id, &point, arena, &out.state, fault));
    NOT_FOUND(store_history(store, &(struct history_spec){.owner = other, .session = id},
                            gather_entry, &all, NULL, fault));
    NOT_FOUND(store_raw_log(store, &(struct log_spec){.owner = other, .session = id}, gather_entry,
                            &all, fault));
    NOT_FOUND(store_journal(store, &(struct log_spec){.owner = other, .session = id},
                            gather_journal, &all, fault));
    NOT_FOUND(store_records(store, other, id, gather_record, &all, fault));
    NOT_FOUND(store_labels(store, other, id, gather_label, &all, fault));
    NOT_FOUND(store_relatives(store, other, id, RELATION_FAMILY, gather_session, &all, fault));
    NOT_FOUND(store_relatives(store, other, id, RELATION_ANCESTORS, gather_session, &all, fault));
    NOT_FOUND(store_relatives(store, other, id, RELATION_CHILDREN, gather_session, &all, fault));
    NOT_FOUND(store_rewound(store, other, id, gather_rewound, &all, fault));
    NOT_FOUND(store_export(store, other, id, gather_item, &all, fault));
#undef NOT_FOUND
    assert_int_equal(all.count, 0);
    /* a message of another owner's session is not in one's own */
    CHECK_FAULT(engine_fork(engine,
                            &(struct fork_spec){
                                .owner = other, .session = mine, .point = before_message(message)},
                            arena, &out.fork, fault),
                FAULT_MESSAGE_NOT_FOUND, fault);
}

const struct contract_test session_contract[] = {
    CONTRACT(a_new_session_is_empty),
    CONTRACT(metadata_is_an_object_when_none_was_given),
    CONTRACT(an_id_may_be_the_clients),
    CONTRACT(a_deleted_id_is_free_again),
    CONTRACT(bad_ids_are_refused),
    CONTRACT(only_so_many_sessions),
    CONTRACT(a_session_is_found_by_part_of_its_name),
    CONTRACT(a_whole_id_wins_over_parts),
    CONTRACT(deleted_sessions_have_no_name),
    CONTRACT(a_session_is_changed),
    CONTRACT(settings_and_home_are_kept),
    CONTRACT(settings_change_as_expected_or_not_at_all),
    CONTRACT(a_home_is_a_short_word),
    CONTRACT(titles_must_be_text),
    CONTRACT(the_list_has_the_newest_first),
    CONTRACT(the_list_is_filtered),
    CONTRACT(the_list_is_paged),
    CONTRACT(owners_are_made_once),
    CONTRACT(owners_do_not_see_each_other),
    CONTRACT(another_owners_session_does_not_exist),
    {0},
};
