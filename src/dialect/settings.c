#include "dialect/settings.h"

#include "json/json_in.h"
#include "store/limits.h"

enum { UPDATE_TRIES = 100 }; /* each one that is lost is a change that somebody else made */

/* A walk over the members of settings; what is no object has none. */
static struct json_walk members_of(struct str settings)
{
    struct json_walk walk = {.rest = STR("")};
    struct json_value object;
    struct fault none;

    if (settings.n &&
        json_read(settings, LIMIT_JSON_DEPTH, "settings", &object, &none) == FAULT_OK &&
        object.type == JSON_OBJECT)
        json_walk_begin(&walk, &object);
    return walk;
}

struct str settings_of(const struct session *session, const char *name, struct arena *arena)
{
    struct json_walk walk = members_of(session->settings);

    while (json_walk_next(&walk))
        if (str_eq(walk.key, str_of(name)) && walk.value.type == JSON_OBJECT)
            return arena_dup(arena, walk.value.raw);
    return STR("{}");
}

static void member_add(struct buf *out, struct str name, struct str value)
{
    buf_add_str(out, out->n == 0 ? STR("{\"") : STR(",\""));
    buf_add_str(out, name);
    buf_add_str(out, STR("\":"));
    buf_add_str(out, value);
}

struct str settings_with(struct str settings, const char *name, struct str value,
                         struct arena *arena)
{
    struct json_walk walk = members_of(settings);
    struct str member = str_of(name);
    struct buf out;

    buf_init(&out, settings.n + member.n + value.n + sizeof("{,\"\":}"));
    while (json_walk_next(&walk))
        if (!str_eq(walk.key, member))
            member_add(&out, walk.key, walk.value.raw);
    if (value.n && !str_eq(value, STR("{}"))) /* an empty one is as good as none */
        member_add(&out, member, value);
    buf_add_str(&out, out.n == 0 ? STR("{}") : STR("}"));
    return buf_take(&out, arena);
}

enum fault_code settings_update(struct app *app, int64_t owner, struct str session,
                                const char *name, settings_change *change, void *context,
                                struct arena *arena, struct session *out, struct fault *fault)
{
    for (int i = 0;; i++) {
        struct str now, then, all;
        struct session before;
        struct update_spec spec = {.owner = owner, .session = session, .settings = &all};
        enum fault_code code;

        if (store_session_get(app->store, owner, session, false, arena, &before, fault) != FAULT_OK)
            return fault_pass(fault);
        now = name ? settings_of(&before, name, arena) : before.settings;
        if (change(context, &before, now, arena, &then, fault) != FAULT_OK)
            return fault_pass(fault);
        all = name ? settings_with(before.settings, name, then, arena) : then;
        if (str_eq(all, before.settings)) {
            *out = before;
            return FAULT_OK;
        }
        spec.expect_settings = &before.settings;
        code = engine_update(app->engine, &spec, arena, out, fault);
        if (code != FAULT_HEAD_MOVED || i == UPDATE_TRIES)
            return code;
    }
}
