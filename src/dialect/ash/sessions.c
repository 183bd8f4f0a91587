/* Sessions: made, listed, looked at, configured; and the chain of those they were forked from. */
#include "dialect/ash/agent.h"
#include "dialect/ash/config.h"

#include <stdlib.h>

/* ---- new ones ---- */

enum { C_AGENT = CONFIG_COUNT, C_ENV, C_COUNT };

/* All that the session is to keep, from what was sent and what the agent has. */
static enum fault_code settings_make(struct exchange *x, const struct json_member *m,
                                     const struct agent_def *def, struct str *out,
                                     struct fault *fault)
{
    struct agent_extra extra = ash_agent_extra(def, &x->arena);
    struct agent_settings settings = {0};
    struct json_member kept[CONFIG_COUNT];
    struct str config;

    if (ash_config_apply(m, CONFIG_COUNT, &x->arena, &settings, fault) != FAULT_OK ||
        ash_env_merge(extra.env, m[C_ENV].given ? m[C_ENV].value.raw : STR_NONE, "body/extraEnv",
                      &x->arena, &settings.env, fault) != FAULT_OK)
        return fault_pass(fault);
    memcpy(kept, m, sizeof(kept));
    if (settings.prompt.n)
        kept[CONFIG_PROMPT].given = false; /* it may be long, and the agent has it */
    config = ash_config_merge(STR_NONE, kept, CONFIG_COUNT, &x->arena);
    *out = STR("{}");
    if (!str_eq(config, STR("{}")))
        *out =
            settings_with(*out, ASH_SETTINGS,
                          arena_printf(&x->arena, "{\"config\":%.*s}", STR_ARG(config)), &x->arena);
    *out = agent_settings_put(*out, &settings, &x->arena);
    return FAULT_OK;
}

/* The agent's own files are there from the beginning. */
static enum fault_code files_lay(struct exchange *x, const struct agent_def *def,
                                 struct session *session, struct fault *fault)
{
    struct app *app = app_of(x);
    struct agent_extra extra = ash_agent_extra(def, &x->arena);
    struct file_put *files;
    size_t count;

    if (extra.files.n == 0)
        return FAULT_OK;
    if (ash_agent_files(extra.files, &x->arena, &files, &count, fault) != FAULT_OK ||
        workspaces_put_all(app->workspaces, x->request.caller.owner, session->id, files, count,
                           &x->arena, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < count; i++)
        if (files[i].fault.code)
            return fault_set(fault, FAULT_INVALID, "a file of the agent: %.400s",
                             files[i].fault.message);
    return store_session_get(app->store, x->request.caller.owner, session->id, false, &x->arena,
                             session, fault);
}

/* Who is told that there is no session finds none. */
static void give_up(struct exchange *x, struct str session)
{
    struct delete_spec spec = {.owner = x->request.caller.owner, .session = session};
    struct fault none;

    if (workspaces_delete(app_of(x)->workspaces, &spec, &none) != FAULT_OK)
        return; /* it stays, without its files */
}

enum fault_code ash_sessions_create(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct json_member m[C_COUNT] = {
        [C_AGENT] = JSON_MUST("agent", JSON_STRING),
        [C_ENV] = JSON_MAY("extraEnv", JSON_OBJECT),
    };
    struct create_spec spec = {.owner = x->request.caller.owner, .home = STR(ASH_HOME)};
    struct session session;
    struct agent_def def;

    memcpy(m, ash_config_members, sizeof(ash_config_members));
    if (ash_members(x, m, C_COUNT, fault) != FAULT_OK ||
        ash_agent_get(x, member_text(x, &m[C_AGENT]), &def, fault) != FAULT_OK ||
        settings_make(x, m, &def, &spec.settings, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.agent = def.name;
    if (engine_create(app->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    if (files_lay(x, &def, &session, fault) != FAULT_OK) {
        give_up(x, session.id);
        return fault_pass(fault);
    }
    atomic_fetch_add(&app->counts.sessions, 1);
    return ash_reply_session(x, &session, fault);
}

/* ---- one ---- */

enum fault_code ash_session_get(struct exchange *x, struct fault *fault)
{
    struct session session;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return ash_reply_session(x, &session, fault);
}

/* The settings of the agent, changed by what was sent. */
static enum fault_code agent_with(const struct json_member *m, const struct session *session,
                                  struct arena *arena, struct str *out, struct fault *fault)
{
    struct agent_settings settings;
    struct json_out json;
    struct buf text;

    if (agent_settings_read(session->settings, arena, &settings, fault) != FAULT_OK ||
        ash_config_apply(m, CONFIG_PATCHED, arena, &settings, fault) != FAULT_OK)
        return fault_pass(fault);
    buf_init(&text, (size_t)16 * LIMIT_METADATA_BYTES);
    json_out_init(&json, &text);
    agent_settings_write(&json, NULL, &settings);
    *out = buf_take(&text, arena);
    return FAULT_OK;
}

/* What is kept for ash, with its configuration changed likewise. */
static struct str life_with(const struct json_member *m, struct str now, struct arena *arena)
{
    struct json_value life = {JSON_OBJECT, now}, config = {JSON_OBJECT, STR("{}")};
    struct json_walk walk;
    struct json_out json;
    struct buf text;

    buf_init(&text, (size_t)16 * LIMIT_METADATA_BYTES);
    json_out_init(&json, &text);
    json_out_object(&json, NULL);
    for (json_walk_begin(&walk, &life); json_walk_next(&walk);) {
        if (str_eq(walk.key, STR("config"))) {
            config = walk.value;
            continue;
        }
        json_out_key(&json, walk.key);
        json_out_raw(&json, NULL, walk.value.raw);
    }
    json_out_raw(&json, "config", ash_config_merge(config.raw, m, CONFIG_PATCHED, arena));
    json_out_object_end(&json);
    return buf_take(&text, arena);
}

/* Both in one act: either all that was sent counts, or nothing of it. */
static enum fault_code change_config(void *context, const struct session *session, struct str now,
                                     struct arena *arena, struct str *out, struct fault *fault)
{
    struct str agent;

    if (agent_with(context, session, arena, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    *out =
        settings_with(now, ASH_SETTINGS,
                      life_with(context, settings_of(session, ASH_SETTINGS, arena), arena), arena);
    *out = settings_with(*out, "agent", agent, arena);
    return FAULT_OK;
}

enum fault_code ash_session_config(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct json_member m[CONFIG_PATCHED];
    int64_t sees = x->request.caller.sees;
    struct session session;

    memcpy(m, ash_config_members, sizeof(m));
    if (ash_members(x, m, CONFIG_PATCHED, fault) != FAULT_OK ||
        settings_update(app, sees, session_of(x), NULL, change_config, m, &x->arena, &session,
                        fault) != FAULT_OK)
        return fault_pass(fault);
    return ash_reply_session(x, &session, fault);
}

/* ---- several ---- */

/* Sessions as they are told: in the order in which they were made, the newest first. */
struct list {
    struct arena *arena;
    struct row {
        int64_t s;
        struct str object;
    } * rows;
    size_t count, room;
};

enum { ROW_BYTES = 8 * 1024 }; /* ids, times, and a name of an agent, escaped */

static enum fault_code gather(void *context, const struct session *session, struct fault *fault)
{
    struct list *list = context;
    struct json_out out;
    struct buf text;

    (void)fault;
    list->rows = arena_more(list->arena, list->rows, list->count, &list->room, sizeof(*list->rows));
    buf_init(&text, ROW_BYTES);
    json_out_init(&out, &text);
    ash_write_session(&out, NULL, session);
    list->rows[list->count++] = (struct row){session->s, buf_take(&text, list->arena)};
    return FAULT_OK;
}

static int newest_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->s > y->s ? -1 : x->s < y->s;
}

static enum fault_code list_reply(struct exchange *x, const struct list *list, struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    json_out_array(&out, "sessions");
    for (size_t i = 0; i < list->count; i++)
        json_out_raw(&out, NULL, list->rows[i].object);
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

enum fault_code ash_sessions_list(struct exchange *x, struct fault *fault)
{
    struct list list = {.arena = &x->arena};
    struct list_spec spec = {.owner = x->request.caller.sees, .archived = -1};

    if (query_text(x, 0).n)
        spec.agent = ash_agent_of(query_text(x, 0), &x->arena);
    if (store_session_list(app_of(x)->store, &spec, gather, &list, fault) != FAULT_OK)
        return fault_pass(fault);
    if (list.count)
        qsort(list.rows, list.count, sizeof(list.rows[0]), newest_first);
    return list_reply(x, &list, fault);
}

enum fault_code ash_session_history(struct exchange *x, struct fault *fault)
{
    struct list list = {.arena = &x->arena};

    if (store_relatives(app_of(x)->store, x->request.caller.sees, session_of(x), RELATION_ANCESTORS,
                        gather, &list, fault) != FAULT_OK)
        return fault_pass(fault);
    return list_reply(x, &list, fault);
}
