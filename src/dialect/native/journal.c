/* The journal of a session, and the search over all sessions or in one. */
#include "dialect/native/handler.h"

enum { J_SINCE, J_LIMIT, J_CURSOR };

struct page {
    struct exchange *x;
    struct json_out out;
    int64_t limit, count, last;
    bool more;
};

/* One more than fits is looked at, so that it is known whether there are more. */
static enum fault_code visit(void *context, const struct journal_item *item, struct fault *fault)
{
    struct page *page = context;

    if (page->count == page->limit || (page->count > 0 && page->x->reply.body.n > PAGE_BYTES)) {
        page->more = true;
        return visit_enough(fault);
    }
    object_write_journal(&page->out, NULL, item);
    page->count++;
    page->last = item->e;
    return FAULT_OK;
}

enum fault_code native_session_journal(struct exchange *x, struct fault *fault)
{
    struct page page = {.x = x, .limit = query_number(x, J_LIMIT, PAGE_DEFAULT)};
    struct cursor cursor = {.kind = 'j', .subject = session_of(x)};
    struct log_spec spec = {
        .owner = x->request.caller.sees,
        .session = session_of(x),
        .limit = page.limit + 1,
        .after_e = query_number(x, J_SINCE, 0),
    };

    if (query_given(x, J_CURSOR)) {
        if (query_given(x, J_SINCE))
            return fault_set(fault, FAULT_INVALID, "\"cursor\" does not go with \"since\"");
        if (cursor_read(query_text(x, J_CURSOR), &cursor, fault) != FAULT_OK)
            return fault_pass(fault);
        spec.after_e = cursor.numbers[0];
    }
    reply_open(x, &page.out);
    json_out_array(&page.out, "entries");
    if (store_journal(app_of(x)->store, &spec, visit, &page, fault) != FAULT_OK && !page.more)
        return fault_pass(fault);
    json_out_array_end(&page.out);
    if (page.more) {
        cursor.numbers[0] = page.last;
        json_out_string(&page.out, "next", cursor_write(&cursor, &x->arena));
    }
    return reply_close(x, &page.out, fault);
}

static enum fault_code visit_hit(void *context, const struct hit *hit, struct fault *fault)
{
    (void)fault;
    object_write_hit(context, NULL, hit);
    return FAULT_OK;
}

enum { S_Q, S_SESSION, S_BEFORE, S_AFTER, S_LIMIT };

/* Where to look: everywhere, or in one session up from a place or down from it. */
static enum fault_code within_read(struct exchange *x, struct search_spec *spec,
                                   struct fault *fault)
{
    bool before = query_given(x, S_BEFORE), after = query_given(x, S_AFTER);

    if (before && after)
        return fault_set(fault, FAULT_INVALID, "only one of \"before\" and \"after\" can be given");
    if (!query_given(x, S_SESSION)) {
        if (before || after)
            return fault_set(fault, FAULT_INVALID, "\"%s\" goes only with \"session\"",
                             before ? "before" : "after");
        return FAULT_OK;
    }
    spec->session = query_text(x, S_SESSION);
    if (spec->session.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"session\" is empty");
    if (before || after) {
        spec->way = before ? SEARCH_BEFORE : SEARCH_AFTER;
        spec->place = query_number(x, before ? S_BEFORE : S_AFTER, 0);
    }
    return FAULT_OK;
}

enum fault_code native_search_get(struct exchange *x, struct fault *fault)
{
    struct search_spec spec = {
        .owner = x->request.caller.sees,
        .words = query_text(x, S_Q),
        .limit = query_number(x, S_LIMIT, 20),
    };
    struct search_info info;
    struct json_out out;

    if (spec.words.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"q\" is missing: the words to search for");
    if (within_read(x, &spec, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &out);
    json_out_array(&out, "hits");
    if (store_search(app_of(x)->store, &spec, visit_hit, &out, &info, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&out);
    if (info.next >= 0)
        json_out_int(&out, "next", info.next);
    return reply_close(x, &out, fault);
}
