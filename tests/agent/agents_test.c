/* Definitions of agents: read and written, kept in a store, taken and given back; presets. */
#include "agent/agents.h"

#include "agent/draft.h"
#include "agent/open_calls.h"
#include "agent/clean.h"
#include "agent/external/external.h"
#include "agent/openai/openai.h"
#include "agent/preset.h"
#include "agent/scripted/scripted.h"
#include "support/check.h"
#include "support/rig.h"

#include <pthread.h>
#include <stdlib.h>

static struct rig rig;
static struct arena arena;
static struct fault fault;
static struct agents *agents;
static struct agent_kind kinds[4];

static int setup(void **state)
{
    (void)state;
    kinds[0] = agent_scripted;
    kinds[1] = agent_openai;
    kinds[2] = agent_external;
    arena_init(&arena);
    rig_open(&rig, &rig_kinds[0], 1);
    agents = agents_new(rig.store, kinds);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agents_free(agents);
    rig_close(&rig);
    arena_clear(&arena);
    return 0;
}

static struct agent_def scripted(const char *name)
{
    return (struct agent_def){.name = str_of(name), .kind = STR("scripted")};
}

/* ---- one definition ---- */

static void reads_and_writes_definitions(void **state)
{
    static const char body[] =
        "{\"kind\":\"openai\",\"description\":\"d \\\"q\\\"\",\"model\":\"m\",\"prompt\":\"p\\n\","
        "\"base_url\":\"https://h/v1\",\"key_env\":\"K\",\"tools\":\"bash\",\"script\":\"[]\","
        "\"network\":true,\"default\":true,\"context_tokens\":1,\"output_tokens\":2,"
        "\"steps_max\":3,\"timeout_ms\":4,\"input_price\":2.5,\"output_price\":0.000000001}";
    static const struct {
        const char *body, *message;
    } bad[] = {
        {"{}", "member \"kind\" is missing"},
        {"{\"kind\":\"a\",\"modle\":\"b\"}", "unknown member \"modle\""},
        {"{\"kind\":\"a\",\"key\":\"sk\"}", "unknown member \"key\""},
        {"{\"kind\":\"a\",\"network\":1}", "member \"network\" must be true or false"},
        {"{\"kind\":\"a\",\"steps_max\":1001}",
         "member \"steps_max\" must be a whole number from 0 to 1000"},
        {"{\"kind\":\"a\",\"input_price\":-1}",
         "member \"input_price\" must be a number from 0 to 1e6"},
        {"[]", "it must be an object"},
    };
    struct agent_def def;

    (void)state;
    CHECK_OK(agent_def_read(str_of(body), &arena, &def, &fault), &fault);
    CHECK_STR(def.description, "d \"q\"");
    assert_int_equal(def.input_price, INT64_C(2500000000));
    assert_int_equal(def.output_price, 1);
    assert_true(def.network && def.is_default && !def.fixed);
    CHECK_STR(agent_def_write(&def, &arena), body);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_FAULT(agent_def_read(str_of(bad[i].body), &arena, &def, &fault), FAULT_INVALID,
                    &fault);
        assert_string_equal(fault.message, bad[i].message);
    }
}

/* ---- all of them ---- */

static enum fault_code add_name(void *context, const struct agent_def *def, struct fault *unused)
{
    struct buf *names = context;

    (void)unused;
    buf_add_format(names, "%.*s%s ", STR_ARG(def->name), def->is_default ? "*" : "");
    return FAULT_OK;
}

static void expect_names(const char *expected)
{
    struct buf names;

    buf_init(&names, 4096);
    CHECK_OK(agents_list(agents, add_name, &names, &fault), &fault);
    CHECK_STR(buf_str(&names), expected);
    buf_clear(&names);
}

static struct str say_default(void *context, struct arena *kept)
{
    const struct agent_def *def = context;

    return arena_printf(kept, "%.*s %d", STR_ARG(def->name), def->is_default);
}

static void creates_once(void **state)
{
    struct agent_def def = scripted("a/new"), got;
    struct once once = {.owner = 1, .key = STR("k"), .render = say_default, .context = &got};
    struct once again = once, none = {.owner = 1, .key = STR("l"), .render = say_default};

    (void)state;
    none.context = &got;
    CHECK_OK(agents_create(agents, &def, 1, &once, &arena, &got, &fault), &fault);
    CHECK_STR(got.name, "a/new");
    CHECK_STR(once.answer, "a/new 1");
    CHECK_OK(agents_create(agents, &def, 1, &again, &arena, &got, &fault), &fault);
    assert_true(again.repeated);
    CHECK_STR(again.answer, "a/new 1");
    CHECK_FAULT(agents_create(agents, &def, 1, &none, &arena, &got, &fault), FAULT_EXISTS, &fault);
    CHECK_FAULT(agents_create(agents, &def, 1, NULL, &arena, &got, &fault), FAULT_EXISTS, &fault);
    expect_names("a/new* ");
    /* An answer of before defines nothing anew. */
    CHECK_OK(agents_remove(agents, def.name, &fault), &fault);
    CHECK_OK(agents_create(agents, &def, 2, &again, &arena, &got, &fault), &fault);
    assert_true(again.repeated);
    expect_names("");
}

static void keeps_definitions(void **state)
{
    struct agent_def fixed = scripted("t/fixed"), loose = scripted("a/loose"), got;

    (void)state;
    fixed.is_default = true;
    CHECK_OK(agents_fix(agents, &fixed, &fault), &fault);
    CHECK_FAULT(agents_fix(agents, &fixed, &fault), FAULT_EXISTS, &fault);
    CHECK_OK(agents_load(agents, &fault), &fault);
    loose.is_default = true;
    CHECK_OK(agents_put(agents, &loose, true, 1, &fault), &fault);
    CHECK_FAULT(agents_put(agents, &loose, true, 1, &fault), FAULT_EXISTS, &fault);
    CHECK_FAULT(agents_put(agents, &fixed, false, 1, &fault), FAULT_AGENT_FIXED, &fault);
    CHECK_FAULT(agents_remove(agents, fixed.name, &fault), FAULT_AGENT_FIXED, &fault);
    expect_names("a/loose t/fixed* ");
    CHECK_OK(agents_get(agents, STR_NONE, &arena, &got, &fault), &fault);
    CHECK_STR(got.name, "t/fixed");
    assert_true(got.fixed);
    loose.description = STR("changed");
    CHECK_OK(agents_put(agents, &loose, false, 2, &fault), &fault);

    /* Another process finds what was put. */
    agents_free(agents);
    agents = agents_new(rig.store, kinds);
    CHECK_OK(agents_load(agents, &fault), &fault);
    expect_names("a/loose* ");
    CHECK_OK(agents_get(agents, STR("a/loose"), &arena, &got, &fault), &fault);
    CHECK_STR(got.description, "changed");
    CHECK_OK(agents_remove(agents, loose.name, &fault), &fault);
    CHECK_FAULT(agents_remove(agents, loose.name, &fault), FAULT_AGENT_NOT_FOUND, &fault);
    CHECK_FAULT(agents_get(agents, loose.name, &arena, &got, &fault), FAULT_AGENT_NOT_FOUND,
                &fault);
    CHECK_FAULT(agents_get(agents, STR_NONE, &arena, &got, &fault), FAULT_AGENT_NOT_FOUND, &fault);
}

static void forgets_what_another_process_removed(void **state)
{
    struct agents *other = agents_new(rig.store, kinds);
    struct agent_def def = scripted("a/b");

    (void)state;
    CHECK_OK(agents_put(other, &def, true, 1, &fault), &fault);
    CHECK_OK(agents_load(agents, &fault), &fault);
    expect_names("a/b* ");
    CHECK_OK(agents_remove(other, def.name, &fault), &fault);
    CHECK_OK(agents_load(agents, &fault), &fault);
    expect_names("");
    agents_free(other);
}

static void refuses_bad_definitions(void **state)
{
    static const char *const names[] = {"", "noslash", "/x", "x/", "a/b/c", "a b/c", "a/.b", "é/x"};
    struct agent_def def = scripted("a/b");

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        def.name = str_of(names[i]);
        CHECK_FAULT(agents_put(agents, &def, true, 1, &fault), FAULT_INVALID, &fault);
    }
    def = (struct agent_def){.name = STR("a/b"), .kind = STR("magic")};
    CHECK_FAULT(agents_put(agents, &def, true, 1, &fault), FAULT_INVALID, &fault);
    assert_string_equal(fault.message, "there is no kind of agent \"magic\"");
    def.kind = STR("openai");
    CHECK_FAULT(agents_put(agents, &def, true, 1, &fault), FAULT_INVALID, &fault);
    assert_string_equal(fault.message, "an agent of the kind openai needs a \"model\"");
}

/* Over the API nobody makes the server send one of its variables to an address of their choice. */
static void gives_no_key_away(void **state)
{
    struct agent_def fixed = {.name = STR("t/model"),
                              .kind = STR("openai"),
                              .model = STR("m"),
                              .base_url = STR("https://good/v1"),
                              .key_env = STR("GOOD_KEY")};
    struct agent_def mine = fixed;

    (void)state;
    CHECK_OK(agents_fix(agents, &fixed, &fault), &fault);
    mine.name = STR("me/model");
    CHECK_OK(agents_put(agents, &mine, true, 1, &fault), &fault);
    mine.base_url = STR("https://evil/v1");
    CHECK_FAULT(agents_put(agents, &mine, false, 1, &fault), FAULT_INVALID, &fault);
    mine.base_url = fixed.base_url;
    mine.key_env = STR("DATABASE_PASSWORD");
    CHECK_FAULT(agents_put(agents, &mine, false, 1, &fault), FAULT_INVALID, &fault);
    mine.key_env = STR_NONE;
    mine.base_url = STR("https://free/v1");
    CHECK_OK(agents_put(agents, &mine, false, 1, &fault), &fault);
}

static void lends_agents(void **state)
{
    struct agent_def def = scripted("a/b"),
                     outside = {.name = STR("a/ext"), .kind = STR("external")};
    struct agent *first, *second, *third;

    (void)state;
    CHECK_OK(agents_put(agents, &def, true, 1, &fault), &fault);
    CHECK_OK(agents_put(agents, &outside, true, 1, &fault), &fault);
    CHECK_FAULT(agents_take(agents, STR("a/none"), &first, &fault), FAULT_AGENT_NOT_FOUND, &fault);
    CHECK_FAULT(agents_take(agents, outside.name, &first, &fault), FAULT_AGENT_EXTERNAL, &fault);
    CHECK_OK(agents_take(agents, def.name, &first, &fault), &fault);
    CHECK_OK(agents_take(agents, def.name, &second, &fault), &fault);
    assert_ptr_equal(first, second);
    /* The old one stays for those who have it. */
    def.script = STR("[]");
    CHECK_OK(agents_put(agents, &def, false, 2, &fault), &fault);
    CHECK_OK(agents_take(agents, def.name, &third, &fault), &fault);
    assert_ptr_not_equal(first, third);
    CHECK_OK(agents_remove(agents, def.name, &fault), &fault);
    agents_give(agents, first);
    agents_give(agents, second);
    agents_give(agents, third);
}

static void *take_and_put(void *arg)
{
    struct agent_def def = scripted("a/b");
    struct fault mine;

    for (int i = 0; i < 200; i++) {
        struct agent *agent;

        def.script = i % 2 ? STR("[]") : STR("[[]]");
        if (agents_put(agents, &def, false, i, &mine) ||
            agents_take(agents, def.name, &agent, &mine))
            return arg;
        agents_give(agents, agent);
        if (agents_load(agents, &mine))
            return arg;
    }
    return NULL;
}

static void serves_many_threads(void **state)
{
    pthread_t threads[4];
    int mark = 0;

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_put, &mark), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

/* ---- presets ---- */

static const char *const *variables;

static const char *lookup(const char *name)
{
    for (const char *const *at = variables; *at; at += 2)
        if (strcmp(*at, name) == 0)
            return at[1];
    return NULL;
}

static struct presets presets_with(const char *const *pairs)
{
    struct presets presets;

    variables = pairs;
    presets_find(lookup, &arena, &presets);
    for (size_t i = 0; i < presets.count; i++) {
        assert_true(presets.defs[i].fixed);
        assert_int_equal(presets.defs[i].is_default, i == 0);
    }
    return presets;
}

static void finds_presets(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const all[] = {"OPENAI_API_KEY",
                                      "sk-1",
                                      "OPENAI_MODEL",
                                      "gpt-x",
                                      "ANTHROPIC_API_KEY",
                                      "sk-2",
                                      "OPENROUTER_API_KEY",
                                      "sk-3",
                                      "OLLAMA_HOST",
                                      "0.0.0.0",
                                      NULL};
    static const char *const local[] = {"OPENAI_BASE_URL", "http://127.0.0.1:9/v1/", NULL};
    static const char *const empty[] = {"OPENAI_API_KEY", "", NULL};
    static const char *const ollama[] = {"OLLAMA_HOST", "https://box:1234/", NULL};
    struct presets presets = presets_with(none);

    (void)state;
    assert_int_equal(presets.count, 1);
    CHECK_STR(presets.defs[0].kind, "shell");
    assert_int_equal(presets_with(empty).count, 1);
    presets = presets_with(all);
    assert_int_equal(presets.count, 5);
    CHECK_STR(presets.defs[0].model, "gpt-x");
    CHECK_STR(presets.defs[0].key_env, "OPENAI_API_KEY");
    CHECK_STR(presets.defs[1].base_url, "https://api.anthropic.com/v1");
    CHECK_STR(presets.defs[3].base_url, "http://127.0.0.1:11434/v1");
    CHECK_STR(presets.defs[3].key_env, "");
    CHECK_STR(presets.words,
              "gpt-x answers at https://api.openai.com/v1, because OPENAI_API_KEY is set");
    presets = presets_with(local);
    CHECK_STR(presets.defs[0].base_url, "http://127.0.0.1:9/v1");
    CHECK_STR(presets.defs[0].key_env, "");
    CHECK_STR(presets_with(ollama).defs[0].base_url, "https://box:1234/v1");
    /* The agent kind takes every one of them. */
    presets = presets_with(all);
    for (size_t i = 0; i + 1 < presets.count; i++)
        CHECK_OK(agents_fix(agents, &presets.defs[i], &fault), &fault);
}

/* ---- drafts and open calls ---- */

static void keeps_drafts(void **state)
{
    struct str body = draft_body(STR("why"), STR("te\"xt"), &arena);
    struct entry_spec spec;

    (void)state;
    CHECK_STR(body, "{\"parts\":[{\"type\":\"reasoning\",\"text\":\"why\"},{\"type\":\"text\","
                    "\"text\":\"te\\\"xt\"}]}");
    assert_true(draft_entry(body, &arena, &spec));
    CHECK_STR(spec.body, body.p);
    assert_int_equal(spec.flags, ENTRY_INTERRUPTED);
    assert_int_equal(spec.role, ROLE_ASSISTANT);
    assert_int_equal(spec.span_count, 1);
    assert_int_equal(draft_body(STR_NONE, STR_NONE, &arena).n, 0);
    assert_false(draft_entry(STR_NONE, &arena, &spec));
    assert_false(draft_entry(STR("{}"), &arena, &spec));
    assert_false(draft_entry(STR("nonsense"), &arena, &spec));
}

static void see(struct open_calls *calls, const char *body)
{
    struct entry entry = {.kind = ENTRY_MESSAGE, .body = str_of(body)};

    CHECK_OK(open_calls_see(calls, &entry, &fault), &fault);
}

static void answers_open_calls(void **state)
{
    struct open_calls calls = {.arena = &arena};
    struct entry_spec *specs;
    size_t count;

    (void)state;
    open_calls_answer(&calls, &count);
    assert_int_equal(count, 0);
    see(&calls, "{\"parts\":[{\"type\":\"tool_call\",\"id\":\"a\",\"name\":\"n\",\"arguments\":{}},"
                "{\"type\":\"tool_call\",\"id\":\"b\",\"name\":\"n\",\"arguments\":{}},"
                "{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"n\",\"arguments\":{}}]}");
    see(&calls, "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"b\",\"output\":\"\"}]}");
    see(&calls, "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"unknown\",\"output\":\"\"}]}");
    see(&calls, "{\"other\":1}");
    specs = open_calls_answer(&calls, &count);
    assert_int_equal(count, 2);
    CHECK_STR(specs[0].body, "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"a\",\"output\":"
                             "\"interrupted\",\"error\":true}]}");
    assert_int_equal(specs[1].role, ROLE_TOOL);
    assert_int_equal(specs[1].results, 1);
    assert_int_equal(specs[1].flags, ENTRY_INTERRUPTED);
}

/* ---- bytes that are no text ---- */

static void cleans_bytes_however_they_are_cut(void **state)
{
    static const char bytes[] = "a\xc3\xa4\xf0\x9f\x8c\xb2\xff z\xe2\x82 \xc3";
    static const char wanted[] = "aä🌲\uFFFD z\uFFFD\uFFFD \uFFFD";
    size_t n = sizeof(bytes) - 1;

    (void)state;
    for (size_t a = 0; a <= n; a++)
        for (size_t b = a; b <= n; b++) {
            struct clean clean = {0};
            struct buf out;

            buf_init(&out, 100);
            clean_add(&clean, (struct str){bytes, a}, &out);
            clean_add(&clean, (struct str){bytes + a, b - a}, &out);
            clean_add(&clean, (struct str){bytes + b, n - b}, &out);
            clean_end(&clean, &out);
            CHECK_STR(buf_str(&out), wanted);
            buf_clear(&out);
        }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_and_writes_definitions),
        TEST(keeps_definitions),
        TEST(creates_once),
        TEST(forgets_what_another_process_removed),
        TEST(refuses_bad_definitions),
        TEST(gives_no_key_away),
        TEST(lends_agents),
        TEST(serves_many_threads),
        TEST(finds_presets),
        TEST(keeps_drafts),
        TEST(answers_open_calls),
        TEST(cleans_bytes_however_they_are_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
