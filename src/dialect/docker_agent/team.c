#include "dialect/docker_agent/team.h"

#include "agent/tool.h"

#include <stdlib.h>

enum { TOOLS_BYTES = 256 * 1024 };

/* ---- names ---- */

/* Where the part behind the namespace begins. */
static size_t bare_from(struct str name)
{
    const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;

    return slash ? (size_t)(slash - name.p) + 1 : 0;
}

static struct str bare_of(struct str name)
{
    size_t from = bare_from(name);

    return (struct str){name.p + from, name.n - from};
}

static size_t bare_count(const struct team *team, struct str bare)
{
    size_t count = 0;

    for (size_t i = 0; i < team->count; i++)
        count += str_eq(bare_of(team->agents[i].name), bare);
    return count;
}

struct str team_name(const struct team *team, const struct agent_def *def, struct arena *arena)
{
    struct str bare = bare_of(def->name);
    size_t from = bare_from(def->name);

    if (from == 0 || bare_count(team, bare) == 1)
        return bare;
    return arena_printf(arena, "%.*s.%.*s", (int)(from - 1), def->name.p, STR_ARG(bare));
}

/* "namespace.name" or "namespace_name". */
static bool is_joined(struct str name, struct str wanted)
{
    size_t slash = bare_from(name);

    if (slash == 0 || name.n != wanted.n)
        return false;
    slash--;
    return (wanted.p[slash] == '.' || wanted.p[slash] == '_') &&
           memcmp(name.p, wanted.p, slash) == 0 &&
           str_eq(bare_of(name), (struct str){wanted.p + slash + 1, wanted.n - slash - 1});
}

enum fault_code team_find(const struct team *team, struct str name, struct agent_def *out,
                          struct fault *fault)
{
    size_t bare = bare_count(team, name), found = 0;

    for (size_t i = 0; i < team->count; i++) {
        const struct agent_def *def = &team->agents[i];

        if (bare == 1 ? str_eq(bare_of(def->name), name) : is_joined(def->name, name)) {
            *out = *def;
            found++;
        }
    }
    if (found == 1)
        return FAULT_OK;
    if (found > 1 || bare > 1)
        return fault_set(fault, FAULT_AGENT_NOT_FOUND,
                         "several agents are called \"%.*s\": say \"namespace.name\"",
                         STR_ARG(name));
    return fault_set(fault, FAULT_AGENT_NOT_FOUND, "agent \"%.*s\" not found", STR_ARG(name));
}

bool team_has_member(const struct agent_def *def, struct str member)
{
    return member.n == 0 || str_eq(member, DOCKER_MEMBER) || str_eq(member, bare_of(def->name));
}

struct str team_model(const struct agent_def *def, struct arena *arena)
{
    if (def->model.n && memchr(def->model.p, '/', def->model.n))
        return def->model;
    return arena_printf(arena, "%.*s/%.*s", STR_ARG(def->kind),
                        STR_ARG(def->model.n ? def->model : def->kind));
}

/* ---- the list ---- */

struct gathering {
    struct team team;
    size_t room;
    struct arena *arena;
};

static enum fault_code gather(void *context, const struct agent_def *def, struct fault *fault)
{
    struct gathering *all = context;
    struct team *team = &all->team;

    (void)fault;
    team->agents =
        arena_more(all->arena, team->agents, team->count, &all->room, sizeof(*team->agents));
    team->agents[team->count++] = agent_def_copy(def, all->arena);
    return FAULT_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct agent_def *x = a, *y = b;
    int order = str_cmp(bare_of(x->name), bare_of(y->name));

    return order ? order : str_cmp(x->name, y->name);
}

enum fault_code team_load(struct exchange *x, struct team *out, struct fault *fault)
{
    struct gathering all = {.arena = &x->arena};

    if (agents_list(app_of(x)->agents, gather, &all, fault) != FAULT_OK)
        return fault_pass(fault);
    if (all.team.count)
        qsort(all.team.agents, all.team.count, sizeof(all.team.agents[0]), by_name);
    *out = all.team;
    return FAULT_OK;
}

/* ---- tools ---- */

static struct team_tool *tools_read(struct str text, struct arena *arena, size_t *count)
{
    struct json_value whole, list, function, parameters;
    struct json_walk walk;
    struct team_tool *tools;
    struct fault fault;
    size_t n = 0;

    if (json_read(text, LIMIT_JSON_DEPTH, "tools", &whole, &fault) != FAULT_OK ||
        !member_at(&whole, "tools", &list))
        return NULL;
    for (json_walk_begin(&walk, &list); json_walk_next(&walk);)
        n++;
    tools = arena_array(arena, n + 1, sizeof(*tools));
    for (json_walk_begin(&walk, &list); json_walk_next(&walk);)
        if (member_at(&walk.value, "function", &function))
            tools[(*count)++] = (struct team_tool){
                member_string(&function, "name", arena),
                member_string(&function, "description", arena),
                member_at(&function, "parameters", &parameters) ? parameters.raw : STR("{}"),
            };
    return tools;
}

struct team_tool *team_tools(const struct agent_def *def, const struct tool_rules *deny,
                             struct arena *arena, size_t *count)
{
    static const struct tool_rules nothing;
    struct json_out out;
    struct buf text;
    struct str copy;

    *count = 0;
    if (!str_eq(def->kind, STR("openai"))) /* no other kind offers a model tools of tine's */
        return NULL;
    buf_init(&text, TOOLS_BYTES);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    tools_write(&out, def->tools, deny ? deny : &nothing);
    json_out_object_end(&out);
    copy = buf_take(&text, arena);
    return tools_read(copy, arena, count);
}
