/* The tasks of a session are read: its path once, its records once. */
#include "dialect/tasks_own.h"

#include <stdlib.h>

/* Added to the order of a task that stands behind the others of its place. */
#define BEHIND (SIZE_MAX / 2)

/* ---- the path ---- */

static enum fault_code take_entry(void *context, const struct entry *entry, struct fault *fault)
{
    struct task_book *book = context;
    struct entry brief = *entry;

    (void)fault;
    book->entries =
        arena_more(book->arena, book->entries, book->count, &book->room, sizeof(*book->entries));
    if (entry->kind != ENTRY_MESSAGE)
        brief.body = STR_NONE;
    book->entries[book->count++] = entry_copy(&brief, book->arena);
    return FAULT_OK;
}

static int turn_order(const void *a, const void *b)
{
    const struct turn_place *x = a, *y = b;
    int order = str_cmp(x->turn, y->turn);

    return order ? order : x->place < y->place ? -1 : 1;
}

/* Each turn once, where it first stands. */
static void turns_index(struct task_book *book)
{
    size_t kept = 0;

    book->turns = arena_array(book->arena, book->count + 1, sizeof(*book->turns));
    for (size_t i = 0; i < book->count; i++) {
        struct str turn = book->entries[i].turn;

        if (turn.n && (i == 0 || !str_eq(turn, book->entries[i - 1].turn)))
            book->turns[book->turn_count++] = (struct turn_place){.turn = turn, .place = i};
    }
    if (book->turn_count)
        qsort(book->turns, book->turn_count, sizeof(*book->turns), turn_order);
    for (size_t i = 0; i < book->turn_count; i++)
        if (i == 0 || !str_eq(book->turns[i].turn, book->turns[kept - 1].turn))
            book->turns[kept++] = book->turns[i];
    book->turn_count = kept;
}

static struct turn_place *turn_find(const struct task_book *book, struct str turn)
{
    size_t low = 0, high = book->turn_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(turn, book->turns[middle].turn);

        if (order == 0)
            return &book->turns[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* What the session itself wrote since it was forked or last moved stands at the end of the path. */
static void cut_find(struct task_book *book)
{
    const struct session *session = &book->session;

    book->has_cut = session->moved_n > 0 || session->parent.known;
    book->cut = book->has_cut ? book->count : 0;
    while (book->cut > 0 && book->entries[book->cut - 1].at.s == session->s &&
           book->entries[book->cut - 1].at.n > session->moved_n)
        book->cut--;
}

/* ---- messages of saved tasks that are entries ---- */

/* The saved task that a message came with; empty when it came with none. */
static struct str task_of_entry(const struct entry *entry, struct arena *arena)
{
    struct json_value body, metadata, a2a;
    struct fault unread;

    if (entry->body.n == 0 || !memmem(entry->body.p, entry->body.n, "\"a2a\"", 5) ||
        json_read(entry->body, TASK_DEPTH, "the body", &body, &unread) != FAULT_OK ||
        !member_at(&body, "metadata", &metadata) || !member_at(&metadata, "a2a", &a2a))
        return STR_NONE;
    return member_string(&a2a, "task", arena);
}

static struct str message_id_of(const struct entry *entry, struct arena *arena)
{
    struct json_value body, metadata, a2a, message;
    struct fault unread;
    struct str id = STR_NONE;

    if (entry->body.n && memmem(entry->body.p, entry->body.n, "\"a2a\"", 5) &&
        json_read(entry->body, TASK_DEPTH, "the body", &body, &unread) == FAULT_OK &&
        member_at(&body, "metadata", &metadata) && member_at(&metadata, "a2a", &a2a) &&
        member_at(&a2a, "message", &message))
        id = member_string(&message, "messageId", arena);
    return id.n ? id : entry->id;
}

/* ---- tasks that were saved ---- */

/* A record as it was read, before its task is looked at. */
struct saved {
    struct record record;
    struct saved *next;
};

struct saved_list {
    struct arena *arena;
    struct saved *first, **last;
    size_t count;
    bool has_loose; /* one that names no turn */
};

static enum fault_code take_record(void *context, const struct record *record, struct fault *fault)
{
    struct saved_list *list = context;
    struct saved *saved = arena_alloc(list->arena, sizeof(*saved));

    (void)fault;
    if (record->kind != RECORD_TASK && record->kind != RECORD_TASK_EARLY &&
        record->kind != RECORD_TASK_GONE)
        return FAULT_OK;
    saved->record = *record;
    saved->record.id = arena_dup(list->arena, record->id);
    saved->record.turn = arena_dup(list->arena, record->turn);
    saved->record.body = arena_dup(list->arena, record->body);
    *list->last = saved;
    list->last = &saved->next;
    list->count++;
    list->has_loose |= record->turn.n == 0;
    return FAULT_OK;
}

static struct task *task_add(struct task_book *book, size_t place)
{
    struct task *task = arena_alloc(book->arena, sizeof(*task));

    *task = (struct task){.place = place, .order = book->task_count, .whole = true};
    book->tasks[book->task_count++] = task;
    return task;
}

static void message_add(struct task_book *book, struct task *task,
                        const struct task_message *message)
{
    task->messages =
        arena_more(book->arena, task->messages, task->count, &task->room, sizeof(*task->messages));
    task->messages[task->count++] = *message;
}

/* How many entries of the path stand up to an address. */
static size_t entries_upto(const struct task_book *book, struct address at)
{
    size_t count = book->count;

    while (count > 0 &&
           (book->entries[count - 1].at.s != at.s || book->entries[count - 1].at.n > at.n))
        count--;
    return count;
}

/*
 * Where a record counts, as a place on the path; false when it does not. That is where its turn
 * begins. One that names none stands behind what was there when it was saved (`*behind`), on the
 * side of the newest cut on which that was; an early one does not outlive a cut, and none does that
 * left nothing before it.
 */
static bool record_place(const struct task_book *book, const struct record *record, int64_t cut_us,
                         size_t *place, bool *behind)
{
    const struct turn_place *turn = turn_find(book, record->turn);
    size_t count;

    *behind = false;
    if (turn) {
        *place = turn->place;
        return true;
    }
    count = entries_upto(book, record->at);
    if (book->has_cut && record->at_us >= cut_us && count <= book->cut) {
        *place = book->cut;
        return true;
    }
    *behind = count > 0;
    *place = count > 0 ? count - 1 : 0;
    return record->at_us >= cut_us || (record->kind != RECORD_TASK_EARLY && book->cut > 0);
}

/*
 * The invocation of each message: its own; for a user's that of the next one that has one, up to
 * that of the status; else the task's.
 */
static void invocations_find(struct task_book *book, const struct saved *saved,
                             const struct json_value *task, struct task_message *messages,
                             size_t count)
{
    struct str own = task_invocation(task, book->arena), next = STR_NONE;
    struct json_value status, said;

    if (member_at(task, "status", &status) && member_at(&status, "message", &said))
        next = task_invocation(&said, book->arena);
    if (own.n == 0)
        own = saved->record.turn;
    for (size_t i = count; i-- > 0;) {
        struct task_message *message = &messages[i];
        struct str role = member_string(&message->saved, "role", book->arena);

        message->invocation = task_invocation(&message->saved, book->arena);
        if (message->invocation.n)
            next = message->invocation;
        else
            message->invocation = str_eq(role, STR("user")) && next.n ? next : own;
    }
}

static struct task_message *history_read(struct task_book *book, const struct json_value *task,
                                         size_t *count)
{
    struct task_message *messages;
    struct json_walk walk;
    size_t n = 0;

    for (member_walk(task, "history", &walk); json_walk_next(&walk);)
        n++;
    messages = arena_array(book->arena, n + 1, sizeof(*messages));
    *count = 0;
    for (member_walk(task, "history", &walk); json_walk_next(&walk);)
        if (walk.value.type == JSON_OBJECT)
            messages[(*count)++] = (struct task_message){
                .saved = walk.value, .id = member_string(&walk.value, "messageId", book->arena)};
    return messages;
}

static int text_order(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The messages of the path that came with a saved task; turns that have others are noted. */
static void ids_index(struct task_book *book)
{
    book->ids = arena_array(book->arena, book->count + 1, sizeof(*book->ids));
    for (size_t i = 0; i < book->count; i++) {
        const struct entry *entry = &book->entries[i];
        struct turn_place *turn;

        if (entry->kind != ENTRY_MESSAGE)
            continue;
        if (task_of_entry(entry, book->arena).n) {
            book->ids[book->id_count++] = message_id_of(entry, book->arena);
        } else {
            turn = turn_find(book, entry->turn);
            if (turn)
                turn->told = true;
        }
    }
    if (book->id_count)
        qsort(book->ids, book->id_count, sizeof(*book->ids), text_order);
}

/* The entry that a point names in a session; false when that does not have it. */
static enum fault_code entry_find(struct task_book *book, struct str session,
                                  const struct point_spec *spec, struct entry *entry, bool *found,
                                  struct fault *fault)
{
    enum fault_code code =
        store_entry_get(book->app->store, book->owner, session, spec, book->arena, entry, fault);

    *found = code == FAULT_OK;
    if (code == FAULT_MESSAGE_NOT_FOUND || code == FAULT_POINT_INVALID ||
        code == FAULT_SESSION_NOT_FOUND)
        return FAULT_OK;
    return code;
}

/*
 * Notes the turns through whose middle the path was cut, as other dialects may do: those whose
 * entry is the first that was left behind, here or (at the base of a fork) by the parent.
 */
static enum fault_code cuts_note(struct task_book *book, struct fault *fault)
{
    const struct session *session = &book->session;

    for (size_t i = 0; i < book->count; i++) {
        struct address at = book->entries[i].at, next = {at.s, at.n + 1};
        struct point_spec spec = {.by = POINT_ADDRESS, .address = next, .guard = GUARD_NONE};
        struct turn_place *turn;
        struct entry entry;
        bool found;

        if (i + 1 < book->count ? address_eq(book->entries[i + 1].at, next)
                                : at.s == session->s && at.n == session->head_at.n)
            continue;
        if (entry_find(book, session->id, &spec, &entry, &found, fault) != FAULT_OK ||
            (!found && session->parent.known &&
             entry_find(book, session->parent.session, &spec, &entry, &found, fault) != FAULT_OK))
            return fault_pass(fault);
        turn = found ? turn_find(book, entry.turn) : NULL;
        if (turn)
            turn->cut = true;
    }
    return FAULT_OK;
}

/*
 * Was a message left behind whose turn stands on the path? Then it is an entry here, or where its
 * task was saved, and not on the path. One that came late, or whose turn is told by its events, is
 * no entry anywhere.
 */
static enum fault_code message_cut(struct task_book *book, const struct record *record,
                                   const struct turn_place *turn, struct str id, bool *out,
                                   struct fault *fault)
{
    struct point_spec spec = {.by = POINT_MESSAGE, .name = id, .guard = GUARD_NONE};
    struct entry entry;
    struct str session;
    enum fault_code code;

    *out = false;
    if (!turn->cut || turn->told || id.n == 0 ||
        (book->id_count && bsearch(&id, book->ids, book->id_count, sizeof(id), text_order)))
        return FAULT_OK;
    if (entry_find(book, book->session.id, &spec, &entry, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (*out || !book->session.parent.known)
        return FAULT_OK;
    code =
        store_record_find(book->app->store, book->owner, record->id, book->arena, &session, fault);
    if (code == FAULT_NOT_FOUND)
        return FAULT_OK;
    return code ? code : entry_find(book, session, &spec, &entry, out, fault);
}

/* What of a saved task stands on the path. A message of no invocation stands where the task does.
 */
static enum fault_code saved_add(struct task_book *book, const struct saved *saved, size_t place,
                                 bool behind, const struct json_value *value, struct fault *fault)
{
    size_t count;
    struct task_message *messages = history_read(book, value, &count);
    struct task *task = task_add(book, place);

    invocations_find(book, saved, value, messages, count);
    task->order += behind ? BEHIND : 0;
    task->is_saved = true;
    task->saved = *value;
    task->id = saved->record.id;
    for (size_t i = 0; i < count; i++) {
        const struct turn_place *turn = turn_find(book, messages[i].invocation);
        bool loose = saved->record.kind == RECORD_TASK_EARLY || messages[i].invocation.n == 0;
        bool cut = false;

        if (turn && !loose &&
            message_cut(book, &saved->record, turn, messages[i].id, &cut, fault) != FAULT_OK)
            return fault_pass(fault);
        messages[i].place = turn && !loose ? turn->place : place;
        if (loose || (turn && !cut))
            message_add(book, task, &messages[i]);
        else
            task->whole = false;
    }
    if (count > 0 && task->count == 0)
        book->task_count--;
    return FAULT_OK;
}

/* In a fork, one that came with it has a new id; what the fork has saved itself has its own. */
static enum fault_code saved_name(struct task_book *book, const struct record *record,
                                  struct task *task, struct fault *fault)
{
    struct str session;
    enum fault_code code;

    if (!book->session.parent.known || record->at.s == book->session.s)
        return FAULT_OK;
    code =
        store_record_find(book->app->store, book->owner, record->id, book->arena, &session, fault);
    if (code != FAULT_OK && code != FAULT_NOT_FOUND)
        return code;
    if (code == FAULT_NOT_FOUND || !str_eq(session, book->session.id))
        task->id =
            arena_printf(book->arena, "%.*s~%.*s", STR_ARG(book->session.id), STR_ARG(record->id));
    return FAULT_OK;
}

/* When the newest cut was made. */
static enum fault_code cut_time(struct task_book *book, int64_t *out, struct fault *fault)
{
    const struct session *session = &book->session;
    struct point_spec spec = {
        .by = POINT_ADDRESS, .address = {session->s, session->moved_n}, .guard = GUARD_NONE};
    struct entry move;

    *out = session->parent.known ? session->created_us : 0;
    if (session->moved_n == 0)
        return FAULT_OK;
    if (store_entry_get(book->app->store, book->owner, session->id, &spec, book->arena, &move,
                        fault) != FAULT_OK)
        return fault_pass(fault);
    *out = move.at_us;
    return FAULT_OK;
}

static enum fault_code saved_fold(struct task_book *book, const struct saved_list *list,
                                  struct fault *fault)
{
    int64_t cut_us = 0;

    if (list->has_loose && cut_time(book, &cut_us, fault) != FAULT_OK)
        return fault_pass(fault);
    for (const struct saved *saved = list->first; saved; saved = saved->next) {
        const struct record *record = &saved->record;
        size_t before = book->task_count;
        struct json_value value;
        struct fault unread;
        size_t place;
        bool behind;

        if (record->kind == RECORD_TASK_GONE ||
            !record_place(book, record, cut_us, &place, &behind) ||
            json_read(record->body, TASK_DEPTH, "the task", &value, &unread) != FAULT_OK ||
            value.type != JSON_OBJECT)
            continue;
        if (saved_add(book, saved, place, behind, &value, fault) != FAULT_OK ||
            (book->task_count > before &&
             saved_name(book, record, book->tasks[before], fault) != FAULT_OK))
            return fault_pass(fault);
    }
    return FAULT_OK;
}

/* ---- turns ---- */

static bool is_saved(const struct saved_list *list, struct str id)
{
    if (id.n == 0)
        return false;
    for (const struct saved *saved = list->first; saved; saved = saved->next)
        if (str_eq(saved->record.id, id))
            return true;
    return false;
}

/* The task of a message's turn; one that belongs to no turn is a turn by itself. */
static struct task *task_of_turn(struct task_book *book, const struct entry *entry, size_t place)
{
    struct turn_place *turn = turn_find(book, entry->turn);
    struct task *task = turn ? turn->task : NULL;

    if (task)
        return task;
    task = task_add(book, place);
    task->turn = entry->turn.n ? entry->turn : entry->id;
    task->id =
        arena_printf(book->arena, "%.*s~%.*s", STR_ARG(book->session.id), STR_ARG(task->turn));
    if (turn)
        turn->task = task;
    return task;
}

static void usage_add(struct tokens *tokens, const struct entry *entry)
{
    tokens->prompt += entry->usage.input;
    tokens->candidates += entry->usage.output;
    tokens->total += entry->usage.input + entry->usage.output;
}

static void entry_add(struct task_book *book, size_t place)
{
    const struct entry *entry = &book->entries[place];
    struct task *task = task_of_turn(book, entry, place);
    struct task_message message = {
        .entry = entry,
        .id = message_id_of(entry, book->arena),
        .invocation = task->turn,
        .place = place,
    };

    message.step = task->step;
    message_add(book, task, &message);
    if (entry->has_usage)
        usage_add(place < book->cut ? &task->before : &task->after, entry);
    task->last_us = entry->at_us;
    task->last_e = entry->e;
    task->session = entry->session;
}

/* The agent's steps are counted as the engine counts them: also what is not shown is one. */
static void step_count(struct task_book *book, const struct entry *entry)
{
    struct turn_place *turn = turn_find(book, entry->turn);

    if (turn && turn->task && entry->role != ROLE_USER &&
        (entry->kind == ENTRY_MESSAGE || entry->kind == ENTRY_SUMMARY))
        turn->task->step++;
}

static void turns_fold(struct task_book *book, const struct saved_list *list)
{
    for (size_t i = 0; i < book->count; i++) {
        const struct entry *entry = &book->entries[i];

        if (entry_visible(entry->kind, entry->role) &&
            !(list->count && is_saved(list, task_of_entry(entry, book->arena))))
            entry_add(book, i);
        step_count(book, entry);
    }
}

static int task_order(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* ---- all of it ---- */

static void book_begin(struct task_book *book, struct app *app, int64_t owner, struct arena *arena)
{
    *book = (struct task_book){.app = app, .owner = owner, .arena = arena};
}

enum fault_code task_book_read(struct app *app, int64_t owner, struct str session,
                               struct arena *arena, struct task_book *out, struct fault *fault)
{
    struct history_spec spec = {
        .owner = owner,
        .session = session,
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .all = true,
    };
    struct saved_list list = {.arena = arena, .last = &list.first};

    book_begin(out, app, owner, arena);
    if (store_session_get(app->store, owner, session, false, arena, &out->session, fault) !=
            FAULT_OK ||
        store_history(app->store, &spec, take_entry, out, NULL, fault) != FAULT_OK ||
        store_records(app->store, owner, session, take_record, &list, fault) != FAULT_OK)
        return fault_pass(fault);
    turns_index(out);
    cut_find(out);
    if (list.count)
        ids_index(out);
    if (list.count && out->has_cut && cuts_note(out, fault) != FAULT_OK)
        return fault_pass(fault);
    out->tasks = arena_array(arena, out->count + list.count + 1, sizeof(struct task *));
    if (saved_fold(out, &list, fault) != FAULT_OK)
        return fault_pass(fault);
    turns_fold(out, &list);
    if (out->task_count)
        qsort(out->tasks, out->task_count, sizeof(struct task *), task_order);
    return FAULT_OK;
}

/* ---- one turn ---- */

struct first_seen {
    struct address at;
    int64_t index;
};

static enum fault_code see_first(void *context, const struct entry *entry, struct fault *fault)
{
    struct first_seen *first = context;

    if (!entry->visible)
        return FAULT_OK;
    first->at = entry->at;
    first->index = entry->index;
    return visit_enough(fault);
}

/* The entries of the turn, which stand together. */
struct turn_read {
    struct task_book *book;
    struct str turn;
};

static enum fault_code take_turn(void *context, const struct entry *entry, struct fault *fault)
{
    struct turn_read *read = context;

    if (!str_eq(entry->turn, read->turn))
        return visit_enough(fault);
    return take_entry(read->book, entry, fault);
}

/* Then it belongs to a task of its own. */
static bool was_saved(const struct task_book *book)
{
    for (size_t i = 0; i < book->count; i++)
        if (task_of_entry(&book->entries[i], book->arena).n)
            return true;
    return false;
}

enum fault_code task_book_turn(struct app *app, int64_t owner, const struct session *session,
                               struct str turn, struct arena *arena, struct task_book *out,
                               struct fault *fault)
{
    struct history_spec spec = {
        .owner = owner,
        .session = session->id,
        .at = {.by = POINT_END, .side = SIDE_AFTER, .guard = GUARD_NONE},
        .all = true,
    };
    struct first_seen first = {.index = -1};
    struct turn_read read = {out, turn};
    struct saved_list none = {.arena = arena, .last = &none.first};
    enum fault_code code;

    code = store_turn(app->store, owner, session->id, turn, see_first, &first, fault);
    if (code != FAULT_OK && code != FAULT_INTERRUPTED && code != FAULT_TURN_NOT_FOUND)
        return code;
    book_begin(out, app, owner, arena);
    out->session = *session;
    spec.from = first.index;
    if (first.index >= 0) {
        code = store_history(app->store, &spec, take_turn, &read, NULL, fault);
        if (code != FAULT_OK && code != FAULT_INTERRUPTED)
            return code;
    }
    if (out->count == 0 || !address_eq(out->entries[0].at, first.at) || was_saved(out))
        return fault_set(fault, FAULT_NOT_FOUND, "turn \"%.*s\" is not in session \"%.*s\"",
                         STR_ARG(turn), STR_ARG(session->id));
    turns_index(out);
    out->tasks = arena_array(arena, out->count + 1, sizeof(struct task *));
    turns_fold(out, &none);
    return FAULT_OK;
}
