/* Tasks of A2A 0.3: a turn, a task that was saved, and all that came before a cut. */
#include "dialect/tasks_own.h"

#include "dialect/acting.h"
#include "dialect/turn_ending.h"
#include "message/part.h"

const char *task_state(enum run_state state)
{
    switch (state) {
    case RUN_QUEUED:
        return "submitted";
    case RUN_RUNNING:
        return "working";
    case RUN_WAITING:
        return "input-required";
    case RUN_FAILED:
        return "failed";
    case RUN_CANCELLED:
        return "canceled";
    default:
        return "completed";
    }
}

/* kagent's way to write the name of an agent in one word. */
static struct str app_name(struct str agent, struct arena *arena)
{
    const char *slash = agent.n ? memchr(agent.p, '/', agent.n) : NULL;
    size_t ns = slash ? (size_t)(slash - agent.p) : 0;
    struct str name =
        arena_dup(arena, slash ? arena_printf(arena, "%.*s__NS__%.*s", (int)ns, agent.p,
                                              (int)(agent.n - ns - 1), slash + 1)
                               : agent);

    for (char *p = (char *)(uintptr_t)name.p; name.n && p < name.p + name.n; p++)
        if (*p == '-')
            *p = '_';
    return name;
}

void task_metadata_write(struct json_out *out, const struct session *session, struct str turn,
                         struct arena *arena)
{
    json_out_string(out, "kagent_app_name", app_name(session->agent, arena));
    json_out_string(out, "kagent_session_id", session->id);
    json_out_string(out, "kagent_user_id", acting_name(session->owner));
    if (turn.n)
        json_out_string(out, "kagent_invocation_id", turn);
}

struct str task_artifact_id(struct str turn, int64_t step, struct arena *arena)
{
    return arena_printf(arena, "%.*s-%lld", STR_ARG(turn), (long long)step);
}

/* ---- how a turn stands ---- */

/* How a turn ended that is not the session's newest. One that nobody knows of was completed. */
static enum fault_code old_state(const struct task_book *book, const struct task *task,
                                 struct turn_ending *out, struct fault *fault)
{
    struct log_spec from = {
        .owner = book->owner, .session = task->session, .after_e = task->last_e};
    const struct entry *last = task->count ? task->messages[task->count - 1].entry : NULL;
    enum fault_code code;

    out->state = last && last->flags & ENTRY_INTERRUPTED ? RUN_CANCELLED : RUN_DONE;
    code = turn_ending_after(book->app->store, &from, task->turn, book->arena, out, fault);
    return code == FAULT_SESSION_NOT_FOUND ? FAULT_OK : code;
}

static enum fault_code turn_state(const struct task_book *book, const struct task *task,
                                  struct turn_ending *out, struct fault *fault)
{
    const struct session *session = &book->session;
    struct run run;
    enum fault_code code;

    *out = (struct turn_ending){0};
    if (!str_eq(session->turn, task->turn))
        return old_state(book, task, out, fault);
    code = store_run_get(book->app->store, book->owner, session->id, book->arena, &run, fault);
    if (code != FAULT_OK && code != FAULT_NO_TURN)
        return code;
    out->state = session->turn_state;
    if (code == FAULT_OK && str_eq(run.turn, task->turn)) {
        out->state = run.state;
        out->reason = run.reason;
    }
    return FAULT_OK;
}

/* ---- a turn ---- */

static void status_write(struct json_out *out, const struct task_book *book,
                         const struct task *task, const struct turn_ending *ended)
{
    struct question question;

    json_out_object(out, "status");
    json_out_plain(out, "state", str_of(task_state(ended->state)));
    if (ended->state == RUN_FAILED && ended->reason.n)
        task_remark_write(out, "message", ended->reason, task->id, book->session.id, task->turn,
                          book->arena);
    else if (ended->state == RUN_WAITING &&
             turns_asked(book->app->turns, book->owner, book->session.id, book->arena, &question))
        task_question_write(out, "message", &question, task->id, book->session.id, task->turn,
                            book->arena);
    json_out_time(out, "timestamp", task->last_us);
    json_out_object_end(out);
}

/* What the agent answered, in the order of its messages. */
static void artifacts_write(struct json_out *out, const struct task_book *book,
                            const struct task *task, size_t from)
{
    bool open = false;

    for (size_t i = 0; i < task->count; i++) {
        const struct entry *entry = task->messages[i].entry;
        struct str text;

        if (entry->role != ROLE_ASSISTANT || task->messages[i].place < from)
            continue;
        text = parts_text(entry->body, book->arena);
        if (text.n == 0)
            continue;
        if (!open)
            json_out_array(out, "artifacts");
        open = true;
        json_out_object(out, NULL);
        json_out_string(out, "artifactId",
                        task_artifact_id(task->turn, task->messages[i].step, book->arena));
        json_out_array(out, "parts");
        json_out_object(out, NULL);
        json_out_plain(out, "kind", STR("text"));
        json_out_string(out, "text", text);
        json_out_object_end(out);
        json_out_array_end(out);
        json_out_object_end(out);
    }
    if (open)
        json_out_array_end(out);
}

/* The newest of the messages from `from` on; a length of 0 leaves the member out. */
static void history_write(struct json_out *out, const struct task_book *book,
                          const struct task *task, size_t from, int64_t length)
{
    size_t count = 0, skip;

    if (length == 0)
        return;
    for (size_t i = 0; i < task->count; i++)
        count += task->messages[i].place >= from;
    skip = length > 0 && count > (size_t)length ? count - (size_t)length : 0;
    json_out_array(out, "history");
    for (size_t i = 0; i < task->count; i++) {
        if (task->messages[i].place < from)
            continue;
        if (skip == 0)
            task_message_put(out, &task->messages[i], task->id, book->session.id, book->arena);
        else
            skip--;
    }
    json_out_array_end(out);
}

static enum fault_code turn_write(struct json_out *out, const struct task_book *book,
                                  const struct task *task, size_t from, int64_t history,
                                  struct fault *fault)
{
    struct tokens tokens = task->after;
    struct turn_ending ended;

    if (turn_state(book, task, &ended, fault) != FAULT_OK)
        return fault_pass(fault);
    if (from == 0) {
        tokens.total += task->before.total;
        tokens.prompt += task->before.prompt;
        tokens.candidates += task->before.candidates;
    }
    json_out_object(out, NULL);
    json_out_plain(out, "kind", STR("task"));
    json_out_string(out, "id", task->id);
    json_out_string(out, "contextId", book->session.id);
    status_write(out, book, task, &ended);
    history_write(out, book, task, from, history);
    artifacts_write(out, book, task, from);
    json_out_object(out, "metadata");
    task_metadata_write(out, &book->session, task->turn, book->arena);
    if (tokens.total)
        task_tokens_write(out, "kagent_usage_metadata", &tokens);
    json_out_object_end(out);
    json_out_object_end(out);
    return FAULT_OK;
}

/* ---- a task that was saved ---- */

static bool invocation_shown(const struct task *task, struct str invocation, size_t from)
{
    for (size_t i = 0; i < task->count; i++)
        if (task->messages[i].place >= from && str_eq(task->messages[i].invocation, invocation))
            return true;
    return false;
}

/* The message of the status goes with its invocation. */
static void saved_status(struct json_out *out, const struct task_book *book,
                         const struct task *task, const struct json_value *status, size_t from)
{
    struct json_walk walk;

    json_out_object(out, "status");
    for (json_walk_begin(&walk, status); json_walk_next(&walk);) {
        struct task_message message = {.saved = walk.value};

        if (!str_eq(walk.key, STR("message")) || walk.value.type != JSON_OBJECT) {
            json_out_key(out, json_unescape(walk.key, book->arena));
            json_out_raw(out, NULL, walk.value.raw);
            continue;
        }
        message.id = member_string(&walk.value, "messageId", book->arena);
        message.invocation = task_invocation(&walk.value, book->arena);
        if (!task->whole && message.invocation.n &&
            !invocation_shown(task, message.invocation, from))
            continue;
        json_out_key(out, STR("message"));
        task_message_put(out, &message, task->id, book->session.id, book->arena);
    }
    json_out_object_end(out);
}

/* Artifacts tell of the end of a task: one that was cut has none. */
static void saved_write(struct json_out *out, const struct task_book *book, const struct task *task,
                        size_t from, int64_t history)
{
    struct json_walk walk;

    json_out_object(out, NULL);
    json_out_plain(out, "kind", STR("task"));
    json_out_string(out, "id", task->id);
    json_out_string(out, "contextId", book->session.id);
    for (json_walk_begin(&walk, &task->saved); json_walk_next(&walk);) {
        if (walk.value.type == JSON_NULL || str_eq(walk.key, STR("kind")) ||
            str_eq(walk.key, STR("id")) || str_eq(walk.key, STR("contextId")) ||
            str_eq(walk.key, STR("history")) ||
            (str_eq(walk.key, STR("artifacts")) && !task->whole))
            continue;
        if (str_eq(walk.key, STR("status")) && walk.value.type == JSON_OBJECT) {
            saved_status(out, book, task, &walk.value, from);
            continue;
        }
        json_out_key(out, json_unescape(walk.key, book->arena));
        json_out_raw(out, NULL, walk.value.raw);
    }
    history_write(out, book, task, from, history);
    json_out_object_end(out);
}

enum fault_code task_write(struct json_out *out, struct task_book *book, const struct task *task,
                           size_t from, int64_t history, struct fault *fault)
{
    if (!task->is_saved)
        return turn_write(out, book, task, from, history, fault);
    saved_write(out, book, task, from, history);
    return FAULT_OK;
}

/* ---- all that came before a cut ---- */

/* A set of names, of which it holds views. */
struct names {
    struct str *slots;
    size_t room; /* a power of two, more than twice as many as there are names */
};

static struct names names_new(size_t count, struct arena *arena)
{
    struct names names = {.room = 16};

    while (names.room < count * 2 + 2)
        names.room *= 2;
    names.slots = arena_array(arena, names.room, sizeof(*names.slots));
    return names;
}

/* False when it was there already. What has no name is always new. */
static bool names_add(struct names *names, struct str name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    size_t i;

    if (name.n == 0)
        return true;
    for (i = 0; i < name.n; i++)
        hash = (hash ^ (unsigned char)name.p[i]) * UINT64_C(1099511628211);
    for (i = hash & (names->room - 1); names->slots[i].p; i = (i + 1) & (names->room - 1))
        if (str_eq(names->slots[i], name))
            return false;
    names->slots[i] = name;
    return true;
}

static void tokens_add(struct tokens *sum, const struct tokens *more)
{
    sum->total += more->total;
    sum->prompt += more->prompt;
    sum->candidates += more->candidates;
}

/* Does all that it shows stand below this place? */
static bool ends_below(const struct task *task, size_t to)
{
    for (size_t i = 0; i < task->count; i++)
        if (task->messages[i].place >= to)
            return false;
    return task->count > 0 || task->place < to;
}

/*
 * What a task below the cut has used: what it says itself, else what its messages say. One that
 * goes on behind the cut says it there.
 */
static void usage_sum(const struct task *task, size_t to, struct tokens *sum)
{
    struct tokens tokens;

    if (!task->is_saved) {
        tokens_add(sum, &task->before);
        if (ends_below(task, to)) /* the whole conversation: there is no cut */
            tokens_add(sum, &task->after);
        return;
    }
    if (!ends_below(task, to))
        return;
    if (task->whole && task_tokens(&task->saved, &tokens)) {
        tokens_add(sum, &tokens);
        return;
    }
    for (size_t i = 0; i < task->count; i++)
        if (task_tokens(&task->messages[i].saved, &tokens))
            tokens_add(sum, &tokens);
}

/* The messages that are merged, each id once, in order. */
static struct task_message *merged_list(const struct task_book *book, size_t to, size_t *count)
{
    struct task_message *list;
    struct names names;
    size_t all = 0;

    for (size_t i = 0; i < book->task_count; i++)
        all += book->tasks[i]->count;
    list = arena_array(book->arena, all + 1, sizeof(*list));
    names = names_new(all, book->arena);
    *count = 0;
    for (size_t i = 0; i < book->task_count; i++)
        for (size_t k = 0; k < book->tasks[i]->count; k++) {
            const struct task_message *message = &book->tasks[i]->messages[k];

            if (message->place < to && names_add(&names, message->id))
                list[(*count)++] = *message;
        }
    return list;
}

void task_merge_write(struct json_out *out, const struct task_book *book, struct str id, size_t to,
                      int64_t history)
{
    struct tokens tokens = {0};
    size_t count, skip;
    const struct task_message *list = merged_list(book, to, &count);

    for (size_t i = 0; i < book->task_count; i++)
        usage_sum(book->tasks[i], to, &tokens);
    skip = history >= 0 && count > (size_t)history ? count - (size_t)history : 0;
    json_out_object(out, NULL);
    json_out_plain(out, "kind", STR("task"));
    json_out_string(out, "id", id);
    json_out_string(out, "contextId", book->session.id);
    json_out_object(out, "status");
    json_out_plain(out, "state", STR("completed"));
    json_out_time(out, "timestamp",
                  to > 0 ? book->entries[to - 1].at_us : book->session.created_us);
    json_out_object_end(out);
    if (history != 0) {
        json_out_array(out, "history");
        for (size_t i = skip; i < count; i++)
            task_message_put(out, &list[i], id, book->session.id, book->arena);
        json_out_array_end(out);
    }
    json_out_object(out, "metadata");
    task_metadata_write(out, &book->session, STR_NONE, book->arena);
    task_tokens_write(out, "kagent_usage_metadata", &tokens);
    json_out_object_end(out);
    json_out_object_end(out);
}
