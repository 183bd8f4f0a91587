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

enum { S_CONTENT, S_PARTIAL, S_COUNT };

enum fault_code ash_messages_send(struct exchange *x, struct fault *fault)
{
    struct json_member m[S_COUNT] = {
        [S_CONTENT] = JSON_MUST("content", JSON_STRING | JSON_ARRAY),
        [S_PARTIAL] = JSON_MAY("includePartialMessages", JSON_BOOL),
    };
    struct turn_cmd cmd = {
        .owner = x->request.caller.sees, .session = session_of(x), .count = 1, .busy = TURN_REFUSE};
    enum voice_partial partial = VOICE_DELTAS;
    struct entry_spec entry;
    struct session session;
    struct feed_voice voice;

    if (ash_session_active(x, &session, fault) != FAULT_OK ||
        ash_members(x, m, S_COUNT, fault) != FAULT_OK ||
        ash_content_read(&m[S_CONTENT].value, &x->arena, &entry, fault) != FAULT_OK)
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
