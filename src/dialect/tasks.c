#include "dialect/tasks.h"

#include "dialect/tasks_own.h"

/* The text of a task, while it is written. */
struct sheet {
    struct buf buf;
    struct json_out out;
};

static void sheet_open(struct sheet *sheet)
{
    buf_init(&sheet->buf, REPLY_BYTES);
    json_out_init(&sheet->out, &sheet->buf);
}

static void sheet_clear(struct sheet *sheet)
{
    buf_reset(&sheet->buf);
    json_out_init(&sheet->out, &sheet->buf);
}

static enum fault_code sheet_check(const struct sheet *sheet, struct str id, struct fault *fault)
{
    if (!sheet->buf.full)
        return FAULT_OK;
    return fault_set(fault, FAULT_TOO_LARGE, "task \"%.*s\" has more than %d bytes", STR_ARG(id),
                     REPLY_BYTES);
}

/* ---- which there are ---- */

static struct str merged_id(const struct session *session, struct arena *arena)
{
    if (session->moved_n > 0)
        return session->id;
    return arena_printf(arena, "%.*s~fork", STR_ARG(session->id));
}

/* Is there anything of it from this place on? */
static bool task_shown(const struct task *task, size_t from)
{
    for (size_t i = 0; i < task->count; i++)
        if (task->messages[i].place >= from)
            return true;
    return task->count == 0 && task->place >= from;
}

static enum fault_code list_write(struct task_book *book, enum tasks_view view, struct sheet *sheet,
                                  task_visit *visit, void *context, struct fault *fault)
{
    size_t from = view == TASKS_CUT ? book->cut : 0;

    if (view == TASKS_CUT && book->has_cut) {
        struct str id = merged_id(&book->session, book->arena);

        task_merge_write(&sheet->out, book, id, from, -1);
        if (sheet_check(sheet, id, fault) != FAULT_OK ||
            visit(context, id, buf_str(&sheet->buf), fault) != FAULT_OK)
            return fault_pass(fault);
    }
    for (size_t i = 0; i < book->task_count; i++) {
        const struct task *task = book->tasks[i];

        if (!task_shown(task, from))
            continue;
        sheet_clear(sheet);
        if (task_write(&sheet->out, book, task, from, -1, fault) != FAULT_OK ||
            sheet_check(sheet, task->id, fault) != FAULT_OK ||
            visit(context, task->id, buf_str(&sheet->buf), fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

enum fault_code tasks_list(struct app *app, int64_t owner, struct str session, enum tasks_view view,
                           struct arena *arena, task_visit *visit, void *context,
                           struct fault *fault)
{
    struct task_book book;
    struct sheet sheet;
    enum fault_code code;

    if (task_book_read(app, owner, session, arena, &book, fault) != FAULT_OK)
        return fault_pass(fault);
    sheet_open(&sheet);
    code = list_write(&book, view, &sheet, visit, context, fault);
    buf_clear(&sheet.buf);
    return code;
}

enum fault_code tasks_whole(struct app *app, int64_t owner, struct str session, struct arena *arena,
                            struct str *task, struct fault *fault)
{
    struct task_book book;
    struct sheet sheet;
    enum fault_code code;

    if (task_book_read(app, owner, session, arena, &book, fault) != FAULT_OK)
        return fault_pass(fault);
    sheet_open(&sheet);
    task_merge_write(&sheet.out, &book, book.session.id, book.count, -1);
    code = sheet_check(&sheet, book.session.id, fault);
    if (code == FAULT_OK)
        *task = arena_dup(arena, buf_str(&sheet.buf));
    buf_clear(&sheet.buf);
    return code;
}

/* ---- one ---- */

/* What an id names. */
struct wanted {
    struct app *app;
    int64_t owner;
    struct str id;
    int64_t history;
    struct arena *arena;
    struct session session;
    struct str task, turn; /* as found */
};

static enum fault_code wanted_unknown(const struct wanted *wanted, struct fault *fault)
{
    return fault_set(fault, FAULT_NOT_FOUND, "task \"%.*s\" does not exist", STR_ARG(wanted->id));
}

/* Writes the one of the book that has the id, or the one before its cut. */
static enum fault_code wanted_write(struct wanted *wanted, struct task_book *book,
                                    struct fault *fault)
{
    const struct task *found = NULL;
    struct sheet sheet;
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; i < book->task_count && !found; i++)
        if (str_eq(book->tasks[i]->id, wanted->id))
            found = book->tasks[i];
    if (!found && !(book->has_cut && str_eq(merged_id(&book->session, book->arena), wanted->id)))
        return wanted_unknown(wanted, fault);
    sheet_open(&sheet);
    if (found)
        code = task_write(&sheet.out, book, found, 0, wanted->history, fault);
    else
        task_merge_write(&sheet.out, book, wanted->id, book->cut, wanted->history);
    if (code == FAULT_OK)
        code = sheet_check(&sheet, wanted->id, fault);
    if (code == FAULT_OK) {
        wanted->task = arena_dup(wanted->arena, buf_str(&sheet.buf));
        wanted->turn = found ? found->turn : STR_NONE;
    }
    buf_clear(&sheet.buf);
    return code;
}

/* In the session that is known by now: the turn alone when it is one, else among all. */
static enum fault_code wanted_find(struct wanted *wanted, struct str turn, struct fault *fault)
{
    struct task_book book;
    enum fault_code code = FAULT_NOT_FOUND;

    if (turn.n)
        code = task_book_turn(wanted->app, wanted->owner, &wanted->session, turn, wanted->arena,
                              &book, fault);
    if (code == FAULT_NOT_FOUND)
        code = task_book_read(wanted->app, wanted->owner, wanted->session.id, wanted->arena, &book,
                              fault);
    return code ? code : wanted_write(wanted, &book, fault);
}

/* The session that the id begins with; what stands behind it is given as `rest`. */
static enum fault_code named_session(struct wanted *wanted, struct str *rest, struct fault *fault)
{
    const char *mark = wanted->id.n ? memchr(wanted->id.p, '~', wanted->id.n) : NULL;
    size_t n = mark ? (size_t)(mark - wanted->id.p) : wanted->id.n;

    *rest = mark ? (struct str){mark + 1, wanted->id.n - n - 1} : STR_NONE;
    return store_session_get(wanted->app->store, wanted->owner, (struct str){wanted->id.p, n},
                             false, wanted->arena, &wanted->session, fault);
}

/* A task that was saved, in the session that saved it. */
static enum fault_code saved_find(struct wanted *wanted, struct fault *fault)
{
    struct str session;
    enum fault_code code = store_record_find(wanted->app->store, wanted->owner, wanted->id,
                                             wanted->arena, &session, fault);

    if (code == FAULT_NOT_FOUND)
        return wanted_unknown(wanted, fault);
    if (code != FAULT_OK || store_session_get(wanted->app->store, wanted->owner, session, false,
                                              wanted->arena, &wanted->session, fault) != FAULT_OK)
        return fault_pass(fault);
    return wanted_find(wanted, STR_NONE, fault);
}

enum fault_code tasks_get(struct app *app, int64_t owner, struct str id, int64_t history_length,
                          struct arena *arena, struct str *task, struct str *session,
                          struct str *turn, struct fault *fault)
{
    struct wanted wanted = {
        .app = app, .owner = owner, .id = id, .history = history_length, .arena = arena};
    struct str rest;
    enum fault_code code = id.n ? named_session(&wanted, &rest, fault) : FAULT_SESSION_NOT_FOUND;

    if (code == FAULT_OK)
        code = wanted_find(&wanted, rest, fault);
    if (id.n && (code == FAULT_SESSION_NOT_FOUND || code == FAULT_NOT_FOUND))
        code = saved_find(&wanted, fault);
    if (code == FAULT_SESSION_NOT_FOUND)
        return wanted_unknown(&wanted, fault);
    if (code != FAULT_OK)
        return code;
    if (task)
        *task = wanted.task;
    if (session)
        *session = wanted.session.id;
    if (turn)
        *turn = wanted.turn;
    return FAULT_OK;
}
