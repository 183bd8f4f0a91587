/* What a session asks of its agent: read, written, judged. */
#include "agent/agent_settings.h"

#include "support/check.h"

static struct arena arena;
static struct agent_settings settings;
static struct fault fault;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static void read_ok(const char *text)
{
    CHECK_OK(agent_settings_read(str_of(text), &arena, &settings, &fault), &fault);
}

static void read_bad(const char *text, enum fault_code code, const char *piece)
{
    CHECK_FAULT(agent_settings_read(str_of(text), &arena, &settings, &fault), code, &fault);
    if (!strstr(fault.message, piece))
        fail_msg("\"%s\" is not in \"%s\"", piece, fault.message);
}

static void are_read(void **state)
{
    (void)state;
    read_ok("");
    assert_false(settings.asks);
    read_ok("{}");
    read_ok("{\"other\":1,\"agent\":null}");
    read_ok("{\"agent\":{\"prompt\":\"a\\nb\",\"model\":\"m\",\"env\":{\"A\":\"1\",\"B\":\"\"},"
            "\"allow\":[\"x\",\"y*\"],\"ask\":[],\"deny\":null,\"asks\":true,\"steps_max\":7,"
            "\"unknown\":[1]}}");
    CHECK_STR(settings.prompt, "a\nb");
    CHECK_STR(settings.model, "m");
    CHECK_STR(settings.env, "{\"A\":\"1\",\"B\":\"\"}");
    assert_int_equal(settings.allow.count, 2);
    CHECK_STR(settings.allow.list[1], "y*");
    assert_int_equal(settings.ask.count + settings.deny.count, 0);
    assert_true(settings.asks);
    assert_false(settings.approved);
    assert_int_equal(settings.steps_max, 7);
}

static void are_refused_by_name(void **state)
{
    struct str many = STR_NONE;

    (void)state;
    read_bad("{", FAULT_INVALID, "settings");
    read_bad("{\"agent\":7}", FAULT_INVALID, "object");
    read_bad("{\"agent\":{\"prompt\":1}}", FAULT_INVALID, "\"prompt\"");
    read_bad("{\"agent\":{\"env\":{\"A\":1}}}", FAULT_INVALID, "\"A\"");
    read_bad("{\"agent\":{\"allow\":[1]}}", FAULT_INVALID, "\"allow\"");
    read_bad("{\"agent\":{\"asks\":\"yes\"}}", FAULT_INVALID, "\"asks\"");
    read_bad("{\"agent\":{\"steps_max\":-1}}", FAULT_INVALID, "\"steps_max\"");
    read_bad("{\"agent\":{\"steps_max\":1.5}}", FAULT_INVALID, "\"steps_max\"");
    for (int i = 0; i <= SETTINGS_RULES; i++)
        many = arena_printf(&arena, "%.*s%s\"t%d\"", STR_ARG(many), i ? "," : "", i);
    read_bad(arena_printf(&arena, "{\"agent\":{\"deny\":[%.*s]}}", STR_ARG(many)).p, FAULT_LIMIT,
             "\"deny\"");
}

static void are_written_as_they_are_read(void **state)
{
    static const char text[] =
        "{\"a\\\"b\":[1, 2],\"agent\":{\"prompt\":\"p\",\"model\":\"m\",\"env\":{\"A\":\"1\"},"
        "\"allow\":[\"x\"],\"ask\":[\"y\"],\"deny\":[\"z\"],\"asks\":true,\"approved\":true,"
        "\"steps_max\":3}}";

    (void)state;
    read_ok(text);
    CHECK_STR(agent_settings_put(str_of(text), &settings, &arena), text);
    CHECK_STR(agent_settings_put(STR_NONE, &(struct agent_settings){0}, &arena), "{\"agent\":{}}");
    CHECK_OK(agent_settings_allow(&settings, STR("x"), &arena, &fault), &fault);
    assert_int_equal(settings.allow.count, 1);
    CHECK_OK(agent_settings_allow(&settings, STR("bash"), &arena, &fault), &fault);
    CHECK_STR(settings.allow.list[1], "bash");
    while (settings.allow.count < SETTINGS_RULES)
        CHECK_OK(agent_settings_allow(&settings, arena_printf(&arena, "t%zu", settings.allow.count),
                                      &arena, &fault),
                 &fault);
    CHECK_FAULT(agent_settings_allow(&settings, STR("more"), &arena, &fault), FAULT_LIMIT, &fault);
}

/* As a rule it would be a pattern, and "*" all tools there are. */
static void a_name_with_a_star_is_not_allowed_for_good(void **state)
{
    static const char *const names[] = {"*", "ba*", "bash**"};

    (void)state;
    read_ok("{\"agent\":{\"asks\":true,\"allow\":[\"x\",\"git*\"]}}");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        CHECK_FAULT(agent_settings_allow(&settings, str_of(names[i]), &arena, &fault),
                    FAULT_INVALID, &fault);
    assert_int_equal(settings.allow.count, 2);
    assert_int_equal(agent_settings_judge(&settings, STR("bash"), false), TOOL_ASK);
    CHECK_OK(agent_settings_allow(&settings, STR("git*"), &arena, &fault), &fault);
    CHECK_OK(agent_settings_allow(&settings, STR("ba*h"), &arena, &fault), &fault);
    assert_int_equal(agent_settings_judge(&settings, STR("bash"), false), TOOL_ASK);
    assert_int_equal(agent_settings_judge(&settings, STR("ba*h"), false), TOOL_RUN);
}

static void judges(const char *tool, bool reads, enum tool_verdict verdict)
{
    if (agent_settings_judge(&settings, str_of(tool), reads) != verdict)
        fail_msg("%s is judged otherwise", tool);
}

static void are_judged(void **state)
{
    (void)state;
    read_ok("{}");
    judges("bash", false, TOOL_RUN);
    read_ok("{\"agent\":{\"asks\":true}}");
    judges("bash", false, TOOL_ASK);
    judges("read_file", true, TOOL_RUN);
    read_ok("{\"agent\":{\"allow\":[\"mcp_*\",\"bash\"],\"ask\":[\"mcp_*\",\"read_file\"],"
            "\"deny\":[\"mcp_rm*\"]}}");
    judges("mcp_rm_all", false, TOOL_REFUSE);
    judges("mcp_rm", true, TOOL_REFUSE);
    judges("mcp_ls", false, TOOL_RUN);
    judges("bash", false, TOOL_RUN);
    judges("bash2", false, TOOL_RUN);
    judges("read_file", true, TOOL_ASK);
    settings.asks = true;
    judges("bash2", false, TOOL_ASK);
    settings.approved = true;
    judges("bash2", false, TOOL_RUN);
    judges("read_file", true, TOOL_RUN);
    judges("mcp_rm", true, TOOL_REFUSE);
    read_ok("{\"agent\":{\"deny\":[\"*\"]}}");
    judges("anything", true, TOOL_REFUSE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(are_read),
        TEST(are_refused_by_name),
        TEST(are_written_as_they_are_read),
        TEST(a_name_with_a_star_is_not_allowed_for_good),
        TEST(are_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
