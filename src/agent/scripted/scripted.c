/*
 * The script is a list of turns, each a list of steps; turn number n of a session (counted by its
 * user messages) plays list n, and the last list is played again when there are more turns. A step
 * is an object with one member:
 *
 *   {"delta": "text"}          tells a piece of text            {"reasoning": "text"} likewise
 *   {"output": ["c1", "text"]} tells what a tool prints
 *   {"say": {message}}         says a message, as the API takes it; "role" is assistant when left
 * out
 *   {"echo": true}             says what the user said
 *   {"sleep_ms": 50}           waits; a cancel ends it
 *   {"wait": true}             waits until it is cancelled
 *   {"fail": "why"}            the turn fails
 *   {"ask": {"tool": "bash", "arguments": {}, "id": "c1"}}
 *                              says a message that calls the tool, asks whether it may be run when
 *                              the session's settings want that, and says the result: "ran", or the
 *                              refusal as an error. With "reads": true it is a tool that changes
 *                              nothing; without "id" the calls are c1, c2 …
 *   {"question": "text"}       asks for something, and says the answer; "no answer: WHY" when there
 *                              is none
 */
#include "agent/scripted/scripted.h"

#include "agent/agent_permit.h"
#include "message/message_in.h"
#include "message/message_out.h"
#include "message/part.h"
#include "store/limits.h"

#include <stdlib.h>

enum { SLEEP_MAX_MS = 600 * 1000 };

struct scripted {
    struct agent agent; /* first */
    struct arena arena;
    struct json_value turns;
};

/* What the agent knows of its session. */
struct scene {
    struct agent_call *call;
    int64_t users;
    struct str text; /* of the newest user message */
    int asked;       /* for the ids of what is asked */
    bool over;       /* cancelled */
};

static enum fault_code see(void *context, const struct entry *entry, struct fault *fault)
{
    struct scene *scene = context;

    (void)fault;
    if (entry->kind != ENTRY_MESSAGE || entry->role != ROLE_USER)
        return FAULT_OK;
    scene->users++;
    scene->text = arena_dup(scene->call->arena, parts_text(entry->body, scene->call->arena));
    return FAULT_OK;
}

static void tell(struct scene *scene, enum delta_kind kind, const struct json_value *text)
{
    struct delta delta = {.kind = kind};

    if (text->type == JSON_STRING)
        delta.text = json_text(text, scene->call->arena);
    agent_delta(scene->call, &delta);
}

static enum fault_code say(struct scene *scene, const struct json_value *message,
                           struct fault *fault)
{
    struct message_batch batch;
    struct json_walk walk;
    bool has_role = false;
    enum fault_code code = message_read(message->raw, scene->call->arena, &batch, fault);

    if (code)
        return code;
    for (json_walk_begin(&walk, message); json_walk_next(&walk);)
        has_role = has_role || str_eq(walk.key, STR("role"));
    if (!has_role)
        batch.entries[0].role = ROLE_ASSISTANT;
    return agent_say(scene->call, batch.entries, batch.count, fault);
}

static enum fault_code echo(struct scene *scene, struct fault *fault)
{
    struct entry_spec spec = message_of_text(ROLE_ASSISTANT, scene->text, scene->call->arena);

    return agent_say(scene->call, &spec, 1, fault);
}

static void output(struct scene *scene, const struct json_value *pair)
{
    struct delta delta = {.kind = DELTA_OUTPUT};
    struct json_walk walk;

    if (pair->type != JSON_ARRAY)
        return;
    json_walk_begin(&walk, pair);
    if (json_walk_next(&walk) && walk.value.type == JSON_STRING)
        delta.id = json_text(&walk.value, scene->call->arena);
    if (json_walk_next(&walk) && walk.value.type == JSON_STRING)
        delta.text = json_text(&walk.value, scene->call->arena);
    agent_delta(scene->call, &delta);
}

/* ---- asking ---- */

enum { A_TOOL, A_ARGUMENTS, A_ID, A_READS, A_COUNT };

static enum fault_code say_call(struct scene *scene, const struct question *tool,
                                struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, scene->call->arena);
    message_out_call(&out, tool->id, tool->name, tool->arguments);
    spec = message_out_end(&out, ROLE_ASSISTANT, STR_NONE);
    return agent_say(scene->call, &spec, 1, fault);
}

static enum fault_code say_result(struct scene *scene, struct str id, struct str refusal,
                                  struct fault *fault)
{
    struct message_out out;
    struct entry_spec spec;

    message_out_begin(&out, scene->call->arena);
    message_out_result(&out, id, refusal.n ? refusal : STR("ran"), refusal.n > 0);
    spec = message_out_end(&out, ROLE_TOOL, STR_NONE);
    return agent_say(scene->call, &spec, 1, fault);
}

static enum fault_code ask(struct scene *scene, const struct json_value *value, struct fault *fault)
{
    struct json_member m[A_COUNT] = {
        [A_TOOL] = JSON_MUST("tool", JSON_STRING),
        [A_ARGUMENTS] = JSON_MAY("arguments", JSON_OBJECT),
        [A_ID] = JSON_MAY("id", JSON_STRING),
        [A_READS] = JSON_MAY("reads", JSON_BOOL),
    };
    struct arena *arena = scene->call->arena;
    struct question tool = {.kind = ASK_TOOL, .arguments = STR("{}")};
    struct str refusal;

    if (json_members(value, "ask", m, A_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    scene->asked++;
    tool.name = json_text(&m[A_TOOL].value, arena);
    tool.id =
        m[A_ID].given ? json_text(&m[A_ID].value, arena) : arena_printf(arena, "c%d", scene->asked);
    if (m[A_ARGUMENTS].given)
        tool.arguments = m[A_ARGUMENTS].value.raw;
    if (say_call(scene, &tool, fault) != FAULT_OK ||
        agent_permit(scene->call, &tool, m[A_READS].given && json_true(&m[A_READS].value), arena,
                     &refusal, fault) != FAULT_OK)
        return fault_pass(fault);
    return say_result(scene, tool.id, refusal, fault);
}

static enum fault_code ask_question(struct scene *scene, const struct json_value *value,
                                    struct fault *fault)
{
    struct arena *arena = scene->call->arena;
    struct question question = {.kind = ASK_INPUT, .text = json_text(value, arena)};
    struct question_answer answer;
    struct entry_spec spec;

    question.id = arena_printf(arena, "q%d", ++scene->asked);
    if (agent_ask(scene->call, &question, &answer, fault) != FAULT_OK)
        return fault_pass(fault);
    if (answer.verdict == ANSWER_NO)
        answer.text = arena_printf(arena, "no answer: %.*s", STR_ARG(answer.text));
    spec = message_of_text(ROLE_ASSISTANT, answer.text, arena);
    return agent_say(scene->call, &spec, 1, fault);
}

static enum fault_code step(struct scene *scene, struct str name, const struct json_value *value,
                            struct fault *fault)
{
    int64_t ms = 0;

    if (str_eq(name, STR("delta"))) {
        tell(scene, DELTA_TEXT, value);
    } else if (str_eq(name, STR("reasoning"))) {
        tell(scene, DELTA_REASONING, value);
    } else if (str_eq(name, STR("output"))) {
        output(scene, value);
    } else if (str_eq(name, STR("say"))) {
        return say(scene, value, fault);
    } else if (str_eq(name, STR("echo"))) {
        return echo(scene, fault);
    } else if (str_eq(name, STR("ask")) && value->type == JSON_OBJECT) {
        return ask(scene, value, fault);
    } else if (str_eq(name, STR("question")) && value->type == JSON_STRING) {
        return ask_question(scene, value, fault);
    } else if (str_eq(name, STR("wait"))) {
        scene->over = agent_wait(scene->call, SLEEP_MAX_MS);
    } else if (str_eq(name, STR("sleep_ms")) && json_int(value, 0, SLEEP_MAX_MS, &ms)) {
        scene->over = agent_wait(scene->call, (int)ms);
    } else if (str_eq(name, STR("fail")) && value->type == JSON_STRING) {
        return fault_set(fault, FAULT_AGENT_FAILED, "%.*s",
                         STR_ARG(json_text(value, scene->call->arena)));
    } else {
        return fault_set(fault, FAULT_INVALID, "the script has a step \"%.*s\" that is not known",
                         STR_ARG(name));
    }
    return FAULT_OK;
}

static enum fault_code play(struct scene *scene, const struct json_value *steps,
                            struct fault *fault)
{
    struct json_walk walk, member;
    enum fault_code code = FAULT_OK;

    for (json_walk_begin(&walk, steps); !code && !scene->over && json_walk_next(&walk);) {
        if (walk.value.type != JSON_OBJECT)
            return fault_set(fault, FAULT_INVALID, "a step of the script is not an object");
        json_walk_begin(&member, &walk.value);
        if (json_walk_next(&member))
            code = step(scene, member.key, &member.value, fault);
        scene->over = scene->over || agent_cancelled(scene->call);
    }
    return code;
}

static enum fault_code scripted_run(struct agent *agent, struct agent_call *call,
                                    struct fault *fault)
{
    const struct scripted *scripted = (const struct scripted *)agent;
    struct scene scene = {.call = call};
    struct json_value steps = {0};
    struct json_walk walk;
    enum fault_code code = agent_history(call, see, &scene, fault);
    int64_t turn = 0;

    if (code)
        return code;
    for (json_walk_begin(&walk, &scripted->turns); turn < scene.users && json_walk_next(&walk);
         turn++)
        steps = walk.value;
    return steps.type == JSON_ARRAY ? play(&scene, &steps, fault) : FAULT_OK;
}

static void scripted_free(struct agent *agent)
{
    struct scripted *scripted = (struct scripted *)agent;

    arena_clear(&scripted->arena);
    free(scripted);
}

static const struct agent_ops scripted_ops = {.run = scripted_run, .free = scripted_free};

static enum fault_code scripted_make(const struct agent_def *def, struct agent **out,
                                     struct fault *fault)
{
    struct scripted *scripted = calloc(1, sizeof(*scripted));
    struct str script;
    struct json_walk walk;
    enum fault_code code;

    if (!scripted)
        abort();
    scripted->agent.ops = &scripted_ops;
    arena_init(&scripted->arena);
    script = arena_dup(&scripted->arena, def->script.n ? def->script : STR("[[{\"echo\":true}]]"));
    code = json_read(script, LIMIT_JSON_DEPTH, "the script", &scripted->turns, fault);
    if (!code && scripted->turns.type != JSON_ARRAY)
        code = fault_set(fault, FAULT_INVALID, "the script must be a list of turns");
    if (!code)
        for (json_walk_begin(&walk, &scripted->turns); !code && json_walk_next(&walk);)
            if (walk.value.type != JSON_ARRAY)
                code = fault_set(fault, FAULT_INVALID,
                                 "each turn of the script must be a list of steps");
    if (code)
        scripted_free(&scripted->agent);
    else
        *out = &scripted->agent;
    return code;
}

const struct agent_kind agent_scripted = {.name = "scripted", .make = scripted_make};
