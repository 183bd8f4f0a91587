/* Sessions: made, listed, looked at, changed, deleted. */
#include "dialect/kagent/handler.h"

void kagent_session_write(struct json_out *out, const char *key, const struct session *session,
                          struct str user, struct arena *arena)
{
    struct kept kept = kagent_kept_read(session, arena);

    json_out_object(out, key);
    json_out_string(out, "id", session->id);
    if (session->title.n)
        json_out_string(out, "name", session->title);
    json_out_string(out, "user_id", user);
    kagent_time_write(out, "created_at", session->created_us, 0);
    kagent_time_write(out, "updated_at", session->updated_us, 0);
    json_out_string(out, "agent_id", kagent_agent_encode(session->agent, arena));
    if (kept.source.n)
        json_out_string(out, "source", kept.source);
    if (session->parent.known) {
        json_out_object(out, "forked_from");
        json_out_string(out, "session_id", session->parent.session);
        json_out_object_end(out);
    }
    json_out_object_end(out);
}

static enum fault_code reply_session(struct exchange *x, const struct who *who,
                                     const struct session *session, const char *message,
                                     struct fault *fault)
{
    struct json_out out;

    kagent_envelope_open(x, &out);
    kagent_session_write(&out, "data", session, who->name, &x->arena);
    return kagent_envelope_close(x, &out, message, fault);
}

enum fault_code kagent_session_find(struct exchange *x, const struct who *who, struct str id,
                                    const char *words, struct session *out, struct fault *fault)
{
    enum fault_code code =
        store_session_get(app_of(x)->store, who->owner, id, false, &x->arena, out, fault);

    return code ? kagent_say(fault, words) : FAULT_OK;
}

/* ---- making ---- */

static enum fault_code ref_read(struct exchange *x, struct str ref, struct str *agent,
                                struct fault *fault)
{
    struct str shown = {ref.p, ref.n < 100 ? ref.n : 100};
    struct str words;
    enum fault_code code = kagent_agent_accept(x, ref, agent, fault);

    if (!code)
        return FAULT_OK;
    words = arena_printf(&x->arena, "Agent ref is invalid, please check the agent ref %.*s",
                         STR_ARG(shown));
    return kagent_say(fault, words.p);
}

struct making {
    struct str id, name, agent, source;
};

enum { C_AGENT_REF, C_ID, C_NAME, C_SOURCE, C_COUNT };

static enum fault_code making_read(struct exchange *x, struct making *out, struct fault *fault)
{
    struct json_member m[C_COUNT] = {
        [C_AGENT_REF] = JSON_MAY("agent_ref", JSON_STRING),
        [C_ID] = JSON_MAY("id", JSON_STRING),
        [C_NAME] = JSON_MAY("name", JSON_STRING),
        [C_SOURCE] = JSON_MAY("source", JSON_STRING),
    };
    struct str ref;

    if (kagent_body_find(x, m, C_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    ref = member_text(x, &m[C_AGENT_REF]);
    if (ref.n == 0)
        return fault_set(fault, FAULT_INVALID, "agent_ref is required");
    out->id = member_text(x, &m[C_ID]);
    out->name = member_text(x, &m[C_NAME]);
    out->source = member_text(x, &m[C_SOURCE]);
    if (out->source.n && !str_eq(out->source, STR("user")) && !str_eq(out->source, STR("agent")))
        return fault_set(fault, FAULT_INVALID,
                         "Invalid request body: source must be \"user\" or \"agent\"");
    return ref_read(x, ref, &out->agent, fault);
}

static enum fault_code make(struct exchange *x, const struct who *who, const struct making *making,
                            struct session *out, struct fault *fault)
{
    struct kept kept = {.source = making->source};
    struct create_spec spec = {
        .owner = who->owner,
        .id = making->id,
        .title = making->name,
        .agent = making->agent,
        .home = STR("kagent"),
        .settings = kagent_kept_settings(&kept, &x->arena),
    };

    return engine_create(app_of(x)->engine, &spec, &x->arena, out, fault);
}

/* A known id: its name, agent and source are those of the request, also when it has none. */
static enum fault_code make_anew(struct exchange *x, const struct who *who,
                                 const struct making *making, struct session *out,
                                 struct fault *fault)
{
    struct str name = making->name.p ? making->name : STR("");
    struct update_spec spec = {
        .owner = who->owner, .session = making->id, .title = &name, .agent = &making->agent};

    if (kagent_kept_source(app_of(x), who->owner, making->id, making->source, &x->arena, out,
                           fault) != FAULT_OK)
        return fault_pass(fault);
    return engine_update(app_of(x)->engine, &spec, &x->arena, out, fault);
}

enum fault_code kagent_sessions_create(struct exchange *x, struct fault *fault)
{
    struct making making = {0};
    struct session session;
    enum fault_code code;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK || making_read(x, &making, fault) != FAULT_OK)
        return fault_pass(fault);
    code = make(x, &who, &making, &session, fault);
    if (code == FAULT_EXISTS)
        code = make_anew(x, &who, &making, &session, fault);
    else if (code == FAULT_OK)
        atomic_fetch_add(&app_of(x)->counts.sessions, 1);
    if (code)
        return kagent_say(fault, "Failed to create session");
    return reply_session(x, &who, &session, "Successfully created session", fault);
}

enum fault_code kagent_session_make(struct exchange *x, const struct who *who, struct str id,
                                    struct session *out, struct fault *fault)
{
    struct str ref = request_header(&x->request, "X-Agent-Name");
    struct making making = {.id = id};
    enum fault_code code;

    if (ref.n == 0)
        return fault_set(fault, FAULT_INVALID,
                         "contextId \"%.*s\" names no session, and X-Agent-Name does not say whose "
                         "it would be",
                         (int)(id.n < 100 ? id.n : 100), id.p ? id.p : "");
    if (ref_read(x, ref, &making.agent, fault) != FAULT_OK)
        return fault_pass(fault);
    code = make(x, who, &making, out, fault);
    if (code == FAULT_EXISTS) /* it was made meanwhile */
        return store_session_get(app_of(x)->store, who->owner, id, false, &x->arena, out, fault);
    if (!code)
        atomic_fetch_add(&app_of(x)->counts.sessions, 1);
    return code;
}

/* ---- lists ---- */

struct rows {
    struct exchange *x;
    struct json_out out;
    const struct who *who;
    bool by_users; /* without those that agents have made */
};

static enum fault_code add_row(void *context, const struct session *session, struct fault *fault)
{
    struct rows *rows = context;

    (void)fault;
    if (!rows->by_users || !str_eq(kagent_kept_read(session, &rows->x->arena).source, STR("agent")))
        kagent_session_write(&rows->out, NULL, session, rows->who->name, &rows->x->arena);
    return FAULT_OK;
}

static enum fault_code list(struct exchange *x, struct str agent, bool by_users,
                            struct fault *fault)
{
    struct rows rows = {.x = x, .by_users = by_users};
    struct list_spec spec = {.agent = agent};
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.owner = who.owner;
    rows.who = &who;
    kagent_envelope_open(x, &rows.out);
    json_out_array(&rows.out, "data");
    if (store_session_list(app_of(x)->store, &spec, add_row, &rows, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to list sessions");
    json_out_array_end(&rows.out);
    return kagent_envelope_close(x, &rows.out, "Successfully listed sessions", fault);
}

enum fault_code kagent_sessions_list(struct exchange *x, struct fault *fault)
{
    return list(x, STR_NONE, false, fault);
}

enum fault_code kagent_sessions_of_agent(struct exchange *x, struct fault *fault)
{
    struct str ref = arena_printf(&x->arena, "%.*s/%.*s", STR_ARG(x->request.params[0]),
                                  STR_ARG(x->request.params[1]));
    struct agent_def def;

    if (kagent_agent_find(app_of(x), ref, &x->arena, &def, fault) != FAULT_OK)
        return kagent_say(fault, "Agent not found");
    return list(x, def.name, true, fault);
}

/* ---- one ---- */

enum fault_code kagent_session_change(struct exchange *x, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("name", JSON_STRING), JSON_MAY("agent_ref", JSON_STRING)};
    struct update_spec spec = {.session = session_of(x)};
    struct session session;
    struct str name, ref, agent;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK || kagent_body_find(x, m, 2, fault) != FAULT_OK)
        return fault_pass(fault);
    name = member_text(x, &m[0]);
    ref = member_text(x, &m[1]);
    if (!m[0].given && ref.n == 0)
        return fault_set(fault, FAULT_INVALID, "at least one of name or agent_ref is required");
    if (kagent_session_find(x, &who, spec.session, "Session not found", &session, fault) !=
            FAULT_OK ||
        (ref.n && ref_read(x, ref, &agent, fault) != FAULT_OK))
        return fault_pass(fault);
    spec.owner = who.owner;
    spec.title = m[0].given ? &name : NULL;
    spec.agent = ref.n ? &agent : NULL;
    if (engine_update(app_of(x)->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to update session");
    return reply_session(x, &who, &session, "Successfully updated session", fault);
}

enum fault_code kagent_session_delete(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct delete_spec spec = {.session = session_of(x)};
    enum fault_code code;
    struct json_out out;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.owner = who.owner;
    code = turns_cancel(app->turns, spec.owner, spec.session, STR_NONE, fault);
    if (!code || code == FAULT_NO_TURN)
        code = workspaces_delete(app->workspaces, &spec, fault);
    if (code == FAULT_OK)
        atomic_fetch_add(&app->counts.deletes, 1);
    else if (code != FAULT_SESSION_NOT_FOUND)
        return kagent_say(fault, "Failed to delete session");
    kagent_envelope_open(x, &out);
    json_out_object(&out, "data");
    json_out_object_end(&out);
    return kagent_envelope_close(x, &out, "Session deleted successfully", fault);
}
