/* What is changed of a session beside its conversation: title, permissions, marks, tokens. */
#include "dialect/docker_agent/kept.h"

enum fault_code docker_title_patch(struct exchange *x, struct fault *fault)
{
    struct json_member title = JSON_MAY("title", JSON_STRING);
    struct update_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct session session;
    struct json_out out;
    struct str text;

    if (docker_fields(x, &title, 1, fault) != FAULT_OK)
        return fault_pass(fault);
    text = title.given ? member_text(x, &title) : STR("");
    spec.title = &text;
    if (engine_update(app_of(x)->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return docker_failed(fault, "failed to update session title");
    reply_open(x, &out);
    json_out_string(&out, "id", session.id);
    json_out_string(&out, "title", session.title);
    json_out_object_end(&out);
    return docker_reply(x, fault);
}

/* ---- what it asks of its agent ---- */

static enum fault_code change_agent(struct exchange *x, settings_change *change, void *context,
                                    const char *failed, struct fault *fault)
{
    struct session session;

    if (settings_update(app_of(x), x->request.caller.sees, session_of(x), "agent", change, context,
                        &x->arena, &session, fault) != FAULT_OK)
        return docker_failed(fault, failed);
    return FAULT_OK;
}

static enum fault_code set_permissions(void *context, const struct session *session, struct str now,
                                       struct arena *arena, struct str *out, struct fault *fault)
{
    const struct agent_settings *rules = context;
    struct agent_settings agent;

    (void)now;
    if (agent_settings_read(session->settings, arena, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    agent.allow = rules->allow;
    agent.ask = rules->ask;
    agent.deny = rules->deny;
    *out = kept_agent_text(&agent, arena);
    return FAULT_OK;
}

enum fault_code docker_permissions_patch(struct exchange *x, struct fault *fault)
{
    struct json_member permissions = JSON_MAY("permissions", JSON_OBJECT);
    struct agent_settings rules = {0};

    if (docker_fields(x, &permissions, 1, fault) != FAULT_OK ||
        (permissions.given &&
         kept_permissions(&permissions.value, &x->arena, &rules, fault) != FAULT_OK) ||
        change_agent(x, set_permissions, &rules, "failed to update session permissions", fault) !=
            FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"message\":\"session permissions updated\"}\n");
    return FAULT_OK;
}

static enum fault_code toggle_tools(void *context, const struct session *session, struct str now,
                                    struct arena *arena, struct str *out, struct fault *fault)
{
    struct kept kept;

    (void)context;
    (void)now;
    if (kept_read(session, arena, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    kept_approve(&kept.agent, !kept_approved(&kept));
    *out = kept_agent_text(&kept.agent, arena);
    return FAULT_OK;
}

enum fault_code docker_tools_toggle(struct exchange *x, struct fault *fault)
{
    if (change_agent(x, toggle_tools, NULL, "failed to toggle session tool approval mode", fault) !=
        FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("null\n");
    return FAULT_OK;
}

/* ---- what is only given back ---- */

static enum fault_code change_own(struct exchange *x, settings_change *change, void *context,
                                  const char *failed, struct fault *fault)
{
    struct session session;

    if (settings_update(app_of(x), x->request.caller.sees, session_of(x), KEPT_MEMBER, change,
                        context, &x->arena, &session, fault) != FAULT_OK)
        return docker_failed(fault, failed);
    return FAULT_OK;
}

static struct str flag_text(bool flag)
{
    return flag ? STR("true") : STR("false");
}

static enum fault_code toggle_thinking(void *context, const struct session *session, struct str now,
                                       struct arena *arena, struct str *out, struct fault *fault)
{
    struct kept kept;

    (void)context;
    if (kept_read(session, arena, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = settings_with(now, "thinking", flag_text(!kept_own_flag(&kept, "thinking")), arena);
    return FAULT_OK;
}

enum fault_code docker_thinking_toggle(struct exchange *x, struct fault *fault)
{
    if (change_own(x, toggle_thinking, NULL, "failed to toggle session thinking mode", fault) !=
        FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("null\n");
    return FAULT_OK;
}

static enum fault_code set_starred(void *context, const struct session *session, struct str now,
                                   struct arena *arena, struct str *out, struct fault *fault)
{
    const bool *starred = context;

    (void)session;
    (void)fault;
    *out = settings_with(now, "starred", flag_text(*starred), arena);
    return FAULT_OK;
}

enum fault_code docker_starred_patch(struct exchange *x, struct fault *fault)
{
    struct json_member member = JSON_MAY("starred", JSON_BOOL);
    bool starred;

    if (docker_fields(x, &member, 1, fault) != FAULT_OK)
        return fault_pass(fault);
    starred = docker_flag(&member);
    if (change_own(x, set_starred, &starred, "failed to set starred", fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"status\":\"updated\"}\n");
    return FAULT_OK;
}

/*
 * Tokens that a client counted itself. What tine had counted then is kept with them, so that later
 * turns add to the client's number; and the session's id, because a fork counts its own.
 */
static enum fault_code set_tokens(void *context, const struct session *session, struct str now,
                                  struct arena *arena, struct str *out, struct fault *fault)
{
    const struct usage *said = context;
    struct json_out json;
    struct buf text;

    (void)fault;
    buf_init(&text, (size_t)8 * 1024);
    json_out_init(&json, &text);
    json_out_object(&json, NULL);
    json_out_string(&json, "session", session->id);
    json_out_int(&json, "input", said->input);
    json_out_int(&json, "input_then", session->own.input + session->inherited.input);
    json_out_int(&json, "output", said->output);
    json_out_int(&json, "output_then", session->own.output + session->inherited.output);
    json_out_int(&json, "cost", said->cost);
    json_out_int(&json, "cost_then", session->own.cost);
    json_out_object_end(&json);
    *out = settings_with(now, "tokens", buf_str(&text), arena);
    buf_clear(&text);
    return FAULT_OK;
}

enum fault_code docker_tokens_patch(struct exchange *x, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("input_tokens", JSON_NUMBER),
                              JSON_MAY("output_tokens", JSON_NUMBER),
                              JSON_MAY("cost", JSON_NUMBER)};
    struct usage said = {0};

    if (docker_fields(x, m, 3, fault) != FAULT_OK)
        return fault_pass(fault);
    if ((m[0].given && !json_int(&m[0].value, 0, LIMIT_USAGE_TOKENS, &said.input)) ||
        (m[1].given && !json_int(&m[1].value, 0, LIMIT_USAGE_TOKENS, &said.output)))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: tokens must be whole numbers from 0 to 1e12");
    if (m[2].given && (!json_cost(&m[2].value, &said.cost) || said.cost > LIMIT_USAGE_COST))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: \"cost\" must be a number from 0 to 1e6");
    if (change_own(x, set_tokens, &said, "failed to update tokens", fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"status\":\"updated\"}\n");
    return FAULT_OK;
}
