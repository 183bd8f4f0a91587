/* Sessions: made of a template, listed, looked at, deleted. */
#include "dialect/docker_agent/session_object.h"

#include <limits.h>
#include <stdlib.h>

/* ---- made ---- */

enum {
    T_TITLE,
    T_APPROVED,
    T_ITERATIONS,
    T_DIR,
    T_PERMISSIONS,
    T_GIVEN /* from here on: only given back, by their own names */
};

static const struct json_member template_members[] = {
    [T_TITLE] = JSON_MAY("title", JSON_STRING),
    [T_APPROVED] = JSON_MAY("tools_approved", JSON_BOOL),
    [T_ITERATIONS] = JSON_MAY("max_iterations", JSON_NUMBER),
    [T_DIR] = JSON_MAY("working_dir", JSON_STRING),
    [T_PERMISSIONS] = JSON_MAY("permissions", JSON_OBJECT),
    [T_GIVEN] = JSON_MAY("thinking", JSON_BOOL),
    JSON_MAY("hide_tool_results", JSON_BOOL),
    JSON_MAY("starred", JSON_BOOL),
    JSON_MAY("safety_policy", JSON_STRING),
    JSON_MAY("max_consecutive_tool_calls", JSON_NUMBER),
    JSON_MAY("max_old_tool_call_tokens", JSON_NUMBER),
    JSON_MAY("max_tool_result_tokens", JSON_NUMBER),
    JSON_MAY("agent_model_overrides", JSON_OBJECT),
    JSON_MAY("custom_models_used", JSON_ARRAY),
};

enum { T_COUNT = sizeof(template_members) / sizeof(template_members[0]) };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct str trimmed(struct str text)
{
    while (text.n && is_blank(text.p[0]))
        text.p++, text.n--;
    while (text.n && is_blank(text.p[text.n - 1]))
        text.n--;
    return text;
}

/* Whoever names a directory of the machine can read and write all that the server can there. */
static enum fault_code dir_read(struct exchange *x, const struct json_member *member,
                                struct workspace *out, struct fault *fault)
{
    struct workspace workspace = {.mode = WORKSPACE_ATTACHED};
    char real[PATH_MAX];

    workspace.dir = arena_dup(&x->arena, member_text(x, member));
    if (workspace.dir.n == 0)
        return FAULT_OK;
    if (caller_may(x, RIGHT_ADMIN, "attach a directory of this machine", fault) != FAULT_OK ||
        workspaces_check_dir(app_of(x)->workspaces, &workspace, fault) != FAULT_OK)
        return fault_pass(fault);
    if (realpath(workspace.dir.p, real)) /* one name for each directory */
        workspace.dir = arena_dup(&x->arena, str_of(real));
    *out = workspace;
    return FAULT_OK;
}

static enum fault_code agent_read(struct exchange *x, const struct json_member *m,
                                  struct agent_settings *out, struct fault *fault)
{
    kept_approve(out, docker_flag(&m[T_APPROVED]));
    if (m[T_ITERATIONS].given && !json_int(&m[T_ITERATIONS].value, 0, INT32_MAX, &out->steps_max))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: \"max_iterations\" must be a whole number from 0 "
                         "to %d",
                         INT32_MAX);
    if (m[T_PERMISSIONS].given)
        return kept_permissions(&m[T_PERMISSIONS].value, &x->arena, out, fault);
    return FAULT_OK;
}

/* Limits that are numbers are whole ones. */
static enum fault_code given_check(const struct json_member *m, struct fault *fault)
{
    int64_t number;

    for (size_t i = T_GIVEN; i < T_COUNT; i++)
        if (m[i].given && m[i].value.type == JSON_NUMBER &&
            !json_int(&m[i].value, INT32_MIN, INT32_MAX, &number))
            return fault_set(fault, FAULT_INVALID,
                             "invalid request body: \"%s\" must be a whole number", m[i].name);
    return FAULT_OK;
}

static struct str settings_make(const struct json_member *m, const struct agent_settings *agent,
                                struct arena *arena)
{
    struct str own = STR("{}"), all;

    for (size_t i = T_GIVEN; i < T_COUNT; i++)
        if (m[i].given)
            own = settings_with(own, m[i].name, m[i].value.raw, arena);
    all = settings_with(STR("{}"), "agent", kept_agent_text(agent, arena), arena);
    return settings_with(all, KEPT_MEMBER, own, arena);
}

static enum fault_code template_read(struct exchange *x, struct create_spec *spec,
                                     struct fault *fault)
{
    struct json_member m[T_COUNT];
    struct agent_settings agent = {0};
    struct agent_def def;

    memcpy(m, template_members, sizeof(m));
    if (docker_fields(x, m, T_COUNT, fault) != FAULT_OK || given_check(m, fault) != FAULT_OK ||
        agent_read(x, m, &agent, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[T_DIR].given && dir_read(x, &m[T_DIR], &spec->workspace, fault) != FAULT_OK)
        return docker_failed(fault, "failed to create session");
    if (agents_get(app_of(x)->agents, STR_NONE, &x->arena, &def, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->owner = x->request.caller.owner;
    spec->title = trimmed(member_text(x, &m[T_TITLE]));
    spec->agent = def.name; /* until a run names one */
    spec->home = DOCKER_HOME;
    spec->settings = settings_make(m, &agent, &x->arena);
    return FAULT_OK;
}

enum fault_code docker_session_create(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct create_spec spec = {0};
    struct session session;
    struct json_out out;
    struct kept kept;

    if (template_read(x, &spec, fault) != FAULT_OK)
        return fault_pass(fault);
    if (engine_create(app->engine, &spec, &x->arena, &session, fault) != FAULT_OK ||
        kept_read(&session, &x->arena, &kept, fault) != FAULT_OK)
        return docker_failed(fault, "failed to create session");
    atomic_fetch_add(&app->counts.sessions, 1);
    json_out_init(&out, &x->reply.body);
    session_write_new(&out, &session, &kept, &x->arena);
    return docker_reply(x, fault);
}

/* ---- looked at ---- */

enum fault_code docker_session_get(struct exchange *x, struct fault *fault)
{
    struct session session;

    if (docker_session(x, &session, fault) != FAULT_OK)
        return docker_failed(fault, "session not found");
    return session_reply(x, &session, MESSAGES_ALL, true, fault);
}

enum fault_code docker_session_status(struct exchange *x, struct fault *fault)
{
    struct session session;
    struct usage usage;
    struct json_out out;
    struct kept kept;

    if (docker_session(x, &session, fault) != FAULT_OK)
        return docker_failed(fault, "session not found");
    if (kept_read(&session, &x->arena, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    usage = kept_usage(&session, &kept, NULL, &x->arena);
    reply_open(x, &out);
    json_out_string(&out, "id", session.id);
    json_out_string(&out, "title", session.title);
    json_out_bool(&out, "streaming", run_active(session.turn_state));
    json_out_string(&out, "agent", DOCKER_MEMBER);
    json_out_int(&out, "input_tokens", usage.input);
    json_out_int(&out, "output_tokens", usage.output);
    json_out_int(&out, "num_messages", session.flat_messages);
    json_out_object_end(&out);
    return docker_reply(x, fault);
}

/* ---- listed ---- */

/* The newest first, which is not the order of the store: rows are written, then put in order. */
struct row {
    int64_t created_us, s;
    size_t from, n; /* in `text` */
};

struct list {
    struct row *rows;
    size_t count, room;
    struct buf text;
    struct arena *arena;  /* of the rows */
    struct arena scratch; /* of one session */
};

static struct row *row_add(struct list *list)
{
    list->rows = arena_more(list->arena, list->rows, list->count, &list->room, sizeof(*list->rows));
    return &list->rows[list->count++];
}

static enum fault_code visit(void *context, const struct session *session, struct fault *fault)
{
    struct list *list = context;
    struct row *row = row_add(list);
    struct json_out out;
    struct kept kept;

    *row = (struct row){session->created_us, session->s, list->text.n, 0};
    if (kept_read(session, &list->scratch, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_init(&out, &list->text);
    session_write_row(&out, session, &kept, &list->scratch);
    arena_clear(&list->scratch);
    row->n = list->text.n - row->from;
    return FAULT_OK;
}

static int newest_first(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->created_us != y->created_us)
        return x->created_us > y->created_us ? -1 : 1;
    return x->s > y->s ? -1 : x->s < y->s;
}

static void list_write(struct exchange *x, const struct list *list)
{
    struct buf *body = &x->reply.body;

    buf_add_char(body, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            buf_add_char(body, ',');
        buf_add(body, list->text.p + list->rows[i].from, list->rows[i].n);
    }
    buf_add_text(body, "]");
}

enum fault_code docker_sessions_list(struct exchange *x, struct fault *fault)
{
    struct list_spec spec = {.owner = x->request.caller.sees, .archived = 0};
    struct list list = {.arena = &x->arena};
    enum fault_code code;

    buf_init(&list.text, REPLY_BYTES);
    arena_init(&list.scratch);
    code = store_session_list(app_of(x)->store, &spec, visit, &list, fault);
    if (code) {
        code = docker_failed(fault, "failed to get sessions");
    } else if (list.text.full) {
        code = fault_set(fault, FAULT_TOO_LARGE,
                         "failed to get sessions: the list has more than %d bytes", REPLY_BYTES);
    } else {
        if (list.count)
            qsort(list.rows, list.count, sizeof(list.rows[0]), newest_first);
        list_write(x, &list);
        code = docker_reply(x, fault);
    }
    arena_clear(&list.scratch);
    buf_clear(&list.text);
    return code;
}

/* ---- deleted ---- */

static enum fault_code delete_one(struct exchange *x, struct str id, struct fault *fault)
{
    struct app *app = app_of(x);
    struct delete_spec spec = {.owner = x->request.caller.sees, .session = id};
    enum fault_code code = turns_cancel(app->turns, spec.owner, id, STR_NONE, fault);

    if (code && code != FAULT_NO_TURN)
        return code;
    if (workspaces_delete(app->workspaces, &spec, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.deletes, 1);
    return FAULT_OK;
}

enum fault_code docker_session_delete(struct exchange *x, struct fault *fault)
{
    if (delete_one(x, session_of(x), fault) != FAULT_OK)
        return docker_failed(fault, "failed to delete session");
    x->reply.fixed = STR("{\"message\":\"session deleted\"}\n");
    return FAULT_OK;
}

static enum fault_code ids_check(const struct json_member *ids, struct fault *fault)
{
    struct json_walk walk;
    size_t count = 0;

    if (ids->given)
        for (json_walk_begin(&walk, &ids->value); json_walk_next(&walk); count++)
            if (walk.value.type != JSON_STRING)
                return fault_set(fault, FAULT_INVALID,
                                 "invalid request body: \"session_ids\" must be a list of strings");
    if (count == 0)
        return fault_set(fault, FAULT_INVALID, "session_ids cannot be empty");
    if (count > DOCKER_BATCH)
        return fault_set(fault, FAULT_INVALID, "session_ids has %zu elements, at most %d are taken",
                         count, DOCKER_BATCH);
    return FAULT_OK;
}

enum fault_code docker_batch_delete(struct exchange *x, struct fault *fault)
{
    struct json_member ids = JSON_MAY("session_ids", JSON_ARRAY);
    struct str failed[DOCKER_BATCH];
    int64_t deleted = 0;
    size_t count = 0;
    struct json_walk walk;
    struct json_out out;

    if (docker_fields(x, &ids, 1, fault) != FAULT_OK || ids_check(&ids, fault) != FAULT_OK)
        return fault_pass(fault);
    for (json_walk_begin(&walk, &ids.value); json_walk_next(&walk);) {
        struct str id = json_text(&walk.value, &x->arena);

        if (delete_one(x, id, fault) == FAULT_OK)
            deleted++;
        else
            failed[count++] = id;
    }
    reply_open(x, &out);
    json_out_int(&out, "deleted_count", deleted);
    json_out_int(&out, "failed_count", (int64_t)count);
    if (count) {
        json_out_array(&out, "failed_ids");
        for (size_t i = 0; i < count; i++)
            json_out_string(&out, NULL, failed[i]);
        json_out_array_end(&out);
    }
    json_out_object_end(&out);
    return docker_reply(x, fault);
}
