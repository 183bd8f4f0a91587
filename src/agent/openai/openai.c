/*
 * A turn: ask the model, say what it answers, run the tools it asks for, say their results, and ask
 * again, until it asks for no tool. Each message is in the tree before the next step begins, and
 * each step reads the conversation from there: what the model is told is what is kept.
 */
#include "agent/openai/openai.h"

#include "agent/openai/ask.h"
#include "agent/openai/summary.h"
#include "agent/openai/talk.h"
#include "agent/tool.h"
#include "message/message_out.h"
#include "store/limits.h"

#include <inttypes.h>
#include <stdlib.h>

enum { STEPS_MAX = 50, QUIET_MS = 120 * 1000, FULL_PERCENT = 80, METADATA_BYTES = 8192 };

#define BASE_URL_DEFAULT "https://api.openai.com/v1"

struct openai {
    struct agent agent; /* first */
    struct arena arena;
    struct agent_def def;
    const char *url;
};

/* One turn. */
struct work {
    const char *url;
    struct agent_def def; /* with what the session asks for instead */
    struct agent_call *call;
    struct asker *asker;
    const char *key;
    double scale;     /* tokens that were, for one that was guessed */
    int64_t answered; /* answers so far: for the ids of calls that came without one */
};

/* ---- asking ---- */

static struct usage usage_of(const struct work *work, const struct answer *answer)
{
    const struct agent_def *def = &work->def;
    struct usage usage = answer->usage;
    long double cost = ((long double)usage.input * (long double)def->input_price +
                        (long double)usage.output * (long double)def->output_price) /
                       1e6L;

    usage.cost = cost < (long double)LIMIT_USAGE_COST ? (int64_t)(cost + 0.5L) : LIMIT_USAGE_COST;
    return usage;
}

static enum fault_code ask(struct work *work, struct str body, struct answer *answer,
                           struct fault *fault)
{
    int64_t quiet = work->def.timeout_ms;
    struct ask question = {
        .url = work->url,
        .key = work->key,
        .body = body,
        .quiet_ms = quiet > 0 ? quiet : QUIET_MS,
        .call = work->call,
    };

    return asker_ask(work->asker, &question, answer, fault);
}

static int64_t window_of(const struct agent_def *def)
{
    return def->context_tokens > 0 ? def->context_tokens : TALK_CONTEXT_TOKENS;
}

static bool too_full(const struct work *work, struct str body)
{
    double tokens = (double)talk_tokens(body.n) * work->scale;

    return tokens > (double)window_of(&work->def) * FULL_PERCENT / 100.0;
}

/* Lets the model sum up what was said, and says that as an entry of its own. */
static enum fault_code summarise(struct work *work, const struct talk *talk, struct arena *arena,
                                 struct fault *fault)
{
    const struct agent_def *def = &work->def;
    struct str body = summary_request(talk, def, window_of(def) / 2, arena);
    struct answer answer;
    struct entry_spec spec;
    enum fault_code code;

    answer_init(&answer, NULL);
    code = ask(work, body, &answer, fault);
    if (!code && answer.text.n == 0)
        code =
            fault_set(fault, FAULT_AGENT_FAILED,
                      "the conversation is too long for the model, and it gave no summary of it");
    if (!code) {
        spec = summary_entry(talk, buf_str(&answer.text), arena);
        spec.has_usage = answer.has_usage;
        spec.usage = usage_of(work, &answer);
        code = agent_say(work->call, &spec, 1, fault);
    }
    answer_clear(&answer);
    return code;
}

/* The body of the next request; the conversation is summed up first when it is too long. */
static enum fault_code prepare(struct work *work, struct arena *arena, struct str *out,
                               struct fault *fault)
{
    struct talk talk = {.arena = arena};
    enum fault_code code = talk_read(work->call, &talk, fault);

    if (code)
        return code;
    *out = talk_request(&talk, &work->def, &work->call->settings.deny, arena);
    if (out->n && !too_full(work, *out))
        return FAULT_OK;
    /* A summary alone cannot be made shorter by another one. */
    if (talk.count == 1 && talk.entries[0].kind == ENTRY_SUMMARY)
        return out->n ? FAULT_OK
                      : fault_set(fault, FAULT_AGENT_FAILED, "the conversation is too long");
    code = summarise(work, &talk, arena, fault);
    if (!code)
        code = talk_read(work->call, &talk, fault);
    if (!code)
        *out = talk_request(&talk, &work->def, &work->call->settings.deny, arena);
    return code;
}

/* ---- saying ---- */

static struct str call_id(const struct work *work, const struct answer *answer, size_t i,
                          struct arena *arena)
{
    if (answer->calls[i].id.n)
        return buf_str(&answer->calls[i].id);
    return arena_printf(arena, "call_%" PRId64 "_%zu", work->answered, i);
}

/* The arguments as they are kept: JSON as it is, or what is none as a string. */
static struct str arguments_of(const struct answer_call *call, struct arena *arena)
{
    struct str text = buf_str(&call->arguments);
    struct json_value value;
    struct json_out out;
    struct fault fault;
    struct buf quoted;

    if (text.n == 0)
        return STR("{}");
    if (!json_read(text, LIMIT_JSON_DEPTH - 4, "arguments", &value, &fault))
        return value.raw;
    buf_init(&quoted, 6 * text.n + 2);
    json_out_init(&out, &quoted);
    json_out_string(&out, NULL, text);
    return buf_take(&quoted, arena);
}

static struct str metadata_of(const struct work *work, const struct answer *answer,
                              struct arena *arena)
{
    struct json_out out;
    struct buf buf;

    buf_init(&buf, METADATA_BYTES);
    json_out_init(&out, &buf);
    json_out_object(&out, NULL);
    json_out_string(&out, "model", work->def.model);
    if (answer->finish.n)
        json_out_string(&out, "finish_reason", buf_str(&answer->finish));
    json_out_object_end(&out);
    return buf_take(&buf, arena);
}

static enum fault_code say_answer(struct work *work, const struct answer *answer, bool cut_off,
                                  struct arena *arena, struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, arena);
    if (answer->reasoning.n)
        message_out_reasoning(&out, buf_str(&answer->reasoning));
    if (answer->text.n || answer->call_count == 0 || cut_off)
        message_out_text(&out, buf_str(&answer->text));
    for (size_t i = 0; i < answer->call_count && !cut_off; i++)
        message_out_call(&out, call_id(work, answer, i, arena), buf_str(&answer->calls[i].name),
                         arguments_of(&answer->calls[i], arena));
    spec = message_out_end(&out, ROLE_ASSISTANT, metadata_of(work, answer, arena));
    spec.has_usage = answer->has_usage;
    spec.usage = usage_of(work, answer);
    spec.flags = cut_off ? ENTRY_INTERRUPTED : 0;
    return agent_say(work->call, &spec, 1, fault);
}

static enum fault_code say_result(struct work *work, struct str id,
                                  const struct tool_result *result, bool cut_off,
                                  struct arena *arena, struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, arena);
    message_out_result(&out, id, result->output, result->error);
    spec = message_out_end(&out, ROLE_TOOL, STR_NONE);
    spec.flags = cut_off ? ENTRY_INTERRUPTED : 0;
    return agent_say(work->call, &spec, 1, fault);
}

/* In order, each result said before the next one begins. What a cancel leaves open is answered by
 * whoever ends the turn. */
static enum fault_code run_tools(struct work *work, const struct answer *answer,
                                 struct arena *arena, struct fault *fault)
{
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; i < answer->call_count && !code && !agent_cancelled(work->call); i++) {
        struct tool_call tool = {
            .id = call_id(work, answer, i, arena),
            .name = buf_str(&answer->calls[i].name),
            .arguments = buf_str(&answer->calls[i].arguments),
        };
        struct tool_result result;

        code = tool_run(&tool, &work->def, work->call, arena, &result, fault);
        if (code == FAULT_INTERRUPTED) /* while it asked */
            return FAULT_OK;
        if (!code)
            code = say_result(work, tool.id, &result, agent_cancelled(work->call), arena, fault);
    }
    return code;
}

/* ---- the turn ---- */

static void calibrate(struct work *work, const struct answer *answer, struct str body)
{
    double scale = (double)answer->usage.input / (double)talk_tokens(body.n);

    if (answer->has_usage && answer->usage.input > 0 && scale > 0.2 && scale < 5.0)
        work->scale = scale;
}

/* One answer of the model and what it asks for; *more: it wants to go on. */
static enum fault_code step(struct work *work, struct arena *arena, bool *more, struct fault *fault)
{
    struct answer answer;
    struct str body;
    enum fault_code code = prepare(work, arena, &body, fault);

    *more = false;
    if (code == FAULT_INTERRUPTED)
        return FAULT_OK;
    if (code)
        return code;
    answer_init(&answer, work->call);
    code = ask(work, body, &answer, fault);
    work->answered++;
    if (code == FAULT_INTERRUPTED) {
        code = answer.text.n || answer.reasoning.n ? say_answer(work, &answer, true, arena, fault)
                                                   : FAULT_OK;
    } else if (!code && answer.text.n == 0 && answer.call_count == 0 &&
               str_eq(buf_str(&answer.finish), STR("content_filter"))) {
        code = fault_set(fault, FAULT_AGENT_FAILED,
                         "the model's answer was withheld (content_filter)");
    } else if (!code) {
        calibrate(work, &answer, body);
        code = say_answer(work, &answer, false, arena, fault);
        *more = answer.call_count > 0;
        if (!code)
            code = run_tools(work, &answer, arena, fault);
    }
    answer_clear(&answer);
    return code;
}

static enum fault_code say_stopped(struct work *work, int64_t steps, struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, work->call->arena);
    message_out_text(&out, arena_printf(work->call->arena,
                                        "Stopped after %" PRId64
                                        " steps in one turn. Send a message to go on.",
                                        steps));
    spec = message_out_end(&out, ROLE_ASSISTANT, STR("{\"stopped\":\"steps_max\"}"));
    return agent_say(work->call, &spec, 1, fault);
}

static enum fault_code work_run(struct work *work, struct fault *fault)
{
    int64_t steps = work->def.steps_max > 0 ? work->def.steps_max : STEPS_MAX;
    enum fault_code code = FAULT_OK;
    bool more = true;

    for (int64_t i = 0; i < steps && more && !code; i++) {
        struct arena arena; /* of the step: a long turn reads the conversation many times */

        if (agent_cancelled(work->call))
            return FAULT_OK;
        arena_init(&arena);
        code = step(work, &arena, &more, fault);
        arena_clear(&arena);
    }
    if (!code && more && !agent_cancelled(work->call))
        code = say_stopped(work, steps, fault);
    return code;
}

/* What the session asks for wins. */
static struct agent_def def_of(const struct openai *openai, const struct agent_settings *settings)
{
    struct agent_def def = openai->def;

    if (settings->prompt.n)
        def.prompt = settings->prompt;
    if (settings->model.n)
        def.model = settings->model;
    if (settings->steps_max > 0)
        def.steps_max = settings->steps_max;
    return def;
}

static enum fault_code openai_run(struct agent *agent, struct agent_call *call, struct fault *fault)
{
    const struct openai *openai = (const struct openai *)agent;
    struct work work = {
        .url = openai->url, .def = def_of(openai, &call->settings), .call = call, .scale = 1.0};
    enum fault_code code;

    if (openai->def.key_env.n) {
        work.key = getenv(openai->def.key_env.p);
        if (!work.key || !*work.key)
            return fault_set(fault, FAULT_AGENT_FAILED,
                             "the variable %.*s, which should hold the key, is not set",
                             STR_ARG(openai->def.key_env));
    }
    work.asker = asker_new();
    code = work_run(&work, fault);
    asker_free(work.asker);
    return code;
}

/* ---- making one ---- */

static void openai_free(struct agent *agent)
{
    struct openai *openai = (struct openai *)agent;

    arena_clear(&openai->arena);
    free(openai);
}

static const struct agent_ops openai_ops = {.run = openai_run, .free = openai_free};

static bool variable_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return true;
}

static enum fault_code def_check(const struct agent_def *def, struct fault *fault)
{
    enum fault_code code;

    if (def->model.n == 0)
        return fault_set(fault, FAULT_INVALID, "an agent of the kind openai needs a \"model\"");
    /* What is no name may be the key itself, so it is not shown. */
    if (!variable_name(def->key_env))
        return fault_set(fault, FAULT_INVALID,
                         "key_env must be the name of a variable of the environment");
    code = def->base_url.n ? ask_url_check(def->base_url, fault) : FAULT_OK;
    return code ? code : tools_check(def->tools, fault);
}

static enum fault_code openai_make(const struct agent_def *def, struct agent **out,
                                   struct fault *fault)
{
    struct openai *openai;
    struct str url = def->base_url.n ? def->base_url : STR(BASE_URL_DEFAULT);
    enum fault_code code = def_check(def, fault);

    if (code)
        return code;
    openai = calloc(1, sizeof(*openai));
    if (!openai)
        abort();
    openai->agent.ops = &openai_ops;
    arena_init(&openai->arena);
    openai->def = agent_def_copy(def, &openai->arena);
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    openai->url = arena_printf(&openai->arena, "%.*s/chat/completions", STR_ARG(url)).p;
    *out = &openai->agent;
    return FAULT_OK;
}

const struct agent_kind agent_openai = {.name = "openai", .commands = true, .make = openai_make};
