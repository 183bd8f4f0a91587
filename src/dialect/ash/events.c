/*
 * What happened in a session, from its journal. An entry may have several events, one for each of
 * its parts: the number of an event is that of the entry in the store with three digits more.
 */
#include "dialect/ash/content.h"
#include "dialect/ash/ids.h"
#include "message/part.h"

enum { E_LIMIT, E_AFTER, E_TYPE };
enum { EVENTS_DEFAULT = 200, EVENTS_OF_ONE = 1000 };

struct page {
    struct exchange *x;
    const struct session *session;
    struct json_out out;
    struct str type; /* only these; empty: all */
    int64_t after, limit, count;
    bool enough;
    struct arena arena; /* of one item */
    int64_t e, n;       /* the item, and how many events it had so far */
    int64_t at_us;
};

/* One event; `data` is an object, NULL: none. */
static void add(struct page *page, const char *type, const struct buf *data)
{
    int64_t sequence = page->e * EVENTS_OF_ONE + page->n;

    if (page->n == EVENTS_OF_ONE - 1)
        return; /* nobody says that much at once */
    page->n++;
    if (sequence <= page->after || (page->type.n && !str_eq(page->type, str_of(type))))
        return;
    if (page->count == page->limit) {
        page->enough = true;
        return;
    }
    page->count++;
    json_out_object(&page->out, NULL);
    json_out_plain(&page->out, "id", ash_id_of("event", page->session->id, sequence, &page->arena));
    json_out_string(&page->out, "sessionId", page->session->id);
    json_out_string(&page->out, "tenantId", page->session->owner);
    json_out_plain(&page->out, "type", str_of(type));
    if (data)
        json_out_string(&page->out, "data", buf_str(data));
    else
        json_out_null(&page->out, "data");
    json_out_int(&page->out, "sequence", sequence);
    json_out_time(&page->out, "createdAt", page->at_us);
    json_out_object_end(&page->out);
}

static void add_text(struct page *page, const char *type, const char *key, struct str value,
                     const char *other, struct str other_value)
{
    struct json_out json;
    struct buf data;

    buf_init(&data, REPLY_BYTES);
    json_out_init(&json, &data);
    json_out_object(&json, NULL);
    json_out_string(&json, key, value);
    if (other)
        json_out_string(&json, other, other_value);
    json_out_object_end(&json);
    add(page, type, &data);
    buf_clear(&data);
}

static void add_call(struct page *page, const struct part *part)
{
    struct json_out json;
    struct buf data;

    buf_init(&data, REPLY_BYTES);
    json_out_init(&json, &data);
    json_out_object(&json, NULL);
    json_out_string(&json, "id", part->id);
    json_out_string(&json, "name", part->name);
    json_out_raw(&json, "input", part->value.raw);
    json_out_object_end(&json);
    add(page, "tool_start", &data);
    buf_clear(&data);
}

static void add_result(struct page *page, const struct part *part)
{
    struct json_out json;
    struct buf data;

    buf_init(&data, REPLY_BYTES);
    json_out_init(&json, &data);
    json_out_object(&json, NULL);
    json_out_string(&json, "tool_use_id", part->id);
    json_out_raw(&json, "content", part->value.raw);
    json_out_bool(&json, "is_error", part->error);
    json_out_object_end(&json);
    add(page, "tool_result", &data);
    buf_clear(&data);
}

static void add_action(struct page *page, const char *action)
{
    add_text(page, "lifecycle", "action", str_of(action), NULL, STR_NONE);
}

static void add_entry(struct page *page, const struct entry *entry)
{
    static const char *const moves[] = {
        [MOVE_REWIND] = "rewound", [MOVE_UNDO] = "undone",  [MOVE_REDO] = "redone",
        [MOVE_ADOPT] = "adopted",  [MOVE_MERGE] = "merged",
    };
    const struct part *parts;
    size_t count;

    if (entry->kind == ENTRY_MOVE)
        add_action(page, moves[entry->move]);
    if (entry->kind != ENTRY_MESSAGE || entry->role == ROLE_USER || entry->role == ROLE_SYSTEM)
        return;
    parts = parts_of(entry->body, &page->arena, &count);
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &parts[i];

        if (part->type == PART_TEXT)
            add_text(page, "text", "text", part->text, NULL, STR_NONE);
        else if (part->type == PART_REASONING)
            add_text(page, "reasoning", "text", part->text, NULL, STR_NONE);
        else if (part->type == PART_TOOL_CALL)
            add_call(page, part);
        else if (part->type == PART_TOOL_RESULT)
            add_result(page, part);
    }
}

static void add_note(struct page *page, const struct note *note)
{
    switch (note->act) {
    case NOTE_CREATED:
        add_action(page, "created");
        break;
    case NOTE_FORKED:
        add_text(page, "lifecycle", "action", STR("forked"), "parentSessionId", note->was);
        break;
    case NOTE_UPDATED:
        add_action(page, "updated");
        break;
    case NOTE_ARCHIVED:
        add_action(page, "archived");
        break;
    case NOTE_UNARCHIVED:
        add_action(page, "unarchived");
        break;
    case NOTE_TURN_ENDED:
        if (str_eq(note->now, str_of(run_state_name(RUN_DONE))))
            add_text(page, "turn_complete", "turn", note->message, NULL, STR_NONE);
        else
            add_text(page, "error", "error", note->was.n ? note->was : note->now, "turn",
                     note->message);
        break;
    default:
        break;
    }
}

static enum fault_code visit(void *context, const struct journal_item *item, struct fault *fault)
{
    struct page *page = context;

    page->e = item->e;
    page->n = 0;
    page->at_us = item->entry ? item->entry->at_us : item->note->at_us;
    if (item->entry)
        add_entry(page, item->entry);
    else
        add_note(page, item->note);
    arena_clear(&page->arena);
    return page->enough ? visit_enough(fault) : FAULT_OK;
}

enum fault_code ash_events_list(struct exchange *x, struct fault *fault)
{
    struct page page = {
        .x = x,
        .type = query_text(x, E_TYPE),
        .after = query_number(x, E_AFTER, 0),
        .limit = query_number(x, E_LIMIT, EVENTS_DEFAULT),
    };
    struct log_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct session session;
    enum fault_code code;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    page.session = &session;
    spec.after_e = page.after < EVENTS_OF_ONE ? 0 : page.after / EVENTS_OF_ONE - 1;
    arena_init(&page.arena);
    reply_open(x, &page.out);
    json_out_array(&page.out, "events");
    code = store_journal(app_of(x)->store, &spec, visit, &page, fault);
    arena_clear(&page.arena);
    if (code && !page.enough)
        return code;
    json_out_array_end(&page.out);
    return reply_close(x, &page.out, fault);
}

/* A sandbox of ash has a log of its own; here commands print into the conversation. */
enum fault_code ash_logs_list(struct exchange *x, struct fault *fault)
{
    struct session session;

    if (ash_session(x, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    x->reply.fixed = STR("{\"logs\":[],\"source\":\"sandbox\"}");
    return FAULT_OK;
}
