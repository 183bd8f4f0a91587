#include "agent/agent_env.h"

#include "json/json_in.h"

struct sandbox_env agent_env(const struct agent_settings *settings, struct arena *arena)
{
    struct json_value env = {.type = JSON_OBJECT, .raw = settings->env};
    struct sandbox_variable *list;
    struct json_walk walk;
    size_t count = 0;

    if (settings->env.n == 0)
        return (struct sandbox_env){0};
    for (json_walk_begin(&walk, &env); json_walk_next(&walk);)
        count++;
    list = arena_array(arena, count, sizeof(*list));
    count = 0;
    for (json_walk_begin(&walk, &env); json_walk_next(&walk);)
        list[count++] = (struct sandbox_variable){json_unescape(walk.key, arena),
                                                  json_text(&walk.value, arena)};
    return (struct sandbox_env){list, count};
}
