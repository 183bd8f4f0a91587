/* The agent that asks a model, against a server that plays one over real HTTP. */
#include "stage.h"

#include "agent/openai/openai.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct stage stage;
static struct agent_def def;
static char base_url[64];

/* ---- the server ---- */

static pid_t server;
static int server_input;

static int start_server(void **state)
{
    char script[512], port[16] = "";
    int in[2], out[2];

    (void)state;
    snprintf(script, sizeof(script), "%s/agent/model_server.py", getenv("TESTS_DIR"));
    if (pipe(in) || pipe(out))
        return -1;
    server = fork();
    if (server == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        execlp("python3", "python3", script, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    server_input = in[1];
    for (size_t n = 0; n < sizeof(port) - 1 && !strchr(port, '\n'); n++)
        if (read(out[0], port + n, 1) != 1)
            return -1;
    close(out[0]);
    snprintf(base_url, sizeof(base_url), "http://127.0.0.1:%ld/v1/", strtol(port, NULL, 10));
    return setenv("TEST_MODEL_KEY", "sk-secret-0123456789", 1);
}

static int stop_server(void **state)
{
    (void)state;
    close(server_input);
    return waitpid(server, NULL, 0) == server ? 0 : -1;
}

static size_t add_body(char *bytes, size_t size, size_t count, void *context)
{
    buf_add(context, bytes, size * count);
    return size * count;
}

/* The newest request of this model. */
static struct str seen(const char *model)
{
    struct str mark = arena_printf(&stage.arena, "{\"model\":\"%s\"", model), found = STR_NONE;
    CURL *easy = curl_easy_init();
    struct buf all;

    buf_init(&all, 64 << 20);
    curl_easy_setopt(easy, CURLOPT_URL, base_url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, add_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &all);
    assert_int_equal(curl_easy_perform(easy), CURLE_OK);
    curl_easy_cleanup(easy);
    for (char *line = all.p; line && *line;) {
        size_t n = strcspn(line, "\n");

        if (str_starts((struct str){line, n}, mark))
            found = arena_dup(&stage.arena, (struct str){line, n});
        line += n + (line[n] == '\n');
    }
    buf_clear(&all);
    return found;
}

/* ---- tests ---- */

static int setup(void **state)
{
    (void)state;
    stage_open(&stage);
    def = (struct agent_def){
        .name = STR("t/model"),
        .kind = STR("openai"),
        .base_url = str_of(base_url),
        .key_env = STR("TEST_MODEL_KEY"),
        .input_price = 3 * INT64_C(1000000000),   /* 3 for a million */
        .output_price = 15 * INT64_C(1000000000), /* 15 for a million */
    };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stage_close(&stage);
    return 0;
}

static enum fault_code play(const char *model)
{
    def.model = str_of(model);
    if (stage.count == 0)
        stage_user(&stage, "hello there");
    return stage_run(&stage, &agent_openai, &def);
}

static void play_ok(const char *model)
{
    CHECK_OK(play(model), &stage.fault);
}

static void play_failed(const char *model, const char *message)
{
    CHECK_FAULT(play(model), FAULT_AGENT_FAILED, &stage.fault);
    if (!strstr(stage.fault.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, stage.fault.message);
    assert_null(strstr(stage.fault.message, "sk-secret"));
}

#define SAID(text, model)                                                                     \
    "{\"parts\":[{\"type\":\"text\",\"text\":\"" text "\"}],\"metadata\":{\"model\":\"" model \
    "\",\"finish_reason\":\"stop\"}}"

static void answers(void **state)
{
    struct str request;

    (void)state;
    def.prompt = STR("be brief");
    def.output_tokens = 77;
    play_ok("hello");
    assert_int_equal(stage_said_count(&stage), 1);
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("Hello grüße", "hello"));
    CHECK_STR(buf_str(&stage.text), "Hello grüße");
    assert_int_equal(stage.deltas, 3);
    assert_int_equal(stage.usage[1].input, 1000);
    assert_int_equal(stage.usage[1].output, 200);
    assert_int_equal(stage.usage[1].cost, 3000000 + 3000000);
    request = seen("hello");
    assert_true(contains(request, "[{\"role\":\"system\",\"content\":\"be brief\"},{\"role\":"
                                  "\"user\",\"content\":\"hello there\"}]"));
    assert_true(contains(request, "\"max_tokens\":77"));
    assert_false(contains(request, "sk-secret"));
}

static void reads_awkward_streams(void **state)
{
    (void)state;
    play_ok("bytes");
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("grüße 🌲 end", "bytes"));
    play_ok("comments");
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("ab", "comments"));
    play_ok("no-done");
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("short", "no-done"));
    play_ok("reasoning");
    stage_expect(
        &stage, 0, ROLE_ASSISTANT,
        "{\"parts\":[{\"type\":\"reasoning\",\"text\":\"let me think\"},{\"type\":\"text\","
        "\"text\":\"4\"}],\"metadata\":{\"model\":\"reasoning\",\"finish_reason\":"
        "\"stop\"}}");
    CHECK_STR(buf_str(&stage.reasoning), "let me think");
    play_ok("length");
    assert_true(contains(stage_said(&stage, 0)->body, "\"finish_reason\":\"length\""));
}

static void runs_tools(void **state)
{
    struct str request;

    (void)state;
    play_ok("tools");
    assert_int_equal(stage_said_count(&stage), 4);
    stage_expect(&stage, 0, ROLE_ASSISTANT,
                 "{\"parts\":[{\"type\":\"text\",\"text\":\"I write.\"},{\"type\":\"tool_call\","
                 "\"id\":\"call_a\",\"name\":\"write_file\",\"arguments\":{\"path\":\"sub/a.txt\","
                 "\"content\":\"grüße\\n\"}},{\"type\":\"tool_call\",\"id\":\"call_b\",\"name\":"
                 "\"bash\",\"arguments\":{\"command\":\"cat sub/a.txt; exit 3\"}}],\"metadata\":"
                 "{\"model\":\"tools\",\"finish_reason\":\"tool_calls\"}}");
    stage_expect(&stage, 1, ROLE_TOOL,
                 "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"call_a\",\"output\":\"wrote 8 "
                 "bytes to sub/a.txt\",\"error\":false}]}");
    stage_expect(&stage, 2, ROLE_TOOL,
                 "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"call_b\",\"output\":\"grüße\\n"
                 "[exit code 3]\",\"error\":true}]}");
    stage_expect(&stage, 3, ROLE_ASSISTANT, SAID("all done", "tools"));
    CHECK_STR(buf_str(&stage.output), "grüße\n");
    request = seen("tools");
    assert_true(contains(request, "{\"role\":\"tool\",\"tool_call_id\":\"call_b\",\"content\":"
                                  "\"grüße\\n[exit code 3]\"}"));
}

static void asks_before_it_changes_anything(void **state)
{
    (void)state;
    stage.call.settings.asks = true;
    stage_answer(&stage, ANSWER_YES, "");
    stage_answer(&stage, ANSWER_NO, "not that");
    play_ok("tools");
    assert_int_equal(stage.ask_count, 2);
    CHECK_STR(stage.asked[0].id, "call_a");
    CHECK_STR(stage.asked[0].name, "write_file");
    CHECK_STR(stage.asked[1].name, "bash");
    CHECK_STR(stage.asked[1].arguments, "{\"command\":\"cat sub/a.txt; exit 3\"}");
    assert_true(contains(stage_said(&stage, 1)->body, "wrote 8 bytes"));
    stage_expect(&stage, 2, ROLE_TOOL,
                 "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"call_b\",\"output\":\"the user "
                 "said no: not that\",\"error\":true}]}");
    stage_expect(&stage, 3, ROLE_ASSISTANT, SAID("all done", "tools")); /* it goes on */
    assert_true(contains(seen("tools"), "the user said no: not that"));
}

static void a_cancel_ends_its_asking(void **state)
{
    (void)state;
    stage.call.settings.asks = true;
    play_ok("tools");
    assert_int_equal(stage.ask_count, 1);
    assert_int_equal(stage_said_count(&stage), 1); /* the calls are answered by the turn's end */
    assert_false(stage.call.worked);
}

static void honours_what_the_session_asks_for(void **state)
{
    struct str bash = STR("bash");

    (void)state;
    def.prompt = STR("of the definition");
    stage.call.settings = (struct agent_settings){
        .prompt = STR("of the session"), .model = STR("tools"), .deny = {&bash, 1}};
    play_ok("nobody-plays-this");
    assert_true(contains(seen("tools"), "of the session"));
    assert_false(contains(seen("tools"), "of the definition"));
    assert_true(contains(seen("tools"), "\"description\":\"Write a whole file"));
    assert_false(contains(seen("tools"), "\"description\":\"Run a bash command"));
    assert_true(contains(stage_said(&stage, 2)->body, "not allowed in this session"));
    assert_true(contains(stage_said(&stage, 0)->body, "\"model\":\"tools\""));
    assert_int_equal(stage.ask_count, 0);
    stage.count = 0;
    stage.call.settings = (struct agent_settings){.steps_max = 1};
    play_ok("tools");
    assert_true(contains(stage_said(&stage, 3)->body, "Stopped after 1 steps"));
}

static void tells_the_model_what_went_wrong(void **state)
{
    (void)state;
    play_ok("bad-arguments");
    assert_int_equal(stage_said_count(&stage), 3);
    assert_true(
        contains(stage_said(&stage, 0)->body, "\"arguments\":\"{\\\"command\\\": \\\"ec\""));
    assert_true(contains(stage_said(&stage, 1)->body, "the arguments is not valid JSON"));
    stage.count = 0;
    play_ok("bad-tool");
    assert_true(contains(stage_said(&stage, 1)->body, "there is no tool"));
    def.tools = STR("read_file");
    stage.count = 0;
    play_ok("sleep");
    assert_true(contains(stage_said(&stage, 1)->body, "there is no tool"));
    assert_false(contains(seen("sleep"), "write_file"));
    def.tools = STR("none");
    play_ok("hello");
    assert_false(contains(seen("hello"), "\"tools\""));
}

static void asks_again_while_the_server_is_busy(void **state)
{
    (void)state;
    play_ok("busy");
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("at last", "busy"));
    play_ok("error-first");
    stage_expect(&stage, 0, ROLE_ASSISTANT, SAID("ok", "error-first"));
    play_failed("down", "the model's server answered 500: broken");
    assert_int_equal(stage_said_count(&stage), 0);
    play_failed("busy-long", "answered 429: come back tomorrow");
    assert_true(stage.took_ms < 2000);
}

static void fails_with_a_reason(void **state)
{
    (void)state;
    play_failed("error-mid", "the model's server reports: the engine fell over");
    CHECK_STR(buf_str(&stage.text), "half of ");
    play_failed("key", "answered 401: bad key Bearer ****");
    play_failed("html", "text/event-stream");
    play_failed("moved", "answered 302");
    play_failed("huge", "an event of more than");
    play_failed("cut", "before the answer was complete");
    play_failed("nonsense", "sent nonsense");
    play_failed("filter", "content_filter");
    unsetenv("TEST_MODEL_KEY");
    play_failed("hello", "TEST_MODEL_KEY, which should hold the key, is not set");
    setenv("TEST_MODEL_KEY", "sk-secret-0123456789", 1);
    def.timeout_ms = 300;
    play_failed("stall", "said nothing");
    assert_true(stage.took_ms < 3000);
}

static void says_that_nobody_is_there(void **state)
{
    (void)state;
    def.base_url = STR("http://127.0.0.1:1/v1");
    play_failed("hello", "the model's server cannot be reached: Couldn't connect");
    assert_int_equal(stage_said_count(&stage), 0);
}

static void is_cancelled_at_once(void **state)
{
    (void)state;
    stage.cancel_after = 5;
    play_ok("forever");
    assert_int_equal(stage_said_count(&stage), 1);
    assert_int_equal(stage_said(&stage, 0)->flags, ENTRY_INTERRUPTED);
    assert_true(contains(stage_said(&stage, 0)->body, "on on on on on "));
    assert_true(stage.took_ms < 1500);
}

static void is_cancelled_while_nothing_comes(void **state)
{
    (void)state;
    stage_cancel_after_ms(&stage, 300);
    play_ok("quiet");
    assert_int_equal(stage_said_count(&stage), 0);
    assert_true(stage.took_ms < 1000);
    play_ok("busy-wait");
    assert_true(stage.took_ms < 1000);
}

static void is_cancelled_while_it_waits_to_ask_again(void **state)
{
    (void)state;
    stage_cancel_after_ms(&stage, 300);
    play_ok("busy-wait");
    assert_int_equal(stage_said_count(&stage), 0);
    assert_true(stage.took_ms >= 290 && stage.took_ms < 1500);
}

static void is_cancelled_inside_a_tool(void **state)
{
    (void)state;
    stage_cancel_after_ms(&stage, 700);
    play_ok("sleep");
    assert_int_equal(stage_said_count(&stage), 2);
    assert_int_equal(stage_said(&stage, 1)->flags, ENTRY_INTERRUPTED);
    assert_true(contains(stage_said(&stage, 1)->body, "begun\\n[cancelled]"));
    assert_true(stage.took_ms < 3000);
}

static void stops_after_its_steps(void **state)
{
    (void)state;
    def.steps_max = 3;
    play_ok("calls-forever");
    assert_int_equal(stage_said_count(&stage), 7);
    assert_true(contains(stage_said(&stage, 6)->body, "Stopped after 3 steps"));
}

/* Whatever stands in the tree, the server is told something that it takes. */
static void mends_what_it_tells(void **state)
{
    struct str request;

    (void)state;
    stage_add(&stage, ENTRY_MESSAGE, ROLE_SYSTEM,
              "{\"parts\":[{\"type\":\"text\",\"text\":\"rule\"}]}");
    stage_add(&stage, ENTRY_MESSAGE, ROLE_TOOL,
              "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"lost\",\"output\":\"x\"}]}");
    stage_user(&stage, "one");
    stage_add(
        &stage, ENTRY_MESSAGE, ROLE_ASSISTANT,
        "{\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"bash\",\"arguments\":{}},"
        "{\"type\":\"tool_call\",\"id\":\"c2\",\"name\":\"bash\",\"arguments\":\"broken\"}]}");
    stage_add(&stage, ENTRY_MESSAGE, ROLE_TOOL,
              "{\"parts\":[{\"type\":\"tool_result\",\"call\":\"c2\",\"output\":{\"deep\":1}}]}");
    stage_add(&stage, ENTRY_EVENT, ROLE_NONE, "{\"anything\":1}");
    stage_add(&stage, ENTRY_MESSAGE, ROLE_ASSISTANT,
              "{\"parts\":[{\"type\":\"reasoning\",\"text\":\"hidden\"}]}");
    stage_add(
        &stage, ENTRY_MESSAGE, ROLE_USER,
        "{\"parts\":[{\"type\":\"text\",\"text\":\"two\"},{\"type\":\"file\",\"name\":\"p.png\","
        "\"media_type\":\"image/png\",\"bytes\":\"AA\"},{\"type\":\"data\",\"data\":{\"k\":1}}]}");
    stage_add(&stage, ENTRY_MESSAGE, ROLE_USER, "{\"other\":\"dialect\"}");
    play_ok("hello");
    request = seen("hello");
    assert_true(contains(request,
                         "\"tool_call_id\":\"c2\",\"content\":\"{\\\"deep\\\":1}\"},"
                         "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":"
                         "\"interrupted\"},{\"role\":\"user\",\"content\":\"two\\n[file "
                         "\\\"p.png\\\" (image/png) is not shown here]\\n{\\\"k\\\":1}\"}"));
    assert_false(contains(request, "hidden"));
    assert_false(contains(request, "lost"));
}

static void sums_up_what_is_too_long(void **state)
{
    char line[600];
    struct str request;

    (void)state;
    def.context_tokens = 2000;
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    for (int i = 0; i < 20; i++)
        stage_user(&stage, line);
    stage_user(&stage, "and now the last one");
    play_ok("summary");
    assert_int_equal(stage_said_count(&stage), 2);
    assert_int_equal(stage_said(&stage, 0)->kind, ENTRY_SUMMARY);
    assert_int_equal(stage_said(&stage, 0)->role, ROLE_NONE);
    assert_true(contains(stage_said(&stage, 0)->body, "they counted to ten"));
    assert_true(contains(stage_said(&stage, 0)->body, "and now the last one"));
    assert_int_equal(stage.usage[stage.before].input, 1000);
    stage_expect(&stage, 1, ROLE_ASSISTANT, SAID("going on", "summary"));
    request = seen("summary");
    assert_true(contains(request, "Summary of the conversation so far"));
    assert_false(contains(request, "xxxx"));
}

static void is_made_of_good_definitions_only(void **state)
{
    const struct {
        struct agent_def bad;
        const char *message;
    } cases[] = {
        {{.base_url = STR("http://h/v1")}, "needs a \"model\""},
        {{.model = STR("m"), .base_url = STR("ftp://h")}, "https:// or http://"},
        {{.model = STR("m"), .base_url = STR("https://")}, "names no host"},
        {{.model = STR("m"), .base_url = STR("https://me:pw@h/v1")}, "key_env"},
        {{.model = STR("m"), .base_url = STR("https://h/v1?key=1")}, "no query"},
        {{.model = STR("m"), .base_url = STR("https://h/\r\nX: y")}, "no blanks"},
        {{.model = STR("m"), .key_env = STR("sk-abc")}, "name of a variable"},
        {{.model = STR("m"), .tools = STR("bash rocket")}, "there is no tool \"rocket\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct agent *agent;

        CHECK_FAULT(agent_openai.make(&cases[i].bad, &agent, &stage.fault), FAULT_INVALID,
                    &stage.fault);
        if (!strstr(stage.fault.message, cases[i].message))
            fail_msg("\"%s\" is not in \"%s\"", cases[i].message, stage.fault.message);
        assert_null(strstr(stage.fault.message, "sk-abc"));
    }
}

/* ---- two at once ---- */

static void *run_one(void *arg)
{
    struct stage *mine = arg;
    struct agent_def both = def;

    both.model = STR("tools");
    if (stage_run(mine, &agent_openai, &both))
        return mine->fault.message;
    return NULL;
}

static void runs_turns_side_by_side(void **state)
{
    static struct stage stages[3];
    pthread_t threads[3];

    (void)state;
    for (int i = 0; i < 3; i++) {
        stage_open(&stages[i]);
        stage_user(&stages[i], "go");
        assert_int_equal(pthread_create(&threads[i], NULL, run_one, &stages[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        if (failed)
            fail_msg("%s", (const char *)failed);
        assert_int_equal(stage_said_count(&stages[i]), 4);
        stage_close(&stages[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(answers),
        TEST(reads_awkward_streams),
        TEST(runs_tools),
        TEST(asks_before_it_changes_anything),
        TEST(a_cancel_ends_its_asking),
        TEST(honours_what_the_session_asks_for),
        TEST(tells_the_model_what_went_wrong),
        TEST(asks_again_while_the_server_is_busy),
        TEST(fails_with_a_reason),
        TEST(says_that_nobody_is_there),
        TEST(is_cancelled_at_once),
        TEST(is_cancelled_while_nothing_comes),
        TEST(is_cancelled_while_it_waits_to_ask_again),
        TEST(is_cancelled_inside_a_tool),
        TEST(stops_after_its_steps),
        TEST(mends_what_it_tells),
        TEST(sums_up_what_is_too_long),
        TEST(is_made_of_good_definitions_only),
        TEST(runs_turns_side_by_side),
    };

    signal(SIGPIPE, SIG_IGN); /* as the server does */
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
