/* The tools: what they do in the directory, and that no path leads out of it. */
#include "stage.h"

#include "agent/tool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stage stage;
static struct agent_def def;
static struct tool_result result;

static int setup(void **state)
{
    (void)state;
    stage_open(&stage);
    def = (struct agent_def){0};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stage_close(&stage);
    return 0;
}

static void use(const char *name, const char *arguments)
{
    struct tool_call call = {STR("c1"), str_of(name), str_of(arguments)};

    CHECK_OK(tool_run(&call, &def, &stage.call, &stage.arena, &result, &stage.fault), &stage.fault);
}

static void expect(const char *name, const char *arguments, const char *output)
{
    use(name, arguments);
    CHECK_STR(result.output, output);
    assert_false(result.error);
}

static void expect_error(const char *name, const char *arguments, const char *piece)
{
    use(name, arguments);
    if (!result.error || !contains(result.output, piece))
        fail_msg("%s %s gave \"%.*s\", wanted an error with \"%s\"", name, arguments,
                 STR_ARG(result.output), piece);
}

static const char *in_dir(const char *name)
{
    return arena_printf(&stage.arena, "%s/%s", stage.dir, name).p;
}

static void works_on_files(void **state)
{
    (void)state;
    expect("list_files", "{}", "(empty)");
    expect("write_file", "{\"path\":\"a/b/c.txt\",\"content\":\"one\\ntwo\\nthree\\n\"}",
           "wrote 14 bytes to a/b/c.txt");
    expect("read_file", "{\"path\":\"a/b/c.txt\"}", "one\ntwo\nthree\n");
    expect("read_file", "{\"path\":\"/work/a/b/c.txt\",\"offset\":2,\"limit\":1}", "two\n");
    expect("read_file", "{\"path\":\"a/b/c.txt\",\"offset\":9}", "");
    expect("edit_file", "{\"path\":\"a/b/c.txt\",\"old_text\":\"two\",\"new_text\":\"2\"}",
           "edited a/b/c.txt");
    expect("read_file", "{\"path\":\"./a/../a/b/c.txt\"}", "one\n2\nthree\n");
    expect("write_file", "{\"path\":\"a/b/c.txt\",\"content\":\"e e\"}",
           "wrote 3 bytes to a/b/c.txt");
    expect("list_files", "{\"path\":\"a/b\"}", "c.txt (3 bytes)\n");
    expect("list_files", "{\"path\":\"/work\"}", "a/\n");
    expect_error("edit_file", "{\"path\":\"a/b/c.txt\",\"old_text\":\"e\",\"new_text\":\"\"}",
                 "stands 2 times");
    expect_error("edit_file", "{\"path\":\"a/b/c.txt\",\"old_text\":\"z\",\"new_text\":\"\"}",
                 "does not stand in");
    expect_error("edit_file", "{\"path\":\"a/b/c.txt\",\"old_text\":\"\",\"new_text\":\"\"}",
                 "is empty");
    expect_error("read_file", "{\"path\":\"none\"}", "No such file");
    expect_error("read_file", "{\"path\":\"a\"}", "is not a file");
    expect_error("list_files", "{\"path\":\"a/b/c.txt\"}", "Not a directory");
    expect_error("read_file", "{\"paht\":\"a\"}", "unknown member \"paht\"");
    expect_error("write_file", "{\"path\":\"a\"}", "member \"content\" is missing");
    expect_error("write_file", "[]", "must be an object");
}

/* Every way out that a path or a link can have. */
static void never_leaves_the_directory(void **state)
{
    static const char *const paths[] = {
        "../secret", "/etc/passwd", "a/../../secret", "up/secret",
        "out",       "absolute",    "loop",           "self/root/etc/passwd"};
    char outside[64];
    struct stat info;
    const char *secret;
    FILE *file;

    (void)state;
    scratch_make(outside, sizeof(outside));
    secret = arena_printf(&stage.arena, "%s/secret", outside).p;
    file = fopen(secret, "w");
    fputs("nobody's business", file);
    fclose(file);
    assert_int_equal(symlink(outside, in_dir("up")), 0);
    assert_int_equal(symlink(secret, in_dir("out")), 0);
    assert_int_equal(symlink("/etc/passwd", in_dir("absolute")), 0);
    assert_int_equal(symlink("loop", in_dir("loop")), 0);
    assert_int_equal(symlink("/proc/self", in_dir("self")), 0);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const char *read = arena_printf(&stage.arena, "{\"path\":\"%s\"}", paths[i]).p;
        const char *write =
            arena_printf(&stage.arena, "{\"path\":\"%s\",\"content\":\"x\"}", paths[i]).p;

        expect_error("read_file", read, "");
        expect_error("write_file", write, "");
        expect_error("list_files", read, "");
    }
    expect_error("write_file", "{\"path\":\"up/new/file\",\"content\":\"x\"}", "leads out");
    expect_error("list_files", "{\"path\":\"up\"}", "leads out");
    expect_error("list_files", "{\"path\":\"..\"}", "leads out");
    assert_int_equal(stat(arena_printf(&stage.arena, "%s/new", outside).p, &info), -1);
    assert_int_equal(stat(secret, &info), 0);
    assert_int_equal(info.st_size, 17);
    /* A link that stays inside is as good as its target. */
    use("write_file", "{\"path\":\"real\",\"content\":\"ok\"}");
    assert_int_equal(symlink("real", in_dir("alias")), 0);
    expect("read_file", "{\"path\":\"alias\"}", "ok");
    scratch_remove(outside);
}

static void waits_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(in_dir("pipe"), 0644), 0);
    expect_error("read_file", "{\"path\":\"pipe\"}", "is not a file");
    expect_error("write_file", "{\"path\":\"pipe\",\"content\":\"x\"}", "");
}

static void cuts_what_is_large(void **state)
{
    FILE *file = fopen(in_dir("large"), "w");

    (void)state;
    for (int i = 0; i < 20000; i++)
        fputs("äöü\n", file);
    fclose(file);
    use("read_file", "{\"path\":\"large\"}");
    assert_false(result.error);
    assert_true(result.output.n < TOOL_OUTPUT_BYTES + 100);
    assert_true(contains(result.output, "[cut: "));
    assert_int_equal(truncate(in_dir("large"), TOOL_FILE_BYTES + 1), 0);
    expect_error("read_file", "{\"path\":\"large\"}", "more than");
    file = fopen(in_dir("binary"), "w");
    fputs("\xff\xfe", file);
    fclose(file);
    expect_error("read_file", "{\"path\":\"binary\"}", "not a text");
    for (int i = 0; i < TOOL_LIST_ENTRIES + 20; i++) {
        int fd =
            open(arena_printf(&stage.arena, "%s/f%04d", stage.dir, i).p, O_CREAT | O_WRONLY, 0644);

        close(fd);
    }
    use("list_files", "{}");
    assert_true(contains(result.output, "[and 22 more]"));
}

static void runs_commands(void **state)
{
    (void)state;
    expect("bash", "{\"command\":\"echo hi > f; cat f\"}", "hi\n");
    CHECK_STR(buf_str(&stage.output), "hi\n");
    expect_error("bash", "{\"command\":\"printf x; exit 4\"}", "x\n[exit code 4]");
    expect_error("bash", "{\"command\":\"echo a; sleep 9\",\"timeout_seconds\":1}",
                 "a\n[stopped after 1 s]");
    use("bash", "{\"command\":\"printf 'a\\\\377b\\\\303'\"}");
    CHECK_STR(result.output, "a\uFFFDb\uFFFD");
    buf_reset(&stage.output);
    use("bash", "{\"command\":\"head -c 500000 /dev/zero | tr '\\\\0' x\"}");
    assert_true(contains(result.output, "bytes are left out here"));
    assert_true(result.output.n < TOOL_OUTPUT_BYTES + 100);
    assert_int_equal(stage.output.n, TOOL_TOLD_BYTES);
}

static void uses_only_what_is_allowed(void **state)
{
    (void)state;
    def.tools = STR("read_file list_files");
    expect_error("bash", "{\"command\":\"true\"}", "there is no tool");
    expect("list_files", "{}", "(empty)");
    CHECK_OK(tools_check(def.tools, &stage.fault), &stage.fault);
    CHECK_FAULT(tools_check(STR("bash, teleport"), &stage.fault), FAULT_INVALID, &stage.fault);
}

static void commands_have_the_variables_of_the_session(void **state)
{
    struct tool_call call = {STR("c1"), STR("bash"), STR("{\"command\":\"true\"}")};

    (void)state;
    stage.call.settings.env = STR("{\"WO\\u0052D\":\"a \\\"b\\\"\",\"E\":\"\"}");
    expect("bash", "{\"command\":\"echo $WORD,${E-none}\"}", "a \"b\",\n");
    stage.call.settings.env = STR("{\"A B\":\"\"}");
    CHECK_FAULT(tool_run(&call, &def, &stage.call, &stage.arena, &result, &stage.fault),
                FAULT_INVALID, &stage.fault);
}

static void asks_only_for_what_can_be_run(void **state)
{
    (void)state;
    stage.call.settings.asks = true;
    expect("list_files", "{}", "(empty)"); /* it only reads */
    expect_error("nothing", "{}", "there is no tool");
    expect_error("bash", "{}", "command");
    assert_int_equal(stage.ask_count, 0);
    stage_answer(&stage, ANSWER_NO, "");
    stage.call.worked = false;
    expect_error("bash", "{\"command\":\"true\"}", "the user said no");
    assert_false(stage.call.worked);
    stage_answer(&stage, ANSWER_YES, "");
    expect("bash", "{\"command\":\"true\"}", "");
    assert_true(stage.call.worked);
    CHECK_STR(stage.asked[1].arguments, "{\"command\":\"true\"}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(works_on_files),
        TEST(never_leaves_the_directory),
        TEST(waits_for_nothing),
        TEST(cuts_what_is_large),
        TEST(runs_commands),
        TEST(uses_only_what_is_allowed),
        TEST(commands_have_the_variables_of_the_session),
        TEST(asks_only_for_what_can_be_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
