/*
 * A fork after a message, which is named by its id or by its place in the visible list and is kept
 * itself. Errors are {"detail": "…"}.
 */
#include "dialect/esc/esc.h"

#include "base/utf8.h"
#include "dialect/handling.h"

enum { BODY_BYTES = 64 * 1024 };

enum { M_ID, M_INDEX, M_TITLE, M_COUNT };

static bool given(const struct json_member *member)
{
    return member->given && member->value.type != JSON_NULL;
}

/* A whole number, however large: what does not fit is out of range like any other. */
static bool is_whole(struct str number)
{
    for (size_t i = number.p[0] == '-'; i < number.n; i++)
        if (number.p[i] < '0' || number.p[i] > '9')
            return false;
    return true;
}

static enum fault_code out_of_range(struct fault *fault)
{
    return fault_set(fault, FAULT_POINT_INVALID, "Message index out of range");
}

static enum fault_code point_read(struct exchange *x, const struct json_member *m,
                                  struct point_spec *out, struct fault *fault)
{
    struct point_spec point = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_SNAP};

    if (given(&m[M_ID]) && given(&m[M_INDEX]))
        return fault_set(fault, FAULT_INVALID,
                         "only one of \"messageID\" and \"message_index\" can be given");
    if (given(&m[M_ID])) {
        point = (struct point_spec){.by = POINT_MESSAGE, .side = SIDE_AFTER};
        point.name = json_text(&m[M_ID].value, &x->arena);
        if (point.name.n == 0)
            return fault_set(fault, FAULT_INVALID, "\"messageID\" is empty");
    } else if (given(&m[M_INDEX])) {
        point = (struct point_spec){.by = POINT_INDEX, .side = SIDE_AFTER};
        if (!is_whole(m[M_INDEX].value.raw))
            return fault_set(fault, FAULT_INVALID, "\"message_index\" must be a whole number");
        if (!json_int(&m[M_INDEX].value, 0, INT64_MAX, &point.ordinal))
            return out_of_range(fault);
    }
    *out = point;
    return FAULT_OK;
}

/* The title that was asked for, or one made of the source's. */
static struct str title_make(struct exchange *x, const struct json_member *member, struct str of)
{
    struct str title = given(member) ? member_text(x, member) : STR("");

    if (title.n)
        return title;
    if (of.n == 0)
        return STR("Fork");
    return utf8_cut(arena_printf(&x->arena, "Fork of %.*s", STR_ARG(of)), LIMIT_TITLE_BYTES);
}

/* What the store says of session and message, in the words of this server. */
static enum fault_code in_words(const struct exchange *x, const struct fork_spec *spec,
                                struct fault *fault)
{
    switch (fault->code) {
    case FAULT_SESSION_NOT_FOUND:
        return fault_set(fault, FAULT_SESSION_NOT_FOUND, "Session %.*s not found",
                         STR_ARG(session_of(x)));
    case FAULT_MESSAGE_NOT_FOUND:
        return fault_set(fault, FAULT_MESSAGE_NOT_FOUND, "Message %.*s not found",
                         STR_ARG(spec->point.name));
    case FAULT_POINT_INVALID:
        return spec->point.by == POINT_INDEX ? out_of_range(fault) : fault_pass(fault);
    default:
        return fault_pass(fault);
    }
}

struct last {
    struct arena *arena;
    struct str id;
};

static enum fault_code last_visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct last *last = context;

    (void)fault;
    last->id = arena_dup(last->arena, entry->id);
    return FAULT_OK;
}

/* The last message that the fork has; empty: it has none. */
static enum fault_code last_message(struct exchange *x, const struct session *session,
                                    struct str *out, struct fault *fault)
{
    struct history_spec spec = {
        .owner = x->request.caller.sees, .session = session->id, .tail = true, .limit = 1};
    struct last last = {.arena = &x->arena};

    if (store_history(app_of(x)->store, &spec, last_visit, &last, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = last.id;
    return FAULT_OK;
}

static enum fault_code answer(struct exchange *x, const struct session *session,
                              struct fault *fault)
{
    struct str last, dir = workspaces_path(app_of(x)->workspaces, session, &x->arena);
    struct json_out out;

    if (last_message(x, session, &last, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    json_out_string(&out, "id", session->id);
    json_out_string(&out, "parentID", session_of(x));
    json_out_name(&out, "directory", utf8_valid(dir) ? dir : STR(""));
    json_out_string(&out, "title", session->title);
    json_out_name(&out, "fork_point", last);
    return reply_close(x, &out, fault);
}

static enum fault_code fork_run(struct exchange *x, struct fault *fault)
{
    struct json_member m[M_COUNT] = {
        [M_ID] = JSON_MAY("messageID", JSON_STRING | JSON_NULL),
        [M_INDEX] = JSON_MAY("message_index", JSON_NUMBER | JSON_NULL),
        [M_TITLE] = JSON_MAY("title", JSON_STRING | JSON_NULL),
    };
    struct app *app = app_of(x);
    struct fork_spec spec = {
        .owner = x->request.caller.sees, .session = session_of(x), .home = STR("esc")};
    struct fork_result result;
    struct files_report report;
    struct session source;
    struct str title;

    if (body_members(x, m, M_COUNT, fault) != FAULT_OK ||
        point_read(x, m, &spec.point, fault) != FAULT_OK)
        return fault_pass(fault);
    if (store_session_get(app->store, spec.owner, spec.session, false, &x->arena, &source, fault) !=
        FAULT_OK)
        return in_words(x, &spec, fault);
    title = title_make(x, &m[M_TITLE], source.title);
    spec.title = &title;
    if (workspaces_fork(app->workspaces, &spec, FORK_FILES_POINT, &x->arena, &result, &report,
                        fault) != FAULT_OK)
        return in_words(x, &spec, fault);
    atomic_fetch_add(&app->counts.forks, 1);
    return answer(x, &result.session, fault);
}

static void write_fault(struct exchange *x, const struct fault *fault)
{
    struct str text = fault->code == FAULT_NOT_FOUND ? STR("Not Found")
                      : fault->code == FAULT_METHOD  ? STR("Method Not Allowed")
                                                     : str_of(fault->message);
    struct json_out out;

    x->reply.status = fault_status(fault->code);
    json_out_init(&out, &x->reply.body);
    json_out_object(&out, NULL);
    json_out_string(&out, "detail", text);
    json_out_object_end(&out);
}

static const struct route routes[] = {
    {HTTP_POST, "/session/{id}/fork", fork_run, ROUTE_WORK, RIGHT_WRITE, BODY_BYTES, NULL, "fork",
     "sessions", "A new session that has everything up to a message, and the message itself.", NULL,
     NULL, NULL, 200, NULL, false, false},
};

const struct route_table esc_routes = {
    .name = "esc",
    .prefix = "",
    .routes = routes,
    .count = sizeof(routes) / sizeof(routes[0]),
    .any_query = true,
    .write_fault = write_fault,
};
