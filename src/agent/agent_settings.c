#include "agent/agent_settings.h"

#include "json/json_in.h"
#include "store/limits.h"

enum { S_PROMPT, S_MODEL, S_ENV, S_ALLOW, S_ASK, S_DENY, S_ASKS, S_APPROVED, S_STEPS, S_COUNT };

static const struct json_member known[S_COUNT] = {
    [S_PROMPT] = JSON_MAY("prompt", JSON_STRING | JSON_NULL),
    [S_MODEL] = JSON_MAY("model", JSON_STRING | JSON_NULL),
    [S_ENV] = JSON_MAY("env", JSON_OBJECT | JSON_NULL),
    [S_ALLOW] = JSON_MAY("allow", JSON_ARRAY | JSON_NULL),
    [S_ASK] = JSON_MAY("ask", JSON_ARRAY | JSON_NULL),
    [S_DENY] = JSON_MAY("deny", JSON_ARRAY | JSON_NULL),
    [S_ASKS] = JSON_MAY("asks", JSON_BOOL),
    [S_APPROVED] = JSON_MAY("approved", JSON_BOOL),
    [S_STEPS] = JSON_MAY("steps_max", JSON_NUMBER),
};

/* ---- reading ---- */

/* The newest member of that name; false when the object has none. */
static bool find(const struct json_value *object, struct str name, struct arena *arena,
                 struct json_value *out)
{
    struct json_walk walk;
    bool found = false;

    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        if (str_eq(json_unescape(walk.key, arena), name)) {
            *out = walk.value;
            found = true;
        }
    return found;
}

static enum fault_code members_read(const struct json_value *agent, struct arena *arena,
                                    struct json_member *out, struct fault *fault)
{
    memcpy(out, known, sizeof(known));
    for (size_t i = 0; i < S_COUNT; i++) {
        out[i].given = find(agent, str_of(out[i].name), arena, &out[i].value);
        if (out[i].given && !(out[i].value.type & out[i].types))
            return fault_set(fault, FAULT_INVALID,
                             "\"%s\" in the agent's settings is of another type", out[i].name);
        out[i].given = out[i].given && out[i].value.type != JSON_NULL;
    }
    return FAULT_OK;
}

static enum fault_code rules_read(const struct json_member *member, struct arena *arena,
                                  struct tool_rules *out, struct fault *fault)
{
    struct json_walk walk;

    if (!member->given)
        return FAULT_OK;
    out->list = arena_array(arena, SETTINGS_RULES, sizeof(*out->list));
    for (json_walk_begin(&walk, &member->value); json_walk_next(&walk);) {
        if (walk.value.type != JSON_STRING)
            return fault_set(fault, FAULT_INVALID,
                             "\"%s\" in the agent's settings must be a list of names of tools",
                             member->name);
        if (out->count == SETTINGS_RULES)
            return fault_set(fault, FAULT_LIMIT,
                             "\"%s\" in the agent's settings has more than %d names", member->name,
                             SETTINGS_RULES);
        out->list[out->count++] = arena_dup(arena, json_text(&walk.value, arena));
    }
    return FAULT_OK;
}

static enum fault_code env_read(const struct json_member *member, struct arena *arena,
                                struct str *out, struct fault *fault)
{
    struct json_walk walk;

    if (!member->given)
        return FAULT_OK;
    for (json_walk_begin(&walk, &member->value); json_walk_next(&walk);)
        if (walk.value.type != JSON_STRING)
            return fault_set(fault, FAULT_INVALID,
                             "the variable \"%.*s\" in the agent's settings must be a string",
                             STR_ARG(walk.key));
    *out = arena_dup(arena, member->value.raw);
    return FAULT_OK;
}

static struct str text_read(const struct json_member *member, struct arena *arena)
{
    return member->given ? arena_dup(arena, json_text(&member->value, arena)) : STR_NONE;
}

enum fault_code agent_settings_read(struct str settings, struct arena *arena,
                                    struct agent_settings *out, struct fault *fault)
{
    struct agent_settings read = {0};
    struct json_member members[S_COUNT];
    struct json_value whole, agent;

    *out = read;
    if (settings.n == 0)
        return FAULT_OK;
    if (json_read(settings, LIMIT_JSON_DEPTH, "the session's settings", &whole, fault) != FAULT_OK)
        return fault_pass(fault);
    if (whole.type != JSON_OBJECT || !find(&whole, STR("agent"), arena, &agent) ||
        agent.type == JSON_NULL)
        return FAULT_OK;
    if (agent.type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "the agent's settings must be an object");
    if (members_read(&agent, arena, members, fault) != FAULT_OK ||
        rules_read(&members[S_ALLOW], arena, &read.allow, fault) != FAULT_OK ||
        rules_read(&members[S_ASK], arena, &read.ask, fault) != FAULT_OK ||
        rules_read(&members[S_DENY], arena, &read.deny, fault) != FAULT_OK ||
        env_read(&members[S_ENV], arena, &read.env, fault) != FAULT_OK)
        return fault_pass(fault);
    read.prompt = text_read(&members[S_PROMPT], arena);
    read.model = text_read(&members[S_MODEL], arena);
    read.asks = members[S_ASKS].given && json_true(&members[S_ASKS].value);
    read.approved = members[S_APPROVED].given && json_true(&members[S_APPROVED].value);
    if (members[S_STEPS].given && !json_int(&members[S_STEPS].value, 0, INT32_MAX, &read.steps_max))
        return fault_set(fault, FAULT_INVALID,
                         "\"steps_max\" in the agent's settings must be a number from 0 to %d",
                         INT32_MAX);
    *out = read;
    return FAULT_OK;
}

/* ---- writing ---- */

static void rules_write(struct json_out *out, const char *key, const struct tool_rules *rules)
{
    if (rules->count == 0)
        return;
    json_out_array(out, key);
    for (size_t i = 0; i < rules->count; i++)
        json_out_string(out, NULL, rules->list[i]);
    json_out_array_end(out);
}

void agent_settings_write(struct json_out *out, const char *key,
                          const struct agent_settings *settings)
{
    json_out_object(out, key);
    if (settings->prompt.n)
        json_out_string(out, known[S_PROMPT].name, settings->prompt);
    if (settings->model.n)
        json_out_string(out, known[S_MODEL].name, settings->model);
    if (settings->env.n)
        json_out_raw(out, known[S_ENV].name, settings->env);
    rules_write(out, known[S_ALLOW].name, &settings->allow);
    rules_write(out, known[S_ASK].name, &settings->ask);
    rules_write(out, known[S_DENY].name, &settings->deny);
    if (settings->asks)
        json_out_bool(out, known[S_ASKS].name, true);
    if (settings->approved)
        json_out_bool(out, known[S_APPROVED].name, true);
    if (settings->steps_max > 0)
        json_out_int(out, known[S_STEPS].name, settings->steps_max);
    json_out_object_end(out);
}

struct str agent_settings_put(struct str settings, const struct agent_settings *agent,
                              struct arena *arena)
{
    struct json_value whole;
    struct json_walk walk;
    struct json_out out;
    struct fault fault;
    struct buf text;

    /* Names and values grow when they are escaped, and what is too large the engine refuses. */
    buf_init(&text, (size_t)16 * LIMIT_METADATA_BYTES);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    if (settings.n &&
        json_read(settings, LIMIT_JSON_DEPTH, "the session's settings", &whole, &fault) ==
            FAULT_OK &&
        whole.type == JSON_OBJECT)
        for (json_walk_begin(&walk, &whole); json_walk_next(&walk);) {
            struct str name = json_unescape(walk.key, arena);

            if (str_eq(name, STR("agent")))
                continue;
            json_out_key(&out, name);
            json_out_raw(&out, NULL, walk.value.raw);
        }
    agent_settings_write(&out, "agent", agent);
    json_out_object_end(&out);
    return buf_take(&text, arena);
}

/* ---- judging ---- */

bool tool_rules_name(const struct tool_rules *rules, struct str tool)
{
    for (size_t i = 0; i < rules->count; i++) {
        struct str rule = rules->list[i];

        if (rule.n && rule.p[rule.n - 1] == '*') {
            rule.n--;
            if (str_starts(tool, rule))
                return true;
        } else if (str_eq(tool, rule)) {
            return true;
        }
    }
    return false;
}

enum fault_code agent_settings_allow(struct agent_settings *settings, struct str tool,
                                     struct arena *arena, struct fault *fault)
{
    struct tool_rules *allow = &settings->allow;
    struct str *list;

    if (tool_rules_name(allow, tool))
        return FAULT_OK;
    if (tool.n && tool.p[tool.n - 1] == '*')
        return fault_set(
            fault, FAULT_INVALID,
            "tool \"%.*s\" cannot be allowed for good: its name would stand for others",
            (int)(tool.n < 100 ? tool.n : 100), tool.p);
    if (allow->count >= SETTINGS_RULES)
        return fault_set(fault, FAULT_LIMIT, "%d tools are allowed already; that is the limit",
                         SETTINGS_RULES);
    list = arena_array(arena, allow->count + 1, sizeof(*list));
    if (allow->count)
        memcpy(list, allow->list, allow->count * sizeof(*list));
    list[allow->count++] = arena_dup(arena, tool);
    allow->list = list;
    return FAULT_OK;
}

enum tool_verdict agent_settings_judge(const struct agent_settings *settings, struct str tool,
                                       bool reads)
{
    if (tool_rules_name(&settings->deny, tool))
        return TOOL_REFUSE;
    if (settings->approved || tool_rules_name(&settings->allow, tool))
        return TOOL_RUN;
    if (tool_rules_name(&settings->ask, tool))
        return TOOL_ASK;
    return settings->asks && !reads ? TOOL_ASK : TOOL_RUN;
}
