/* Two branches side by side: where they part, and what each has since. */
#include "dialect/native/handler.h"

#include "dialect/native/file_object.h"

enum { D_WITH, D_AT, D_WITH_AT, D_PART, D_LIMIT, D_PATCH };

/* One of the two, at a fixed place: what happens meanwhile changes nothing. */
struct side {
    struct exchange *x;
    struct str session;
    struct point_spec at;
    int64_t total; /* messages */
};

static struct history_spec side_page(const struct side *side, int64_t from, int64_t limit)
{
    return (struct history_spec){
        .owner = side->x->request.caller.sees,
        .session = side->session,
        .at = side->at,
        .from = from,
        .limit = limit,
    };
}

static enum fault_code ignore(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)entry;
    (void)fault;
    return FAULT_OK;
}

/* Turns the name of a place into the place, and counts its messages. */
static enum fault_code side_fix(struct side *side, struct str word, const char *name,
                                struct fault *fault)
{
    struct history_spec spec;
    struct history_info info;

    side->at = (struct point_spec){.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE};
    if (word.p &&
        point_word_read(word, name, query_flag(side->x, D_PART), &side->at, fault) != FAULT_OK)
        return fault_pass(fault);
    spec = side_page(side, 0, 1);
    spec.tail = true;
    if (store_history(app_of(side->x)->store, &spec, ignore, NULL, &info, fault) != FAULT_OK)
        return fault_pass(fault);
    side->total = info.total;
    side->at = (struct point_spec){
        .by = info.head.s ? POINT_ADDRESS : POINT_START,
        .address = info.head,
        .guard = GUARD_NONE,
    };
    return FAULT_OK;
}

struct found {
    struct address at;
    struct arena *arena;
    struct str id; /* kept when there is an arena */
};

static enum fault_code take(void *context, const struct entry *entry, struct fault *fault)
{
    struct found *found = context;

    (void)fault;
    found->at = entry->at;
    if (found->arena)
        found->id = arena_dup(found->arena, entry->id);
    return FAULT_OK;
}

static enum fault_code message_at(const struct side *side, int64_t index, struct found *out,
                                  struct fault *fault)
{
    struct history_spec spec = side_page(side, index, 1);

    return store_history(app_of(side->x)->store, &spec, take, out, NULL, fault);
}

/*
 * How many messages the two have in common. Paths that have an entry in common have everything
 * before it in common, so the place where they part is found by halving.
 */
static enum fault_code common_count(const struct side *left, const struct side *right, int64_t *out,
                                    struct fault *fault)
{
    int64_t low = 0, high = left->total < right->total ? left->total : right->total;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        struct found a = {0}, b = {0};

        if (message_at(left, middle, &a, fault) != FAULT_OK ||
            message_at(right, middle, &b, fault) != FAULT_OK)
            return fault_pass(fault);
        if (address_eq(a.at, b.at))
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return FAULT_OK;
}

struct search {
    struct str id;
    bool found;
};

static enum fault_code look(void *context, const struct session *session, struct fault *fault)
{
    struct search *search = context;

    (void)fault;
    search->found = search->found || str_eq(session->id, search->id);
    return FAULT_OK;
}

/* Two that have nothing in common may still be of one family: a fork from before everything. */
static enum fault_code family_check(const struct side *left, const struct side *right,
                                    struct fault *fault)
{
    struct search search = {.id = right->session};

    if (store_relatives(app_of(left->x)->store, left->x->request.caller.sees, left->session,
                        RELATION_FAMILY, look, &search, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!search.found)
        return fault_set(fault, FAULT_NOT_FAMILY,
                         "session \"%.*s\" is not of the family of \"%.*s\"",
                         STR_ARG(right->session), STR_ARG(left->session));
    return FAULT_OK;
}

struct list {
    struct exchange *x;
    struct json_out *out;
    size_t from; /* bytes of the reply before it */
    int64_t count;
    bool cut;
};

static enum fault_code visit(void *context, const struct entry *entry, struct fault *fault)
{
    struct list *list = context;

    list->cut = list->cut || (list->count > 0 &&
                              list->x->reply.body.n - list->from + entry->body.n > PAGE_BYTES);
    if (list->cut)
        return visit_enough(fault);
    object_write_entry(list->out, NULL, entry);
    list->count++;
    return FAULT_OK;
}

/* What one side has since, and whether that is all of it. */
static enum fault_code side_write(const struct side *side, const char *key, const char *more,
                                  int64_t from, struct json_out *out, struct fault *fault)
{
    struct exchange *x = side->x;
    struct history_spec spec = side_page(side, from, query_number(x, D_LIMIT, LIMIT_PAGE));
    struct list list = {.x = x, .out = out, .from = x->reply.body.n};

    json_out_array(out, key);
    if (from < side->total &&
        store_history(app_of(x)->store, &spec, visit, &list, NULL, fault) != FAULT_OK && !list.cut)
        return fault_pass(fault);
    json_out_array_end(out);
    if (from + list.count < side->total)
        json_out_bool(out, more, true);
    return FAULT_OK;
}

/* ---- files ---- */

struct changes {
    struct exchange *x;
    struct json_out *out;
    size_t from; /* bytes of the reply before them */
    int64_t count;
    bool patches, cut;
};

static enum fault_code change_visit(void *context, const struct tree_change *change,
                                    const struct patch *patch, struct fault *fault)
{
    struct changes *changes = context;
    size_t bytes = change->path.n + (changes->patches ? patch->text.n : 0);

    changes->cut =
        changes->count > 0 && changes->x->reply.body.n - changes->from + bytes > (size_t)PAGE_BYTES;
    if (changes->cut)
        return visit_enough(fault);
    object_write_change(changes->out, change, patch, changes->patches);
    changes->count++;
    return FAULT_OK;
}

static struct files_place side_place(const struct side *side)
{
    return (struct files_place){
        .owner = side->x->request.caller.sees,
        .session = side->session,
        .at = side->at,
    };
}

/* What differs in the files of the two: from the left one to the right one. */
static enum fault_code files_write(const struct side *left, const struct side *right,
                                   struct json_out *out, struct fault *fault)
{
    struct exchange *x = left->x;
    struct files_place was = side_place(left), is = side_place(right);
    struct changes changes = {
        .x = x,
        .out = out,
        .from = x->reply.body.n,
        .patches = query_number(x, D_PATCH, 1) != 0,
    };

    json_out_array(out, "files");
    if (workspaces_diff(app_of(x)->workspaces, &was, &is, changes.patches, change_visit, &changes,
                        fault) != FAULT_OK &&
        !changes.cut)
        return fault_pass(fault);
    json_out_array_end(out);
    if (changes.cut)
        json_out_bool(out, "files_more", true);
    return FAULT_OK;
}

enum fault_code native_session_diff(struct exchange *x, struct fault *fault)
{
    struct side left = {.x = x, .session = session_of(x)};
    struct side right = {.x = x, .session = query_text(x, D_WITH)};
    struct found common = {.arena = &x->arena};
    struct json_out out;
    int64_t shared;

    if (right.session.n == 0)
        return fault_set(fault, FAULT_INVALID, "\"with\" is missing: the other session");
    if (side_fix(&left, query_text(x, D_AT), "at", fault) != FAULT_OK ||
        side_fix(&right, query_text(x, D_WITH_AT), "with_at", fault) != FAULT_OK ||
        common_count(&left, &right, &shared, fault) != FAULT_OK ||
        (shared == 0 && family_check(&left, &right, fault) != FAULT_OK) ||
        (shared > 0 && message_at(&left, shared - 1, &common, fault) != FAULT_OK))
        return fault_pass(fault);
    reply_open(x, &out);
    json_out_name(&out, "common", common.id);
    json_out_int(&out, "index", shared);
    if (side_write(&left, "left", "left_more", shared, &out, fault) != FAULT_OK ||
        side_write(&right, "right", "right_more", shared, &out, fault) != FAULT_OK ||
        files_write(&left, &right, &out, fault) != FAULT_OK)
        return fault_pass(fault);
    return reply_close(x, &out, fault);
}
