/* Agents: each is a configuration of its own, with one member. */
#include "dialect/docker_agent/team.h"

#include <stdlib.h>

struct named {
    struct str name;
    const struct agent_def *def;
};

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

enum fault_code docker_agents_list(struct exchange *x, struct fault *fault)
{
    struct team team;
    struct named *named;
    struct json_out out;

    if (team_load(x, &team, fault) != FAULT_OK)
        return fault_pass(fault);
    named = arena_array(&x->arena, team.count + 1, sizeof(*named));
    for (size_t i = 0; i < team.count; i++)
        named[i] = (struct named){team_name(&team, &team.agents[i], &x->arena), &team.agents[i]};
    qsort(named, team.count, sizeof(*named), by_name);
    json_out_init(&out, &x->reply.body);
    json_out_array(&out, NULL);
    for (size_t i = 0; i < team.count; i++) {
        json_out_object(&out, NULL);
        json_out_string(&out, "name", named[i].name);
        json_out_string(&out, "description", named[i].def->description);
        json_out_bool(&out, "multi", false);
        json_out_object_end(&out);
    }
    json_out_array_end(&out);
    return docker_reply(x, fault);
}

static enum fault_code named_get(struct exchange *x, struct agent_def *out, struct fault *fault)
{
    struct team team;

    if (team_load(x, &team, fault) != FAULT_OK)
        return fault_pass(fault);
    return team_find(&team, x->request.params[0], out, fault);
}

static void write_toolsets(struct json_out *out, const struct agent_def *def, struct arena *arena)
{
    size_t count;
    const struct team_tool *tools = team_tools(def, NULL, arena, &count);

    json_out_array(out, "toolsets");
    for (size_t i = 0; i < count; i++) {
        json_out_object(out, NULL);
        json_out_string(out, "type", tools[i].name);
        json_out_object_end(out);
    }
    json_out_array_end(out);
}

/* The prompt is only for those who may change it, as in the native API. */
enum fault_code docker_agent_config(struct exchange *x, struct fault *fault)
{
    struct agent_def def;
    struct json_out out;
    enum fault_code code = named_get(x, &def, fault);

    if (code == FAULT_AGENT_NOT_FOUND)
        return fault_set(fault, FAULT_NOT_FOUND, "there is no such agent");
    if (code)
        return code;
    reply_open(x, &out);
    json_out_array(&out, "agents");
    json_out_object(&out, NULL);
    json_out_string(&out, "Name", DOCKER_MEMBER);
    json_out_string(&out, "name", DOCKER_MEMBER);
    json_out_string(&out, "model", team_model(&def, &x->arena));
    json_out_string(&out, "description", def.description);
    if (def.prompt.n && x->request.caller.right >= RIGHT_ADMIN)
        json_out_string(&out, "instruction", def.prompt);
    write_toolsets(&out, &def, &x->arena);
    json_out_object_end(&out);
    json_out_array_end(&out);
    json_out_object(&out, "metadata");
    json_out_object_end(&out);
    json_out_object_end(&out);
    return docker_reply(x, fault);
}

enum fault_code docker_agent_tools(struct exchange *x, struct fault *fault)
{
    struct agent_def def;
    struct json_out out;
    size_t count;

    if (named_get(x, &def, fault) != FAULT_OK)
        return docker_failed(fault, "failed to get agent tool count");
    if (!team_has_member(&def, x->request.params[1]))
        return fault_set(fault, FAULT_AGENT_NOT_FOUND,
                         "failed to get agent tool count: agent \"%.*s\" not found",
                         STR_ARG(x->request.params[1]));
    team_tools(&def, NULL, &x->arena, &count);
    reply_open(x, &out);
    json_out_int(&out, "available_tools", (int64_t)count);
    json_out_object_end(&out);
    return docker_reply(x, fault);
}
