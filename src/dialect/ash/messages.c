/* Messages: the list, and what is said to a session. */
#include "dialect/ash/content.h"
#include "dialect/ash/ids.h"
#include "dialect/ash/voice.h"

enum { L_LIMIT, L_AFTER };
enum { MESSAGES_DEFAULT = 100 };

/* ---- the list ---- */

struct page {
    struct exchange *x;
    const struct session *session;
    struct json_out out;
    int64_t limit, count;
    bool enough;
};

static void write_message(struct page *page, const struct entry *entry)
{
    struct json_out content;
    struct arena arena;
    struct buf text;

    arena_init(&arena);
    buf_init(&text, REPLY_BYTES);
    json_out_init(&content, &text);
    ash_content_write(&content, NULL, entry, &arena);
    json_out_object(&page->out, NULL);
    json_out_string(&page->out, "id", ash_message_id(entry, page->session->id, &arena));
    json_out_string(&page->out, "sessionId", page->session->id);
    json_out_string(&page->out, "tenantId", page->session->owner);
    json_out_plain(&page->out, "role", entry->role == ROLE_USER ? STR("user") : STR("assistant"));
    json_out_string(&page->out, "content", buf_str(&text));
    json_out_int(&page->out, "sequence", entry->index + 1);
    json_out_time(&page->out, "createdAt", entry->at_us);
    json_out_object_end(&page->out);
    buf_clear(&text);
    arena_clear(&arena);
}

static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct page *page = context;

    if (!ash_content_is_message(entry))
        return FAULT_OK;
    if (page->count == page->limit) {
        page->enough = true;
        return visit_enough(fault);
    }
    page->count++;
    write_message(page, entry);
    return FAULT_OK;
}

enum fault_code ash_messages_list(struct exchange *x, struct fault *fault)
{
    struct page page = {.x = x, .limit = query_number(x, L_LIMIT, MESSAGES_DEFAULT)};
    struct history_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .from = query_number(x, L_AFTER, 0), /* the message after place n - 1 is at place n */
    };
    struct session session;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    page.session = &session;
    reply_open(x, &page.out);
    json_out_array(&page.out, "messages");
    if (store_history(app_of(x)->store, &spec, visit, &page, NULL, fault) != FAULT_OK &&
        !page.enough)
        return fault_pass(fault);
    json_out_array_end(&page.out);
    return reply_close(x, &page.out, fault);
}

/* ---- saying something ---- */

enum { S_CONTENT, S_PARTIAL, S_MODEL, S_TURNS, S_COUNT };
enum { MODEL_BYTES = 256, TURNS_MAX = 1000 };

/* The model and the number of its calls that this message wants; the session's stay as they are. */
static enum fault_code wishes_read(struct exchange *x, const struct json_member *m,
                                   const struct session *session, struct turn_cmd *out,
                                   struct fault *fault)
{
    struct agent_def def;
    struct fault none;

    if (m[S_TURNS].given && !json_int(&m[S_TURNS].value, 1, TURNS_MAX, &out->steps_max))
        return fault_set(fault, FAULT_INVALID, "body/maxTurns must be an integer from 1 to %d",
                         TURNS_MAX);
    out->model = member_text(x, &m[S_MODEL]);
    if (out->model.n > MODEL_BYTES)
        return fault_set(fault, FAULT_INVALID, "body/model must NOT have more than %d characters",
                         MODEL_BYTES);
    /* One that is gone is told of when the turn is to begin. */
    if (out->model.n &&
        agents_get(app_of(x)->agents, session->agent, &x->arena, &def, &none) == FAULT_OK &&
        def.model.n == 0)
        return fault_set(fault, FAULT_INVALID, "body/model: the agent has no model");
    return FAULT_OK;
}

enum fault_code ash_messages_send(struct exchange *x, struct fault *fault)
{
    struct json_member m[S_COUNT] = {
        [S_CONTENT] = JSON_MUST("content", JSON_STRING | JSON_ARRAY),
        [S_PARTIAL] = JSON_MAY("includePartialMessages", JSON_BOOL),
        [S_MODEL] = JSON_MAY("model", JSON_STRING),
        [S_TURNS] = JSON_MAY("maxTurns", JSON_NUMBER),
    };
    struct turn_cmd cmd = {
        .owner = x->request.caller.sees, .session = session_of(x), .count = 1, .busy = TURN_REFUSE};
    enum voice_partial partial = VOICE_DELTAS;
    struct entry_spec entry;
    struct session session;
    struct feed_voice voice;

    if (ash_session_active(x, &session, fault) != FAULT_OK ||
        ash_members(x, m, S_COUNT, fault) != FAULT_OK ||
        ash_content_read(&m[S_CONTENT].value, &x->arena, &entry, fault) != FAULT_OK ||
        wishes_read(x, m, &session, &cmd, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[S_PARTIAL].given)
        partial = json_true(&m[S_PARTIAL].value) ? VOICE_EVERYTHING : VOICE_WHOLE;
    cmd.entries = &entry;
    voice = ash_voice(session.id, app_of(x)->version, partial);
    if (feed_send(x, &cmd, &voice, fault) != FAULT_OK)
        return fault_pass(fault);
    atomic_fetch_add(&app_of(x)->counts.messages, 1);
    return FAULT_OK;
}
