/* Tasks that runtimes saved, and turns, as the tasks of a session: whole, cut, merged, forked. */
#include "support/talk.h"

#include "dialect/member.h"
#include "dialect/tasks.h"

static struct talk talk;
static struct app app;
static struct str session;

static int begin(void **state)
{
    (void)state;
    talk_open(&talk, &rig_kinds[0], 7);
    app.store = talk.rig.store;
    app.engine = talk.rig.engine;
    session = talk_create(&talk, "s");
    return 0;
}

static int end(void **state)
{
    (void)state;
    talk_close(&talk);
    return 0;
}

/* ---- saving, as a runtime does through kagent's calls ---- */

/* An entry of a message that came with a task. */
static void entry_of(const char *turn, const char *task, const char *id)
{
    struct entry_spec spec = {
        .kind = ENTRY_MESSAGE,
        .role = id[0] == 'u' ? ROLE_USER : ROLE_ASSISTANT,
        .turn_rule = TURN_NAMED,
        .turn = str_of(turn),
        .body = arena_printf(&talk.arena,
                             "{\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}],\"metadata\":"
                             "{\"a2a\":{\"task\":\"%s\",\"message\":{\"messageId\":\"%s\"}}}}",
                             id, task, id),
    };

    talk_append(&talk, session, spec);
}

static void save_in(struct str where, const char *id, const char *turn, int kind, const char *body)
{
    struct record_spec spec = {.owner = talk.rig.owner,
                               .session = where,
                               .id = str_of(id),
                               .turn = str_of(turn),
                               .kind = kind,
                               .body = str_of(body)};

    talk.rig.now_us += 1000;
    CHECK_OK(engine_save(talk.rig.engine, &spec, &talk.fault), &talk.fault);
}

static void save(const char *id, const char *turn, const char *body)
{
    save_in(session, id, turn, RECORD_TASK, body);
}

#define AGENT(id, turn)                                                               \
    "{\"kind\":\"message\",\"messageId\":\"" id "\",\"role\":\"agent\",\"parts\":[]," \
    "\"metadata\":{\"kagent_invocation_id\":\"" turn "\"}}"
#define USER(id) "{\"kind\":\"message\",\"messageId\":\"" id "\",\"role\":\"user\",\"parts\":[]}"

/* A task of one turn: a user's message and the agent's. */
static void turn_saved(const char *task, const char *turn, const char *user, const char *agent)
{
    entry_of(turn, task, user);
    entry_of(turn, task, agent);
    save(
        task, turn,
        arena_printf(&talk.arena,
                     "{\"id\":\"%s\",\"kind\":\"task\",\"contextId\":\"%.*s\",\"status\":"
                     "{\"state\":\"completed\"},\"history\":["
                     "{\"messageId\":\"%s\",\"role\":\"user\",\"parts\":[]},"
                     "{\"messageId\":\"%s\",\"role\":\"agent\",\"parts\":[],\"metadata\":"
                     "{\"kagent_invocation_id\":\"%s\"}}],\"metadata\":{\"kagent_usage_metadata\":"
                     "{\"totalTokenCount\":10,\"promptTokenCount\":7,\"candidatesTokenCount\":3}}}",
                     task, STR_ARG(session), user, agent, turn)
            .p);
}

/* Two invocations in one task: a person was asked between them. */
static void two_saved(void)
{
    entry_of("i1", "T", "u1");
    entry_of("i1", "T", "a1");
    entry_of("i2", "T", "u2");
    entry_of("i2", "T", "a2");
    save("T", "i1",
         "{\"id\":\"T\",\"kind\":\"task\",\"contextId\":\"s\",\"status\":{\"state\":\"completed\","
         "\"message\":" AGENT(
             "s2", "i2") "},\"artifacts\":[{\"artifactId\":\"x\",\"parts\":[]}],"
                         "\"history\":[" USER("u1") "," AGENT("a1", "i1") "," USER("u2") "," AGENT(
                             "a2", "i2") "],\"metadata\":{\"kagent_invocation_id\":\"i2\",\"adk_"
                                         "usage_metadata\":"
                                         "{\"totalTokenCount\":100}}}");
}

/* ---- what is shown: "ID state u1/i1 a1/i1 | …" ---- */

static struct buf shown;

static void show(struct str id, struct str task)
{
    struct json_value value, status;
    struct json_walk walk;

    CHECK_OK(json_read(task, 64, "the task", &value, &talk.fault), &talk.fault);
    assert_true(str_eq(member_string(&value, "id", &talk.arena), id));
    assert_true(member_at(&value, "status", &status));
    buf_add_format(&shown, "%s%.*s %.*s", shown.n ? " | " : "", STR_ARG(id),
                   STR_ARG(member_string(&status, "state", &talk.arena)));
    for (member_walk(&value, "history", &walk); json_walk_next(&walk);) {
        struct json_value metadata = {JSON_OBJECT, STR("{}")};

        member_at(&walk.value, "metadata", &metadata);
        buf_add_format(&shown, " %.*s/%.*s",
                       STR_ARG(member_string(&walk.value, "messageId", &talk.arena)),
                       STR_ARG(member_string(&metadata, "kagent_invocation_id", &talk.arena)));
    }
}

static enum fault_code visit(void *context, struct str id, struct str task, struct fault *fault)
{
    (void)fault;
    show(id, task);
    if (context)
        *(struct str *)context = arena_dup(&talk.arena, task);
    return FAULT_OK;
}

static const char *list(struct str of, enum tasks_view view)
{
    struct str text;

    buf_clear(&shown);
    buf_init(&shown, 1 << 20);
    CHECK_OK(tasks_list(&app, talk.rig.owner, of, view, &talk.arena, visit, NULL, &talk.fault),
             &talk.fault);
    text = arena_dup(&talk.arena, buf_str(&shown));
    buf_clear(&shown);
    return text.n ? text.p : "";
}

static const char *got(const char *id)
{
    struct str task, text;

    CHECK_OK(tasks_get(&app, talk.rig.owner, str_of(id), -1, &talk.arena, &task, NULL, NULL,
                       &talk.fault),
             &talk.fault);
    buf_init(&shown, 1 << 20);
    show(str_of(id), task);
    text = arena_dup(&talk.arena, buf_str(&shown));
    buf_clear(&shown);
    return text.p;
}

static struct str body_of(const char *id)
{
    struct str task;

    CHECK_OK(tasks_get(&app, talk.rig.owner, str_of(id), -1, &talk.arena, &task, NULL, NULL,
                       &talk.fault),
             &talk.fault);
    return task;
}

static void not_there(const char *id)
{
    struct str task;

    CHECK_FAULT(tasks_get(&app, talk.rig.owner, str_of(id), -1, &talk.arena, &task, NULL, NULL,
                          &talk.fault),
                FAULT_NOT_FOUND, &talk.fault);
}

/* The text with the session's id for $ and the fork's for %. */
static const char *named(const char *text, struct str fork)
{
    struct str out;
    struct buf buf;

    buf_init(&buf, 1 << 20);
    for (; *text; text++) {
        if (*text == '$')
            buf_add_str(&buf, session);
        else if (*text == '%')
            buf_add_str(&buf, fork);
        else
            buf_add_char(&buf, *text);
    }
    out = arena_dup(&talk.arena, buf_str(&buf));
    buf_clear(&buf);
    return out.p;
}

static void rewind_before(const char *turn)
{
    talk.rig.now_us += 1000;
    talk_rewind(&talk, session, before_turn(str_of(turn)));
}

static struct str fork_of(struct str source, const char *turn)
{
    struct fork_result result;

    talk.rig.now_us += 1000;
    result = talk_fork(&talk, source, turn ? before_turn(str_of(turn)) : at_end());
    return result.session.id;
}

/* ---- tests ---- */

static void as_they_were_saved(void **state)
{
    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    turn_saved("B", "i2", "u2", "a2");
    assert_string_equal(list(session, TASKS_CUT),
                        "A completed u1/i1 a1/i1 | B completed u2/i2 a2/i2");
    assert_string_equal(list(session, TASKS_TURNS), list(session, TASKS_CUT));
    assert_string_equal(got("A"), "A completed u1/i1 a1/i1");
    not_there("C");
    not_there("");
    not_there("~");
    not_there(named("$~i1", STR_NONE)); /* the turn is in a task of its own */
}

static void a_rewind_merges(void **state)
{
    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    turn_saved("B", "i2", "u2", "a2");
    turn_saved("C", "i3", "u3", "a3");
    rewind_before("i3");
    assert_string_equal(list(session, TASKS_CUT),
                        named("$ completed u1/i1 a1/i1 u2/i2 a2/i2", STR_NONE));
    assert_string_equal(list(session, TASKS_TURNS),
                        "A completed u1/i1 a1/i1 | B completed u2/i2 a2/i2");
    assert_string_equal(got(session.p), list(session, TASKS_CUT));
    not_there("C");
    not_there(named("$~fork", STR_NONE));
    assert_non_null(strstr(body_of(session.p).p,
                           "\"kagent_usage_metadata\":{\"totalTokenCount\":20,"
                           "\"promptTokenCount\":14,\"candidatesTokenCount\":6}"));
    turn_saved("D", "i4", "u4", "a4");
    assert_string_equal(
        list(session, TASKS_CUT),
        named("$ completed u1/i1 a1/i1 u2/i2 a2/i2 | D completed u4/i4 a4/i4", STR_NONE));
    talk.rig.now_us += 1000;
    talk_undo(&talk, session);
    assert_string_equal(list(session, TASKS_CUT),
                        named("$ completed u1/i1 a1/i1 u2/i2 a2/i2 u3/i3 a3/i3", STR_NONE));
    rewind_before("i1");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed", STR_NONE));
}

static void a_boundary_cuts_a_task(void **state)
{
    struct str fork, deep;

    (void)state;
    two_saved();
    turn_saved("B", "i3", "u3", "a3");
    assert_string_equal(list(session, TASKS_CUT),
                        "T completed u1/i1 a1/i1 u2/i2 a2/i2 | B completed u3/i3 a3/i3");
    fork = fork_of(session, "i2");
    assert_string_equal(list(fork, TASKS_CUT), named("%~fork completed u1/i1 a1/i1", fork));
    assert_string_equal(list(fork, TASKS_TURNS), named("%~T completed u1/i1 a1/i1", fork));
    assert_null(strstr(body_of(named("%~T", fork)).p, "artifacts"));
    assert_null(strstr(body_of(named("%~T", fork)).p, "\"s2\""));
    assert_null(strstr(body_of(named("%~fork", fork)).p, "\"totalTokenCount\":100"));
    deep = fork_of(fork, NULL);
    assert_string_equal(list(deep, TASKS_CUT), named("%~fork completed u1/i1 a1/i1", deep));
    assert_string_equal(list(session, TASKS_CUT),
                        "T completed u1/i1 a1/i1 u2/i2 a2/i2 | B completed u3/i3 a3/i3");
    rewind_before("i2");
    assert_string_equal(list(session, TASKS_TURNS), "T completed u1/i1 a1/i1");
    rewind_before("i3");
    assert_string_equal(list(session, TASKS_TURNS), "T completed u1/i1 a1/i1 u2/i2 a2/i2");
    assert_non_null(strstr(body_of(session.p).p, "\"totalTokenCount\":100"));
}

/* The task goes on behind the cut: what it says there is its own, and counted there. */
static void a_task_goes_on_behind_a_cut(void **state)
{
    (void)state;
    two_saved();
    rewind_before("i2");
    entry_of("i4", "T", "u4");
    save("T", "i1",
         "{\"id\":\"T\",\"kind\":\"task\",\"contextId\":\"s\",\"status\":{\"state\":\"working\"},"
         "\"history\":[" USER("u1") "," AGENT("a1", "i1") "," USER("u4") "," AGENT(
             "a4", "i4") "],\"metadata\":{\"kagent_usage_metadata\":{\"totalTokenCount\":5}}}");
    assert_string_equal(list(session, TASKS_CUT),
                        named("$ completed u1/i1 a1/i1 | T working u4/i4 a4/i4", STR_NONE));
    assert_non_null(strstr(body_of(session.p).p, "\"totalTokenCount\":0"));
    assert_string_equal(list(session, TASKS_TURNS), "T working u1/i1 a1/i1 u4/i4 a4/i4");
}

static void each_id_once(void **state)
{
    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    turn_saved("B", "i2", "u1", "a1");
    turn_saved("C", "i3", "u2", "a1");
    rewind_before("i3");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed u1/i1 a1/i1", STR_NONE));
}

static void turns_of_tine(void **state)
{
    struct str fork, whole;

    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    for (int i = 0; i < 2; i++) {
        struct entry_spec spec = talk_message(&talk, i ? ROLE_ASSISTANT : ROLE_USER, "x");

        spec.id = i ? STR("m2") : STR("m1");
        spec.turn_rule = TURN_NAMED;
        spec.turn = STR("t1");
        spec.has_usage = i == 1;
        spec.usage = (struct usage){.input = i * 4, .output = i};
        talk_append(&talk, session, spec);
    }
    assert_string_equal(list(session, TASKS_CUT),
                        named("A completed u1/i1 a1/i1 | $~t1 completed m1/t1 m2/t1", STR_NONE));
    assert_string_equal(got(named("$~t1", STR_NONE)),
                        named("$~t1 completed m1/t1 m2/t1", STR_NONE));
    fork = fork_of(session, NULL);
    assert_string_equal(list(fork, TASKS_CUT),
                        named("%~fork completed u1/i1 a1/i1 m1/t1 m2/t1", fork));
    assert_string_equal(list(fork, TASKS_TURNS),
                        named("%~A completed u1/i1 a1/i1 | %~t1 completed m1/t1 m2/t1", fork));
    assert_string_equal(got(named("%~t1", fork)), named("%~t1 completed m1/t1 m2/t1", fork));
    assert_non_null(strstr(body_of(named("%~fork", fork)).p,
                           "{\"totalTokenCount\":15,\"promptTokenCount\":11,"
                           "\"candidatesTokenCount\":4}"));
    CHECK_OK(tasks_whole(&app, talk.rig.owner, session, &talk.arena, &whole, &talk.fault),
             &talk.fault);
    buf_init(&shown, 1 << 20);
    show(session, whole);
    assert_string_equal(shown.p, named("$ completed u1/i1 a1/i1 m1/t1 m2/t1", STR_NONE));
    buf_clear(&shown);
    assert_non_null(strstr(whole.p, "\"totalTokenCount\":15"));
}

#define EARLY(id)                                                                    \
    "{\"id\":\"" id                                                                  \
    "\",\"kind\":\"task\",\"contextId\":\"s\",\"status\":{\"state\":\"submitted\"}," \
    "\"history\":[" USER("e-" id) "]}"

/* Saved before it names an invocation: it stands where it was saved, until the next cut. */
static void early_ones(void **state)
{
    struct str fork;

    (void)state;
    save_in(session, "E0", "", RECORD_TASK_EARLY, EARLY("E0"));
    turn_saved("A", "i1", "u1", "a1");
    save_in(session, "E1", "", RECORD_TASK_EARLY, EARLY("E1"));
    turn_saved("B", "i2", "u2", "a2");
    assert_string_equal(list(session, TASKS_CUT),
                        "E0 submitted e-E0/ | A completed u1/i1 a1/i1 | E1 submitted e-E1/ | "
                        "B completed u2/i2 a2/i2");
    fork = fork_of(session, NULL);
    assert_string_equal(list(fork, TASKS_CUT),
                        named("%~fork completed u1/i1 a1/i1 u2/i2 a2/i2", fork));
    rewind_before("i2");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed u1/i1 a1/i1", STR_NONE));
    not_there("E1");
    save_in(session, "E2", "", RECORD_TASK_EARLY, EARLY("E2"));
    turn_saved("C", "i3", "u3", "a3");
    assert_string_equal(
        list(session, TASKS_CUT),
        named("$ completed u1/i1 a1/i1 | E2 submitted e-E2/ | C completed u3/i3 a3/i3", STR_NONE));
    rewind_before("i1");
    save_in(session, "E3", "", RECORD_TASK_EARLY, EARLY("E3"));
    assert_string_equal(list(session, TASKS_CUT),
                        named("$ completed | E3 submitted e-E3/", STR_NONE));
    /* the first act of the fork is a move */
    talk.rig.now_us += 1000;
    talk_rewind(&talk, fork, before_turn(STR("i2")));
    assert_string_equal(list(fork, TASKS_CUT), named("% completed u1/i1 a1/i1", fork));
    save_in(fork, "E4", "", RECORD_TASK_EARLY, EARLY("E4"));
    assert_string_equal(list(fork, TASKS_CUT),
                        named("% completed u1/i1 a1/i1 | E4 submitted e-E4/", fork));
}

/* One that ended without an invocation stays where it was saved. */
static void without_an_invocation(void **state)
{
    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    save("F", "", "{\"id\":\"F\",\"status\":{\"state\":\"failed\"},\"history\":[" USER("uf") "]}");
    turn_saved("B", "i2", "u2", "a2");
    assert_string_equal(list(session, TASKS_CUT),
                        "A completed u1/i1 a1/i1 | F failed uf/ | B completed u2/i2 a2/i2");
    assert_non_null(strstr(body_of("F").p, "\"kind\":\"task\""));
    rewind_before("i2");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed u1/i1 a1/i1 uf/", STR_NONE));
    rewind_before("i1");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed", STR_NONE));
}

static void gone_and_empty(void **state)
{
    (void)state;
    turn_saved("A", "i1", "u1", "a1");
    entry_of("i2", "B", "u2");
    save("B", "i2", "{\"id\":\"B\",\"status\":{\"state\":\"working\"},\"history\":null}");
    assert_string_equal(list(session, TASKS_CUT), "A completed u1/i1 a1/i1 | B working");
    save_in(session, "A", "i1", RECORD_TASK_GONE, "{}");
    assert_string_equal(list(session, TASKS_CUT), "B working");
    not_there("A");
    rewind_before("i2");
    assert_string_equal(list(session, TASKS_CUT), named("$ completed", STR_NONE));
}

/* Names of the newer runtimes count first; a message of another user's session does not exist. */
static void names_and_owners(void **state)
{
    struct str task;

    (void)state;
    entry_of("i1", "A", "u1");
    save("A", "i1",
         "{\"id\":\"A\",\"status\":{\"state\":\"completed\"},\"history\":[{\"messageId\":\"m\","
         "\"role\":\"agent\",\"parts\":[],\"metadata\":{\"adk_invocation_id\":\"i1\","
         "\"kagent_invocation_id\":null,\"n\":12345678901234567890}}]}");
    rewind_before("i1");
    talk.rig.now_us += 1000;
    talk_undo(&talk, session);
    assert_string_equal(list(session, TASKS_CUT), named("$ completed m/i1", STR_NONE));
    assert_non_null(strstr(body_of(session.p).p, "\"n\":12345678901234567890"));
    CHECK_FAULT(tasks_get(&app, talk.rig.owner + 1, session, -1, &talk.arena, &task, NULL, NULL,
                          &talk.fault),
                FAULT_NOT_FOUND, &talk.fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_they_were_saved, begin, end),
        cmocka_unit_test_setup_teardown(a_rewind_merges, begin, end),
        cmocka_unit_test_setup_teardown(a_boundary_cuts_a_task, begin, end),
        cmocka_unit_test_setup_teardown(a_task_goes_on_behind_a_cut, begin, end),
        cmocka_unit_test_setup_teardown(each_id_once, begin, end),
        cmocka_unit_test_setup_teardown(turns_of_tine, begin, end),
        cmocka_unit_test_setup_teardown(early_ones, begin, end),
        cmocka_unit_test_setup_teardown(without_an_invocation, begin, end),
        cmocka_unit_test_setup_teardown(gone_and_empty, begin, end),
        cmocka_unit_test_setup_teardown(names_and_owners, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
