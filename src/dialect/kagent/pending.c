#include "dialect/kagent/pending.h"

#include "dialect/tasks.h"

enum fault_code kagent_turn_known(struct app *app, int64_t owner, struct str session,
                                  struct str turn, struct arena *arena, bool *known,
                                  struct address *first, struct fault *fault)
{
    struct point_spec spec = {
        .by = POINT_TURN, .side = SIDE_BEFORE, .name = turn, .guard = GUARD_NONE};
    struct point point;
    enum fault_code code = store_point(app->store, owner, session, &spec, arena, &point, fault);

    *known = code == FAULT_OK;
    if (*known && first)
        *first = point.anchor;
    return code == FAULT_TURN_NOT_FOUND ? FAULT_OK : code;
}

enum fault_code pending_look(struct app *app, int64_t owner, struct str session, struct doc *doc,
                             struct arena *arena, struct fault *fault)
{
    for (size_t i = 0; i < doc->count; i++) {
        struct doc_message *message = &doc->messages[i];
        struct point_spec spec = {.by = POINT_MESSAGE, .name = message->id, .guard = GUARD_NONE};
        struct entry entry;
        enum fault_code code =
            store_entry_get(app->store, owner, session, &spec, arena, &entry, fault);

        if (code && code != FAULT_MESSAGE_NOT_FOUND && code != FAULT_POINT_INSIDE_SUBSESSION)
            return code;
        message->stored = code == FAULT_OK;
        if (message->stored && entry.turn.n)
            message->invocation = entry.turn;
    }
    return FAULT_OK;
}

/* ---- the task that was saved last ---- */

/* When the session last moved: what was saved before that belongs to what it left. */
static enum fault_code moved_when(struct app *app, int64_t owner, const struct session *session,
                                  struct arena *arena, int64_t *out, struct fault *fault)
{
    struct point_spec spec = {
        .by = POINT_ADDRESS, .address = {session->s, session->moved_n}, .guard = GUARD_NONE};
    struct entry move;

    *out = 0;
    if (session->moved_n == 0)
        return FAULT_OK;
    if (store_entry_get(app->store, owner, session->id, &spec, arena, &move, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = move.at_us;
    return FAULT_OK;
}

static enum fault_code entries_make(struct app *app, int64_t owner, struct str session,
                                    struct doc *doc, struct str invocation, struct arena *arena,
                                    struct pending *out, struct fault *fault)
{
    if (pending_look(app, owner, session, doc, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    doc_resolve(doc, arena);
    out->entries = arena_array(arena, doc->count + 1, sizeof(*out->entries));
    for (size_t i = 0; i < doc->count && out->count < LIMIT_BATCH_ENTRIES / 2; i++) {
        struct doc_message *message = &doc->messages[i];

        if (message->invocation.n == 0)
            message->invocation = invocation;
        if (message->stored || !str_eq(message->invocation, invocation))
            continue;
        if (doc_entry(doc, message, arena, &out->entries[out->count], fault) != FAULT_OK)
            return fault_pass(fault);
        out->count++;
    }
    return FAULT_OK;
}

enum fault_code pending_find(struct app *app, int64_t owner, const struct session *session,
                             struct str invocation, struct arena *arena, struct pending *out,
                             struct fault *fault)
{
    static const unsigned kinds = 1U << RECORD_TASK | 1U << RECORD_TASK_EARLY;
    struct record newest;
    struct fault unread;
    enum fault_code code;
    int64_t moved_us;
    struct doc doc;
    bool known;

    *out = (struct pending){0};
    if (invocation.n == 0 || str_eq(invocation, STR(INVOCATION_HEADERS)))
        return FAULT_OK;
    if (kagent_turn_known(app, owner, session->id, invocation, arena, &known, NULL, fault) !=
        FAULT_OK)
        return fault_pass(fault);
    if (known)
        return FAULT_OK;
    code = store_record_last(app->store, owner, session->id, kinds, arena, &newest, fault);
    if (code)
        return code == FAULT_NOT_FOUND ? FAULT_OK : code;
    if (moved_when(app, owner, session, arena, &moved_us, fault) != FAULT_OK)
        return fault_pass(fault);
    if (newest.at_us < moved_us || doc_read(newest.body, arena, &doc, &unread) != FAULT_OK ||
        doc.final || !str_eq(doc.context, session->id))
        return FAULT_OK;
    if (entries_make(app, owner, session->id, &doc, invocation, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (out->count) {
        out->task = newest.id;
        out->turn = newest.kind == RECORD_TASK_EARLY ? invocation : newest.turn;
        out->body = doc_named(&doc, arena);
    }
    return FAULT_OK;
}

enum fault_code pending_settle(struct app *app, int64_t owner, struct str session,
                               const struct pending *pending, struct fault *fault)
{
    struct record_spec spec = {
        .owner = owner,
        .session = session,
        .id = pending->task,
        .turn = pending->turn,
        .kind = RECORD_TASK,
        .body = pending->body,
    };

    return pending->task.n ? engine_save(app->engine, &spec, fault) : FAULT_OK;
}
