/*
 * Settings of a session: what is read of them for the agent comes back from what is written, and a
 * dialect that puts its member in leaves those of the others alone. The input is three lines:
 * settings, a member's value, the name of a tool.
 */
#include "check.h"
#include "fuzz.h"

#include "agent/agent_settings.h"
#include "base/utf8.h"
#include "dialect/settings.h"
#include "store/limits.h"

static const char member[] = "docker-agent";

static void rules_equal(const struct tool_rules *a, const struct tool_rules *b)
{
    assert(a->count == b->count && a->count <= SETTINGS_RULES);
    for (size_t i = 0; i < a->count; i++)
        assert(str_eq(a->list[i], b->list[i]));
}

static void settings_equal(const struct agent_settings *a, const struct agent_settings *b)
{
    assert(str_eq(a->prompt, b->prompt) && str_eq(a->model, b->model) && str_eq(a->env, b->env));
    rules_equal(&a->allow, &b->allow);
    rules_equal(&a->ask, &b->ask);
    rules_equal(&a->deny, &b->deny);
    assert(a->asks == b->asks && a->approved == b->approved && a->steps_max == b->steps_max);
}

/* Who was refused stays refused, whatever is allowed later; who was allowed is not asked. */
static void judge_check(struct agent_settings settings, struct str tool, struct arena *arena)
{
    bool denied = tool_rules_name(&settings.deny, tool);
    enum tool_verdict before = agent_settings_judge(&settings, tool, false);
    enum tool_verdict reading = agent_settings_judge(&settings, tool, true);
    struct fault fault;

    assert((before == TOOL_REFUSE) == denied && (reading == TOOL_REFUSE) == denied);
    assert(reading == before || (reading == TOOL_RUN && before == TOOL_ASK));
    assert(!settings.approved || before != TOOL_ASK);
    if (agent_settings_allow(&settings, tool, arena, &fault) != FAULT_OK) {
        assert(settings.allow.count == SETTINGS_RULES || tool.p[tool.n - 1] == '*');
        return;
    }
    assert(tool_rules_name(&settings.allow, tool));
    assert(agent_settings_judge(&settings, tool, false) == (denied ? TOOL_REFUSE : TOOL_RUN));
}

static void agent_check(struct str settings, struct str tool, struct arena *arena)
{
    struct agent_settings read, again;
    struct fault fault;
    struct str put;

    if (agent_settings_read(settings, arena, &read, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID || fault.code == FAULT_LIMIT);
        return;
    }
    put = agent_settings_put(settings, &read, arena);
    assert(check_json(put).type == JSON_OBJECT);
    if (agent_settings_read(put, arena, &again, &fault) != FAULT_OK)
        abort();
    settings_equal(&read, &again);
    assert(str_eq(agent_settings_put(put, &again, arena), put));
    judge_check(read, tool, arena);
}

/* Members of an object but one. */
static size_t others(struct str settings, struct str but, struct str *values, size_t max)
{
    struct json_value whole;
    struct json_walk walk;
    struct fault fault;
    size_t n = 0;

    if (settings.n == 0 ||
        json_read(settings, LIMIT_JSON_DEPTH, "settings", &whole, &fault) != FAULT_OK ||
        whole.type != JSON_OBJECT)
        return 0;
    for (json_walk_begin(&walk, &whole); json_walk_next(&walk) && n < max;)
        if (!str_eq(walk.key, but))
            values[n++] = walk.value.raw;
    return n;
}

static void member_check(struct str settings, struct str value, struct arena *arena)
{
    enum { MEMBERS = 64 };
    struct str before[MEMBERS], after[MEMBERS];
    struct session session = {0};
    struct json_value checked;
    struct fault fault;
    size_t n;

    if (value.n && (json_read(value, LIMIT_JSON_DEPTH - 1, "value", &checked, &fault) != FAULT_OK ||
                    checked.type != JSON_OBJECT))
        return;
    value = value.n ? checked.raw : value;
    session.settings = settings_with(settings, member, value, arena);
    check_json(session.settings);
    assert(str_eq(settings_of(&session, member, arena), value.n ? value : STR("{}")));
    n = others(settings, STR("docker-agent"), before, MEMBERS);
    assert(others(session.settings, STR("docker-agent"), after, MEMBERS) == n);
    for (size_t i = 0; i < n; i++)
        assert(str_eq(before[i], after[i]));
    assert(str_eq(settings_with(session.settings, member, value, arena), session.settings));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct str settings = check_line(&rest), value = check_line(&rest), tool = check_line(&rest);
    struct arena arena;

    arena_init(&arena);
    if (utf8_valid(tool))
        agent_check(settings, tool, &arena);
    member_check(settings, value, &arena);
    arena_clear(&arena);
    return 0;
}
