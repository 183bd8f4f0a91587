/* Sessions: made, listed, looked at, changed, deleted. */
#include "dialect/native/handler.h"

#include "dialect/native/workspace.h"
#include "message/message_in.h"

#include <stdlib.h>

/* ---- one ---- */

static void write_session(struct json_out *out, const void *session)
{
    object_write_session(out, NULL, session);
}

enum { C_AGENT, C_TITLE, C_METADATA, C_LIMITS, C_STATE, C_WORKSPACE, C_ID, C_COUNT };

static enum fault_code create_read(struct exchange *x, struct create_spec *spec,
                                   struct fault *fault)
{
    struct json_member m[C_COUNT] = {
        [C_AGENT] = JSON_MAY("agent", JSON_STRING),
        [C_TITLE] = JSON_MAY("title", JSON_STRING),
        [C_METADATA] = JSON_MAY("metadata", JSON_OBJECT),
        [C_LIMITS] = JSON_MAY("limits", JSON_OBJECT),
        [C_STATE] = JSON_MAY("state", JSON_OBJECT),
        [C_WORKSPACE] = JSON_MAY("workspace", JSON_OBJECT),
        [C_ID] = JSON_MAY("id", JSON_STRING),
    };
    struct agent_def def;

    if (body_members(x, m, C_COUNT, fault) != FAULT_OK ||
        workspace_member(x, &m[C_WORKSPACE], &spec->workspace, fault) != FAULT_OK)
        return fault_pass(fault);
    if (m[C_STATE].given &&
        message_state(&m[C_STATE].value, "state", &x->arena, &spec->state, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->owner = x->request.caller.owner;
    spec->id = member_text(x, &m[C_ID]);
    if (m[C_ID].given && spec->id.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"id\" is empty");
    spec->title = member_text(x, &m[C_TITLE]);
    spec->metadata = m[C_METADATA].given ? m[C_METADATA].value.raw : STR_NONE;
    spec->limits = m[C_LIMITS].given ? m[C_LIMITS].value.raw : STR_NONE;
    spec->agent = member_text(x, &m[C_AGENT]);
    if (!m[C_AGENT].given) {
        if (agents_get(app_of(x)->agents, STR_NONE, &x->arena, &def, fault) != FAULT_OK)
            return fault_pass(fault);
        spec->agent = def.name;
    }
    return FAULT_OK;
}

enum fault_code native_sessions_create(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct create_spec spec = {0};
    struct reply_once once;
    struct session session;

    if (create_read(x, &spec, fault) != FAULT_OK ||
        once_begin(x, STR_NONE, &once, write_session, &session, &spec.once, fault) != FAULT_OK ||
        agent_check(x, spec.agent, spec.once, fault) != FAULT_OK ||
        engine_create(app->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return once_reply(x, &once, &app->counts.sessions, fault);
}

/* A session, and what its turn waits for. */
struct asking {
    const struct session *session;
    struct question question;
};

static void write_asking(struct json_out *out, const void *context)
{
    const struct asking *asking = context;

    object_write_session_asking(out, NULL, asking->session, &asking->question);
}

enum fault_code reply_session(struct exchange *x, const struct session *session,
                              struct fault *fault)
{
    struct asking asking = {.session = session};

    if (session->turn_state == RUN_WAITING && turns_asked(app_of(x)->turns, x->request.caller.sees,
                                                          session->id, &x->arena, &asking.question))
        return reply_object(x, write_asking, &asking, fault);
    return reply_object(x, write_session, session, fault);
}

enum fault_code native_session_get(struct exchange *x, struct fault *fault)
{
    struct session session;

    if (store_session_get(app_of(x)->store, x->request.caller.sees, session_of(x), query_flag(x, 0),
                          &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_session(x, &session, fault);
}

enum { P_TITLE, P_METADATA, P_LIMITS, P_ARCHIVED, P_COUNT };

enum fault_code native_session_patch(struct exchange *x, struct fault *fault)
{
    struct json_member m[P_COUNT] = {
        [P_TITLE] = JSON_MAY("title", JSON_STRING),
        [P_METADATA] = JSON_MAY("metadata", JSON_OBJECT),
        [P_LIMITS] = JSON_MAY("limits", JSON_OBJECT),
        [P_ARCHIVED] = JSON_MAY("archived", JSON_BOOL),
    };
    struct update_spec spec = {.owner = x->request.caller.sees, .session = session_of(x)};
    struct session session;
    struct str title;
    bool archived;

    if (body_members(x, m, P_COUNT, fault) != FAULT_OK)
        return fault_pass(fault);
    title = member_text(x, &m[P_TITLE]);
    archived = m[P_ARCHIVED].given && json_true(&m[P_ARCHIVED].value);
    spec.title = m[P_TITLE].given ? &title : NULL;
    spec.metadata = m[P_METADATA].given ? &m[P_METADATA].value.raw : NULL;
    spec.limits = m[P_LIMITS].given ? &m[P_LIMITS].value.raw : NULL;
    spec.archived = m[P_ARCHIVED].given ? &archived : NULL;
    if (engine_update(app_of(x)->engine, &spec, &x->arena, &session, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_object(x, write_session, &session, fault);
}

enum fault_code native_session_delete(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct delete_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .purge = query_flag(x, 0),
    };
    enum fault_code code = turns_cancel(app->turns, spec.owner, spec.session, STR_NONE, fault);

    if (code && code != FAULT_NO_TURN)
        return code;
    if (workspaces_delete(app->workspaces, &spec, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec.purge)
        page_cache_clear(app->pages); /* no word of it stays in memory, either */
    atomic_fetch_add(&app->counts.deletes, 1);
    return FAULT_OK;
}

/* ---- lists ---- */

enum { L_AGENT, L_Q, L_PARENT, L_ARCHIVED, L_LIMIT, L_CURSOR };

/* Places in a cursor of the list. */
enum { AT_UPDATED, AT_NUMBER, AT_COUNT };

/* A page of sessions while it is written. */
struct page {
    struct exchange *x;
    struct json_out out;
    int64_t limit, count;
    bool more;
    struct cursor next;
};

/* What the list is of: a cursor of one list is no cursor of another. */
static struct str list_subject(struct exchange *x)
{
    struct buf text;

    buf_init(&text, (size_t)8 * 1024);
    buf_add_format(&text, "%lld", (long long)x->request.caller.sees);
    for (size_t i = L_AGENT; i <= L_ARCHIVED; i++) {
        buf_add_format(&text, "\n%zu:", query_text(x, i).n);
        buf_add_str(&text, query_text(x, i));
    }
    return buf_take(&text, &x->arena);
}

static enum fault_code archived_read(struct exchange *x, int *out, struct fault *fault)
{
    struct str word = query_text(x, L_ARCHIVED);

    if (!word.p || str_eq(word, STR("0")) || str_eq(word, STR("false")))
        *out = 0;
    else if (str_eq(word, STR("1")) || str_eq(word, STR("true")))
        *out = 1;
    else if (str_eq(word, STR("all")))
        *out = -1;
    else
        return fault_set(fault, FAULT_INVALID, "\"archived\" must be 0, 1 or all");
    return FAULT_OK;
}

static bool page_full(const struct page *page)
{
    return page->count == page->limit || (page->count > 0 && page->x->reply.body.n > PAGE_BYTES);
}

/* One more than fits is looked at, so that it is known whether there are more. */
static void page_add(struct page *page, const struct session *session)
{
    page->more = page->more || page_full(page);
    if (page->more)
        return;
    page->count++;
    page->next.numbers[AT_UPDATED] = session->updated_us;
    page->next.numbers[AT_NUMBER] = session->s;
    object_write_session_row(&page->out, NULL, session);
}

static enum fault_code visit(void *context, const struct session *session, struct fault *fault)
{
    struct page *page = context;

    page_add(page, session);
    return page->more ? visit_enough(fault) : FAULT_OK;
}

/* Sessions by name, in the order in which they are to stand in the list. */
struct picks {
    struct arena *arena;
    struct pick {
        struct str id;
        int64_t s, updated_us;
    } * items;
    size_t count, room;
};

static struct pick *pick_add(struct picks *picks)
{
    picks->items =
        arena_more(picks->arena, picks->items, picks->count, &picks->room, sizeof(*picks->items));
    return &picks->items[picks->count++];
}

static enum fault_code pick_child(void *context, const struct session *session, struct fault *fault)
{
    struct picks *picks = context;

    (void)fault;
    *pick_add(picks) = (struct pick){
        arena_dup(picks->arena, session->id),
        session->s,
        session->updated_us,
    };
    return FAULT_OK;
}

static enum fault_code pick_hit(void *context, const struct hit *hit, struct fault *fault)
{
    struct picks *picks = context;

    (void)fault;
    for (size_t i = 0; i < picks->count; i++)
        if (str_eq(picks->items[i].id, hit->session))
            return FAULT_OK;
    pick_add(picks)->id = arena_dup(picks->arena, hit->session);
    return FAULT_OK;
}

static int newest_first(const void *a, const void *b)
{
    const struct pick *x = a, *y = b;

    if (x->updated_us != y->updated_us)
        return x->updated_us > y->updated_us ? -1 : 1;
    return x->s > y->s ? -1 : x->s < y->s;
}

static bool fits(const struct exchange *x, const struct session *session, int archived)
{
    struct str agent = query_text(x, L_AGENT), parent = query_text(x, L_PARENT);

    return (archived < 0 || session->archived == (archived == 1)) &&
           (agent.n == 0 || str_eq(agent, session->agent)) &&
           (parent.n == 0 || (session->parent.known && str_eq(parent, session->parent.session)));
}

/* A list that is not kept in the store as such: of what was picked, those that fit. */
static enum fault_code picks_write(struct page *page, const struct picks *picks, size_t from,
                                   int archived, struct fault *fault)
{
    struct exchange *x = page->x;

    for (size_t i = from; i < picks->count && !page->more; i++) {
        struct session session;
        struct arena arena;
        enum fault_code code;

        arena_init(&arena);
        code = store_session_get(app_of(x)->store, x->request.caller.sees, picks->items[i].id,
                                 false, &arena, &session, fault);
        if (!code && fits(x, &session, archived))
            page_add(page, &session);
        arena_clear(&arena);
        if (code && code != FAULT_SESSION_NOT_FOUND) /* deleted meanwhile */
            return code;
        if (!page->more)
            page->next.numbers[AT_COUNT] = (int64_t)i + 1;
    }
    return FAULT_OK;
}

static enum fault_code list_found(struct page *page, int archived, struct fault *fault)
{
    struct exchange *x = page->x;
    struct picks picks = {.arena = &x->arena};
    struct search_spec spec = {
        .owner = x->request.caller.sees,
        .words = query_text(x, L_Q),
        .limit = LIMIT_PAGE,
    };
    size_t from = (size_t)page->next.numbers[AT_COUNT];

    if (store_search(app_of(x)->store, &spec, pick_hit, &picks, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    return picks_write(page, &picks, from, archived, fault);
}

static enum fault_code list_children(struct page *page, int archived, struct fault *fault)
{
    struct exchange *x = page->x;
    struct picks picks = {.arena = &x->arena};
    struct pick seen = {
        .s = page->next.numbers[AT_NUMBER],
        .updated_us = page->next.numbers[AT_UPDATED],
    };
    size_t from = 0;

    if (store_relatives(app_of(x)->store, x->request.caller.sees, query_text(x, L_PARENT),
                        RELATION_CHILDREN, pick_child, &picks, fault) != FAULT_OK)
        return fault_pass(fault);
    if (picks.count)
        qsort(picks.items, picks.count, sizeof(picks.items[0]), newest_first);
    while (seen.s && from < picks.count && newest_first(&picks.items[from], &seen) <= 0)
        from++;
    return picks_write(page, &picks, from, archived, fault);
}

static enum fault_code list_all(struct page *page, int archived, struct fault *fault)
{
    struct exchange *x = page->x;
    struct list_spec spec = {
        .owner = x->request.caller.sees,
        .agent = query_text(x, L_AGENT),
        .archived = archived,
        .limit = page->limit + 1,
        .before_us = page->next.numbers[AT_UPDATED],
        .before_s = page->next.numbers[AT_NUMBER],
    };

    if (store_session_list(app_of(x)->store, &spec, visit, page, fault) != FAULT_OK && !page->more)
        return fault_pass(fault);
    return FAULT_OK;
}

enum fault_code native_sessions_list(struct exchange *x, struct fault *fault)
{
    struct page page = {
        .x = x,
        .limit = query_number(x, L_LIMIT, PAGE_DEFAULT),
        .next = {.kind = 's', .subject = list_subject(x)},
    };
    enum fault_code code;
    int archived;

    if (archived_read(x, &archived, fault) != FAULT_OK ||
        (query_given(x, L_CURSOR) &&
         cursor_read(query_text(x, L_CURSOR), &page.next, fault) != FAULT_OK))
        return fault_pass(fault);
    reply_open(x, &page.out);
    json_out_array(&page.out, "sessions");
    if (query_text(x, L_Q).n)
        code = list_found(&page, archived, fault);
    else if (query_text(x, L_PARENT).n)
        code = list_children(&page, archived, fault);
    else
        code = list_all(&page, archived, fault);
    if (code)
        return code;
    json_out_array_end(&page.out);
    if (page.more)
        json_out_string(&page.out, "next", cursor_write(&page.next, &x->arena));
    return reply_close(x, &page.out, fault);
}
