#include "dialect/kagent/log.h"

#include "base/escape.h"
#include "dialect/boundary.h"
#include "dialect/kagent/adk_write.h"
#include "dialect/kagent/event.h"
#include "dialect/kagent/handler.h"

enum { READ_TRIES = 5 };

/* The log while it is gathered: acts, and beside each its row. */
struct gather {
    const struct session *session;
    struct arena *arena;
    struct str agent;
    struct adk_act *acts;
    struct log_row *rows;
    size_t count, room, bytes;
    struct call_names calls;
    enum event_shape shape; /* of the first event that tells */
    bool native;            /* tine's own entries are among them, which may change state, too */
};

/* ---- texts ---- */

/* A JSON text as a JSON string with its quotes. */
static struct str token_of(struct str text, struct arena *arena)
{
    struct buf token;

    buf_init(&token, 6 * text.n + 2);
    buf_add_char(&token, '"');
    escape_json(&token, text);
    buf_add_char(&token, '"');
    return buf_take(&token, arena);
}

static struct str change_token(struct str id, struct str invocation, int64_t at_us,
                               struct str target, const struct adk_delta *delta,
                               struct arena *arena)
{
    struct json_out out;
    struct str token;
    struct buf text;

    buf_init(&text, LOG_BYTES);
    json_out_init(&out, &text);
    adk_write_change(&out, id, invocation, at_us, target, delta);
    token = token_of(buf_str(&text), arena);
    buf_clear(&text);
    return token;
}

static struct str message_token(struct gather *gather, const struct entry *entry)
{
    struct json_out out;
    struct str token;
    struct buf text;

    buf_init(&text, 2 * (size_t)LIMIT_ENTRY_BYTES);
    json_out_init(&out, &text);
    adk_write_message(&out, entry, gather->agent, &gather->calls, gather->arena);
    token = token_of(buf_str(&text), gather->arena);
    buf_clear(&text);
    return token;
}

/* ---- gathering ---- */

static void gather_grow(struct gather *gather)
{
    size_t room = gather->room;

    gather->acts =
        arena_more(gather->arena, gather->acts, gather->count, &room, sizeof(*gather->acts));
    gather->rows = arena_more(gather->arena, gather->rows, gather->count, &gather->room,
                              sizeof(*gather->rows));
}

static void gather_event(struct gather *gather, struct str token, struct adk_act *act,
                         struct log_row *row)
{
    struct event_read event;

    row->data = arena_dup(gather->arena, token);
    event_read_token(row->data, gather->arena, &event);
    act->kind = event.rewind.n ? ADK_MARKER : ADK_EVENT;
    act->invocation = event.invocation;
    act->target = event.rewind;
    act->delta = event.delta;
    if (gather->shape == EVENT_OTHER)
        gather->shape = event.shape;
}

/* A message that came with a saved task: the runtime has events of its own for it. */
static bool is_saved(struct str body)
{
    static const char *const path[] = {"metadata", "a2a", "task"};
    struct json_value value;
    struct fault none;

    if (json_read(body, BODY_DEPTH, "body", &value, &none) != FAULT_OK)
        return false;
    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
        struct json_walk walk;
        bool found = false;

        if (value.type != JSON_OBJECT)
            return false;
        for (json_walk_begin(&walk, &value); json_walk_next(&walk) && !found;)
            if (str_eq(walk.key, str_of(path[i]))) {
                value = walk.value;
                found = true;
            }
        if (!found)
            return false;
    }
    return true;
}

static void gather_entry(struct gather *gather, const struct entry *entry, struct adk_act *act,
                         struct log_row *row)
{
    struct str token = entry->body.p ? event_token(entry->body) : STR_NONE;

    if (entry->kind == ENTRY_MOVE) {
        act->kind = ADK_MOVE;
        act->to = entry->ref;
        act->invocation = boundary_marker(entry->id, gather->arena);
    } else if (token.p) {
        gather_event(gather, token, act, row);
    } else if (entry->kind == ENTRY_MESSAGE && entry->body.p && !is_saved(entry->body)) {
        act->kind = ADK_EVENT;
        act->invocation = arena_dup(gather->arena, entry->turn);
        row->data = message_token(gather, entry);
        gather->native = true;
    } else {
        gather->native |= entry->kind == ENTRY_STATE;
    }
}

static enum fault_code gather_visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct gather *gather = context;
    struct adk_act *act;
    struct log_row *row;

    gather_grow(gather);
    act = &gather->acts[gather->count];
    row = &gather->rows[gather->count++];
    act->at = entry->at;
    row->at_us = entry->at_us;
    row->id = entry->at.s == gather->session->s
                  ? arena_dup(gather->arena, entry->id)
                  : arena_printf(gather->arena, "%.*s~%.*s", STR_ARG(gather->session->id),
                                 STR_ARG(entry->id));
    gather_entry(gather, entry, act, row);
    if (entry->kind == ENTRY_MOVE)
        row->data = arena_dup(gather->arena, entry->id); /* until it is written */
    gather->bytes += row->data.n;
    if (gather->bytes > LOG_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE, "the events have more than %d bytes", LOG_BYTES);
    return FAULT_OK;
}

/* Session and log of one moment: again when somebody wrote between the two. */
static enum fault_code gather_read(struct app *app, int64_t owner, struct str name,
                                   struct arena *arena, struct session *session, struct gather *out,
                                   struct fault *fault)
{
    struct log_spec spec = {.owner = owner, .session = name};

    for (int i = 0;; i++) {
        if (store_session_get(app->store, owner, name, false, arena, session, fault) != FAULT_OK)
            return fault_pass(fault);
        *out = (struct gather){.session = session,
                               .arena = arena,
                               .agent = kagent_agent_encode(session->agent, arena)};
        if (store_raw_log(app->store, &spec, gather_visit, out, fault) != FAULT_OK)
            return fault_pass(fault);
        if (i == READ_TRIES || out->count == 0 ||
            address_eq(out->acts[out->count - 1].at, session->head_at))
            return FAULT_OK;
    }
}

/* ---- writing ---- */

static struct adk_delta delta_of(const struct state *state, struct arena *arena)
{
    struct adk_delta delta = {arena_array(arena, state->count + 1, sizeof(*delta.items)),
                              state->count};

    for (size_t i = 0; i < state->count; i++)
        delta.items[i] = (struct adk_change){state->items[i].key, state->items[i].value};
    return delta;
}

/* One event more, when what was written does not come to the state that the session has. */
static void add_state(struct gather *gather, bool effective, struct log_row *rows, size_t *count)
{
    struct arena *arena = gather->arena;
    struct adk_delta now = adk_fold(gather->acts, gather->count, effective, arena);
    struct adk_delta wanted = delta_of(&gather->session->state_at_head, arena);
    struct adk_delta delta = adk_difference(&now, &wanted, arena);
    struct str id = arena_printf(arena, "%.*s~state", STR_ARG(gather->session->id));
    int64_t at_us = gather->session->created_us;

    if (delta.count == 0)
        return;
    if (gather->count)
        at_us = gather->rows[gather->count - 1].at_us;
    rows[(*count)++] =
        (struct log_row){id, change_token(id, STR(""), at_us, STR_NONE, &delta, arena), at_us, 500};
}

static size_t rows_pick(struct gather *gather, bool effective, struct log_row *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < gather->count; i++) {
        const struct adk_act *act = &gather->acts[i];
        struct log_row *row = &gather->rows[i];

        if (effective ? !act->effective : !act->written)
            continue;
        if (act->kind == ADK_MOVE)
            row->data = change_token(row->data, act->invocation, row->at_us, act->target,
                                     &act->delta, gather->arena);
        rows[count++] = *row;
    }
    return count;
}

enum fault_code kagent_log_read(struct app *app, int64_t owner, struct str session,
                                enum log_view view, struct arena *arena, struct log_row **out,
                                size_t *count, struct fault *fault)
{
    struct gather gather;
    struct session found;
    bool agrees, effective;

    if (gather_read(app, owner, session, arena, &found, &gather, fault) != FAULT_OK)
        return fault_pass(fault);
    agrees = adk_resolve(gather.acts, gather.count, arena);
    if (view == LOG_AUTO)
        view = gather.shape == EVENT_GO || gather.shape == EVENT_ITEMS ? LOG_EFFECTIVE : LOG_WHOLE;
    effective = view == LOG_EFFECTIVE || !agrees;
    *out = arena_array(arena, gather.count + 1, sizeof(**out));
    *count = rows_pick(&gather, effective, *out);
    if (view == LOG_WHOLE && (!agrees || gather.native))
        add_state(&gather, effective, *out, count);
    return FAULT_OK;
}
