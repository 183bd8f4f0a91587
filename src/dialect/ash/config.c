#include "dialect/ash/config.h"

enum { ENV_VARIABLES = 256, ENV_BYTES = 32 * 1024 };

const struct json_member ash_config_members[CONFIG_COUNT] = {
    [CONFIG_MODEL] = JSON_MAY("model", JSON_STRING),
    [CONFIG_ALLOWED] = JSON_MAY("allowedTools", JSON_ARRAY),
    [CONFIG_DISALLOWED] = JSON_MAY("disallowedTools", JSON_ARRAY),
    [CONFIG_BETAS] = JSON_MAY("betas", JSON_ARRAY),
    [CONFIG_SUBAGENTS] = JSON_MAY("subagents", JSON_OBJECT | JSON_ARRAY),
    [CONFIG_INITIAL] = JSON_MAY("initialAgent", JSON_STRING),
    [CONFIG_PROMPT] = JSON_MAY("systemPrompt", JSON_STRING | JSON_OBJECT),
    [CONFIG_PERMISSIONS] = JSON_MAY("permissionMode", JSON_STRING),
    [CONFIG_SERVERS] = JSON_MAY("mcpServers", JSON_OBJECT),
    [CONFIG_CREDENTIAL] = JSON_MAY("credentialId", JSON_STRING),
};

static bool is_given(const struct json_member *members, size_t count, struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (members[i].given && str_eq(name, str_of(members[i].name)))
            return true;
    return false;
}

struct str ash_config_merge(struct str now, const struct json_member *members, size_t count,
                            struct arena *arena)
{
    struct json_value before;
    struct json_walk walk;
    struct json_out out;
    struct buf text;

    buf_init(&text,
             (size_t)2 * ASH_BODY_SMALL); /* what is too large for settings is refused there */
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    if (ash_object(now, &before))
        for (json_walk_begin(&walk, &before); json_walk_next(&walk);)
            if (!is_given(members, count, walk.key)) {
                json_out_key(&out, json_unescape(walk.key, arena));
                json_out_raw(&out, NULL, walk.value.raw);
            }
    for (size_t i = 0; i < count; i++)
        if (members[i].given)
            json_out_raw(&out, members[i].name, members[i].value.raw);
    json_out_object_end(&out);
    return buf_take(&text, arena);
}

/* ---- for the agent ---- */

/* The names that tools of ash's agents have, and those of tine's that do the same. */
static struct str tool_named(struct str name)
{
    static const struct {
        const char *theirs;
        struct str ours;
    } names[] = {
        {"Bash", {"bash", 4}},      {"Read", {"read_file", 9}},      {"Write", {"write_file", 10}},
        {"Edit", {"edit_file", 9}}, {"MultiEdit", {"edit_file", 9}}, {"LS", {"list_files", 10}},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i].theirs)))
            return names[i].ours;
    return name;
}

static enum fault_code tools_read(const struct json_member *member, struct arena *arena,
                                  struct tool_rules *out, struct fault *fault)
{
    struct json_walk walk;

    if (!member->given)
        return FAULT_OK;
    *out = (struct tool_rules){.list = arena_array(arena, SETTINGS_RULES, sizeof(struct str))};
    for (json_walk_begin(&walk, &member->value); json_walk_next(&walk);) {
        if (walk.value.type != JSON_STRING)
            return fault_set(fault, FAULT_INVALID, "body/%s/%zu must be string", member->name,
                             out->count);
        if (out->count == SETTINGS_RULES)
            return fault_set(fault, FAULT_INVALID, "body/%s must NOT have more than %d items",
                             member->name, SETTINGS_RULES);
        out->list[out->count++] = tool_named(json_text(&walk.value, arena));
    }
    return FAULT_OK;
}

/*
 * ash's agents run without asking unless a mode says otherwise; whoever is asked answers over
 * another dialect, for ash has no word for it.
 */
static bool mode_asks(struct str mode)
{
    return str_eq(mode, STR("default")) || str_eq(mode, STR("ask")) ||
           str_eq(mode, STR("acceptEdits")) || str_eq(mode, STR("plan"));
}

enum fault_code ash_config_apply(const struct json_member *m, size_t count, struct arena *arena,
                                 struct agent_settings *out, struct fault *fault)
{
    if (tools_read(&m[CONFIG_ALLOWED], arena, &out->allow, fault) != FAULT_OK ||
        tools_read(&m[CONFIG_DISALLOWED], arena, &out->deny, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[CONFIG_MODEL].given)
        out->model = json_text(&m[CONFIG_MODEL].value, arena);
    if (count <= CONFIG_PATCHED)
        return FAULT_OK;
    if (m[CONFIG_PROMPT].given && m[CONFIG_PROMPT].value.type == JSON_STRING)
        out->prompt = json_text(&m[CONFIG_PROMPT].value, arena);
    if (m[CONFIG_PERMISSIONS].given)
        out->asks = mode_asks(json_text(&m[CONFIG_PERMISSIONS].value, arena));
    return FAULT_OK;
}

/* ---- variables ---- */

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i > 0 && c >= '0' && c <= '9')))
            return false;
    }
    return name.n > 0;
}

struct merging {
    struct json_out out;
    struct arena *arena;
    const char *what;
    size_t count, bytes;
};

static enum fault_code variable_add(struct merging *merging, const struct json_walk *walk,
                                    struct fault *fault)
{
    struct str name = json_unescape(walk->key, merging->arena), value;

    if (!is_name(name))
        return fault_set(fault, FAULT_INVALID, "%s: \"%.*s\" is no name of a variable",
                         merging->what, (int)(name.n < 100 ? name.n : 100), name.p ? name.p : "");
    if (walk->value.type != JSON_STRING)
        return fault_set(fault, FAULT_INVALID, "%s/%.*s must be string", merging->what,
                         (int)(name.n < 100 ? name.n : 100), name.p);
    value = json_text(&walk->value, merging->arena);
    if (value.n && memchr(value.p, '\0', value.n))
        return fault_set(fault, FAULT_INVALID, "%s/%.*s has a NUL in it", merging->what,
                         (int)(name.n < 100 ? name.n : 100), name.p);
    merging->bytes += name.n + value.n;
    if (++merging->count > ENV_VARIABLES || merging->bytes > ENV_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "%s has more than %d variables, or more than %d bytes", merging->what,
                         ENV_VARIABLES, ENV_BYTES);
    json_out_key(&merging->out, name);
    json_out_raw(&merging->out, NULL, walk->value.raw);
    return FAULT_OK;
}

static enum fault_code object_add(struct merging *merging, const struct json_value *object,
                                  const struct json_value *over, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct json_value other;
    struct json_walk walk;

    for (json_walk_begin(&walk, object); !code && json_walk_next(&walk);)
        if (!over || !member_at(over, arena_dup(merging->arena, walk.key).p, &other))
            code = variable_add(merging, &walk, fault);
    return code;
}

enum fault_code ash_env_merge(struct str under, struct str over, const char *what,
                              struct arena *arena, struct str *out, struct fault *fault)
{
    struct merging merging = {.arena = arena, .what = what};
    struct json_value below, above;
    bool has_below = ash_object(under, &below), has_above = ash_object(over, &above);
    enum fault_code code = FAULT_OK;
    struct buf text;

    *out = STR_NONE;
    if (!has_below && !has_above)
        return FAULT_OK;
    buf_init(&text, (size_t)8 * ENV_BYTES);
    json_out_init(&merging.out, &text);
    json_out_object(&merging.out, NULL);
    if (has_below)
        code = object_add(&merging, &below, has_above ? &above : NULL, fault);
    if (!code && has_above)
        code = object_add(&merging, &above, NULL, fault);
    json_out_object_end(&merging.out);
    *out = buf_take(&text, arena);
    return code;
}
