#include "tui/session_list.h"

#include "base/array.h"
#include "base/clock.h"
#include "tui/typed.h"

#include <assert.h>
#include <stdlib.h>

/*
 * One question is under way at a time. Words that are typed meanwhile are asked for when the answer
 * has come: a fast typist costs no more than a slow one. What happens to sessions is read with the
 * next question, at most one each SESSION_LIST_READ_MS.
 */

/* A session that a call gave back, and the place where it stands. */
struct kept {
    struct tine_result *result;
    size_t index;
};

struct session_list {
    struct session_list_options options;
    /* what is wanted */
    struct arena arena; /* of the words */
    struct str words;   /* as the server is asked */
    enum tine_archived archived;
    uint64_t question; /* another number for other words */
    uint64_t answered; /* that of what is there */
    bool stale;        /* something happened since the newest question went out … */
    int64_t sent_ms;   /* … which was then */
    bool busy;         /* a question is under way */
    /* what was answered */
    struct tine_result **pages;
    size_t page_count, page_room;
    const struct tine_session **rows; /* of the pages and of those that were kept */
    size_t count, room;
    struct kept kept[SESSION_LIST_KEPT_MAX];
    size_t kept_count;
    bool read;
    bool failed;
    struct tine_error error;
};

struct question {
    struct errand errand;
    struct session_list *list;
    struct tine_list_options options;
    uint64_t question;
    bool more; /* the page behind those that are there */
};

struct session_list *session_list_new(const struct session_list_options *options)
{
    struct session_list *list = calloc(1, sizeof(*list));

    if (!list)
        abort();
    list->options = *options;
    arena_init(&list->arena);
    return list;
}

static void pages_free(struct session_list *list)
{
    for (size_t i = 0; i < list->page_count; i++)
        tine_result_free(list->pages[i]);
    list->page_count = 0;
    list->count = 0;
}

static void kept_free(struct session_list *list)
{
    for (size_t i = 0; i < list->kept_count; i++)
        tine_result_free(list->kept[i].result);
    list->kept_count = 0;
}

void session_list_free(struct session_list *list)
{
    if (!list)
        return;
    errands_forget(list->options.errands, list);
    pages_free(list);
    kept_free(list);
    free(list->pages);
    free(list->rows);
    arena_clear(&list->arena);
    free(list);
}

/* ---- what is there ---- */

size_t session_list_count(const struct session_list *list)
{
    return list->count;
}

const struct tine_session *session_list_at(const struct session_list *list, size_t index)
{
    assert(index < list->count);
    return list->rows[index];
}

size_t session_list_find(const struct session_list *list, const char *session)
{
    size_t i = 0;

    while (i < list->count && session && strcmp(list->rows[i]->id, session) != 0)
        i++;
    return session ? i : list->count;
}

bool session_list_is_read(const struct session_list *list)
{
    return list->read;
}

bool session_list_is_current(const struct session_list *list)
{
    return list->read && list->answered == list->question;
}

const struct tine_error *session_list_error(const struct session_list *list)
{
    return list->failed ? &list->error : NULL;
}

static const char *next_cursor(const struct session_list *list)
{
    return list->page_count ? list->pages[list->page_count - 1]->next : NULL;
}

bool session_list_has_more(const struct session_list *list)
{
    return next_cursor(list) != NULL;
}

static void row_insert(struct session_list *list, size_t index, const struct tine_session *session)
{
    list->rows = array_more(list->rows, list->count, &list->room, sizeof(struct tine_session *));
    if (index > list->count)
        index = list->count;
    memmove(list->rows + index + 1, list->rows + index,
            (list->count - index) * sizeof(list->rows[0]));
    list->rows[index] = session;
    list->count++;
}

/* One that came up while pages were read is on two of them; it stands where it is newer. */
static void rows_make(struct session_list *list)
{
    list->count = 0;
    for (size_t i = 0; i < list->page_count; i++)
        for (size_t j = 0; j < list->pages[i]->session_count; j++) {
            const struct tine_session *session = &list->pages[i]->sessions[j];

            if (i == 0 || session_list_find(list, session->id) == list->count)
                row_insert(list, list->count, session);
        }
    for (size_t i = 0; i < list->kept_count; i++) {
        const struct tine_session *session = list->kept[i].result->session;

        if (session_list_find(list, session->id) == list->count)
            row_insert(list, list->kept[i].index, session);
    }
}

static void kept_drop(struct session_list *list, size_t index)
{
    tine_result_free(list->kept[index].result);
    list->kept_count--;
    memmove(list->kept + index, list->kept + index + 1,
            (list->kept_count - index) * sizeof(list->kept[0]));
}

void session_list_put(struct session_list *list, struct tine_result *result)
{
    size_t index = session_list_find(list, result->session->id);

    for (size_t i = list->kept_count; i-- > 0;)
        if (strcmp(list->kept[i].result->session->id, result->session->id) == 0)
            kept_drop(list, i);
    if (list->kept_count == SESSION_LIST_KEPT_MAX)
        kept_drop(list, 0);
    list->kept[list->kept_count++] = (struct kept){result, index};
    rows_make(list);
    /* until the list is read anew, which is under way, the one of the page would hide it */
    index = session_list_find(list, result->session->id);
    list->rows[index] = result->session;
    list->options.changed(list->options.context);
}

/* ---- asking ---- */

static void ask(struct session_list *list);

static void page_add(struct session_list *list, struct tine_result *page)
{
    list->pages =
        array_more(list->pages, list->page_count, &list->page_room, sizeof(struct tine_result *));
    list->pages[list->page_count++] = page;
}

static bool run(struct errand *errand, struct tine *tine)
{
    const struct question *question = (const struct question *)errand;

    return tine_sessions(tine, &question->options, &errand->result, &errand->error);
}

static void answered(struct session_list *list, struct question *question)
{
    struct errand *errand = &question->errand;

    list->failed = !errand->ok;
    list->error = errand->error;
    if (!errand->ok)
        return;
    if (!question->more)
        pages_free(list);
    page_add(list, errand->result);
    errand->result = NULL;
    list->read = true;
    list->answered = question->question;
    rows_make(list);
}

static void done(struct errand *errand)
{
    struct question *question = (struct question *)errand;
    struct session_list *list = question->list;

    list->busy = false;
    if (question->question == list->question)
        answered(list, question);
    else
        ask(list);
    list->options.changed(list->options.context);
}

static void send(struct session_list *list, size_t limit, const char *cursor)
{
    struct question *question = errand_new(sizeof(*question), run, done, list);
    struct arena *arena = &question->errand.arena;

    question->list = list;
    question->question = list->question;
    question->more = cursor != NULL;
    question->options = (struct tine_list_options){
        .words = list->words.n ? arena_dup(arena, list->words).p : NULL,
        .archived = list->archived,
        .limit = (int64_t)limit,
        .cursor = cursor ? arena_dup(arena, str_of(cursor)).p : NULL,
    };
    list->busy = true;
    list->sent_ms = clock_ms();
    errands_send(list->options.errands, LANE_LOOK, &question->errand);
}

/* All that is there, anew: whole pages of it. */
static void ask(struct session_list *list)
{
    size_t page = list->options.page, limit = page;

    if (list->busy)
        return; /* its answer is to another question: this one goes out then */
    list->stale = false;
    if (list->answered == list->question && list->count > page)
        limit = (list->count + page - 1) / page * page;
    send(list, limit < SESSION_LIST_MAX ? limit : SESSION_LIST_MAX, NULL);
}

void session_list_ask(struct session_list *list, struct str words, enum tine_archived archived)
{
    struct arena arena;
    struct str wanted;

    arena_init(&arena);
    wanted = typed_words(words, SESSION_LIST_WORDS_MAX, &arena);
    if (list->question == 0 || list->archived != archived || !str_eq(wanted, list->words)) {
        list->question++;
        list->archived = archived;
        arena_clear(&list->arena);
        list->words = arena_dup(&list->arena, wanted);
        kept_free(list);
        rows_make(list);
        ask(list);
        list->options.changed(list->options.context);
    }
    arena_clear(&arena);
}

void session_list_more(struct session_list *list)
{
    if (!list->busy && !list->failed && next_cursor(list) && list->count < SESSION_LIST_MAX)
        send(list, list->options.page, next_cursor(list));
}

static void deleted(struct session_list *list, const char *session)
{
    for (size_t i = list->kept_count; session && i-- > 0;)
        if (strcmp(list->kept[i].result->session->id, session) == 0)
            kept_drop(list, i);
    rows_make(list);
    list->options.changed(list->options.context);
}

void session_list_happened(struct session_list *list, const struct happening *happening)
{
    if (happening->kind == HAPPENED_EVENT && strcmp(happening->event->type, "session.deleted") == 0)
        deleted(list, happening->event->session);
    if (list->question && happening->kind != HAPPENED_LOST) {
        list->stale = true;
        session_list_tend(list);
    }
}

int64_t session_list_tend(struct session_list *list)
{
    int64_t due_ms = list->sent_ms + SESSION_LIST_READ_MS;

    if (!list->stale || list->busy)
        return 0; /* whoever is told that it has changed looks again */
    if (clock_ms() < due_ms)
        return due_ms;
    ask(list);
    return 0;
}
