/* Messages: the effective history in pages, the raw log, and what is said to a session. */
#include "dialect/native/handler.h"

#include "dialect/native/turn_reply.h"
#include "message/message_in.h"

/* ---- pages ---- */

enum { H_AFTER, H_BEFORE, H_AT, H_FROM, H_LIMIT, H_TAIL, H_ALL, H_PART, H_CURSOR };

/* Places in a cursor of a history: the head it was made at, the last entry given, and `all`. */
enum { AT_HEAD_S, AT_HEAD_N, AT_LAST_S, AT_LAST_N, AT_ALL };

struct page {
    struct exchange *x;
    struct json_out out;
    int64_t count;
    bool too_large; /* ended because the page has its bytes */
    struct address last;
};

/* A page that has its bytes ends here; see page_write. */
static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct page *page = context;

    if (page->count > 0 && page->x->reply.body.n + entry->body.n > PAGE_BYTES) {
        page->too_large = true;
        return visit_enough(fault);
    }
    object_write_entry(&page->out, NULL, entry);
    page->count++;
    page->last = entry->at;
    return FAULT_OK;
}

/*
 * Writes a page. One that would be too large in bytes is read again with fewer rows, so that what
 * the store says of its end is true; each time there are fewer, and one always fits.
 */
static enum fault_code page_write(struct page *page, struct history_spec *spec,
                                  struct history_info *info, struct fault *fault)
{
    enum fault_code code;

    do {
        page->count = 0;
        page->too_large = false;
        reply_open(page->x, &page->out);
        json_out_array(&page->out, "messages");
        code = store_history(app_of(page->x)->store, spec, visit, page, info, fault);
        if (page->too_large)
            spec->limit = spec->tail ? (spec->limit + 1) / 2 : page->count;
    } while (page->too_large);
    return code;
}

static enum fault_code cursor_apply(struct exchange *x, struct history_spec *spec,
                                    struct fault *fault)
{
    struct cursor cursor = {.kind = 'h', .subject = session_of(x)};

    if (query_given(x, H_AFTER) || query_given(x, H_BEFORE) || query_given(x, H_AT) ||
        query_given(x, H_FROM) || query_given(x, H_TAIL) || query_given(x, H_ALL))
        return fault_set(fault, FAULT_INVALID, "\"cursor\" goes only with \"limit\"");
    if (cursor_read(query_text(x, H_CURSOR), &cursor, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->at = (struct point_spec){
        .by = POINT_ADDRESS,
        .address = {cursor.numbers[AT_HEAD_S], cursor.numbers[AT_HEAD_N]},
        .guard = GUARD_NONE,
    };
    spec->after = (struct address){cursor.numbers[AT_LAST_S], cursor.numbers[AT_LAST_N]};
    spec->all = cursor.numbers[AT_ALL] != 0;
    return FAULT_OK;
}

/* Where the history ends, and where it begins. */
static enum fault_code ends_read(struct exchange *x, struct history_spec *spec, struct fault *fault)
{
    bool part = query_flag(x, H_PART);
    struct point_spec after;
    struct entry entry;

    if (query_given(x, H_AT) && query_given(x, H_BEFORE))
        return fault_set(fault, FAULT_INVALID, "only one of \"at\" and \"before\" can be given");
    if (query_given(x, H_AT) &&
        point_word_read(query_text(x, H_AT), "at", part, &spec->at, fault) != FAULT_OK)
        return fault_pass(fault);
    if (query_given(x, H_BEFORE)) {
        if (point_word_read(query_text(x, H_BEFORE), "before", part, &spec->at, fault) != FAULT_OK)
            return fault_pass(fault);
        spec->at.side = SIDE_BEFORE;
    }
    if (!query_given(x, H_AFTER))
        return FAULT_OK;
    if (point_word_read(query_text(x, H_AFTER), "after", part, &after, fault) != FAULT_OK ||
        store_entry_get(app_of(x)->store, spec->owner, spec->session, &after, &x->arena, &entry,
                        fault) != FAULT_OK)
        return fault_pass(fault);
    spec->after = entry.at;
    return FAULT_OK;
}

static enum fault_code page_read(struct exchange *x, struct history_spec *spec, struct fault *fault)
{
    spec->all = query_flag(x, H_ALL);
    spec->tail = query_given(x, H_TAIL);
    spec->from = query_number(x, H_FROM, 0);
    if (query_given(x, H_FROM) && query_given(x, H_AFTER))
        return fault_set(fault, FAULT_INVALID, "only one of \"from\" and \"after\" can be given");
    if (spec->tail &&
        (query_given(x, H_LIMIT) || query_given(x, H_FROM) || query_given(x, H_AFTER)))
        return fault_set(fault, FAULT_INVALID,
                         "\"tail\" does not go with \"limit\", \"from\" and \"after\"");
    if (spec->tail)
        spec->limit = query_number(x, H_TAIL, 0);
    return ends_read(x, spec, fault);
}

static enum fault_code skip_entry(void *context, const struct entry *entry, struct fault *fault)
{
    int64_t *first = context;

    (void)fault;
    if (*first < 0)
        *first = entry->index;
    return FAULT_OK;
}

/* The last n messages with what stands between them: from the first of them on. */
static enum fault_code tail_of_all(struct exchange *x, struct history_spec *spec,
                                   struct fault *fault)
{
    struct history_spec visible = *spec;
    struct history_info info;
    int64_t first = -1;

    visible.all = false;
    if (store_history(app_of(x)->store, &visible, skip_entry, &first, &info, fault) != FAULT_OK)
        return fault_pass(fault);
    spec->tail = false;
    spec->from = first < 0 ? 0 : first;
    spec->limit = LIMIT_PAGE;
    spec->at = (struct point_spec){.by = POINT_ADDRESS, .address = info.head, .guard = GUARD_NONE};
    if (!info.head.s)
        spec->at = (struct point_spec){.by = POINT_START, .guard = GUARD_NONE};
    return FAULT_OK;
}

/* Writes the whole reply. */
static enum fault_code history_write(struct exchange *x, struct history_spec *spec,
                                     struct fault *fault)
{
    struct page page = {.x = x};
    struct history_info info;

    if ((spec->tail && spec->all && tail_of_all(x, spec, fault) != FAULT_OK) ||
        page_write(&page, spec, &info, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&page.out);
    if (info.more && !spec->tail && page.count > 0) {
        struct cursor cursor = {
            .kind = 'h',
            .subject = session_of(x),
            .numbers =
                {
                    [AT_HEAD_S] = info.head.s,
                    [AT_HEAD_N] = info.head.n,
                    [AT_LAST_S] = info.last.s,
                    [AT_LAST_N] = info.last.n,
                    [AT_ALL] = spec->all,
                },
        };

        json_out_string(&page.out, "next", cursor_write(&cursor, &x->arena));
    }
    json_out_int(&page.out, "total", info.total);
    return reply_close(x, &page.out, fault);
}

/* ---- pages that are given again ---- */

/*
 * All that a page depends on, besides `cleared`. A page up to a message that has a name of any kind
 * would depend on what that name means, and is not kept.
 */
static bool key_make(const struct history_spec *spec, const struct history_mark *mark,
                     struct page_key *out)
{
    bool address = spec->at.by == POINT_ADDRESS;

    *out = (struct page_key){{
        mark->s,
        mark->n,
        address ? spec->at.address.s : 0,
        address ? spec->at.address.n : 0,
        spec->after.s,
        spec->after.n,
        spec->from,
        spec->limit,
        spec->tail,
        spec->all,
    }};
    return address || spec->at.by == POINT_END;
}

static void page_reply(struct exchange *x, struct kept_page *page)
{
    x->reply.fixed = kept_page_bytes(page);
    x->reply.release = kept_page_unref;
    x->reply.held = page;
}

/*
 * The mark is read first, so a page is never older than the mark that it is kept under; what it may
 * be newer by has moved the mark on, and nobody asks for the old one again.
 */
static enum fault_code history_reply(struct exchange *x, struct history_spec *spec,
                                     struct fault *fault)
{
    struct app *app = app_of(x);
    struct history_mark mark;
    struct kept_page *page;
    struct page_key key;

    if (store_history_mark(app->store, spec->owner, spec->session, &mark, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!key_make(spec, &mark, &key))
        return history_write(x, spec, fault);
    page = page_cache_find(app->pages, mark.cleared, &key);
    if (!page) {
        if (history_write(x, spec, fault) != FAULT_OK)
            return fault_pass(fault);
        page = page_cache_put(app->pages, mark.cleared, &key, &x->reply.body);
    }
    if (page)
        page_reply(x, page);
    return FAULT_OK;
}

enum fault_code native_messages_list(struct exchange *x, struct fault *fault)
{
    struct history_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .limit = query_number(x, H_LIMIT, PAGE_DEFAULT),
    };
    enum fault_code code =
        query_given(x, H_CURSOR) ? cursor_apply(x, &spec, fault) : page_read(x, &spec, fault);

    return code ? code : history_reply(x, &spec, fault);
}

/* ---- the raw log ---- */

enum { RAW_LIMIT, RAW_CURSOR };

/* One more than fits is looked at, so that it is known whether there are more. */
struct raw_page {
    struct page page;
    int64_t limit;
    bool more;
};

static enum fault_code raw_visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct raw_page *raw = context;
    struct page *page = &raw->page;

    if (page->count == raw->limit ||
        (page->count > 0 && page->x->reply.body.n + entry->body.n > PAGE_BYTES)) {
        raw->more = true;
        return visit_enough(fault);
    }
    object_write_entry(&page->out, NULL, entry);
    page->count++;
    page->last = entry->at;
    return FAULT_OK;
}

enum fault_code native_session_raw(struct exchange *x, struct fault *fault)
{
    struct raw_page raw = {.page = {.x = x}, .limit = query_number(x, RAW_LIMIT, PAGE_DEFAULT)};
    struct log_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .limit = raw.limit + 1,
    };
    struct cursor cursor = {.kind = 'r', .subject = session_of(x)};

    if (query_given(x, RAW_CURSOR)) {
        if (cursor_read(query_text(x, RAW_CURSOR), &cursor, fault) != FAULT_OK)
            return fault_pass(fault);
        spec.after = (struct address){cursor.numbers[AT_LAST_S], cursor.numbers[AT_LAST_N]};
    }
    reply_open(x, &raw.page.out);
    json_out_array(&raw.page.out, "entries");
    if (store_raw_log(app_of(x)->store, &spec, raw_visit, &raw, fault) != FAULT_OK && !raw.more)
        return fault_pass(fault);
    json_out_array_end(&raw.page.out);
    if (raw.more) {
        cursor.numbers[AT_LAST_S] = raw.page.last.s;
        cursor.numbers[AT_LAST_N] = raw.page.last.n;
        json_out_string(&raw.page.out, "next", cursor_write(&cursor, &x->arena));
    }
    return reply_close(x, &raw.page.out, fault);
}

/* ---- saying something ---- */

/* What records the files is no message of the batch, and no entry when that is one of before. */
static void write_appended(struct json_out *out, const void *result_)
{
    const struct append_result *result = result_;

    json_out_object(out, NULL);
    json_out_array(out, "messages");
    for (size_t i = 0; i < result->count; i++)
        if (result->entries[i].kind != ENTRY_FILES && result->entries[i].id.n)
            object_write_entry(out, NULL, &result->entries[i]);
    json_out_array_end(out);
    json_out_bool(out, "repeated", result->repeated);
    json_out_object_end(out);
}

static enum fault_code append(struct exchange *x, struct message_batch *batch, struct fault *fault)
{
    struct app *app = app_of(x);
    struct append_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .expect_head = batch->expect_head,
    };
    struct append_result result = {0};
    struct reply_once once;

    if (once_begin(x, STR_NONE, &once, write_appended, &result, &spec.once, fault) != FAULT_OK ||
        workspaces_append(app->workspaces, &spec, batch->entries, batch->count, &x->arena, &result,
                          fault) != FAULT_OK)
        return fault_pass(fault);
    if (!once.once.repeated)
        atomic_fetch_add(&app->counts.messages, (long long)batch->count);
    x->reply.status = 201;
    return once_reply(x, &once, NULL, fault);
}

/* A message of the user is answered unless it says otherwise; a batch is only stored. */
static bool wants_run(const struct message_batch *batch)
{
    if (batch->run == RUN_NOT_SAID)
        return batch->single && batch->entries[0].role == ROLE_USER;
    return batch->run == RUN_YES;
}

enum fault_code native_messages_send(struct exchange *x, struct fault *fault)
{
    struct message_batch batch;
    enum role last;

    if (message_send_read(x->request.body, &x->arena, &batch, fault) != FAULT_OK)
        return fault_pass(fault);
    last = batch.entries[batch.count - 1].role;
    if (!wants_run(&batch)) {
        if (batch.wait)
            return fault_set(fault, FAULT_INVALID, "\"busy\" goes only with \"run\": true");
        return append(x, &batch, fault);
    }
    if (last != ROLE_USER)
        return fault_set(fault, FAULT_INVALID,
                         "\"run\" needs a message of the user as the last one");
    if (caller_may(x, RIGHT_RUN, "let agents answer", fault) != FAULT_OK)
        return fault_pass(fault);
    return turn_reply(x, &batch, fault);
}
