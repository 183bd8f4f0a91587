/* Agents: who there is to answer. */
#include "dialect/native/handler.h"

/* ---- out ---- */

static void write_start(struct json_out *out, const struct agent_def *def)
{
    const char *slash = def->name.n ? memchr(def->name.p, '/', def->name.n) : NULL;
    size_t before = slash ? (size_t)(slash - def->name.p) : 0;
    size_t behind = slash ? before + 1 : 0;

    json_out_object(out, NULL);
    json_out_string(out, "id", def->name);
    json_out_string(out, "namespace", (struct str){def->name.p, before});
    json_out_string(out, "name", (struct str){def->name.p + behind, def->name.n - behind});
    json_out_string(out, "kind", def->kind);
    json_out_string(out, "description", def->description);
    json_out_string(out, "model", def->model);
    json_out_bool(out, "default", def->is_default);
    json_out_bool(out, "fixed", def->fixed);
}

static enum fault_code visit(void *context, const struct agent_def *def, struct fault *fault)
{
    (void)fault;
    write_start(context, def);
    json_out_object_end(context);
    return FAULT_OK;
}

/* The rest of the definition, as it is kept: for those who may change it. */
static void write_rest(struct json_out *out, const struct agent_def *def, struct arena *arena)
{
    struct str kept = agent_def_write(def, arena);
    struct json_value body;
    struct json_walk walk;
    struct fault fault;

    if (json_read(kept, LIMIT_JSON_DEPTH, "the agent", &body, &fault) != FAULT_OK)
        return;
    json_walk_begin(&walk, &body);
    while (json_walk_next(&walk)) {
        if (str_eq(walk.key, STR("kind")) || str_eq(walk.key, STR("description")) ||
            str_eq(walk.key, STR("model")) || str_eq(walk.key, STR("default")))
            continue;
        json_out_key(out, walk.key);
        json_out_raw(out, NULL, walk.value.raw);
    }
}

enum fault_code native_agents_all(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    json_out_array(&out, "agents");
    if (agents_list(app_of(x)->agents, visit, &out, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

/* The name that the path has in two pieces. */
static struct str name_of(struct exchange *x)
{
    return arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(x->request.params[0]),
                        STR_ARG(x->request.params[1]));
}

struct agent_reply {
    struct agent_def def;
    struct arena *arena;
    bool whole; /* with what only those see who may change it */
};

static void write_agent(struct json_out *out, const void *reply_)
{
    const struct agent_reply *reply = reply_;

    write_start(out, &reply->def);
    if (reply->whole)
        write_rest(out, &reply->def, reply->arena);
    json_out_object_end(out);
}

static enum fault_code reply_agent(struct exchange *x, struct str name, struct fault *fault)
{
    struct agent_reply reply = {.arena = &x->arena,
                                .whole = x->request.caller.right >= RIGHT_ADMIN};

    if (agents_get(app_of(x)->agents, name, &x->arena, &reply.def, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_object(x, write_agent, &reply, fault);
}

enum fault_code native_agent_get(struct exchange *x, struct fault *fault)
{
    return reply_agent(x, name_of(x), fault);
}

/* ---- in ---- */

static bool names_agent(struct str key)
{
    return str_eq(key, STR("id")) || str_eq(key, STR("namespace")) || str_eq(key, STR("name")) ||
           str_eq(key, STR("fixed"));
}

/*
 * Takes out of a body what says which agent it is, so that what a client was given can be sent
 * back; *id is the "id", p == NULL without one.
 */
static enum fault_code body_split(struct exchange *x, struct str *rest, struct str *id,
                                  struct fault *fault)
{
    struct json_value body;
    struct json_walk walk;
    struct json_out out;
    struct buf text;

    if (json_read(x->request.body, LIMIT_JSON_DEPTH, "the body", &body, fault) != FAULT_OK)
        return fault_pass(fault);
    if (body.type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "the body must be an object");
    *id = STR_NONE;
    buf_init(&text, 2 * (size_t)BODY_SMALL + 64);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_walk_begin(&walk, &body);
    while (json_walk_next(&walk)) {
        if (!names_agent(walk.key)) {
            json_out_key(&out, json_unescape(walk.key, &x->arena));
            json_out_raw(&out, NULL, walk.value.raw);
        } else if (str_eq(walk.key, STR("id")) && walk.value.type == JSON_STRING) {
            *id = json_text(&walk.value, &x->arena);
        }
    }
    json_out_object_end(&out);
    *rest = buf_take(&text, &x->arena);
    return FAULT_OK;
}

enum fault_code native_agents_post(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct agent_reply reply = {.arena = &x->arena, .whole = true}; /* of an admin's route */
    struct agent_def def = {0};
    struct reply_once kept;
    struct once *once;
    struct str body, id;

    if (body_split(x, &body, &id, fault) != FAULT_OK)
        return fault_pass(fault);
    if (id.n == 0)
        return fault_set(fault, FAULT_INVALID, "member \"id\" is missing: \"namespace/name\"");
    if (agent_def_read(body, &x->arena, &def, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &kept, write_agent, &reply, &once, fault) != FAULT_OK)
        return fault_pass(fault);
    def.name = id;
    if (agents_create(app->agents, &def, engine_now_us(app->engine), once, &x->arena, &reply.def,
                      fault) != FAULT_OK)
        return fault_pass(fault);
    return once_reply(x, &kept, NULL, fault);
}

enum fault_code native_agent_put(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct agent_def def = {0};
    struct str name = name_of(x), body, id;

    if (body_split(x, &body, &id, fault) != FAULT_OK)
        return fault_pass(fault);
    if (id.p && !str_eq(id, name))
        return fault_set(fault, FAULT_INVALID, "\"id\" is not the agent of the path");
    if (agent_def_read(body, &x->arena, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    def.name = name;
    if (agents_put(app->agents, &def, false, engine_now_us(app->engine), fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_agent(x, name, fault);
}

enum fault_code native_agent_delete(struct exchange *x, struct fault *fault)
{
    return agents_remove(app_of(x)->agents, name_of(x), fault);
}
