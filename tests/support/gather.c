#include "support/gather.h"

/* Room for one more row of `bytes`; returns where it goes. */
static void *row_new(struct gathered *all, size_t bytes)
{
    if (all->count == all->room) {
        size_t room = all->room ? all->room * 2 : 64;
        void *rows = arena_array(all->arena, room, bytes);

        if (all->count)
            memcpy(rows, all->rows, all->count * bytes);
        all->rows = rows;
        all->room = room;
    }
    return (char *)all->rows + all->count++ * bytes;
}

static void keep(struct arena *arena, struct str *text)
{
    if (text->p)
        *text = arena_dup(arena, *text);
}

static void keep_entry(struct arena *arena, struct entry *entry)
{
    keep(arena, &entry->id);
    keep(arena, &entry->turn);
    keep(arena, &entry->session);
    keep(arena, &entry->body);
}

static void keep_note(struct arena *arena, struct note *note)
{
    keep(arena, &note->message);
    keep(arena, &note->was);
    keep(arena, &note->now);
}

enum fault_code gather_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct gathered *all = context;
    struct entry *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *entry;
    keep_entry(all->arena, copy);
    return FAULT_OK;
}

enum fault_code gather_session(void *context, const struct session *session, struct fault *fault)
{
    struct gathered *all = context;
    struct session *copy = row_new(all, sizeof(*copy));
    struct str *const texts[] = {&copy->id,     &copy->title,          &copy->agent,
                                 &copy->owner,  &copy->parent.session, &copy->parent.title,
                                 &copy->head,   &copy->parent.message, &copy->metadata,
                                 &copy->limits, &copy->home,           &copy->settings,
                                 &copy->turn};

    (void)fault;
    *copy = *session;
    copy->state_at_head = (struct state){0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        keep(all->arena, texts[i]);
    return FAULT_OK;
}

enum fault_code gather_record(void *context, const struct record *record, struct fault *fault)
{
    struct gathered *all = context;
    struct record *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *record;
    keep(all->arena, &copy->id);
    keep(all->arena, &copy->turn);
    keep(all->arena, &copy->body);
    return FAULT_OK;
}

enum fault_code gather_label(void *context, const struct label *label, struct fault *fault)
{
    struct gathered *all = context;
    struct label *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *label;
    keep(all->arena, &copy->text);
    keep(all->arena, &copy->message);
    return FAULT_OK;
}

enum fault_code gather_rewound(void *context, const struct rewound *rewound, struct fault *fault)
{
    struct gathered *all = context;
    struct rewound *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *rewound;
    keep_entry(all->arena, &copy->message);
    return FAULT_OK;
}

enum fault_code gather_hit(void *context, const struct hit *hit, struct fault *fault)
{
    struct gathered *all = context;
    struct hit *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *hit;
    keep(all->arena, &copy->session);
    keep(all->arena, &copy->title);
    keep(all->arena, &copy->message);
    keep(all->arena, &copy->snippet);
    return FAULT_OK;
}

static void keep_item(struct arena *arena, struct journal_item *item)
{
    if (item->entry) {
        struct entry *entry = arena_alloc(arena, sizeof(*entry));

        *entry = *item->entry;
        keep_entry(arena, entry);
        item->entry = entry;
    }
    if (item->note) {
        struct note *note = arena_alloc(arena, sizeof(*note));

        *note = *item->note;
        keep_note(arena, note);
        item->note = note;
    }
}

enum fault_code gather_journal(void *context, const struct journal_item *item, struct fault *fault)
{
    struct gathered *all = context;
    struct journal_item *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *item;
    keep_item(all->arena, copy);
    return FAULT_OK;
}

enum fault_code gather_event(void *context, const struct event *event, struct fault *fault)
{
    struct gathered *all = context;
    struct event *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *event;
    keep(all->arena, &copy->session);
    keep_item(all->arena, &copy->item);
    return FAULT_OK;
}

enum fault_code gather_user(void *context, const struct user *user, struct fault *fault)
{
    struct gathered *all = context;
    struct user *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *user;
    keep(all->arena, &copy->name);
    return FAULT_OK;
}

enum fault_code gather_agent(void *context, const struct agent_row *row, struct fault *fault)
{
    struct gathered *all = context;
    struct agent_row *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *row;
    keep(all->arena, &copy->name);
    keep(all->arena, &copy->body);
    return FAULT_OK;
}

enum fault_code gather_run(void *context, const struct run *run, struct fault *fault)
{
    struct gathered *all = context;
    struct run *copy = row_new(all, sizeof(*copy));
    struct str *const texts[] = {&copy->turn, &copy->reason, &copy->holder, &copy->session,
                                 &copy->draft};

    (void)fault;
    *copy = *run;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        keep(all->arena, texts[i]);
    return FAULT_OK;
}

static void keep_log_session(struct arena *arena, struct log_session *session)
{
    struct str *const texts[] = {&session->id,           &session->title,
                                 &session->agent,        &session->metadata,
                                 &session->limits,       &session->home,
                                 &session->settings,     &session->parent.session,
                                 &session->parent.title, &session->parent.message};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        keep(arena, texts[i]);
}

static void keep_log_act(struct arena *arena, struct log_act *act)
{
    struct str *const texts[] = {&act->id,   &act->turn,    &act->state, &act->tree, &act->salt,
                                 &act->hash, &act->content, &act->spans, &act->body};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        keep(arena, texts[i]);
}

enum fault_code gather_item(void *context, const struct log_item *item, struct fault *fault)
{
    struct gathered *all = context;
    struct log_item *copy = row_new(all, sizeof(*copy));

    (void)fault;
    *copy = *item;
    switch (item->kind) {
    case LOG_SESSION:
        keep_log_session(all->arena, &copy->session);
        break;
    case LOG_ACT:
        keep_log_act(all->arena, &copy->act);
        break;
    case LOG_NOTE:
        keep_note(all->arena, &copy->note.note);
        break;
    case LOG_RECORD:
        keep(all->arena, &copy->record.id);
        keep(all->arena, &copy->record.turn);
        keep(all->arena, &copy->record.body);
        break;
    case LOG_LABEL:
        keep(all->arena, &copy->label.text);
        break;
    case LOG_OBJECT:
        keep(all->arena, &copy->object.data);
        break;
    }
    return FAULT_OK;
}

enum fault_code replay_item(void *context, struct log_item *item, bool *end, struct fault *fault)
{
    struct replay *replay = context;

    (void)fault;
    *end = replay->next == replay->items->count;
    if (!*end)
        *item = replay->items->items[replay->next++];
    return FAULT_OK;
}
