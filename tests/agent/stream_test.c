/* The stream of a model, cut at every place: the answer is always the same. */
#include "agent/openai/answer.h"
#include "agent/openai/sse.h"

#include "support/check.h"

#include <stdio.h>

static const char sample[] =
    ": comment\r\n"
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"grü\"}}]}\n\n"
    "data: {\"choices\":[{\"index\":0,\r\n"
    "data: \"delta\":{\"content\":\"\\u00dfe \\ud83c\\udf32\"}}]}\r\n\r\n"
    "event: "
    "chunk\rdata:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":"
    "\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"com\"}}]}}]}\r\r"
    "data: "
    "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":{\"name\":"
    "\"read_file\",\"arguments\":\"{}\"}},{\"index\":0,\"function\":{\"arguments\":\"mand\\\":1}\"}"
    "}]"
    "},\"finish_reason\":\"tool_calls\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":34}}\n\n"
    "data: [DONE]\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\"too late\"}}]}\n\n";

static enum fault_code take(void *context, struct str data, struct fault *fault)
{
    return answer_take(context, data, fault);
}

static void check_answer(const struct answer *answer)
{
    CHECK_STR(buf_str(&answer->text), "grüße 🌲");
    assert_int_equal(answer->call_count, 2);
    CHECK_STR(buf_str(&answer->calls[0].id), "a");
    CHECK_STR(buf_str(&answer->calls[0].name), "bash");
    CHECK_STR(buf_str(&answer->calls[0].arguments), "{\"command\":1}");
    CHECK_STR(buf_str(&answer->calls[1].name), "read_file");
    CHECK_STR(buf_str(&answer->finish), "tool_calls");
    assert_int_equal(answer->usage.input, 12);
    assert_int_equal(answer->usage.output, 34);
    assert_true(answer->done);
}

/* Feeds the sample in three pieces, cut at a and at b. */
static void feed(size_t a, size_t b)
{
    struct str pieces[] = {{sample, a}, {sample + a, b - a}, {sample + b, sizeof(sample) - 1 - b}};
    struct answer answer;
    struct fault fault;
    struct sse sse;

    sse_init(&sse);
    answer_init(&answer, NULL);
    for (int i = 0; i < 3; i++)
        CHECK_OK(sse_feed(&sse, pieces[i], take, &answer, &fault), &fault);
    CHECK_OK(sse_end(&sse, take, &answer, &fault), &fault);
    check_answer(&answer);
    answer_clear(&answer);
    sse_clear(&sse);
}

static void is_the_same_however_it_is_cut(void **state)
{
    size_t n = sizeof(sample) - 1;

    (void)state;
    for (size_t a = 0; a <= n; a++)
        feed(a, a < n ? a + 1 : n);
    for (size_t a = 0; a <= n; a += 7)
        for (size_t b = a; b <= n; b += 5)
            feed(a, b);
}

static enum fault_code take_one(const char *data, struct fault *fault)
{
    struct answer answer;
    enum fault_code code;

    answer_init(&answer, NULL);
    code = answer_take(&answer, str_of(data), fault);
    answer_clear(&answer);
    return code;
}

static void takes_what_servers_add(void **state)
{
    static const char *const good[] = {
        "{}",
        "{\"choices\":[]}",
        "{\"choices\":null,\"usage\":null}",
        "{\"choices\":[{\"delta\":{\"content\":null,\"tool_calls\":null},\"finish_reason\":null}]}",
        "{\"choices\":[1,null,{\"delta\":[]}]}",
        "{\"x\":{\"id\":1},\"choices\":[{\"delta\":{\"tool_calls\":[{},1,{\"function\":1}]}}]}",
        "{\"usage\":{\"prompt_tokens\":-1,\"completion_tokens\":1e9}}",
    };
    struct fault fault;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        CHECK_OK(take_one(good[i], &fault), &fault);
    CHECK_FAULT(take_one("{\"error\":\"no\"}", &fault), FAULT_AGENT_FAILED, &fault);
    CHECK_FAULT(take_one("{\"error\":{}}", &fault), FAULT_AGENT_FAILED, &fault);
    CHECK_FAULT(take_one("{", &fault), FAULT_AGENT_FAILED, &fault);
    CHECK_FAULT(take_one("\xff", &fault), FAULT_AGENT_FAILED, &fault);
}

static void has_its_limits(void **state)
{
    struct answer answer;
    struct fault fault = {0};
    struct buf chunk;
    int taken = 0;

    (void)state;
    answer_init(&answer, NULL);
    buf_init(&chunk, 1 << 20);
    buf_add_text(&chunk, "{\"choices\":[{\"delta\":{\"content\":\"");
    for (int i = 0; i < 100000; i++)
        buf_add_char(&chunk, 'x');
    buf_add_text(&chunk, "\"}}]}");
    while (!answer_take(&answer, buf_str(&chunk), &fault))
        taken++;
    assert_int_equal(fault.code, FAULT_AGENT_FAILED);
    assert_int_equal(taken, ANSWER_TEXT_BYTES / 100000);
    answer_clear(&answer);
    answer_init(&answer, NULL);
    for (taken = 0; taken < 1000; taken++) {
        buf_reset(&chunk);
        buf_add_format(&chunk, "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d}]}}]}",
                       taken);
        if (answer_take(&answer, buf_str(&chunk), &fault))
            break;
    }
    assert_int_equal(taken, ANSWER_CALLS);
    answer_clear(&answer);
    buf_clear(&chunk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_same_however_it_is_cut),
        cmocka_unit_test(takes_what_servers_add),
        cmocka_unit_test(has_its_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
