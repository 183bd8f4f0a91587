/* Fork: all of a session, or all up to and with one message. */
#include "dialect/ash/content.h"
#include "dialect/ash/ids.h"

enum { F_MESSAGE, F_SEQUENCE, F_WORKSPACE, F_COUNT };

struct fork_body {
    struct point_spec point; /* POINT_END: none is named */
    struct str word;         /* the message as it was named */
    enum fork_files files;
};

static enum fault_code files_read(struct exchange *x, const struct json_member *member,
                                  enum fork_files *out, struct fault *fault)
{
    static const char *const words[] = {
        [FORK_FILES_POINT] = "snapshot",
        [FORK_FILES_LIVE] = "live",
        [FORK_FILES_NONE] = "none",
    };
    struct str word = member_text(x, member);

    *out = FORK_FILES_POINT;
    if (!member->given)
        return FAULT_OK;
    for (int i = FORK_FILES_POINT; i <= FORK_FILES_NONE; i++)
        if (str_eq(word, str_of(words[i]))) {
            *out = (enum fork_files)i;
            return FAULT_OK;
        }
    return fault_set(fault, FAULT_INVALID,
                     "\"workspace\" must be \"snapshot\", \"live\" or \"none\"");
}

/* A whole number from 1 on, however large. */
static bool is_counting(struct str number)
{
    for (size_t i = 0; i < number.n; i++)
        if (number.p[i] < '0' || number.p[i] > '9')
            return false;
    return number.p[0] != '0';
}

static enum fault_code fork_read(struct exchange *x, struct str session, struct fork_body *out,
                                 struct fault *fault)
{
    struct json_member m[F_COUNT] = {
        [F_MESSAGE] = JSON_MAY("messageId", JSON_STRING),
        [F_SEQUENCE] = JSON_MAY("sequence", JSON_NUMBER),
        [F_WORKSPACE] = JSON_MAY("workspace", JSON_STRING),
    };

    *out = (struct fork_body){
        .point = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_SNAP},
    };
    if (body_members(x, m, F_COUNT, fault) != FAULT_OK ||
        files_read(x, &m[F_WORKSPACE], &out->files, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[F_MESSAGE].given && m[F_SEQUENCE].given)
        return fault_set(fault, FAULT_INVALID,
                         "only one of \"messageId\" and \"sequence\" can be given");
    if (m[F_MESSAGE].given) {
        out->word = member_text(x, &m[F_MESSAGE]);
        out->point.by = POINT_MESSAGE;
        out->point.name = ash_message_named(out->word, session, &x->arena);
        if (out->word.n == 0)
            return fault_set(fault, FAULT_INVALID, "\"messageId\" is empty");
    }
    if (m[F_SEQUENCE].given) {
        out->word = m[F_SEQUENCE].value.raw;
        out->point.by = POINT_INDEX;
        if (!is_counting(out->word))
            return fault_set(fault, FAULT_INVALID, "\"sequence\" must be a whole number from 1 on");
        if (!json_int(&m[F_SEQUENCE].value, 1, INT64_MAX, &out->point.ordinal))
            out->point.ordinal = INT64_MAX; /* no session has that many */
        out->point.ordinal--;
    }
    return FAULT_OK;
}

/* Can it be an id at all? The engine would call others invalid, and here they are not there. */
static bool is_id(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == ':' || c == '-'))
            return false;
    }
    return s.n > 0 && s.n <= LIMIT_ID_BYTES;
}

static enum fault_code not_there(const struct fork_body *body, struct fault *fault)
{
    return fault_set(fault, FAULT_MESSAGE_NOT_FOUND, "Message %s%.*s%s not found",
                     body->point.by == POINT_MESSAGE ? "\"" : "with sequence ",
                     (int)(body->word.n < 200 ? body->word.n : 200), body->word.p,
                     body->point.by == POINT_MESSAGE ? "\"" : "");
}

/* ---- the results of a message's tools ---- */

struct results {
    struct arena *arena;
    struct str last; /* id; empty: none */
};

static enum fault_code see(void *context, const struct entry *entry, struct fault *fault)
{
    struct results *results = context;

    if (entry->role != ROLE_TOOL)
        return visit_enough(fault);
    results->last = arena_dup(results->arena, entry->id);
    return FAULT_OK;
}

/*
 * What the tools of a message gave is no message in ash, but belongs to it: the cut is after that.
 * Only where the message is still on the session's path; one that was rewound away is cut as it is.
 */
static enum fault_code results_after(struct exchange *x, const struct entry *entry,
                                     struct point_spec *point, struct fault *fault)
{
    struct app *app = app_of(x);
    int64_t sees = x->request.caller.sees;
    struct history_spec spec = {
        .owner = sees,
        .session = session_of(x),
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .from = entry->index + 1,
    };
    struct point_spec place = {.by = POINT_INDEX, .ordinal = entry->index, .guard = GUARD_NONE};
    struct results results = {.arena = &x->arena};
    struct entry there;
    struct fault none;

    if (store_entry_get(app->store, sees, session_of(x), &place, &x->arena, &there, &none) !=
            FAULT_OK ||
        there.at.s != entry->at.s || there.at.n != entry->at.n)
        return FAULT_OK;
    if (store_history(app->store, &spec, see, &results, NULL, fault) != FAULT_OK &&
        fault->code != FAULT_INTERRUPTED)
        return fault_pass(fault);
    if (results.last.n)
        *point = (struct point_spec){
            .by = POINT_MESSAGE, .side = SIDE_AFTER, .name = results.last, .guard = GUARD_REFUSE};
    return FAULT_OK;
}

/* The message must be one that ash shows. */
static enum fault_code point_settle(struct exchange *x, struct fork_body *body, struct fault *fault)
{
    struct entry entry;
    enum fault_code code;

    if (body->point.by == POINT_END)
        return FAULT_OK;
    if (body->point.by == POINT_MESSAGE && !is_id(body->point.name))
        return not_there(body, fault);
    code = store_entry_get(app_of(x)->store, x->request.caller.sees, session_of(x), &body->point,
                           &x->arena, &entry, fault);
    if (code == FAULT_MESSAGE_NOT_FOUND || code == FAULT_POINT_INVALID ||
        (!code && !ash_content_is_message(&entry)))
        return not_there(body, fault);
    if (code)
        return code;
    body->point.guard = GUARD_REFUSE;
    if (entry.role == ROLE_USER)
        return FAULT_OK;
    return results_after(x, &entry, &body->point, fault);
}

/* ---- the fork ---- */

enum fault_code ash_session_fork(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct fork_spec spec = {
        .owner = x->request.caller.sees, .session = session_of(x), .home = STR(ASH_HOME)};
    struct fork_result result = {0};
    struct files_report report;
    struct fork_body body;
    struct session source;
    struct str settings;
    struct agent_def def;

    if (ash_session(x, &source, fault) != FAULT_OK ||
        fork_read(x, source.id, &body, fault) != FAULT_OK ||
        ash_agent_get(x, ash_agent_name(source.agent, &x->arena), &def, fault) != FAULT_OK ||
        point_settle(x, &body, fault) != FAULT_OK)
        return fault_pass(fault);
    settings = settings_with(source.settings, ASH_SETTINGS,
                             ash_life_write(settings_of(&source, ASH_SETTINGS, &x->arena),
                                            ASH_PAUSED, "from", source.id, &x->arena),
                             &x->arena);
    spec.settings = &settings;
    spec.point = body.point;
    if (workspaces_fork(app->workspaces, &spec, body.files, &x->arena, &result, &report, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app->counts.forks, 1);
    return ash_reply_session(x, &result.session, fault);
}
