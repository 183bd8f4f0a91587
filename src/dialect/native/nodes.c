/*
 * The nodes of a session stand in this order: the branch, then turns and labels by their place in
 * the list, then the head, then the stretches that were rewound away. A cursor names a session, one
 * of these steps and a place in it.
 */
#include "dialect/native/nodes.h"

#include "base/utf8.h"

enum {
    TEXT_BYTES = 160,     /* how much of a message's text a node shows */
    SCAN_MESSAGES = 20000 /* messages looked at for one page */
};

enum step { STEP_BRANCH, STEP_MESSAGES, STEP_HEAD, STEP_REWOUND, STEP_END };

/* Places in a cursor. */
enum { AT_SESSION, AT_STEP, AT_INDEX };

void family_list_add(struct family_list *list, const struct session *session, struct str object)
{
    struct family_row *row;

    list->rows = arena_more(list->arena, list->rows, list->count, &list->room, sizeof(*list->rows));
    row = &list->rows[list->count++];
    *row = (struct family_row){
        .s = session->s,
        .id = arena_dup(list->arena, session->id),
        .fork_index = session->fork_index,
        .messages = session->messages,
        .archived = session->archived,
        .object = arena_dup(list->arena, object),
    };
    memcpy(row->base_tree, session->base_tree, HASH_BYTES);
    memcpy(row->tree, session->tree, HASH_BYTES);
}

/* ---- one node ---- */

/* While the nodes of one session are written. */
struct walk {
    struct nodes_page *page;
    const struct family_row *row;
    struct arena *arena; /* of this session */
    int64_t count;       /* nodes of the page so far */
    int64_t scanned;
    int64_t index; /* where the step goes on */
    struct label *labels;
    size_t label_count, label_room;
    struct str turn; /* of the message before */
    bool full;
};

/* The start of a message's first text. */
static struct str text_of(const struct entry *entry, struct arena *arena)
{
    struct json_member m[] = {JSON_MUST("parts", JSON_ARRAY), JSON_MAY("metadata", JSON_ANY)};
    struct json_value body;
    struct json_walk parts;
    struct fault fault;

    if (entry->kind != ENTRY_MESSAGE || entry->erased ||
        !str_starts(entry->body, STR("{\"parts\":")) ||
        json_read(entry->body, LIMIT_JSON_DEPTH + 2, "body", &body, &fault) != FAULT_OK ||
        json_members(&body, NULL, m, 2, &fault) != FAULT_OK)
        return STR_NONE;
    json_walk_begin(&parts, &m[0].value);
    while (json_walk_next(&parts)) {
        struct json_walk members;
        struct json_value text = {0};
        bool is_text = false;

        if (parts.value.type != JSON_OBJECT)
            continue;
        json_walk_begin(&members, &parts.value);
        while (json_walk_next(&members)) {
            if (str_eq(members.key, STR("type")))
                is_text = str_eq(members.value.raw, STR("\"text\""));
            else if (str_eq(members.key, STR("text")) && members.value.type == JSON_STRING)
                text = members.value;
        }
        if (is_text && text.raw.n)
            return utf8_cut(json_text(&text, arena), TEXT_BYTES);
    }
    return STR_NONE;
}

static void node_begin(struct walk *walk, const char *type, const struct entry *entry)
{
    struct json_out *out = walk->page->out;

    walk->count++;
    json_out_object(out, NULL);
    json_out_string(out, "type", str_of(type));
    json_out_string(out, "session", walk->row->id);
    json_out_string(out, "message", entry->id);
    if (entry->index >= 0)
        json_out_int(out, "index", entry->index);
    else
        json_out_null(out, "index");
    json_out_name(out, "role", entry->role ? str_of(object_role(entry->role)) : STR_NONE);
    json_out_name(out, "turn", entry->turn);
    json_out_string(out, "text", text_of(entry, walk->arena));
    json_out_time(out, "created_at", entry->at_us);
}

static void node_end(struct walk *walk)
{
    json_out_object_end(walk->page->out);
}

static bool page_full(const struct walk *walk)
{
    return walk->count >= walk->page->limit || walk->scanned >= SCAN_MESSAGES;
}

/* ---- the steps ---- */

static struct history_spec history_of(const struct walk *walk, int64_t from, int64_t limit)
{
    return (struct history_spec){
        .owner = walk->page->x->request.caller.sees,
        .session = walk->row->id,
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .from = from,
        .limit = limit,
    };
}

static enum fault_code visit_branch(void *context, const struct entry *entry, struct fault *fault)
{
    (void)fault;
    node_begin(context, "branch", entry);
    node_end(context);
    return FAULT_OK;
}

/* The last message that it shares with what it was forked from, if that is still on its path. */
static enum fault_code branch_write(struct walk *walk, struct fault *fault)
{
    struct history_spec spec = history_of(walk, walk->row->fork_index - 1, 1);

    if (walk->row->fork_index == 0 || walk->row->messages < walk->row->fork_index)
        return FAULT_OK;
    return store_history(app_of(walk->page->x)->store, &spec, visit_branch, walk, NULL, fault);
}

static enum fault_code visit_label(void *context, const struct label *label, struct fault *fault)
{
    struct walk *walk = context;

    (void)fault;
    if (label->inherited)
        return FAULT_OK;
    walk->labels = arena_more(walk->arena, walk->labels, walk->label_count, &walk->label_room,
                              sizeof(*walk->labels));
    walk->labels[walk->label_count] = *label;
    walk->labels[walk->label_count].text = arena_dup(walk->arena, label->text);
    walk->labels[walk->label_count++].message = arena_dup(walk->arena, label->message);
    return FAULT_OK;
}

static enum fault_code visit_message(void *context, const struct entry *entry, struct fault *fault)
{
    struct walk *walk = context;
    bool begins = entry->turn.n && !str_eq(entry->turn, walk->turn);

    (void)fault;
    walk->full = walk->full || page_full(walk);
    if (walk->full)
        return FAULT_OK;
    walk->scanned++;
    walk->index = entry->index + 1;
    if (!str_eq(entry->turn, walk->turn))
        walk->turn = arena_dup(walk->arena, entry->turn);
    if (begins && entry->index >= walk->row->fork_index) {
        node_begin(walk, "turn", entry);
        node_end(walk);
    }
    for (size_t i = 0; i < walk->label_count; i++)
        if (str_eq(walk->labels[i].message, entry->id)) {
            node_begin(walk, "label", entry);
            json_out_string(walk->page->out, "label", walk->labels[i].text);
            node_end(walk);
        }
    return FAULT_OK;
}

static enum fault_code visit_before(void *context, const struct entry *entry, struct fault *fault)
{
    struct walk *walk = context;

    (void)fault;
    walk->turn = arena_dup(walk->arena, entry->turn);
    return FAULT_OK;
}

/* Own messages of the path, in chunks until the page is full. */
static enum fault_code messages_write(struct walk *walk, struct fault *fault)
{
    struct store *store = app_of(walk->page->x)->store;
    struct history_info info = {.more = true};
    enum fault_code code = FAULT_OK;

    if (walk->index < walk->row->fork_index)
        walk->index = walk->row->fork_index;
    if (walk->index > 0) {
        struct history_spec before = history_of(walk, walk->index - 1, 1);

        code = store_history(store, &before, visit_before, walk, NULL, fault);
    }
    if (!code)
        code = store_labels(store, walk->page->x->request.caller.sees, walk->row->id, visit_label,
                            walk, fault);
    while (!code && info.more && !walk->full) {
        struct history_spec spec = history_of(walk, walk->index, 256);

        code = store_history(store, &spec, visit_message, walk, &info, fault);
        info.more = info.more && walk->index < info.total;
    }
    return code;
}

static enum fault_code visit_head(void *context, const struct entry *entry, struct fault *fault)
{
    (void)fault;
    node_begin(context, "head", entry);
    node_end(context);
    return FAULT_OK;
}

static enum fault_code head_write(struct walk *walk, struct fault *fault)
{
    struct history_spec spec = history_of(walk, 0, 1);

    spec.tail = true;
    return store_history(app_of(walk->page->x)->store, &spec, visit_head, walk, NULL, fault);
}

struct rewound_walk {
    struct walk *walk;
    int64_t place;
};

static enum fault_code visit_rewound(void *context, const struct rewound *rewound,
                                     struct fault *fault)
{
    struct rewound_walk *self = context;
    struct walk *walk = self->walk;

    (void)fault;
    if (self->place++ < walk->index || walk->full)
        return FAULT_OK;
    if (page_full(walk)) {
        walk->full = true;
        return FAULT_OK;
    }
    walk->index = self->place;
    node_begin(walk, "rewound", &rewound->message);
    json_out_int(walk->page->out, "messages", rewound->messages);
    node_end(walk);
    return FAULT_OK;
}

static enum fault_code rewound_write(struct walk *walk, struct fault *fault)
{
    struct rewound_walk self = {.walk = walk};

    return store_rewound(app_of(walk->page->x)->store, walk->page->x->request.caller.sees,
                         walk->row->id, visit_rewound, &self, fault);
}

static enum fault_code step_write(struct walk *walk, enum step step, struct fault *fault)
{
    switch (step) {
    case STEP_BRANCH:
        return branch_write(walk, fault);
    case STEP_MESSAGES:
        return messages_write(walk, fault);
    case STEP_HEAD:
        return head_write(walk, fault);
    case STEP_REWOUND:
        return rewound_write(walk, fault);
    case STEP_END:
        break;
    }
    return FAULT_OK;
}

/* ---- pages ---- */

/* Writes nodes of a session from *step on; false in *done when the page is full before its end. */
static enum fault_code session_write(struct walk *walk, enum step *step, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    struct arena arena;

    arena_init(&arena);
    walk->arena = &arena;
    walk->labels = NULL;
    walk->label_count = walk->label_room = 0;
    walk->turn = STR_NONE;
    while (!code && *step < STEP_END && !walk->full) {
        walk->full = page_full(walk);
        if (walk->full)
            break;
        code = step_write(walk, *step, fault);
        if (!walk->full) {
            ++*step;
            walk->index = 0;
        }
    }
    arena_clear(&arena);
    walk->arena = NULL;
    if (code == FAULT_SESSION_NOT_FOUND) { /* deleted meanwhile */
        *step = STEP_END;
        walk->index = 0;
        code = FAULT_OK;
    }
    return code;
}

static enum fault_code start_find(const struct nodes_page *page, struct cursor *cursor,
                                  const struct family_list *family, size_t *out,
                                  struct fault *fault)
{
    *out = 0;
    if (!page->cursor.p)
        return FAULT_OK;
    if (cursor_read(page->cursor, cursor, fault) != FAULT_OK)
        return fault_pass(fault);
    while (*out < family->count && family->rows[*out].s != cursor->numbers[AT_SESSION])
        ++*out;
    if (*out == family->count)
        return fault_set(fault, FAULT_INVALID,
                         "\"cursor\" names a session that was deleted: begin again");
    return FAULT_OK;
}

enum fault_code nodes_write(struct nodes_page *page, const struct family_list *family,
                            struct fault *fault)
{
    struct cursor cursor = {.kind = 'n', .subject = session_of(page->x)};
    struct walk walk = {.page = page};
    enum step step;
    size_t i;

    if (start_find(page, &cursor, family, &i, fault) != FAULT_OK)
        return fault_pass(fault);
    step = (enum step)cursor.numbers[AT_STEP];
    walk.index = cursor.numbers[AT_INDEX];
    json_out_array(page->out, "nodes");
    while (i < family->count) {
        walk.row = &family->rows[i];
        if (session_write(&walk, &step, fault) != FAULT_OK)
            return fault_pass(fault);
        if (walk.full)
            break;
        i++;
        step = STEP_BRANCH;
    }
    json_out_array_end(page->out);
    if (i < family->count) {
        cursor.numbers[AT_SESSION] = family->rows[i].s;
        cursor.numbers[AT_STEP] = step;
        cursor.numbers[AT_INDEX] = walk.index;
        json_out_string(page->out, "next", cursor_write(&cursor, &page->x->arena));
    }
    return FAULT_OK;
}
