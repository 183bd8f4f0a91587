#include "dialect/ash/wire.h"

#include "base/utf8.h"

/* ---- bodies and texts ---- */

static const char *type_words(unsigned types)
{
    switch (types) {
    case JSON_STRING:
        return "string";
    case JSON_NUMBER:
        return "number";
    case JSON_BOOL:
        return "boolean";
    case JSON_ARRAY:
        return "array";
    case JSON_OBJECT:
        return "object";
    case JSON_STRING | JSON_ARRAY:
        return "string or array";
    default:
        return "of another type";
    }
}

static enum fault_code member_take(struct json_member *member, const struct json_value *value,
                                   struct fault *fault)
{
    if (value->type == JSON_NULL)
        return FAULT_OK;
    if (!(value->type & member->types))
        return fault_set(fault, FAULT_INVALID, "body/%s must be %s", member->name,
                         type_words(member->types));
    member->given = true;
    member->value = *value;
    return FAULT_OK;
}

enum fault_code ash_members(struct exchange *x, struct json_member *members, size_t count,
                            struct fault *fault)
{
    struct str body = x->request.body.n ? x->request.body : STR("{}");
    struct json_value value;
    struct json_walk walk;

    if (json_read(body, LIMIT_JSON_DEPTH, "the body", &value, fault) != FAULT_OK)
        return fault_pass(fault);
    if (value.type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "body must be object");
    for (json_walk_begin(&walk, &value); json_walk_next(&walk);)
        for (size_t i = 0; i < count; i++)
            if (str_eq(walk.key, str_of(members[i].name)) &&
                member_take(&members[i], &walk.value, fault) != FAULT_OK)
                return fault_pass(fault);
    for (size_t i = 0; i < count; i++)
        if (members[i].required && !members[i].given)
            return fault_set(fault, FAULT_INVALID, "body must have required property '%s'",
                             members[i].name);
    return FAULT_OK;
}

bool ash_object(struct str text, struct json_value *out)
{
    struct fault none;

    return text.n && json_read(text, ASH_STORED_DEPTH, "it", out, &none) == FAULT_OK &&
           out->type == JSON_OBJECT;
}

struct str ash_clean(struct str bytes, struct arena *arena)
{
    char *text;

    if (bytes.n == 0 || utf8_valid(bytes))
        return bytes.n ? bytes : STR("");
    text = arena_array(arena, bytes.n, UTF8_CLEAN);
    return (struct str){text, utf8_clean(bytes, text)};
}

bool ash_path_fits(struct str path)
{
    return path.n && path.p[0] != '/' && !memmem(path.p, path.n, "..", 2);
}

/* ---- the life of a session ---- */

static const char *const statuses[ASH_STATUS_COUNT] = {
    [ASH_ACTIVE] = "active",
    [ASH_PAUSED] = "paused",
    [ASH_STOPPED] = "stopped",
    [ASH_ENDED] = "ended",
};

const char *ash_status_name(enum ash_status status)
{
    return statuses[status];
}

/* Does what its settings say hold for this session? */
static bool is_its_own(const struct session *session, const struct json_value *life,
                       struct arena *arena)
{
    struct str of = member_string(life, "of", arena), from = member_string(life, "from", arena);

    if (of.n)
        return str_eq(of, session->id);
    return from.n && session->parent.known && str_eq(from, session->parent.session);
}

enum ash_status ash_status_of(const struct session *session)
{
    enum ash_status found = ASH_ACTIVE;
    struct json_value life;
    struct arena arena;

    if (session->state == SESSION_DELETED)
        return ASH_ENDED;
    arena_init(&arena);
    if (ash_object(settings_of(session, ASH_SETTINGS, &arena), &life) &&
        is_its_own(session, &life, &arena)) {
        struct str name = member_string(&life, "status", &arena);

        for (int i = 0; i < ASH_STATUS_COUNT; i++)
            if (str_eq(name, str_of(statuses[i])))
                found = (enum ash_status)i;
    }
    arena_clear(&arena);
    return found;
}

struct str ash_life_write(struct str now, enum ash_status status, const char *whose, struct str id,
                          struct arena *arena)
{
    struct json_value config, life;
    struct json_out out;
    struct buf text;

    buf_init(&text, now.n + id.n * 6 + 256);
    json_out_init(&out, &text);
    json_out_object(&out, NULL);
    json_out_plain(&out, "status", str_of(statuses[status]));
    json_out_string(&out, whose, id);
    if (ash_object(now, &life) && member_at(&life, "config", &config))
        json_out_raw(&out, "config", config.raw);
    json_out_object_end(&out);
    return buf_take(&text, arena);
}

enum fault_code ash_session(struct exchange *x, struct session *out, struct fault *fault)
{
    return store_session_get(app_of(x)->store, x->request.caller.sees, session_of(x), false,
                             &x->arena, out, fault);
}

enum fault_code ash_session_active(struct exchange *x, struct session *out, struct fault *fault)
{
    enum ash_status status;

    if (ash_session(x, out, fault) != FAULT_OK)
        return fault_pass(fault);
    status = ash_status_of(out);
    if (status != ASH_ACTIVE)
        return fault_set(fault, FAULT_INVALID, "Session is %s", statuses[status]);
    return FAULT_OK;
}

/* ---- agents ---- */

#define OWN_SPACE "default"
#define BETWEEN   "--"

static const char *between_in(struct str s)
{
    return s.n ? memmem(s.p, s.n, BETWEEN, 2) : NULL;
}

/* A namespace after which the two hyphens could not be found again is shown with its slash. */
struct str ash_agent_name(struct str agent, struct arena *arena)
{
    const char *slash = agent.n ? memchr(agent.p, '/', agent.n) : NULL;
    struct str space, name;

    if (!slash)
        return agent;
    space = (struct str){agent.p, (size_t)(slash - agent.p)};
    name = (struct str){slash + 1, agent.n - space.n - 1};
    if (str_eq(space, STR(OWN_SPACE)) && !between_in(name))
        return name;
    if (between_in(space) || (space.n && space.p[space.n - 1] == '-'))
        return agent;
    return arena_printf(arena, "%.*s" BETWEEN "%.*s", STR_ARG(space), STR_ARG(name));
}

struct str ash_agent_of(struct str name, struct arena *arena)
{
    const char *between = between_in(name);
    size_t n = between ? (size_t)(between - name.p) : 0;

    if (name.n == 0 || memchr(name.p, '/', name.n))
        return name;
    if (n == 0 || n + 2 == name.n)
        return arena_printf(arena, OWN_SPACE "/%.*s", STR_ARG(name));
    return arena_printf(arena, "%.*s/%.*s", (int)n, name.p, (int)(name.n - n - 2), between + 2);
}

enum fault_code ash_agent_get(struct exchange *x, struct str name, struct agent_def *out,
                              struct fault *fault)
{
    struct str agent = ash_agent_of(name, &x->arena);
    enum fault_code code = FAULT_AGENT_NOT_FOUND;

    if (agent.n)
        code = agents_get(app_of(x)->agents, agent, &x->arena, out, fault);
    if (code != FAULT_AGENT_NOT_FOUND)
        return code;
    return fault_set(fault, FAULT_AGENT_NOT_FOUND, "Agent \"%.*s\" not found",
                     (int)(name.n < 200 ? name.n : 200), name.n ? name.p : "");
}

/* ---- objects ---- */

void ash_write_session(struct json_out *out, const char *key, const struct session *session)
{
    struct arena arena;

    arena_init(&arena);
    json_out_object(out, key);
    json_out_string(out, "id", session->id);
    json_out_string(out, "tenantId", session->owner);
    json_out_string(out, "agentName", ash_agent_name(session->agent, &arena));
    json_out_string(out, "sandboxId", session->id);
    json_out_plain(out, "status", str_of(statuses[ash_status_of(session)]));
    json_out_null(out, "runnerId");
    json_out_name(out, "parentSessionId",
                  session->parent.known ? session->parent.session : STR_NONE);
    json_out_time(out, "createdAt", session->created_us);
    json_out_time(out, "lastActiveAt", session->updated_us);
    json_out_object_end(out);
    arena_clear(&arena);
}

enum fault_code ash_reply_session(struct exchange *x, const struct session *session,
                                  struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    ash_write_session(&out, "session", session);
    return reply_close(x, &out, fault);
}
