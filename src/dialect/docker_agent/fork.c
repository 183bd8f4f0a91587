/* Fork: a new session with everything before a message of the user. */
#include "dialect/docker_agent/session_object.h"

#define FAILED "failed to fork session"

enum { F_MESSAGE, F_USER, F_COUNT };

/* Which message the body names. */
struct cut {
    bool user; /* counted among the messages of users */
    int64_t index;
    struct str said; /* the index as it was sent, which may be too large for one */
};

static bool is_empty(const struct json_value *object)
{
    struct json_walk walk;

    json_walk_begin(&walk, object);
    return !json_walk_next(&walk);
}

/* However large. */
static bool is_whole(struct str number)
{
    for (size_t i = number.p[0] == '-'; i < number.n; i++)
        if (number.p[i] < '0' || number.p[i] > '9')
            return false;
    return true;
}

/* An empty body names the first message of the user. */
static enum fault_code cut_read(struct exchange *x, struct cut *out, struct fault *fault)
{
    struct json_member m[F_COUNT] = {
        [F_MESSAGE] = JSON_MAY("message_index", JSON_NUMBER),
        [F_USER] = JSON_MAY("user_message_index", JSON_NUMBER),
    };
    const struct json_member *given = &m[F_USER];
    struct json_value body;

    *out = (struct cut){.user = true, .said = STR("0")};
    if (docker_body(x, JSON_OBJECT, &body, fault) != FAULT_OK ||
        docker_members(&body, NULL, m, F_COUNT, &x->arena, fault) != FAULT_OK)
        return fault_pass(fault);
    if (is_empty(&body))
        return FAULT_OK;
    if (m[F_MESSAGE].given && m[F_USER].given)
        return fault_set(fault, FAULT_INVALID,
                         "message_index and user_message_index cannot be given together");
    if (!m[F_MESSAGE].given && !m[F_USER].given)
        return fault_set(fault, FAULT_INVALID,
                         "one of message_index and user_message_index must be given");
    if (m[F_MESSAGE].given) {
        given = &m[F_MESSAGE];
        out->user = false;
    }
    if (!is_whole(given->value.raw))
        return fault_set(fault, FAULT_INVALID,
                         "invalid request body: \"%s\" must be a whole number", given->name);
    out->said = given->value.raw;
    if (!json_int(&given->value, 0, INT64_MAX, &out->index))
        out->index = -1; /* out of range, on either side */
    return FAULT_OK;
}

/* ---- what may be wrong with it ---- */

static enum fault_code out_of_range(const struct cut *cut, struct fault *fault)
{
    return fault_set(fault, FAULT_POINT_INVALID, "fork %s index out of range: %.*s",
                     cut->user ? "user-message" : "message",
                     (int)(cut->said.n < 100 ? cut->said.n : 100), cut->said.p);
}

static enum fault_code inside(const struct cut *cut, struct fault *fault)
{
    return fault_set(fault, FAULT_POINT_INSIDE_SUBSESSION,
                     "fork %s index falls inside a sub-session at ordinal %lld",
                     cut->user ? "user-message" : "message", (long long)cut->index);
}

static enum fault_code not_user(const struct cut *cut, enum role role, struct fault *fault)
{
    return fault_set(fault, FAULT_POINT_INVALID,
                     "fork message index is not a user message: %lld is of %s",
                     (long long)cut->index, role == ROLE_TOOL ? "a tool" : "an agent");
}

/* The message itself, looked at before anything is done. */
static enum fault_code cut_find(struct exchange *x, const struct cut *cut, struct entry *out,
                                struct fault *fault)
{
    struct point_spec point = {
        .by = cut->user ? POINT_FLAT_USER : POINT_FLAT,
        .side = SIDE_BEFORE,
        .ordinal = cut->index,
        .guard = GUARD_NONE,
    };
    struct session session;
    enum fault_code code;

    if (cut->index < 0) { /* which would count from the end */
        code = docker_session(x, &session, fault);
        return code ? code : out_of_range(cut, fault);
    }
    code = store_entry_get(app_of(x)->store, x->request.caller.sees, session_of(x), &point,
                           &x->arena, out, fault);
    if (code == FAULT_POINT_INVALID)
        return out_of_range(cut, fault);
    if (code == FAULT_POINT_INSIDE_SUBSESSION ||
        (code == FAULT_OK && out->kind == ENTRY_SUBSESSION))
        return inside(cut, fault);
    if (code == FAULT_OK && out->role != ROLE_USER)
        return not_user(cut, out->role, fault);
    return code;
}

/*
 * The message is named by its id from here on, so that whatever happens to the session meanwhile,
 * the cut is where it was seen. Before a message of the user no tool call is open.
 */
enum fault_code docker_session_fork(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct fork_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .point = {.by = POINT_MESSAGE, .side = SIDE_BEFORE, .guard = GUARD_NONE},
        .home = DOCKER_HOME,
    };
    struct fork_result result = {0};
    struct files_report report = {0};
    struct entry message;
    struct cut cut;
    enum fault_code code;

    if (cut_read(x, &cut, fault) != FAULT_OK)
        return fault_pass(fault);
    code = cut_find(x, &cut, &message, fault);
    if (code == FAULT_POINT_INVALID || code == FAULT_POINT_INSIDE_SUBSESSION)
        return code;
    if (!code) {
        spec.point.name = message.id;
        code = workspaces_fork(app->workspaces, &spec, FORK_FILES_POINT, &x->arena, &result,
                               &report, fault);
    }
    if (code)
        return docker_failed(fault, FAILED);
    atomic_fetch_add(&app->counts.forks, 1);
    return session_reply(x, &result.session, MESSAGES_FIT, false, fault);
}
