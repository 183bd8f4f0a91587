#include "agent/openai/answer.h"

#include "base/utf8.h"
#include "json/json_in.h"
#include "store/limits.h"

enum { NAME_BYTES = 256, ID_BYTES_MAX = 1024, ERROR_SHOWN = 300 };

void answer_init(struct answer *answer, struct agent_call *listener)
{
    *answer = (struct answer){.listener = listener};
    buf_init(&answer->text, ANSWER_TEXT_BYTES);
    buf_init(&answer->reasoning, ANSWER_TEXT_BYTES);
    buf_init(&answer->finish, NAME_BYTES);
}

void answer_clear(struct answer *answer)
{
    buf_clear(&answer->text);
    buf_clear(&answer->reasoning);
    buf_clear(&answer->finish);
    for (size_t i = 0; i < answer->call_count; i++) {
        buf_clear(&answer->calls[i].id);
        buf_clear(&answer->calls[i].name);
        buf_clear(&answer->calls[i].arguments);
    }
    answer->call_count = 0;
}

/* Servers add members as they like, so only the ones that are known are looked for. */
static bool find(const struct json_value *object, struct str name, unsigned types,
                 struct json_value *out)
{
    struct json_walk walk;

    if (object->type != JSON_OBJECT)
        return false;
    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        if (str_eq(walk.key, name) && (walk.value.type & types)) {
            *out = walk.value;
            return true;
        }
    return false;
}

static enum fault_code too_much(const char *what, size_t max, struct fault *fault)
{
    return fault_set(fault, FAULT_AGENT_FAILED, "the model's %s went over %zu bytes", what, max);
}

static enum fault_code take_text(struct answer *answer, const struct json_value *value,
                                 enum delta_kind kind, struct arena *arena, struct fault *fault)
{
    struct buf *buf = kind == DELTA_TEXT ? &answer->text : &answer->reasoning;
    struct delta delta = {.kind = kind, .text = json_text(value, arena)};

    if (delta.text.n == 0)
        return FAULT_OK;
    buf_add_str(buf, delta.text);
    if (buf->full)
        return too_much(kind == DELTA_TEXT ? "text" : "reasoning", buf->max, fault);
    answer->begun = true;
    if (answer->listener)
        agent_delta(answer->listener, &delta);
    return FAULT_OK;
}

/* The call that a fragment belongs to: by its index, or else by its id, or else the newest. */
static struct answer_call *call_of(struct answer *answer, const struct json_value *fragment,
                                   struct str id)
{
    int64_t index = -1;
    struct json_value value;
    struct answer_call *call;

    if (find(fragment, STR("index"), JSON_NUMBER, &value) &&
        !json_int(&value, 0, INT64_MAX, &index))
        index = -1;
    for (size_t i = 0; i < answer->call_count; i++) {
        call = &answer->calls[i];
        if (index >= 0 ? call->index == index
                       : (id.n ? str_eq(buf_str(&call->id), id) : i + 1 == answer->call_count))
            return call;
    }
    if (answer->call_count == ANSWER_CALLS)
        return NULL;
    call = &answer->calls[answer->call_count++];
    *call = (struct answer_call){.index = index};
    buf_init(&call->id, ID_BYTES_MAX);
    buf_init(&call->name, NAME_BYTES);
    buf_init(&call->arguments, ANSWER_ARGUMENTS_BYTES);
    return call;
}

static enum fault_code take_call(struct answer *answer, const struct json_value *fragment,
                                 struct arena *arena, struct fault *fault)
{
    struct json_value function = {0}, value;
    struct str id = STR_NONE, name = STR_NONE, arguments = STR_NONE;
    struct delta delta = {.kind = DELTA_CALL};
    struct answer_call *call;

    if (find(fragment, STR("id"), JSON_STRING, &value))
        id = json_text(&value, arena);
    if (find(fragment, STR("function"), JSON_OBJECT, &function)) {
        if (find(&function, STR("name"), JSON_STRING, &value))
            name = json_text(&value, arena);
        if (find(&function, STR("arguments"), JSON_STRING, &value))
            arguments = json_text(&value, arena);
        else if (find(&function, STR("arguments"), JSON_OBJECT, &value))
            arguments = value.raw; /* some servers send the object itself */
    }
    call = call_of(answer, fragment, id);
    if (!call)
        return fault_set(fault, FAULT_AGENT_FAILED,
                         "the model asked for more than %d tools at once", ANSWER_CALLS);
    answer->begun = true;
    /* Id and name come whole, and by some servers again with each fragment. */
    if (call->id.n == 0)
        buf_add_str(&call->id, id);
    if (call->name.n == 0)
        buf_add_str(&call->name, name);
    buf_add_str(&call->arguments, arguments);
    if (call->id.full || call->name.full || call->arguments.full)
        return too_much("tool call", call->arguments.max, fault);
    delta.id = buf_str(&call->id);
    delta.name = buf_str(&call->name);
    delta.text = arguments;
    if (answer->listener)
        agent_delta(answer->listener, &delta);
    return FAULT_OK;
}

static enum fault_code take_delta(struct answer *answer, const struct json_value *delta,
                                  struct arena *arena, struct fault *fault)
{
    struct json_value value;
    struct json_walk walk;
    enum fault_code code = FAULT_OK;

    if (find(delta, STR("reasoning_content"), JSON_STRING, &value) ||
        find(delta, STR("reasoning"), JSON_STRING, &value))
        code = take_text(answer, &value, DELTA_REASONING, arena, fault);
    if (!code && (find(delta, STR("content"), JSON_STRING, &value) ||
                  find(delta, STR("refusal"), JSON_STRING, &value)))
        code = take_text(answer, &value, DELTA_TEXT, arena, fault);
    if (!code && find(delta, STR("tool_calls"), JSON_ARRAY, &value))
        for (json_walk_begin(&walk, &value); !code && json_walk_next(&walk);)
            code = take_call(answer, &walk.value, arena, fault);
    return code;
}

static void take_usage(struct answer *answer, const struct json_value *usage)
{
    struct json_value value;
    struct usage found = {0};

    if (find(usage, STR("prompt_tokens"), JSON_NUMBER, &value))
        answer->has_usage = json_int(&value, 0, LIMIT_USAGE_TOKENS, &found.input);
    if (find(usage, STR("completion_tokens"), JSON_NUMBER, &value))
        answer->has_usage |= json_int(&value, 0, LIMIT_USAGE_TOKENS, &found.output);
    answer->usage = found;
}

static enum fault_code take_choice(struct answer *answer, const struct json_value *choice,
                                   struct arena *arena, struct fault *fault)
{
    struct json_value value;
    int64_t index;
    enum fault_code code = FAULT_OK;

    if (find(choice, STR("index"), JSON_NUMBER, &value) && json_int(&value, 1, INT64_MAX, &index))
        return FAULT_OK; /* only one was asked for */
    if (find(choice, STR("delta"), JSON_OBJECT, &value))
        code = take_delta(answer, &value, arena, fault);
    if (!code && find(choice, STR("finish_reason"), JSON_STRING, &value)) {
        buf_reset(&answer->finish);
        buf_add_str(&answer->finish, utf8_cut(json_text(&value, arena), NAME_BYTES));
    }
    return code;
}

struct str answer_error(struct str body, struct arena *arena)
{
    struct json_value value, error, message;
    struct fault fault;

    if (json_read(body, LIMIT_JSON_DEPTH, "error", &value, &fault))
        return STR_NONE;
    if (!find(&value, STR("error"), JSON_OBJECT | JSON_STRING, &error))
        error = value;
    if (error.type == JSON_STRING)
        return json_text(&error, arena);
    if (find(&error, STR("message"), JSON_STRING, &message))
        return json_text(&message, arena);
    return utf8_cut(error.raw, ERROR_SHOWN);
}

static enum fault_code take_chunk(struct answer *answer, struct str data, struct arena *arena,
                                  struct fault *fault)
{
    struct json_value chunk, value;
    struct json_walk walk;
    struct fault wrong;
    enum fault_code code = FAULT_OK;

    if (json_read(data, LIMIT_JSON_DEPTH, "a chunk", &chunk, &wrong))
        return fault_set(fault, FAULT_AGENT_FAILED, "the model's server sent nonsense: %.200s",
                         wrong.message);
    if (find(&chunk, STR("error"), JSON_OBJECT | JSON_STRING, &value))
        return fault_set(fault, FAULT_AGENT_FAILED, "the model's server reports: %.*s",
                         STR_ARG(utf8_cut(answer_error(data, arena), ERROR_SHOWN)));
    if (find(&chunk, STR("choices"), JSON_ARRAY, &value))
        for (json_walk_begin(&walk, &value); !code && json_walk_next(&walk);)
            code = take_choice(answer, &walk.value, arena, fault);
    if (!code && find(&chunk, STR("usage"), JSON_OBJECT, &value))
        take_usage(answer, &value);
    return code;
}

enum fault_code answer_take(struct answer *answer, struct str data, struct fault *fault)
{
    struct arena arena;
    enum fault_code code;

    if (str_eq(data, STR("[DONE]"))) {
        answer->done = true;
        return FAULT_OK;
    }
    if (answer->done || data.n == 0)
        return FAULT_OK;
    arena_init(&arena);
    code = take_chunk(answer, data, &arena, fault);
    arena_clear(&arena);
    return code;
}
