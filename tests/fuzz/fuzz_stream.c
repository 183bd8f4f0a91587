/* The stream of a model: whatever comes, in whatever pieces, it gives the same answer or fault. */
#include "fuzz.h"

#include "agent/openai/answer.h"
#include "agent/openai/sse.h"
#include "base/utf8.h"

#include <assert.h>

struct taken {
    struct answer answer;
    enum fault_code code;
};

static enum fault_code take(void *context, struct str data, struct fault *fault)
{
    return answer_take(context, data, fault);
}

/* Feeds all of it, `step` bytes at a time. */
static void feed(struct taken *taken, const uint8_t *data, size_t size, size_t step)
{
    struct fault fault;
    struct sse sse;

    sse_init(&sse);
    answer_init(&taken->answer, NULL);
    taken->code = FAULT_OK;
    for (size_t at = 0; at < size && !taken->code; at += step) {
        struct str piece = {(const char *)data + at, size - at < step ? size - at : step};

        taken->code = sse_feed(&sse, piece, take, &taken->answer, &fault);
    }
    if (!taken->code)
        taken->code = sse_end(&sse, take, &taken->answer, &fault);
    assert(!taken->code || taken->code == FAULT_AGENT_FAILED);
    sse_clear(&sse);
}

static void check(const struct answer *answer)
{
    assert(utf8_valid(buf_str(&answer->text)) && utf8_valid(buf_str(&answer->reasoning)));
    assert(utf8_valid(buf_str(&answer->finish)));
    assert(answer->call_count <= ANSWER_CALLS);
    assert(answer->usage.input >= 0 && answer->usage.output >= 0);
    for (size_t i = 0; i < answer->call_count; i++)
        assert(utf8_valid(buf_str(&answer->calls[i].arguments)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken whole, pieces;

    feed(&whole, data, size, size + 1);
    feed(&pieces, data, size, size % 7 + 1);
    check(&whole.answer);
    assert(whole.code == pieces.code);
    assert(str_eq(buf_str(&whole.answer.text), buf_str(&pieces.answer.text)));
    assert(whole.answer.call_count == pieces.answer.call_count);
    for (size_t i = 0; i < whole.answer.call_count; i++)
        assert(str_eq(buf_str(&whole.answer.calls[i].arguments),
                      buf_str(&pieces.answer.calls[i].arguments)));
    answer_clear(&whole.answer);
    answer_clear(&pieces.answer);
    return 0;
}
