/*
 * What runtimes of kagent post: events, and the documents of tasks; and the log that is given back
 * to them. The input is lines, each with a letter before it:
 *
 *     e TEXT     an event
 *     m N        a move to the N-th act before it (a letter counts from "a"; anything else: START)
 *     n          an act that ADK does not know
 *     f          what follows is another session's
 *     b BODY     the body of a message of tine's own
 *     d TASK     a task that is saved
 *
 * What must hold: what is written is JSON; an event comes back byte for byte; what is effective and
 * what ADK makes of the log that it is given are what plain loops come to.
 */
#include "check.h"
#include "fuzz.h"

#include "base/escape.h"
#include "base/utf8.h"
#include "dialect/kagent/adk_write.h"
#include "dialect/kagent/doc.h"
#include "dialect/kagent/event.h"
#include "dialect/kagent/same.h"

enum { ACTS_MAX = 64 };

struct log {
    struct adk_act acts[ACTS_MAX];
    size_t count;
    int64_t session, number;
    bool markers, moves;
    struct call_names calls;
    struct arena arena;
};

/* ---- an event ---- */

static struct str token_of(struct str text, struct arena *arena)
{
    struct buf token;
    struct json_value value;

    buf_init(&token, CHECK_BYTES);
    buf_add_char(&token, '"');
    escape_json(&token, text);
    buf_add_char(&token, '"');
    value = check_buf(&token, arena);
    assert(value.type == JSON_STRING);
    return value.raw;
}

static void entry_check(const struct event_read *event, struct str token, bool shown,
                        struct arena *arena)
{
    struct entry_spec entry;
    struct fault fault;
    struct str back;

    if (event_entry(event, STR("id"), token, shown, arena, &entry, &fault) != FAULT_OK)
        abort();
    assert(check_json(entry.body).type == JSON_OBJECT);
    back = event_token(entry.body);
    assert(str_eq(back, token));
    assert(utf8_valid(entry.turn));
    for (size_t i = 0; i < entry.state.count; i++) {
        assert(i == 0 || str_cmp(entry.state.items[i - 1].key, entry.state.items[i].key) < 0);
        assert(utf8_valid(entry.state.items[i].key));
        if (entry.state.items[i].value.p)
            check_json(entry.state.items[i].value);
    }
}

static void delta_check(const struct adk_delta *delta, struct arena *arena)
{
    for (size_t i = 0; i < delta->count; i++) {
        struct str value = delta->items[i].value;

        check_json(value);
        assert(json_same(value, value, arena));
        assert(i == 0 || json_same(value, delta->items[i - 1].value, arena) ==
                             json_same(delta->items[i - 1].value, value, arena));
    }
}

static struct adk_act *act_add(struct log *log, enum adk_kind kind)
{
    struct adk_act *act = &log->acts[log->count++];

    act->kind = kind;
    act->at = (struct address){log->session, ++log->number};
    return act;
}

static void event_add(struct log *log, struct str text)
{
    struct event_read event;
    struct adk_act *act;
    struct str token;

    if (!utf8_valid(text))
        return;
    token = token_of(text, &log->arena);
    event_read_token(token, &log->arena, &event);
    entry_check(&event, token, true, &log->arena);
    entry_check(&event, token, false, &log->arena);
    delta_check(&event.delta, &log->arena);
    act = act_add(log, event.rewind.n ? ADK_MARKER : ADK_EVENT);
    act->invocation = event.invocation;
    act->target = event.rewind;
    act->delta = event.delta;
    log->markers |= event.rewind.n > 0;
}

static void move_add(struct log *log, struct str where)
{
    size_t back = where.n && where.p[0] >= 'a' ? (size_t)(where.p[0] - 'a') + 1 : ACTS_MAX + 1;
    struct adk_act *act = act_add(log, ADK_MOVE);

    act->to = back < log->count ? log->acts[log->count - 1 - back].at : ADDRESS_START;
    act->invocation = arena_printf(&log->arena, "move-%zu", log->count);
    log->moves = true;
}

/* ---- the log, by plain loops ---- */

static size_t place_of(const struct log *log, struct address at)
{
    for (size_t i = 0; i < log->count; i++)
        if (address_eq(log->acts[i].at, at))
            return i;
    return ACTS_MAX;
}

/* The path after each act is a list of its own. */
static void effective_check(const struct log *log)
{
    static bool on[ACTS_MAX][ACTS_MAX];

    memset(on, 0, sizeof(on));
    for (size_t i = 0; i < log->count; i++) {
        size_t from = i ? i - 1 : ACTS_MAX;

        if (log->acts[i].kind == ADK_MOVE)
            from = place_of(log, log->acts[i].to);
        if (from < ACTS_MAX)
            memcpy(on[i], on[from], sizeof(on[i]));
        on[i][i] = log->acts[i].kind == ADK_EVENT;
    }
    for (size_t i = 0; i < log->count; i++)
        assert(log->acts[i].effective == on[log->count - 1][i]);
}

/* From the end, as ADK reads it. */
static void reading_check(const struct log *log)
{
    bool seen[ACTS_MAX] = {false};

    for (size_t i = log->count; i-- > 0;) {
        const struct adk_act *act = &log->acts[i];

        if (!act->written)
            continue;
        if (act->target.n == 0) {
            seen[i] = true;
            continue;
        }
        for (size_t k = 0; k < i; k++)
            if (log->acts[k].written && str_eq(log->acts[k].invocation, act->target)) {
                i = k;
                break;
            }
    }
    for (size_t i = 0; i < log->count; i++)
        assert(seen[i] == log->acts[i].effective);
}

static const struct adk_change *change_of(const struct adk_delta *delta, struct str key)
{
    for (size_t i = 0; i < delta->count; i++)
        if (str_eq(delta->items[i].key, key) && !str_eq(delta->items[i].value, STR("null")))
            return &delta->items[i];
    return NULL;
}

/* All that one state has, the other has; but keys that are shared between sessions. */
static void state_within(const struct adk_delta *a, const struct adk_delta *b, struct arena *arena)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct adk_change *other = change_of(b, a->items[i].key);

        if (adk_key_shared(a->items[i].key) || str_eq(a->items[i].value, STR("null")))
            continue;
        assert(other && json_same(a->items[i].value, other->value, arena));
    }
}

/* Where tine alone says what is taken back, both readings come to one state. */
static void state_check(struct log *log)
{
    struct adk_delta read = adk_fold(log->acts, log->count, false, &log->arena);
    struct adk_delta is = adk_fold(log->acts, log->count, true, &log->arena);
    struct adk_delta missing = adk_difference(&read, &is, &log->arena);
    struct adk_delta none = adk_difference(&is, &is, &log->arena);

    assert(none.count == 0);
    delta_check(&missing, &log->arena);
    if (log->markers)
        return;
    state_within(&read, &is, &log->arena);
    state_within(&is, &read, &log->arena);
}

/* A marker that is written says what the move was resolved to. */
static void marker_check(const struct adk_act *act, struct arena *arena)
{
    struct event_read event;
    struct json_out out;
    struct buf text;

    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    adk_write_change(&out, STR("id"), act->invocation, 1, act->target, &act->delta);
    event_read(check_buf(&text, arena).raw, arena, &event);
    assert(event.shape == EVENT_PYTHON && str_eq(event.rewind, act->target));
    assert(str_eq(event.invocation, act->invocation) && event.delta.count == act->delta.count);
    for (size_t i = 0; i < event.delta.count; i++)
        assert(str_eq(event.delta.items[i].key, act->delta.items[i].key) &&
               str_eq(event.delta.items[i].value, act->delta.items[i].value));
}

static void log_check(struct log *log)
{
    bool agrees;

    if (log->count == 0)
        return;
    agrees = adk_resolve(log->acts, log->count, &log->arena);
    effective_check(log);
    for (size_t i = 0; i < log->count && !log->markers && !log->moves; i++)
        assert(agrees && log->acts[i].effective == (log->acts[i].kind == ADK_EVENT) &&
               log->acts[i].written == log->acts[i].effective);
    if (!agrees)
        return;
    reading_check(log);
    state_check(log);
    for (size_t i = 0; i < log->count; i++)
        if (log->acts[i].kind == ADK_MOVE && log->acts[i].written)
            marker_check(&log->acts[i], &log->arena);
}

/* ---- a message of tine's own ---- */

static void body_check(struct log *log, struct str body)
{
    struct entry entry = {.kind = ENTRY_MESSAGE,
                          .role = ROLE_ASSISTANT,
                          .id = STR("id"),
                          .turn = STR("turn"),
                          .body = body};
    struct json_value value;
    struct json_out out;
    struct fault fault;
    struct str token;
    struct buf text;

    if (json_read(body, LIMIT_JSON_DEPTH, "body", &value, &fault) != FAULT_OK)
        return;
    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    adk_write_message(&out, &entry, STR("agent"), &log->calls, &log->arena);
    check_buf(&text, &log->arena);
    token = event_token(body);
    assert(!token.p || check_json(token).type == JSON_STRING);
}

/* ---- a task ---- */

static void named_check(const struct doc *doc, struct arena *arena)
{
    struct str named = doc_named(doc, arena);
    struct doc again;
    struct fault fault;

    check_json(named);
    if (doc_read(named, arena, &again, &fault) != FAULT_OK)
        abort();
    assert(str_eq(again.id, doc->id) && str_eq(again.context, doc->context));
    assert(again.final == doc->final && again.count == doc->count);
    for (size_t i = 0; i < doc->count; i++) {
        assert(str_eq(again.messages[i].id, doc->messages[i].id));
        assert(str_eq(again.messages[i].invocation, doc->messages[i].invocation));
        assert(again.messages[i].user == doc->messages[i].user);
    }
    assert(str_eq(doc_named(&again, arena), named));
}

static void written_check(const struct doc *doc, bool whole, struct arena *arena)
{
    struct json_out out;
    struct buf text;

    buf_init(&text, CHECK_BYTES);
    json_out_init(&out, &text);
    doc_write(&out, NULL, &doc->value, whole, arena);
    assert(check_buf(&text, arena).type == JSON_OBJECT);
}

static void doc_check(struct str text, struct arena *arena)
{
    struct doc doc;
    struct entry_spec entry;
    struct fault fault;

    if (doc_read(text, arena, &doc, &fault) != FAULT_OK) {
        assert(fault.code == FAULT_INVALID);
        return;
    }
    doc_resolve(&doc, arena);
    for (size_t i = 0; i < doc.count; i++) {
        if (doc_entry(&doc, &doc.messages[i], arena, &entry, &fault) == FAULT_OK)
            assert(check_json(entry.body).type == JSON_OBJECT && !event_token(entry.body).p);
        else
            assert(fault.code == FAULT_INVALID || fault.code == FAULT_TOO_LARGE);
    }
    named_check(&doc, arena);
    written_check(&doc, true, arena);
    written_check(&doc, false, arena);
}

/* ---- all ---- */

static void line_read(struct log *log, struct str line)
{
    struct str rest = line.n > 2 ? (struct str){line.p + 2, line.n - 2} : STR("");

    switch (line.n ? line.p[0] : '\0') {
    case 'e':
        event_add(log, rest);
        break;
    case 'm':
        move_add(log, rest);
        break;
    case 'n':
        act_add(log, ADK_NOTHING);
        break;
    case 'f':
        log->session++;
        log->number = 0;
        break;
    case 'b':
        body_check(log, rest);
        break;
    case 'd':
        doc_check(rest, &log->arena);
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size};
    struct log log = {.session = 1};

    arena_init(&log.arena);
    while (rest.n && log.count < ACTS_MAX)
        line_read(&log, check_line(&rest));
    log_check(&log);
    arena_clear(&log.arena);
    return 0;
}
