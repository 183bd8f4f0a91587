/* What an agent in the configuration file must be. */
#include "config/rules.h"

#include "base/buf.h"
#include "config/value.h"

enum { AGENT_NAME_BYTES = 256, PRICE_MAX = 1000 * 1000 /* of a million tokens */ };

static const char *const kinds[] = {"shell", "openai", "external", "scripted", NULL};
static const char *const tool_names[] = {"bash",      "read_file",  "write_file",
                                         "edit_file", "list_files", NULL};

/* The keys that mean something for some kinds alone: said elsewhere, they would do nothing. */
static const struct {
    const char *key, *kinds;
} key_kinds[] = {
    {"model", "openai external"},
    {"prompt", "openai"},
    {"script", "scripted"},
    {"base_url", "openai"},
    {"key_env", "openai"},
    {"tools", "openai"},
    {"network", "shell openai"},
    {"context_tokens", "openai"},
    {"output_tokens", "openai"},
    {"steps_max", "openai"},
    {"timeout_seconds", "shell openai"},
    {"input_price", "openai"},
    {"output_price", "openai"},
};

/* What one agent is read with. */
struct reading {
    const struct raw_agent *raw;
    const struct outline *outline;
    const struct node *map;
    struct arena *arena;
};

static struct value value_at(const struct reading *reading, const char *key, const char *text)
{
    return value_of(reading->outline, reading->map, key, text);
}

/* ---- name, kind and what goes with it ---- */

static enum fault_code name_check(const struct reading *reading, struct fault *fault)
{
    struct value value = value_at(reading, "name", reading->raw->name);
    const char *slash = strchr(value.text, '/');

    if (value_name(value, "._-/", AGENT_NAME_BYTES, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!slash || slash == value.text || !slash[1] || strchr(slash + 1, '/'))
        return outline_fault(value.outline, value.node, fault,
                             "\"%.60s\" is not of the form namespace/name", value.text);
    if (str_eq((struct str){value.text, (size_t)(slash - value.text)}, STR(AGENT_NAMESPACE_TAKEN)))
        return outline_fault(value.outline, value.node, fault, "%s", AGENT_NAMESPACE_WHY);
    return FAULT_OK;
}

static enum fault_code kind_check(const struct reading *reading, struct fault *fault)
{
    const char *kind = reading->raw->kind;

    if (value_word(value_at(reading, "kind", kind), "kind of agent", kinds, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < sizeof(key_kinds) / sizeof(key_kinds[0]); i++) {
        const struct node *node = node_member(reading->map, str_of(key_kinds[i].key));

        if (node && !strstr(key_kinds[i].kinds, kind))
            return outline_fault(reading->outline, node, fault,
                                 "means nothing for an agent of the kind %s", kind);
    }
    if (strcmp(kind, "openai") == 0 && !reading->raw->model)
        return outline_fault(reading->outline, reading->map, fault,
                             "an agent of the kind openai needs a \"model\"");
    return FAULT_OK;
}

/* The name of a variable. What is none may be the key itself, so it is not shown. */
static enum fault_code key_env_check(const struct reading *reading, struct fault *fault)
{
    struct value value = value_at(reading, "key_env", reading->raw->key_env);
    bool good = true;

    if (!value.text)
        return FAULT_OK;
    for (const char *c = value.text; *c && good; c++)
        good = (*c >= 'A' && *c <= 'Z') || *c == '_' || (*c >= '0' && *c <= '9' && c != value.text);
    if (!good)
        return outline_fault(value.outline, value.node, fault,
                             "must be the name of a variable of the environment (A-Z 0-9 _), "
                             "never the key itself");
    return FAULT_OK;
}

/* Names with blanks between; "none" for an empty list, nothing when there is no list. */
static enum fault_code tools_read(const struct reading *reading, struct str *out,
                                  struct fault *fault)
{
    const struct node *list = node_member(reading->map, STR("tools"));
    const struct node *node = list ? list->first : NULL;
    char *const *tools = reading->raw->tools;
    struct buf joined;

    if (!list)
        return FAULT_OK;
    for (size_t i = 0; i < reading->raw->tool_count; i++, node = node->next) {
        if (value_word((struct value){reading->outline, node, tools[i]}, "tool", tool_names,
                       fault) != FAULT_OK)
            return fault_pass(fault);
        for (size_t j = 0; j < i; j++)
            if (strcmp(tools[i], tools[j]) == 0)
                return outline_fault(reading->outline, node, fault, "\"%s\" stands twice",
                                     tools[i]);
    }
    buf_init(&joined, FAULT_MESSAGE_MAX);
    for (size_t i = 0; i < reading->raw->tool_count; i++)
        buf_add_format(&joined, "%s%s", i ? " " : "", tools[i]);
    *out = reading->raw->tool_count ? arena_dup(reading->arena, buf_str(&joined)) : STR("none");
    buf_clear(&joined);
    return FAULT_OK;
}

/* ---- one agent ---- */

static enum fault_code numbers_read(const struct reading *reading, struct agent_def *out,
                                    struct fault *fault)
{
    const struct raw_agent *raw = reading->raw;
    int64_t seconds = 0;

    if (value_int(value_at(reading, "context_tokens", raw->context_tokens), 1000, 100000000,
                  &out->context_tokens, fault) != FAULT_OK ||
        value_int(value_at(reading, "output_tokens", raw->output_tokens), 1, 10000000,
                  &out->output_tokens, fault) != FAULT_OK ||
        value_int(value_at(reading, "steps_max", raw->steps_max), 1, 1000, &out->steps_max,
                  fault) != FAULT_OK ||
        value_int(value_at(reading, "timeout_seconds", raw->timeout_seconds), 1, 86400, &seconds,
                  fault) != FAULT_OK ||
        value_decimal(value_at(reading, "input_price", raw->input_price), PRICE_MAX,
                      &out->input_price, fault) != FAULT_OK ||
        value_decimal(value_at(reading, "output_price", raw->output_price), PRICE_MAX,
                      &out->output_price, fault) != FAULT_OK)
        return fault_pass(fault);
    out->timeout_ms = seconds * 1000;
    return FAULT_OK;
}

static struct str kept(struct arena *arena, const char *text)
{
    return text ? arena_dup(arena, str_of(text)) : STR_NONE;
}

static enum fault_code agent_read(const struct reading *reading, struct agent_def *out,
                                  struct fault *fault)
{
    const struct raw_agent *raw = reading->raw;

    if (name_check(reading, fault) != FAULT_OK || kind_check(reading, fault) != FAULT_OK ||
        value_url(value_at(reading, "base_url", raw->base_url), fault) != FAULT_OK ||
        key_env_check(reading, fault) != FAULT_OK ||
        tools_read(reading, &out->tools, fault) != FAULT_OK ||
        value_switch(value_at(reading, "network", raw->network), "true", "false", &out->network,
                     fault) != FAULT_OK ||
        value_switch(value_at(reading, "default", raw->is_default), "true", "false",
                     &out->is_default, fault) != FAULT_OK ||
        numbers_read(reading, out, fault) != FAULT_OK)
        return fault_pass(fault);
    out->name = kept(reading->arena, raw->name);
    out->kind = kept(reading->arena, raw->kind);
    out->description = kept(reading->arena, raw->description);
    out->model = kept(reading->arena, raw->model);
    out->prompt = kept(reading->arena, raw->prompt);
    out->script = kept(reading->arena, raw->script);
    out->base_url = kept(reading->arena, raw->base_url);
    out->key_env = kept(reading->arena, raw->key_env);
    out->fixed = true;
    return FAULT_OK;
}

/* An agent beside those before it: names differ, and one is the default. */
static enum fault_code beside_check(const struct reading *reading, const struct agent_def *agents,
                                    size_t at, struct fault *fault)
{
    for (size_t i = 0; i < at; i++) {
        if (str_eq(agents[i].name, agents[at].name))
            return outline_fault(reading->outline, node_member(reading->map, STR("name")), fault,
                                 "the agent \"%.*s\" stands twice; the first is agents[%zu]",
                                 STR_ARG(agents[at].name), i);
        if (agents[i].is_default && agents[at].is_default)
            return outline_fault(reading->outline, node_member(reading->map, STR("default")), fault,
                                 "agents[%zu] is the default already", i);
    }
    return FAULT_OK;
}

enum fault_code rules_agents(const struct raw_config *raw, const struct outline *outline,
                             struct arena *arena, struct config *out, struct fault *fault)
{
    const struct node *list = node_member(outline->root, STR("agents"));
    const struct node *map = list ? list->first : NULL;
    struct agent_def *agents = arena_array(arena, raw->agent_count, sizeof(agents[0]));

    for (size_t i = 0; i < raw->agent_count; i++, map = map->next) {
        struct reading reading = {&raw->agents[i], outline, map, arena};

        assert(map); /* the outline has as many as the schema found */
        if (agent_read(&reading, &agents[i], fault) != FAULT_OK ||
            beside_check(&reading, agents, i, fault) != FAULT_OK)
            return fault_pass(fault);
    }
    out->agents = agents;
    out->agent_count = raw->agent_count;
    return FAULT_OK;
}
