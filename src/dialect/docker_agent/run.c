/* A run: the agent of the path answers what the user says, and the reply tells it as it comes. */
#include "dialect/docker_agent/chat.h"
#include "dialect/docker_agent/voice.h"

#define FAILED "failed to run session"

enum { PARAM_SESSION, PARAM_AGENT, PARAM_MEMBER };

/* What the body says. */
struct wish {
    struct entry_spec said;
    struct str model; /* empty: none in particular */
};

/* ---- the body ---- */

/* Clients send all that their user has said so far: only the last one is new. */
static enum fault_code last_read(const struct json_value *list, struct arena *arena,
                                 struct entry_spec *out, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("content", JSON_STRING),
                              JSON_MAY("multi_content", JSON_ARRAY)};
    struct json_value last = {0};
    struct json_walk walk;

    for (json_walk_begin(&walk, list); json_walk_next(&walk);)
        last = walk.value;
    if (!last.type)
        return fault_set(fault, FAULT_INVALID, "invalid request body: there is no message in it");
    if (chat_read(&last, ROLE_USER, NULL, arena, out, fault) != FAULT_OK ||
        docker_members(&last, "message", m, 2, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!m[1].given && (!m[0].given || json_inside(&m[0].value).n == 0))
        return fault_set(fault, FAULT_INVALID, "invalid request body: the last message is empty");
    return FAULT_OK;
}

/* A list of messages, or an object that has it. */
static enum fault_code wish_read(struct exchange *x, struct wish *out, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("messages", JSON_ARRAY), JSON_MAY("model", JSON_STRING)};
    struct json_value body;

    if (docker_body(x, JSON_ARRAY | JSON_OBJECT, &body, fault) != FAULT_OK)
        return fault_pass(fault);
    if (body.type == JSON_ARRAY)
        return last_read(&body, &x->arena, &out->said, fault);
    if (docker_members(&body, NULL, m, 2, &x->arena, fault) != FAULT_OK)
        return fault_pass(fault);
    out->model = member_text(x, &m[1]);
    if (!m[0].given)
        return fault_set(fault, FAULT_INVALID, "invalid request body: there is no message in it");
    return last_read(&m[0].value, &x->arena, &out->said, fault);
}

/* ---- who answers ---- */

static enum fault_code agent_find(struct exchange *x, struct agent_def *out, struct fault *fault)
{
    const struct str *params = x->request.params;
    struct team team;

    if (team_load(x, &team, fault) != FAULT_OK ||
        team_find(&team, params[PARAM_AGENT], out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!team_has_member(out, params[PARAM_MEMBER]))
        return fault_set(fault, FAULT_AGENT_NOT_FOUND, "agent \"%.*s\" not found in \"%.*s\"",
                         STR_ARG(params[PARAM_MEMBER]), STR_ARG(params[PARAM_AGENT]));
    return FAULT_OK;
}

/* It can be run at all, before anything is changed. */
static enum fault_code agent_try(struct exchange *x, const struct agent_def *def,
                                 struct fault *fault)
{
    struct agents *agents = app_of(x)->agents;
    struct agent *agent;

    if (agents_take(agents, def->name, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    agents_give(agents, agent);
    return FAULT_OK;
}

/* From now on the agent of the path is the session's. */
static enum fault_code agent_set(struct exchange *x, const struct agent_def *def,
                                 struct session *session, struct fault *fault)
{
    struct update_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .agent = &def->name,
    };

    if (str_eq(session->agent, def->name))
        return FAULT_OK;
    return engine_update(app_of(x)->engine, &spec, &x->arena, session, fault);
}

/* ---- the model ---- */

struct choice {
    struct str model;
    bool stays; /* it was said, and is the session's from now on */
};

/* What is kept for this dialect, with the model as the one that the session wants. */
static enum fault_code override(struct str now, struct str model, struct arena *arena,
                                struct str *out, struct fault *fault)
{
    struct json_value own, overrides = {JSON_OBJECT, STR("{}")};
    struct json_out json;
    struct buf text;

    if (json_read(now, LIMIT_JSON_DEPTH, "the session's settings", &own, fault) != FAULT_OK)
        return fault_pass(fault);
    (void)member_at(&own, "agent_model_overrides", &overrides);
    buf_init(&text, 8 * model.n + 64);
    json_out_init(&json, &text);
    json_out_string(&json, NULL, model);
    *out = settings_with(now, "agent_model_overrides",
                         settings_with(overrides.raw, "root", buf_str(&text), arena), arena);
    buf_clear(&text);
    return FAULT_OK;
}

/* Both members in one act: what is too large is refused as a whole. */
static enum fault_code set_model(void *context, const struct session *session, struct str now,
                                 struct arena *arena, struct str *out, struct fault *fault)
{
    const struct choice *choice = context;
    struct agent_settings agent;
    struct str own = settings_of(session, KEPT_MEMBER, arena);

    if (agent_settings_read(session->settings, arena, &agent, fault) != FAULT_OK ||
        (choice->stays && override(own, choice->model, arena, &own, fault) != FAULT_OK))
        return fault_pass(fault);
    agent.model = choice->model;
    *out = settings_with(now, KEPT_MEMBER, own, arena);
    *out = settings_with(*out, "agent", kept_agent_text(&agent, arena), arena);
    return FAULT_OK;
}

/* A model that is said stays; else the one that the session was made with for this agent. */
static enum fault_code model_set(struct exchange *x, struct str model, struct session *session,
                                 struct kept *kept, struct fault *fault)
{
    struct choice choice = {model, model.n > 0};

    if (!choice.stays)
        choice.model = kept_model(kept, DOCKER_MEMBER, &x->arena);
    if (choice.model.n == 0 || (!choice.stays && str_eq(choice.model, kept->agent.model)))
        return FAULT_OK;
    if (settings_update(app_of(x), x->request.caller.sees, session->id, NULL, set_model, &choice,
                        &x->arena, session, fault) != FAULT_OK)
        return fault_pass(fault);
    return kept_read(session, &x->arena, kept, fault);
}

/* An agent without a model has none that could be another. */
static enum fault_code reply_no_model(struct exchange *x, struct fault *fault)
{
    struct json_out out;

    x->reply.status = 422;
    reply_open(x, &out);
    json_out_string(&out, "message", STR("model switching is not supported by this agent"));
    json_out_object_end(&out);
    return docker_reply(x, fault);
}

/* ---- the run ---- */

static enum fault_code already(struct fault *fault)
{
    return fault_set(fault, FAULT_TURN_RUNNING, "session is already processing a request");
}

static enum fault_code run(struct exchange *x, struct session *session, const struct agent_def *def,
                           struct wish *wish, struct fault *fault)
{
    struct turn_cmd cmd = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .entries = &wish->said,
        .count = 1,
        .busy = TURN_REFUSE,
    };
    struct feed_voice voice;
    struct kept kept;

    if (kept_read(session, &x->arena, &kept, fault) != FAULT_OK ||
        model_set(x, wish->model, session, &kept, fault) != FAULT_OK ||
        agent_set(x, def, session, fault) != FAULT_OK)
        return fault_pass(fault);
    voice = voice_make(x, session, &kept, def);
    return feed_send(x, &cmd, &voice, fault);
}

enum fault_code docker_session_run(struct exchange *x, struct fault *fault)
{
    struct wish wish = {0};
    struct session session;
    struct agent_def def;
    enum fault_code code;

    if (wish_read(x, &wish, fault) != FAULT_OK)
        return fault_pass(fault);
    if (docker_session(x, &session, fault) != FAULT_OK || agent_find(x, &def, fault) != FAULT_OK)
        return docker_failed(fault, FAILED);
    if (run_active(session.turn_state))
        return already(fault);
    if (agent_try(x, &def, fault) != FAULT_OK)
        return docker_failed(fault, FAILED);
    if (wish.model.n && def.model.n == 0)
        return reply_no_model(x, fault);
    code = run(x, &session, &def, &wish, fault);
    if (code == FAULT_TURN_RUNNING)
        return already(fault);
    return code ? docker_failed(fault, FAILED) : FAULT_OK;
}

/* ---- a message that nobody answers ---- */

enum fault_code docker_message_add(struct exchange *x, struct fault *fault)
{
    static const char failed[] = "failed to add message";
    struct json_member wrapped = JSON_MAY("message", JSON_OBJECT);
    struct json_member message = JSON_MAY("message", JSON_OBJECT);
    struct append_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct append_result result = {0};
    struct entry_spec entry;

    if (docker_fields(x, &wrapped, 1, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!wrapped.given)
        return fault_set(fault, FAULT_INVALID, "message is required");
    if (docker_members(&wrapped.value, "message", &message, 1, &x->arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!message.given)
        return fault_set(fault, FAULT_INVALID,
                         "message is required: {\"message\": {\"message\": "
                         "{\"role\", \"content\"}}}");
    if (chat_read(&message.value, ROLE_NONE, &wrapped.value, &x->arena, &entry, fault) != FAULT_OK)
        return fault_pass(fault);
    if (workspaces_append(app_of(x)->workspaces, &spec, &entry, 1, &x->arena, &result, fault) !=
        FAULT_OK)
        return docker_failed(fault, failed);
    atomic_fetch_add(&app_of(x)->counts.messages, 1);
    x->reply.fixed = STR("{\"status\":\"added\"}\n");
    return FAULT_OK;
}
