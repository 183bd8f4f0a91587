/* Events that runtimes post, and the reading of a session with its events. */
#include "dialect/kagent/handler.h"

#include "dialect/boundary.h"
#include "dialect/kagent/event.h"
#include "dialect/kagent/log.h"
#include "dialect/kagent/pending.h"

/* ---- posting ---- */

/* What is posted, and where. */
struct posting {
    struct who who;
    struct session session;
    struct str id, token; /* the token: the JSON string that is the event */
    struct event_read event;
    struct kept kept;
};

static enum fault_code posting_read(struct exchange *x, struct posting *out, struct fault *fault)
{
    struct json_member m[] = {JSON_MAY("id", JSON_STRING), JSON_MAY("data", JSON_STRING)};

    if (kagent_who(x, &out->who, fault) != FAULT_OK || kagent_body_find(x, m, 2, fault) != FAULT_OK)
        return fault_pass(fault);
    out->id = member_text(x, &m[0]);
    out->token = m[1].given ? m[1].value.raw : STR("\"\"");
    if (out->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "Invalid request body: \"id\" is missing");
    if (kagent_session_find(x, &out->who, session_of(x), "Session not found", &out->session,
                            fault) != FAULT_OK ||
        kagent_agent_matches(x, &out->session, fault) != FAULT_OK)
        return fault_pass(fault);
    event_read_token(out->token, &x->arena, &out->event);
    out->kept = kagent_kept_read(&out->session, &x->arena);
    return FAULT_OK;
}

/* Does the session have the event already, as it is posted? */
static bool is_repeated(struct exchange *x, const struct posting *posting)
{
    struct point_spec spec = {.by = POINT_MESSAGE, .name = posting->id, .guard = GUARD_NONE};
    struct entry entry;
    struct fault none;

    return store_entry_get(app_of(x)->store, posting->who.owner, posting->session.id, &spec,
                           &x->arena, &entry, &none) == FAULT_OK &&
           entry.body.p && str_eq(event_token(entry.body), posting->token);
}

static enum fault_code append(struct exchange *x, const struct posting *posting,
                              struct fault *fault)
{
    struct append_spec spec = {.owner = posting->who.owner, .session = posting->session.id};
    struct append_result result;
    struct entry_spec *entries;
    struct pending pending = {0};
    size_t count = 1;

    if (posting->kept.tasks && posting->event.rewind.n == 0 &&
        pending_find(app_of(x), spec.owner, &posting->session, posting->event.invocation, &x->arena,
                     &pending, fault) != FAULT_OK)
        return fault_pass(fault);
    entries = arena_array(&x->arena, 1 + pending.count, sizeof(*entries));
    if (event_entry(&posting->event, posting->id, posting->token, !posting->kept.tasks, &x->arena,
                    &entries[0], fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < pending.count; i++)
        entries[count++] = pending.entries[i];
    if (workspaces_append(app_of(x)->workspaces, &spec, entries, count, &x->arena, &result,
                          fault) != FAULT_OK)
        return fault_pass(fault);
    return pending_settle(app_of(x), spec.owner, spec.session, &pending, fault);
}

/*
 * A marker that a runtime posts: the session goes where it says. One that names nothing here is
 * kept as it is, and ADK leaves it out, too.
 */
static enum fault_code rewind_posted(struct exchange *x, const struct posting *posting,
                                     struct fault *fault)
{
    struct app *app = app_of(x);
    struct entry_spec entry;
    struct move_spec spec = {
        .owner = posting->who.owner,
        .session = posting->session.id,
        .act = MOVE_REWIND,
        .scope = SCOPE_BOTH,
        .keep = boundary_keep,
        .keep_count = 2,
        .entry = &entry,
    };
    struct files_report report;
    struct move_result result;
    enum fault_code code;

    /* Its runtime may name what comes again in every turn, and means the first. */
    spec.point = (struct point_spec){
        .by = POINT_TURN, .side = SIDE_BEFORE, .name = posting->event.rewind, .guard = GUARD_NONE};
    code = boundary_find(app, spec.owner, spec.session, posting->event.rewind, &x->arena,
                         &spec.point, fault);
    if (code == FAULT_TURN_NOT_FOUND)
        return append(x, posting, fault);
    if (code && code != FAULT_INVALID)
        return code;
    if (event_entry(&posting->event, posting->id, posting->token, false, &x->arena, &entry,
                    fault) != FAULT_OK)
        return fault_pass(fault);
    entry.state.count = 0; /* the move brings the state: who takes it back finds what was before */
    code = workspaces_move(app->workspaces, &spec, false, &x->arena, &result, &report, fault);
    if (code == FAULT_TURN_NOT_FOUND)
        return append(x, posting, fault);
    if (!code)
        atomic_fetch_add(&app->counts.rewinds, 1);
    return code;
}

enum fault_code kagent_event_post(struct exchange *x, struct fault *fault)
{
    static const struct kept events = {.events = true};
    static const struct str never = {"0001-01-01T00:00:00Z", 20};
    struct posting posting;
    enum fault_code code = FAULT_OK;
    struct json_out out;

    if (posting_read(x, &posting, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!is_repeated(x, &posting))
        code =
            posting.event.rewind.n ? rewind_posted(x, &posting, fault) : append(x, &posting, fault);
    if (code == FAULT_ID_TAKEN && is_repeated(x, &posting)) /* somebody was first with the same */
        code = FAULT_OK;
    if (!code && !posting.kept.events) /* what is refused leaves no trace */
        code = kagent_kept_add(app_of(x), posting.who.owner, posting.session.id, &events, &x->arena,
                               fault);
    if (code)
        return kagent_say(fault, "Failed to store event");
    kagent_envelope_open(x, &out);
    json_out_object(&out, "data");
    json_out_string(&out, "id", posting.id);
    json_out_string(&out, "session_id", posting.session.id);
    json_out_string(&out, "user_id", posting.who.name);
    json_out_plain(&out, "created_at", never);
    json_out_plain(&out, "updated_at", never);
    json_out_raw(&out, "data", posting.token);
    json_out_object_end(&out);
    return kagent_envelope_close(x, &out, "Event added to session successfully", fault);
}

/* ---- reading ---- */

enum { S_ORDER = Q_USER + 1, S_AFTER, S_LIMIT, S_VIEW };

/* A moment: microseconds, and nanoseconds beside them. */
struct moment {
    int64_t us;
    int ns;
};

static bool digits(struct str text, size_t at, size_t n, int64_t *out)
{
    *out = 0;
    if (at + n > text.n)
        return false;
    for (size_t i = at; i < at + n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
        *out = *out * 10 + (text.p[i] - '0');
    }
    return true;
}

/* Days since 1970-01-01. */
static int64_t day_of(int64_t year, int64_t month, int64_t day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

/* The part behind the seconds: decimals, then Z or an offset. A plus may have become a blank. */
static bool zone_read(struct str text, size_t at, struct moment *moment)
{
    int64_t hours, minutes, nanos = 0, unit = 100000000;
    int sign;

    if (at < text.n && text.p[at] == '.') {
        size_t first = ++at;

        for (; at < text.n && text.p[at] >= '0' && text.p[at] <= '9'; at++, unit /= 10)
            nanos += (text.p[at] - '0') * unit;
        if (at == first)
            return false;
    }
    moment->us += nanos / 1000;
    moment->ns = (int)(nanos % 1000);
    if (at + 1 == text.n && (text.p[at] == 'Z' || text.p[at] == 'z'))
        return true;
    if (at + 6 != text.n || !memchr("+- ", text.p[at], 3) || text.p[at + 3] != ':' ||
        !digits(text, at + 1, 2, &hours) || !digits(text, at + 4, 2, &minutes))
        return false;
    sign = text.p[at] == '-' ? 1 : -1;
    moment->us += sign * (hours * 60 + minutes) * 60 * 1000000;
    return true;
}

/* RFC 3339. */
static bool moment_read(struct str text, struct moment *out)
{
    int64_t year, month, day, hour, minute, second;

    if (text.n < 20 || text.p[4] != '-' || text.p[7] != '-' || !memchr("Tt ", text.p[10], 3) ||
        text.p[13] != ':' || text.p[16] != ':' || !digits(text, 0, 4, &year) ||
        !digits(text, 5, 2, &month) || !digits(text, 8, 2, &day) || !digits(text, 11, 2, &hour) ||
        !digits(text, 14, 2, &minute) || !digits(text, 17, 2, &second) || month < 1 || month > 12 ||
        day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
        return false;
    out->us =
        ((day_of(year, month, day) * 24 + hour) * 60 + minute) * 60 * 1000000 + second * 1000000;
    return zone_read(text, 19, out);
}

static bool is_after(const struct log_row *row, const struct moment *moment)
{
    return row->at_us > moment->us || (row->at_us == moment->us && row->at_ns > moment->ns);
}

/* A whole number; false for anything else. */
static bool number_read(struct str text, int64_t *out)
{
    bool below = text.n && text.p[0] == '-';
    size_t at = below || (text.n && text.p[0] == '+') ? 1 : 0;

    if (text.n == at || text.n > 18 || !digits(text, at, text.n - at, out))
        return false;
    *out = below ? -*out : *out;
    return true;
}

struct reading {
    bool ascending, has_after;
    struct moment after;
    int64_t limit; /* 0 and below: all */
    enum log_view view;
};

static enum fault_code reading_read(struct exchange *x, struct reading *out, struct fault *fault)
{
    struct str view = query_text(x, S_VIEW);

    out->ascending = str_eq(query_text(x, S_ORDER), STR("asc"));
    out->has_after = query_text(x, S_AFTER).n > 0;
    if (out->has_after && !moment_read(query_text(x, S_AFTER), &out->after))
        return fault_set(fault, FAULT_INVALID,
                         "Failed to parse after timestamp: it must be a time as in RFC 3339");
    if (query_text(x, S_LIMIT).n && !number_read(query_text(x, S_LIMIT), &out->limit))
        return fault_set(fault, FAULT_INVALID, "Failed to parse limit: it must be a whole number");
    if (view.n && !str_eq(view, STR("log")) && !str_eq(view, STR("effective")))
        return fault_set(fault, FAULT_INVALID, "view must be \"log\" or \"effective\"");
    out->view = view.n == 0 ? LOG_AUTO : str_eq(view, STR("log")) ? LOG_WHOLE : LOG_EFFECTIVE;
    return FAULT_OK;
}

static void write_event(struct json_out *out, const struct log_row *row, struct str session,
                        struct str user)
{
    json_out_object(out, NULL);
    json_out_string(out, "id", row->id);
    json_out_string(out, "session_id", session);
    json_out_string(out, "user_id", user);
    kagent_time_write(out, "created_at", row->at_us, row->at_ns);
    kagent_time_write(out, "updated_at", row->at_us, row->at_ns);
    json_out_raw(out, "data", row->data);
    json_out_object_end(out);
}

static void write_events(struct json_out *out, const struct reading *reading,
                         const struct log_row *rows, size_t count, const struct session *session,
                         struct str user)
{
    size_t first = 0, n;

    while (reading->has_after && first < count && !is_after(&rows[first], &reading->after))
        first++;
    n = count - first;
    if (reading->limit > 0 && (size_t)reading->limit < n)
        n = (size_t)reading->limit;
    json_out_array(out, "events");
    for (size_t i = 0; i < n; i++)
        write_event(out, &rows[reading->ascending ? first + i : count - 1 - i], session->id, user);
    json_out_array_end(out);
}

enum fault_code kagent_session_get(struct exchange *x, struct fault *fault)
{
    struct reading reading = {0};
    struct session session;
    struct log_row *rows;
    struct json_out out;
    struct who who;
    size_t count;

    if (kagent_who(x, &who, fault) != FAULT_OK || reading_read(x, &reading, fault) != FAULT_OK ||
        kagent_session_find(x, &who, session_of(x), "Session not found", &session, fault) !=
            FAULT_OK)
        return fault_pass(fault);
    if (kagent_log_read(app_of(x), who.owner, session.id, reading.view, &x->arena, &rows, &count,
                        fault) != FAULT_OK)
        return kagent_say(fault, "Failed to get events for session");
    kagent_envelope_open(x, &out);
    json_out_object(&out, "data");
    kagent_session_write(&out, "session", &session, who.name, &x->arena);
    write_events(&out, &reading, rows, count, &session, who.name);
    json_out_object_end(&out);
    return kagent_envelope_close(x, &out, "Successfully retrieved session", fault);
}
