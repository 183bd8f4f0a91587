/* What dialects keep of a session: each its own member, and nobody's change is lost. */
#include "support/talk.h"

#include "dialect/settings.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static const char *of(const char *settings, const char *name)
{
    struct session session = {.settings = str_of(settings)};

    return arena_dup(&arena, settings_of(&session, name, &arena)).p;
}

static const char *with(const char *settings, const char *name, const char *value)
{
    return settings_with(str_of(settings), name, str_of(value), &arena).p;
}

static void a_member_is_read(void **state)
{
    (void)state;
    assert_string_equal(of("{}", "ash"), "{}");
    assert_string_equal(of("", "ash"), "{}");
    assert_string_equal(of("{\"ash\" : {\"a\": 1} , \"esc\":{}}", "ash"), "{\"a\": 1}");
    assert_string_equal(of("{\"ash\":{\"esc\":{\"x\":1}}}", "esc"), "{}");
    assert_string_equal(of("{\"ash\":7}", "ash"), "{}");
    assert_string_equal(of("[\"ash\"]", "ash"), "{}");
    assert_string_equal(of("{\"ash\":", "ash"), "{}");
}

static void a_member_is_put_in(void **state)
{
    (void)state;
    assert_string_equal(with("", "ash", "{\"a\":1}"), "{\"ash\":{\"a\":1}}");
    assert_string_equal(with("{}", "ash", "{\"a\":1}"), "{\"ash\":{\"a\":1}}");
    assert_string_equal(with("{\"k\\u0065y\" : [1, 2]}", "ash", "{\"a\":1}"),
                        "{\"k\\u0065y\":[1, 2],\"ash\":{\"a\":1}}");
    assert_string_equal(with("{\"ash\":{\"a\":1},\"esc\":{\"b\":2}}", "ash", "{\"c\":3}"),
                        "{\"esc\":{\"b\":2},\"ash\":{\"c\":3}}");
    assert_string_equal(with("{\"ash\":{\"a\":1},\"esc\":{\"b\":2}}", "ash", "{}"),
                        "{\"esc\":{\"b\":2}}");
    assert_string_equal(with("{\"ash\":{\"a\":1}}", "ash", "{}"), "{}");
}

/* Somebody who changes the same session while `count` goes on. */
struct count {
    struct talk *talk;
    struct app *app;
    int others; /* changes of another dialect that are still to come in between */
    int called;
};

static enum fault_code name_it(void *context, const struct session *session, struct str now,
                               struct arena *into, struct str *out, struct fault *fault)
{
    struct count *count = context;

    (void)session;
    (void)fault;
    count->called++;
    if (now.n > 100)
        now = STR("{}"); /* nor deeper and deeper */
    *out = arena_printf(into, "{\"calls\":%d,\"was\":%.*s}", count->called, STR_ARG(now));
    return FAULT_OK;
}

static enum fault_code change(void *context, const struct session *session, struct str now,
                              struct arena *into, struct str *out, struct fault *fault)
{
    struct count *count = context;

    count->called++;
    if (count->others > 0) {
        struct count other = {count->talk, count->app, 0, count->others};
        struct session done;

        count->others--;
        if (settings_update(count->app, count->talk->rig.owner, session->id, "other", name_it,
                            &other, into, &done, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    *out = str_eq(now, STR("{}")) ? STR("{\"n\":1}") : now;
    return FAULT_OK;
}

static enum fault_code refuse(void *context, const struct session *session, struct str now,
                              struct arena *into, struct str *out, struct fault *fault)
{
    (void)context;
    (void)session;
    (void)now;
    (void)into;
    (void)out;
    return fault_set(fault, FAULT_INVALID, "not like that");
}

/* All members at once. */
static enum fault_code replace(void *context, const struct session *session, struct str now,
                               struct arena *into, struct str *out, struct fault *fault)
{
    (void)context;
    (void)into;
    (void)fault;
    assert_true(str_eq(now, session->settings));
    *out = STR("{\"all\":{\"new\":1}}");
    return FAULT_OK;
}

/* What nobody could read again. */
static enum fault_code spoil(void *context, const struct session *session, struct str now,
                             struct arena *into, struct str *out, struct fault *fault)
{
    (void)context;
    (void)session;
    (void)now;
    (void)into;
    (void)fault;
    *out = STR("{\"agent\":");
    return FAULT_OK;
}

static void nobodys_change_is_lost(void **state)
{
    struct talk talk;
    struct app app = {0};
    struct count count = {&talk, &app, 3, 0};
    struct session out;
    struct str session;
    int64_t notes;

    (void)state;
    talk_open(&talk, &rig_kinds[0], 1);
    app.store = talk.rig.store;
    app.engine = talk.rig.engine;
    session = talk_create(&talk, "T");
    CHECK_OK(settings_update(&app, talk.rig.owner, session, "own", change, &count, &arena, &out,
                             &talk.fault),
             &talk.fault);
    assert_int_equal(count.called, 4);
    CHECK_STR(settings_of(&out, "own", &arena), "{\"n\":1}");
    CHECK_STR(settings_of(&out, "other", &arena),
              "{\"calls\":2,\"was\":{\"calls\":3,\"was\":{\"calls\":4,\"was\":{}}}}");
    /* As it is already: nothing is written. */
    notes = talk_counts(&talk).notes;
    CHECK_OK(settings_update(&app, talk.rig.owner, session, "own", change, &count, &arena, &out,
                             &talk.fault),
             &talk.fault);
    assert_int_equal(talk_counts(&talk).notes, notes);
    CHECK_OK(settings_update(&app, talk.rig.owner, session, NULL, replace, NULL, &arena, &out,
                             &talk.fault),
             &talk.fault);
    CHECK_STR(out.settings, "{\"all\":{\"new\":1}}");
    CHECK_FAULT(settings_update(&app, talk.rig.owner, session, NULL, spoil, NULL, &arena, &out,
                                &talk.fault),
                FAULT_INVALID, &talk.fault);
    CHECK_FAULT(settings_update(&app, talk.rig.owner, session, "own", refuse, NULL, &arena, &out,
                                &talk.fault),
                FAULT_INVALID, &talk.fault);
    CHECK_FAULT(settings_update(&app, talk.rig.owner, STR("nobody"), "own", change, &count, &arena,
                                &out, &talk.fault),
                FAULT_SESSION_NOT_FOUND, &talk.fault);
    /* Somebody who is always faster is given up on. */
    count.others = 1000;
    session = talk_create(&talk, "U");
    CHECK_FAULT(settings_update(&app, talk.rig.owner, session, "own", change, &count, &arena, &out,
                                &talk.fault),
                FAULT_HEAD_MOVED, &talk.fault);
    talk_close(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_member_is_read, begin, end),
        cmocka_unit_test_setup_teardown(a_member_is_put_in, begin, end),
        cmocka_unit_test_setup_teardown(nobodys_change_is_lost, begin, end),
    };

    return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
