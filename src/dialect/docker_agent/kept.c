#include "dialect/docker_agent/kept.h"

enum { AGENT_TEXT_BYTES = 8 * LIMIT_METADATA_BYTES }; /* the engine refuses what is too much */

enum fault_code kept_read(const struct session *session, struct arena *arena, struct kept *out,
                          struct fault *fault)
{
    struct str own = settings_of(session, KEPT_MEMBER, arena);

    if (agent_settings_read(session->settings, arena, &out->agent, fault) != FAULT_OK)
        return fault_pass(fault);
    return json_read(own, LIMIT_JSON_DEPTH, "the session's settings", &out->own, fault);
}

void kept_approve(struct agent_settings *agent, bool approved)
{
    agent->asks = !approved;
    agent->approved = approved;
}

bool kept_own(const struct kept *kept, const char *name, struct json_value *out)
{
    return member_at(&kept->own, name, out);
}

bool kept_own_flag(const struct kept *kept, const char *name)
{
    struct json_value value;

    return kept_own(kept, name, &value) && json_true(&value);
}

struct str kept_model(const struct kept *kept, struct str agent, struct arena *arena)
{
    struct json_value overrides;
    struct json_walk walk;
    struct str model = STR_NONE;

    if (!kept_own(kept, "agent_model_overrides", &overrides) || overrides.type != JSON_OBJECT)
        return model;
    for (json_walk_begin(&walk, &overrides); json_walk_next(&walk);)
        if (walk.value.type == JSON_STRING && str_eq(json_unescape(walk.key, arena), agent))
            model = json_text(&walk.value, arena);
    return model;
}

/* ---- tokens ---- */

static int64_t number_of(const struct json_value *object, const char *name)
{
    struct json_value value;
    int64_t number = 0;

    if (member_at(object, name, &value) && value.type == JSON_NUMBER)
        (void)json_int(&value, 0, LIMIT_USAGE_SUM, &number);
    return number;
}

static struct usage usage_plus(struct usage usage, const struct usage *more)
{
    if (more) {
        usage.input += more->input;
        usage.output += more->output;
    }
    return usage;
}

static int64_t since(int64_t said, int64_t then, int64_t now)
{
    int64_t sum = said + now - then;

    return sum < 0 ? 0 : sum;
}

struct usage kept_usage(const struct session *session, const struct kept *kept,
                        const struct usage *subs, struct arena *arena)
{
    struct usage now = {
        .input = session->own.input + session->inherited.input,
        .output = session->own.output + session->inherited.output,
        .cost = session->own.cost,
    };
    struct json_value said, of;

    if (!kept_own(kept, "tokens", &said) || !member_at(&said, "session", &of) ||
        of.type != JSON_STRING || !str_eq(json_text(&of, arena), session->id))
        return usage_plus(now, subs); /* nothing was said, or of what this one was forked from */
    return (struct usage){
        .input = since(number_of(&said, "input"), number_of(&said, "input_then"), now.input),
        .output = since(number_of(&said, "output"), number_of(&said, "output_then"), now.output),
        .cost = since(number_of(&said, "cost"), number_of(&said, "cost_then"), now.cost),
    };
}

/* ---- permissions ---- */

static void write_rules(struct json_out *out, const char *key, const struct tool_rules *rules)
{
    if (rules->count == 0)
        return;
    json_out_array(out, key);
    for (size_t i = 0; i < rules->count; i++)
        json_out_string(out, NULL, rules->list[i]);
    json_out_array_end(out);
}

void kept_write_permissions(struct json_out *out, const struct kept *kept)
{
    const struct agent_settings *agent = &kept->agent;

    if (agent->allow.count + agent->ask.count + agent->deny.count == 0)
        return;
    json_out_object(out, "permissions");
    write_rules(out, "allow", &agent->allow);
    write_rules(out, "ask", &agent->ask);
    write_rules(out, "deny", &agent->deny);
    json_out_object_end(out);
}

/* A name, or the start of one and a star. */
static bool is_honoured(struct str rule)
{
    for (size_t i = 0; i < rule.n; i++)
        if (rule.p[i] == '=' || rule.p[i] == '?' || rule.p[i] == '[' ||
            (rule.p[i] == '*' && i + 1 < rule.n))
            return false;
    return rule.n > 0;
}

static enum fault_code rules_read(const struct json_member *member, bool strict,
                                  struct arena *arena, struct tool_rules *out, struct fault *fault)
{
    struct json_walk walk;

    *out = (struct tool_rules){0};
    if (!member->given)
        return FAULT_OK;
    out->list = arena_array(arena, SETTINGS_RULES, sizeof(*out->list));
    for (json_walk_begin(&walk, &member->value); json_walk_next(&walk);) {
        struct str rule;

        if (walk.value.type != JSON_STRING)
            return fault_set(fault, FAULT_INVALID,
                             "invalid request body: permissions: \"%s\" must be a list of strings",
                             member->name);
        if (out->count == SETTINGS_RULES)
            return fault_set(fault, FAULT_INVALID,
                             "invalid request body: permissions: \"%s\" has more than %d rules",
                             member->name, SETTINGS_RULES);
        rule = json_text(&walk.value, arena);
        if (strict && !is_honoured(rule))
            return fault_set(fault, FAULT_INVALID,
                             "permissions: \"%.*s\" in \"%s\" cannot be honoured: a rule is the "
                             "name of a tool, or the start of one and a star",
                             (int)(rule.n < 100 ? rule.n : 100), rule.p ? rule.p : "",
                             member->name);
        out->list[out->count++] = rule;
    }
    return FAULT_OK;
}

enum { P_ALLOW, P_ASK, P_DENY, P_COUNT };

enum fault_code kept_permissions(const struct json_value *permissions, struct arena *arena,
                                 struct agent_settings *out, struct fault *fault)
{
    struct json_member m[P_COUNT] = {
        [P_ALLOW] = JSON_MAY("allow", JSON_ARRAY),
        [P_ASK] = JSON_MAY("ask", JSON_ARRAY),
        [P_DENY] = JSON_MAY("deny", JSON_ARRAY),
    };

    if (docker_members(permissions, "permissions", m, P_COUNT, arena, fault) != FAULT_OK ||
        rules_read(&m[P_ALLOW], false, arena, &out->allow, fault) != FAULT_OK ||
        rules_read(&m[P_ASK], true, arena, &out->ask, fault) != FAULT_OK ||
        rules_read(&m[P_DENY], true, arena, &out->deny, fault) != FAULT_OK)
        return fault_pass(fault);
    return FAULT_OK;
}

struct str kept_agent_text(const struct agent_settings *agent, struct arena *arena)
{
    struct json_out out;
    struct buf text;

    buf_init(&text, AGENT_TEXT_BYTES);
    json_out_init(&out, &text);
    agent_settings_write(&out, NULL, agent);
    return buf_take(&text, arena);
}
