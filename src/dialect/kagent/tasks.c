/* Tasks that runtimes save, and the tasks of a session. */
#include "dialect/tasks.h"

#include "dialect/kagent/doc.h"
#include "dialect/kagent/event.h"
#include "dialect/kagent/handler.h"
#include "dialect/kagent/pending.h"

enum { APPEND_TRIES = 10 };

/* ---- the version of A2A ---- */

static enum fault_code version_check(struct exchange *x, struct fault *fault)
{
    struct str version = request_header(&x->request, "A2A-Version");

    if (version.n == 0 || str_eq(version, STR("0.3")) || str_eq(version, STR("0.3.0")))
        return FAULT_OK;
    return fault_set(fault, FAULT_INVALID,
                     "Unsupported A2A version: \"%.*s\"; tasks are those of 0.3 here",
                     (int)(version.n < 32 ? version.n : 32), version.p);
}

/* ---- saving ---- */

struct saving {
    struct app *app;
    struct arena *arena;
    struct who who;
    struct session session;
    struct kept kept;
    struct doc doc;
    struct str body;
};

/* An id is one task's in the whole store. */
static enum fault_code id_check(const struct saving *saving, struct fault *fault)
{
    struct store *store = saving->app->store;
    struct str session = STR_NONE;
    enum fault_code code =
        store_record_find(store, saving->who.owner, saving->doc.id, saving->arena, &session, fault);

    if (code == FAULT_NOT_FOUND)
        code = store_record_find(store, OWNER_ANY, saving->doc.id, saving->arena, &session, fault);
    else if (code == FAULT_OK && str_eq(session, saving->doc.context))
        return FAULT_OK;
    if (code == FAULT_NOT_FOUND)
        return FAULT_OK;
    if (code && code != FAULT_AMBIGUOUS)
        return kagent_say(fault, "Failed to create task");
    return fault_set(fault, FAULT_ID_TAKEN, "Task ID is already in use");
}

static enum fault_code visit_nothing(void *context, const struct entry *entry, struct fault *fault)
{
    (void)context;
    (void)entry;
    return visit_enough(fault);
}

static enum fault_code visit_shown(void *context, const struct entry *entry, struct fault *fault)
{
    bool *shown = context;

    *shown = entry->kind == ENTRY_MESSAGE && entry->body.p && event_token(entry->body).p;
    return *shown ? visit_enough(fault) : FAULT_OK;
}

/*
 * Is the turn on the path? What comes late of one that was rewound away does not belong to the
 * conversation as it is now.
 */
static enum fault_code is_on_path(const struct saving *saving, struct address first, bool *on,
                                  struct fault *fault)
{
    struct history_spec spec = {
        .owner = saving->who.owner,
        .session = saving->session.id,
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .all = true,
        .limit = 1,
        .after = first,
    };
    enum fault_code code =
        store_history(saving->app->store, &spec, visit_nothing, NULL, NULL, fault);

    *on = code != FAULT_POINT_INVALID;
    return code == FAULT_POINT_INVALID || code == FAULT_INTERRUPTED ? FAULT_OK : code;
}

/* Do the events of the invocation show already what was said in it? */
static enum fault_code is_shown(const struct saving *saving, struct str invocation, bool *shown,
                                struct fault *fault)
{
    enum fault_code code;

    *shown = false;
    if (saving->kept.events) {
        code = store_turn(saving->app->store, saving->who.owner, saving->session.id, invocation,
                          visit_shown, shown, fault);
        if (code && code != FAULT_INTERRUPTED && code != FAULT_TURN_NOT_FOUND)
            return code;
    }
    return FAULT_OK;
}

/*
 * Is the message to become an entry now? Not while a runtime that posts events has not posted one
 * of its invocation: the first event is where that begins.
 */
static enum fault_code is_due(const struct saving *saving, const struct doc_message *message,
                              bool *due, struct fault *fault)
{
    bool known = false, on = false, shown = false;
    struct address first;

    *due = message->invocation.n && !message->stored;
    if (!*due || saving->session.id.n == 0) /* one that is still to be made knows no turn */
        return FAULT_OK;
    if (kagent_turn_known(saving->app, saving->who.owner, saving->session.id, message->invocation,
                          saving->arena, &known, &first, fault) != FAULT_OK)
        return fault_pass(fault);
    if (known && (is_on_path(saving, first, &on, fault) != FAULT_OK ||
                  is_shown(saving, message->invocation, &shown, fault) != FAULT_OK))
        return fault_pass(fault);
    *due = known ? on && !shown : saving->doc.final || !saving->kept.events;
    return FAULT_OK;
}

/* The entries that the task brings, in order; at most a batch of them. */
static enum fault_code entries_make(const struct saving *saving, struct entry_spec **out,
                                    size_t *count, struct fault *fault)
{
    const struct doc *doc = &saving->doc;

    *out = arena_array(saving->arena, doc->count + 1, sizeof(**out));
    *count = 0;
    for (size_t i = 0; i < doc->count && *count < LIMIT_BATCH_ENTRIES - 1; i++) {
        bool due;

        if (is_due(saving, &doc->messages[i], &due, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!due)
            continue;
        if (doc_entry(doc, &doc->messages[i], saving->arena, &(*out)[*count], fault) != FAULT_OK)
            return fault_pass(fault);
        ++*count;
    }
    return FAULT_OK;
}

static enum fault_code entry_check(const struct saving *saving, const struct doc_message *message,
                                   struct fault *fault)
{
    struct entry_spec entry;
    enum fault_code code;
    struct arena arena;

    arena_init(&arena);
    code = doc_entry(&saving->doc, message, &arena, &entry, fault);
    if (!code)
        code = engine_append_check(&entry, fault);
    arena_clear(&arena);
    return code;
}

/*
 * Before anything is stored: what is kept of the task, with the invocations in it, must fit, and so
 * must all of its entries. Those of a single batch are looked at together when they are appended.
 */
static enum fault_code size_check(const struct saving *saving, struct fault *fault)
{
    const struct doc *doc = &saving->doc;
    bool due;

    if (doc_named(doc, saving->arena).n > LIMIT_ENTRY_BYTES)
        return fault_set(fault, FAULT_TOO_LARGE,
                         "the task has more than %d bytes with its invocations", LIMIT_ENTRY_BYTES);
    if (saving->session.id.n && doc->count < LIMIT_BATCH_ENTRIES)
        return FAULT_OK;
    for (size_t i = 0; i < doc->count; i++)
        if (is_due(saving, &doc->messages[i], &due, fault) != FAULT_OK ||
            (due && entry_check(saving, &doc->messages[i], fault) != FAULT_OK))
            return fault_pass(fault);
    return FAULT_OK;
}

/* Appends what is new of the messages; again when somebody saves the same task meanwhile. */
static enum fault_code messages_append(struct saving *saving, struct fault *fault)
{
    bool looked = false;
    struct append_spec spec = {.owner = saving->who.owner, .session = saving->session.id};
    struct append_result result;
    struct entry_spec *entries;
    enum fault_code code;
    size_t count;

    for (int tries = 0;; tries++) {
        if (doc_read(saving->body, saving->arena, &saving->doc, fault) != FAULT_OK ||
            pending_look(saving->app, spec.owner, spec.session, &saving->doc, saving->arena,
                         fault) != FAULT_OK)
            return fault_pass(fault);
        doc_resolve(&saving->doc, saving->arena);
        if ((!looked && size_check(saving, fault) != FAULT_OK) ||
            entries_make(saving, &entries, &count, fault) != FAULT_OK)
            return fault_pass(fault);
        looked = true;
        if (count == 0)
            return FAULT_OK;
        code = workspaces_append(saving->app->workspaces, &spec, entries, count, saving->arena,
                                 &result, fault);
        if (code && (code != FAULT_ID_TAKEN || tries == APPEND_TRIES))
            return code;
    }
}

/* The turn in which the task began, as far as the session has it. */
static enum fault_code first_turn(const struct saving *saving, struct str *out, struct fault *fault)
{
    const struct doc *doc = &saving->doc;
    struct str own = doc->invocation;
    bool known = false;

    *out = STR_NONE;
    for (size_t i = 0; i < doc->count && !known; i++) {
        struct str turn = doc->messages[i].invocation;

        if (turn.n && kagent_turn_known(saving->app, saving->who.owner, saving->session.id, turn,
                                        saving->arena, &known, NULL, fault) != FAULT_OK)
            return fault_pass(fault);
        *out = known ? turn : STR_NONE;
    }
    if (!known && own.n &&
        kagent_turn_known(saving->app, saving->who.owner, saving->session.id, own, saving->arena,
                          &known, NULL, fault) != FAULT_OK)
        return fault_pass(fault);
    if (known && !out->n)
        *out = own;
    return FAULT_OK;
}

static enum fault_code task_keep(struct saving *saving, struct fault *fault)
{
    struct record_spec spec = {
        .owner = saving->who.owner,
        .session = saving->session.id,
        .id = saving->doc.id,
    };

    if (messages_append(saving, fault) != FAULT_OK ||
        first_turn(saving, &spec.turn, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.kind = spec.turn.n || saving->doc.final ? RECORD_TASK : RECORD_TASK_EARLY;
    spec.body = doc_named(&saving->doc, saving->arena);
    return engine_save(saving->app->engine, &spec, fault);
}

/* Its session is made, once it is clear that the task will be taken. */
static enum fault_code session_make(struct exchange *x, struct saving *saving, struct fault *fault)
{
    doc_resolve(&saving->doc, &x->arena);
    if (size_check(saving, fault) != FAULT_OK)
        return fault_pass(fault);
    return kagent_session_make(x, &saving->who, saving->doc.context, &saving->session, fault);
}

static enum fault_code saving_read(struct exchange *x, struct saving *out, struct fault *fault)
{
    struct record_spec record = {.body = STR("{}")};
    enum fault_code code;

    if (kagent_who(x, &out->who, fault) != FAULT_OK || version_check(x, fault) != FAULT_OK)
        return fault_pass(fault);
    out->body = x->request.body;
    if (doc_read(out->body, &x->arena, &out->doc, fault) != FAULT_OK)
        return kagent_say(fault, "Invalid legacy task payload");
    if (out->doc.count > TASK_MESSAGES)
        return fault_set(fault, FAULT_TOO_LARGE, "the history has %zu messages; the limit is %d",
                         out->doc.count, TASK_MESSAGES);
    record.id = out->doc.id;
    if (engine_save_check(&record, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to create task");
    if (id_check(out, fault) != FAULT_OK)
        return fault_pass(fault);
    code = store_session_get(app_of(x)->store, out->who.owner, out->doc.context, false, &x->arena,
                             &out->session, fault);
    if (code == FAULT_SESSION_NOT_FOUND)
        code = session_make(x, out, fault);
    if (code)
        return kagent_say(fault, "Failed to create task");
    out->kept = kagent_kept_read(&out->session, &x->arena);
    return FAULT_OK;
}

enum fault_code kagent_task_save(struct exchange *x, struct fault *fault)
{
    static const struct kept tasks = {.tasks = true};
    struct saving saving = {.app = app_of(x), .arena = &x->arena};
    enum fault_code code;
    struct json_out out;

    if (saving_read(x, &saving, fault) != FAULT_OK)
        return fault_pass(fault);
    code = task_keep(&saving, fault);
    if (!code && !saving.kept.tasks) /* what is refused leaves no trace */
        code = kagent_kept_add(saving.app, saving.who.owner, saving.session.id, &tasks, &x->arena,
                               fault);
    if (code)
        return kagent_say(fault, "Failed to create task");
    kagent_envelope_open(x, &out);
    doc_write(&out, "data", &saving.doc.value, false, &x->arena);
    return kagent_envelope_close(x, &out, "Successfully created task", fault);
}

/* ---- reading and deleting ---- */

/* A task in the reply: normalised as kagent does it. */
static void write_task(struct json_out *out, const char *key, struct str task, struct arena *arena)
{
    struct json_value value;
    struct fault none;

    if (json_read(task, BODY_DEPTH, "the task", &value, &none) == FAULT_OK &&
        value.type == JSON_OBJECT)
        doc_write(out, key, &value, true, arena);
    else
        json_out_raw(out, key, task);
}

enum fault_code kagent_task_get(struct exchange *x, struct fault *fault)
{
    struct json_out out;
    enum fault_code code;
    struct str task;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK || version_check(x, fault) != FAULT_OK)
        return fault_pass(fault);
    code = tasks_get(app_of(x), who.owner, x->request.params[0], -1, &x->arena, &task, NULL, NULL,
                     fault);
    if (code)
        return kagent_say(fault, code == FAULT_NOT_FOUND ? "Task not found" : "Failed to get task");
    kagent_envelope_open(x, &out);
    write_task(&out, "data", task, &x->arena);
    return kagent_envelope_close(x, &out, "Successfully retrieved task", fault);
}

struct search {
    struct str id, turn;
    struct arena *arena;
    bool found;
};

static enum fault_code look(void *context, const struct record *record, struct fault *fault)
{
    struct search *search = context;

    if (!str_eq(record->id, search->id))
        return FAULT_OK;
    search->found = true;
    search->turn = arena_dup(search->arena, record->turn);
    return visit_enough(fault);
}

enum fault_code kagent_task_delete(struct exchange *x, struct fault *fault)
{
    struct app *app = app_of(x);
    struct search search = {.id = x->request.params[0], .arena = &x->arena};
    struct record_spec spec = {.id = search.id, .kind = RECORD_TASK_GONE, .body = STR("{}")};
    enum fault_code code;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK)
        return fault_pass(fault);
    spec.owner = who.owner;
    code = store_record_find(app->store, who.owner, spec.id, &x->arena, &spec.session, fault);
    if (code == FAULT_OK) {
        code = store_records(app->store, who.owner, spec.session, look, &search, fault);
        code = code == FAULT_INTERRUPTED ? FAULT_OK : code;
    }
    if (code == FAULT_OK && search.found) {
        spec.turn = search.turn;
        code = engine_save(app->engine, &spec, fault);
    }
    if (code && code != FAULT_NOT_FOUND)
        return kagent_say(fault, "Failed to delete task");
    return FAULT_OK;
}

struct listing {
    struct json_out out;
    struct arena *arena;
};

static enum fault_code add_task(void *context, struct str id, struct str task, struct fault *fault)
{
    struct listing *listing = context;

    (void)id;
    (void)fault;
    write_task(&listing->out, NULL, task, listing->arena);
    return FAULT_OK;
}

enum { T_VIEW = Q_USER + 1 };

enum fault_code kagent_session_tasks(struct exchange *x, struct fault *fault)
{
    struct listing listing = {.arena = &x->arena};
    struct str view = query_text(x, T_VIEW);
    struct session session;
    struct who who;

    if (kagent_who(x, &who, fault) != FAULT_OK || version_check(x, fault) != FAULT_OK)
        return fault_pass(fault);
    if (view.n && !str_eq(view, STR("turns")))
        return fault_set(fault, FAULT_INVALID, "view must be \"turns\"");
    if (kagent_session_find(x, &who, session_of(x), "Session not found for given ID", &session,
                            fault) != FAULT_OK)
        return fault_pass(fault);
    kagent_envelope_open(x, &listing.out);
    json_out_array(&listing.out, "data");
    if (tasks_list(app_of(x), who.owner, session.id, view.n ? TASKS_TURNS : TASKS_CUT, &x->arena,
                   add_task, &listing, fault) != FAULT_OK)
        return kagent_say(fault, "Failed to get tasks for session");
    json_out_array_end(&listing.out);
    return kagent_envelope_close(x, &listing.out, "Successfully retrieved session tasks", fault);
}
