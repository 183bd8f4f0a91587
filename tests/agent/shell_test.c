/* The agent that runs commands, and the one that follows a script. */
#include "stage.h"

#include "agent/scripted/scripted.h"
#include "agent/shell/shell.h"

#include <unistd.h>

static struct stage stage;
static struct agent_def def;

static int setup(void **state)
{
    (void)state;
    stage_open(&stage);
    def = (struct agent_def){.name = STR("t/a")};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stage_close(&stage);
    return 0;
}

static struct str send(const char *text)
{
    stage_user(&stage, text);
    CHECK_OK(stage_run(&stage, &agent_shell, &def), &stage.fault);
    assert_int_equal(stage_said_count(&stage), 1);
    assert_int_equal(stage_said(&stage, 0)->role, ROLE_ASSISTANT);
    return stage_said(&stage, 0)->body;
}

#define TEXT(text, exit) \
    "{\"parts\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"metadata\":{\"exit\":" exit "}}"

static void runs_what_it_is_sent(void **state)
{
    (void)state;
    CHECK_STR(send("echo hello"), TEXT("```\\nhello\\n```\\n", "0"));
    CHECK_STR(buf_str(&stage.text), "```\nhello\n");
    CHECK_STR(send("printf 'no line end'; exit 3"),
              TEXT("```\\nno line end\\n```\\n\\nexit code 3", "3"));
    CHECK_STR(send("echo kept > note.txt"), TEXT("(no output)", "0"));
    CHECK_STR(send("cat note.txt"), TEXT("```\\nkept\\n```\\n", "0"));
    CHECK_STR(send("echo '````'"), TEXT("`````\\n````\\n`````\\n", "0"));
    CHECK_STR(send("false"), TEXT("exit code 1", "1"));
}

static void knows_a_command(void **state)
{
    static const char *const commands[] = {
        "ls -la",
        "for i in 1 2; do echo $i; done",
        "FOO=bar",
        "FOO=bar env",
        "(cd /tmp; pwd)",
        "{ echo a; }",
        "[ 1 = 1 ]",
        "[[ a == b ]]",
        "((1+1))",
        "! true",
        "# a comment",
        "./missing",
        "/bin/true",
        "> file",
        "\"echo\" x",
        "$HOME",
        "  true",
        "true;false",
        "true|cat",
        "f() { echo x; }; f",
        "echo is this a file? | cat",
        "find . -name 'x?'",
        "cat <<EOF\nwhat is this?\nEOF",
        "if true; then echo y; fi",
    };
    static const char *const words[] = {
        "hello",
        "what is the capital of France?",
        "who are you?",
        "time flies, does it not?",
        "I'm sorry",
        "please fix the bug in main.c",
        "gti status",
        "Write a poem about the sea",
        "if you can, help me",
        "привет",
        "",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (!contains(send(commands[i]), "\"exit\":"))
            fail_msg("\"%s\" was not run: %.*s", commands[i], STR_ARG(stage_said(&stage, 0)->body));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct str body = send(words[i]);

        if (contains(body, "\"exit\":") || !contains(body, "OPENAI_API_KEY"))
            fail_msg("\"%s\" was taken for a command: %.*s", words[i], STR_ARG(body));
    }
    assert_true(contains(send("gti status"), "There is no command \\\"gti\\\""));
}

static void is_cancelled_at_once(void **state)
{
    (void)state;
    stage_cancel_after_ms(&stage, 400);
    assert_true(contains(send("echo so far; sleep 20"), "so far\\n```\\n\\ncancelled"));
    assert_int_equal(stage_said(&stage, 0)->flags, ENTRY_INTERRUPTED);
    assert_true(stage.took_ms < 2000);
}

static void stops_in_time(void **state)
{
    (void)state;
    def.timeout_ms = 1000;
    assert_true(contains(send("sleep 20"), "stopped after 1 s"));
}

static void follows_a_script(void **state)
{
    (void)state;
    def.script = STR(
        "[[{\"delta\":\"he\"},{\"delta\":\"llo\"},{\"reasoning\":\"r\"},{\"say\":{\"text\":"
        "\"hello\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}}],"
        "[{\"say\":{\"parts\":[{\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"n\","
        "\"arguments\":{}}]}},{\"output\":[\"c\",\"out\"]},{\"say\":{\"role\":\"tool\",\"parts\":"
        "[{\"type\":\"tool_result\",\"call\":\"c\",\"output\":\"o\"}]}},{\"fail\":\"as told\"}],"
        "[{\"echo\":true}]]");
    stage_user(&stage, "first");
    CHECK_OK(stage_run(&stage, &agent_scripted, &def), &stage.fault);
    CHECK_STR(buf_str(&stage.text), "hello");
    stage_expect(&stage, 0, ROLE_ASSISTANT, "{\"parts\":[{\"type\":\"text\",\"text\":\"hello\"}]}");
    assert_int_equal(stage.usage[1].input, 3);
    stage_user(&stage, "second");
    CHECK_FAULT(stage_run(&stage, &agent_scripted, &def), FAULT_AGENT_FAILED, &stage.fault);
    assert_string_equal(stage.fault.message, "as told");
    assert_int_equal(stage_said_count(&stage), 2);
    for (int i = 0; i < 2; i++) {
        stage_user(&stage, "again \"and\" again");
        CHECK_OK(stage_run(&stage, &agent_scripted, &def), &stage.fault);
        stage_expect(&stage, 0, ROLE_ASSISTANT,
                     "{\"parts\":[{\"type\":\"text\",\"text\":\"again \\\"and\\\" again\"}]}");
    }
}

static void waits_in_a_script(void **state)
{
    struct agent *agent;

    (void)state;
    def.script = STR("[[{\"wait\":true},{\"say\":{\"text\":\"never\"}}]]");
    stage_cancel_after_ms(&stage, 100);
    stage_user(&stage, "go");
    CHECK_OK(stage_run(&stage, &agent_scripted, &def), &stage.fault);
    assert_int_equal(stage_said_count(&stage), 0);
    def.script = STR("{}");
    CHECK_FAULT(agent_scripted.make(&def, &agent, &stage.fault), FAULT_INVALID, &stage.fault);
    def.script = STR("[1]");
    CHECK_FAULT(agent_scripted.make(&def, &agent, &stage.fault), FAULT_INVALID, &stage.fault);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_what_it_is_sent), TEST(knows_a_command),  TEST(is_cancelled_at_once),
        TEST(stops_in_time),        TEST(follows_a_script), TEST(waits_in_a_script),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
