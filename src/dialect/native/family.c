/* The family of a session: the whole tree, the chain of parents, the forks. */
#include "dialect/native/handler.h"

#include "dialect/native/nodes.h"

enum { T_MESSAGES, T_LIMIT, T_CURSOR };

enum {
    NODE_BYTES = 64 * 1024, /* of a session in the tree: its title is the longest of it */
    CHANGES_MAX = 1000      /* files that are counted as changed in one */
};

struct list {
    struct exchange *x;
    struct json_out out;
    struct family_list *members;
};

static enum fault_code visit_row(void *context, const struct session *session, struct fault *fault)
{
    (void)fault;
    object_write_session_row(context, NULL, session);
    return FAULT_OK;
}

static enum fault_code relatives(struct exchange *x, int relation, struct fault *fault)
{
    struct json_out out;

    reply_open(x, &out);
    json_out_array(&out, "sessions");
    if (store_relatives(app_of(x)->store, x->request.caller.sees, session_of(x), relation,
                        visit_row, &out, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_array_end(&out);
    return reply_close(x, &out, fault);
}

enum fault_code native_session_ancestors(struct exchange *x, struct fault *fault)
{
    return relatives(x, RELATION_ANCESTORS, fault);
}

enum fault_code native_session_children(struct exchange *x, struct fault *fault)
{
    return relatives(x, RELATION_CHILDREN, fault);
}

/* Keeps a session as the object that it becomes: a visit must not ask the store for its labels. */
static enum fault_code visit_member(void *context, const struct session *session,
                                    struct fault *fault)
{
    struct list *list = context;
    struct json_out out;
    struct buf text;

    (void)fault;
    buf_init(&text, NODE_BYTES);
    json_out_init(&out, &text);
    object_begin_node(&out, session, str_eq(session->id, session_of(list->x)));
    json_out_object_end(&out);
    family_list_add(list->members, session, buf_str(&text));
    buf_clear(&text);
    return FAULT_OK;
}

static enum fault_code visit_label(void *context, const struct label *label, struct fault *fault)
{
    (void)fault;
    if (!label->inherited)
        object_write_label(context, NULL, label);
    return FAULT_OK;
}

static enum fault_code visit_rewound(void *context, const struct rewound *rewound,
                                     struct fault *fault)
{
    (void)fault;
    object_write_rewound(context, NULL, rewound);
    return FAULT_OK;
}

/* A session that is deleted meanwhile has neither. */
static enum fault_code details_write(struct list *list, struct str session, struct fault *fault)
{
    struct store *store = app_of(list->x)->store;
    int64_t sees = list->x->request.caller.sees;
    enum fault_code code;

    json_out_array(&list->out, "labels");
    code = store_labels(store, sees, session, visit_label, &list->out, fault);
    json_out_array_end(&list->out);
    if (code && code != FAULT_SESSION_NOT_FOUND)
        return code;
    json_out_array(&list->out, "rewound");
    code = store_rewound(store, sees, session, visit_rewound, &list->out, fault);
    json_out_array_end(&list->out);
    return code == FAULT_SESSION_NOT_FOUND ? FAULT_OK : code;
}

/* How many files differ from those that the session began with. */
static enum fault_code changes_write(struct list *list, const struct family_row *row,
                                     struct fault *fault)
{
    int64_t changed = 0;

    if (memcmp(row->base_tree, row->tree, HASH_BYTES) != 0 &&
        workspaces_count_changes(app_of(list->x)->workspaces, row->base_tree, row->tree,
                                 CHANGES_MAX, &changed, fault) != FAULT_OK)
        return fault_pass(fault);
    json_out_int(&list->out, "files_changed", changed);
    return FAULT_OK;
}

static enum fault_code members_write(struct list *list, bool details, struct fault *fault)
{
    const struct family_list *members = list->members;

    json_out_name(&list->out, "root", members->count ? members->rows[0].id : STR_NONE);
    json_out_array(&list->out, "sessions");
    for (size_t i = 0; i < members->count; i++) {
        json_out_object(&list->out, NULL);
        json_out_members(&list->out, members->rows[i].object);
        if (changes_write(list, &members->rows[i], fault) != FAULT_OK)
            return fault_pass(fault);
        if (details)
            json_out_bool(&list->out, "archived", members->rows[i].archived);
        if (details && details_write(list, members->rows[i].id, fault) != FAULT_OK)
            return fault_pass(fault);
        json_out_object_end(&list->out);
    }
    json_out_array_end(&list->out);
    return FAULT_OK;
}

enum fault_code native_session_tree(struct exchange *x, struct fault *fault)
{
    bool messages = query_flag(x, T_MESSAGES);
    struct family_list members = {.arena = &x->arena};
    struct list list = {.x = x, .members = &members};
    struct nodes_page page = {
        .x = x,
        .out = &list.out,
        .limit = query_number(x, T_LIMIT, PAGE_DEFAULT),
        .cursor = query_text(x, T_CURSOR),
    };

    if (!messages && (query_given(x, T_LIMIT) || query_given(x, T_CURSOR)))
        return fault_set(fault, FAULT_INVALID,
                         "\"limit\" and \"cursor\" go only with \"messages\"");
    if (store_relatives(app_of(x)->store, x->request.caller.sees, session_of(x), RELATION_FAMILY,
                        visit_member, &list, fault) != FAULT_OK)
        return fault_pass(fault);
    reply_open(x, &list.out);
    if (members_write(&list, messages && !query_given(x, T_CURSOR), fault) != FAULT_OK ||
        (messages && nodes_write(&page, &members, fault) != FAULT_OK))
        return fault_pass(fault);
    return reply_close(x, &list.out, fault);
}
