/*
 * What is read from the server. What must hold:
 * 1. One reading of the whole, of the session, of its labels and of a page is under way at a time;
 *    what is asked for meanwhile is asked for when that has come.
 * 2. The whole is the session and its newest messages, and, when something else was on the screen,
 *    that, too. Until it has come, what is there is shown.
 * 3. An answer that was asked for before the newest reading of the whole is thrown away.
 */
#include "base/clock.h"
#include "tui/talk_own.h"

struct reading {
    struct errand errand; /* its result: the session, the labels, or a page */
    const char *session;
    uint64_t generation;
    uint64_t turn_news;
    int64_t from, limit; /* of a page; of the whole: what else is to be read, from -1: nothing */
    struct tine_result *tail, *view;
    bool check;
};

static void reading_drop(struct errand *errand)
{
    struct reading *reading = (struct reading *)errand;

    tine_result_free(reading->tail);
    tine_result_free(reading->view);
    reading->tail = reading->view = NULL;
}

static struct reading *reading_new(struct talk *talk, errand_run *run, errand_done *done)
{
    struct reading *reading = errand_new(sizeof(*reading), run, done, talk);

    reading->errand.drop = reading_drop;
    reading->session = arena_dup(&reading->errand.arena, str_of(talk->id)).p;
    reading->generation = talk->generation;
    reading->turn_news = talk->turn_news;
    return reading;
}

static void dispatch(struct talk *talk, struct reading *reading)
{
    errands_send(talk->options.errands, LANE_READ, &reading->errand);
}

static bool page_read(struct reading *reading, struct tine *tine, int64_t from, int64_t limit,
                      struct tine_result **out)
{
    struct tine_messages_options options = {.from = from, .limit = limit};

    return tine_messages(tine, reading->session, &options, out, &reading->errand.error);
}

static void pump(struct talk *talk);

/* ---- the session ---- */

static void session_install(struct talk *talk, struct errand *errand, uint64_t turn_news)
{
    const struct tine_session *session = errand->result->session;

    tine_result_free(talk->session);
    talk->session = errand->result;
    errand->result = NULL;
    if (talk->turn_news != turn_news)
        return; /* events have told something newer */
    if (owned_same(talk->turn, session->turn) && owned_same(talk->turn_state, session->turn_state))
        return;
    talk_turn_set(talk, session->turn, session->turn_state, NULL);
    if (!talk_runs(talk))
        saying_end(talk->saying);
}

/* Is the conversation another than it was when it was read, and than events have made it? */
static bool session_differs(struct talk *talk, const struct tine_session *session)
{
    const struct tine_message *last = pages_find(talk->pages, talk->count - 1);

    if (session->messages == talk->head_count && owned_same(session->head, talk->head))
        return false;
    return session->messages != talk->count || !last || !owned_same(session->head, last->id);
}

static bool session_run(struct errand *errand, struct tine *tine)
{
    struct reading *reading = (struct reading *)errand;

    return tine_session(tine, reading->session, false, &errand->result, &errand->error);
}

static void session_done(struct errand *errand)
{
    struct reading *reading = (struct reading *)errand;
    struct talk *talk = errand->owner;

    talk->session_asked = false;
    if (errand->ok) {
        bool differs = reading->check && session_differs(talk, errand->result->session);

        if (reading->check)
            talk->check = false;
        session_install(talk, errand, reading->turn_news);
        if (differs)
            talk_read_all(talk);
        talk_changed(talk);
    } else if (errand->error.status == 404) {
        talk_fail(talk, &errand->error);
    }
    if (talk->session_again)
        talk_read_session(talk);
}

void talk_read_session(struct talk *talk)
{
    struct reading *reading;

    if (!talk->id)
        return;
    talk->session_again = talk->session_asked || talk->opening;
    if (talk->session_again)
        return;
    talk->session_asked = true;
    reading = reading_new(talk, session_run, session_done);
    reading->check = talk->check;
    dispatch(talk, reading);
}

/* ---- labels ---- */

static bool labels_run(struct errand *errand, struct tine *tine)
{
    struct reading *reading = (struct reading *)errand;

    return tine_labels(tine, reading->session, &errand->result, &errand->error);
}

static void labels_done(struct errand *errand)
{
    struct talk *talk = errand->owner;

    talk->labels_asked = false;
    if (errand->ok) {
        talk_labels_set(&talk->labels, errand->result);
        errand->result = NULL;
        talk_changed(talk);
    }
    if (talk->labels_again)
        talk_read_labels(talk);
}

void talk_read_labels(struct talk *talk)
{
    talk->labels_again = talk->labels_asked;
    if (talk->labels_asked || !talk->id)
        return;
    talk->labels_asked = true;
    dispatch(talk, reading_new(talk, labels_run, labels_done));
}

/* ---- the whole ---- */

/* The last page and the one before it: the last alone may have a single message. */
static int64_t tail_from(int64_t count)
{
    int64_t pages = (count + PAGE_MESSAGES - 1) / PAGE_MESSAGES;

    return pages > 2 ? (pages - 2) * PAGE_MESSAGES : 0;
}

/* When the conversation has become shorter since its session was read, once more. */
static bool tail_read(struct reading *reading, struct tine *tine, int64_t count)
{
    for (int tries = 0; tries < 3; tries++) {
        tine_result_free(reading->tail);
        reading->tail = NULL;
        if (!page_read(reading, tine, tail_from(count), 2L * PAGE_MESSAGES, &reading->tail))
            return false;
        if (reading->tail->message_count || reading->tail->total == 0)
            break;
        count = reading->tail->total;
    }
    return true;
}

static bool all_run(struct errand *errand, struct tine *tine)
{
    struct reading *reading = (struct reading *)errand;
    int64_t count;

    reading_drop(errand); /* of a try before this one */
    tine_result_free(errand->result);
    errand->result = NULL;
    if (!tine_session(tine, reading->session, false, &errand->result, &errand->error))
        return false;
    count = errand->result->session->messages;
    if (count > 0 && !tail_read(reading, tine, count))
        return false;
    if (reading->from < 0 || reading->from >= tail_from(count))
        return true;
    return page_read(reading, tine, reading->from, reading->limit, &reading->view);
}

static void all_install(struct talk *talk, struct reading *reading)
{
    const struct tine_session *session = reading->errand.result->session;
    const struct tine_result *view = reading->view, *tail = reading->tail;

    pages_clear(talk->pages);
    if (view)
        pages_put(talk->pages, view->messages, view->message_count, true);
    if (tail)
        pages_put(talk->pages, tail->messages, tail->message_count, true);
    talk->count = tail ? tail->total : 0;
    talk->version++;
    talk->heavy[0] = talk->heavy[1] = -1;
    owned_set(&talk->head, session->head);
    talk->head_count = session->messages;
    talk->failed = talk->stale = false;
    if (talk->settled && talk->settled == saying_version(talk->saying))
        saying_end(talk->saying);
    talk->settled = 0;
    session_install(talk, &reading->errand, reading->turn_news);
    for (size_t i = tail ? tail->message_count : 0; i > 0 && talk->sends; i--)
        if (!tail->messages[i - 1].role || strcmp(tail->messages[i - 1].role, "user") == 0) {
            talk_sent(talk, &tail->messages[i - 1]);
            break;
        }
}

static void all_done(struct errand *errand)
{
    struct reading *reading = (struct reading *)errand;
    struct talk *talk = errand->owner;
    bool again = talk->again;

    talk->opening = talk->again = false;
    if (errand->ok)
        all_install(talk, reading);
    else
        talk->stale = true;
    if (!errand->ok && (!talk->session || errand->error.status == 404))
        talk_fail(talk, &errand->error);
    if (errand->ok && again)
        talk_read_all(talk);
    else if (talk->check || talk->session_again)
        talk_read_session(talk);
    talk_changed(talk);
    pump(talk);
}

void talk_read_all(struct talk *talk)
{
    struct reading *reading;

    if (!talk->id)
        return;
    if (talk->opening) {
        talk->again = true;
        return;
    }
    talk->opening = true;
    talk->generation++;
    talk->reading = -1;
    reading = reading_new(talk, all_run, all_done);
    reading->from = talk->session ? talk->seen / PAGE_MESSAGES * PAGE_MESSAGES : -1;
    if (reading->from >= PAGE_MESSAGES && talk->seen % PAGE_MESSAGES < PAGE_MESSAGES / 2)
        reading->from -= PAGE_MESSAGES; /* what was asked for last is the lowest that is seen */
    reading->limit = 2L * PAGE_MESSAGES;
    dispatch(talk, reading);
}

/* ---- pages ---- */

static bool page_run(struct errand *errand, struct tine *tine)
{
    struct reading *reading = (struct reading *)errand;

    return page_read(reading, tine, reading->from, reading->limit, &errand->result);
}

static bool is_heavy(const struct talk *talk, int64_t page)
{
    return talk->heavy[0] == page || talk->heavy[1] == page;
}

static void page_done(struct errand *errand)
{
    struct reading *reading = (struct reading *)errand;
    struct talk *talk = errand->owner;
    int64_t page = reading->from / PAGE_MESSAGES;
    bool wanted;

    if (reading->generation != talk->generation)
        return;
    wanted = talk->want_count && talk->wants[0] == page;
    talk->reading = -1;
    if (!errand->ok || errand->result->message_count == 0) {
        talk->retry_ms = clock_ms() + TALK_RETRY_MS;
        return;
    }
    pages_put(talk->pages, errand->result->messages, errand->result->message_count, wanted);
    if (pages_page_bytes(talk->pages, page) > PAGES_BYTES / 4 && !is_heavy(talk, page)) {
        talk->heavy[1] = talk->heavy[0];
        talk->heavy[0] = page;
    }
    talk_changed(talk);
    pump(talk);
}

static int64_t page_end(const struct talk *talk, int64_t page)
{
    int64_t end = (page + 1) * PAGE_MESSAGES;

    return end < talk->count ? end : talk->count;
}

static bool is_whole(const struct talk *talk, int64_t page)
{
    return pages_missing(talk->pages, page) >= page_end(talk, page);
}

static void want_drop(struct talk *talk, size_t i)
{
    talk->want_count--;
    memmove(&talk->wants[i], &talk->wants[i + 1], (talk->want_count - i) * sizeof(talk->wants[0]));
}

/* Sends for the page that is wanted most, or else for one ahead. */
static void pump(struct talk *talk)
{
    struct reading *reading;
    int64_t page;

    if (talk->reading >= 0 || talk->opening || clock_ms() < talk->retry_ms)
        return;
    while (talk->want_count && is_whole(talk, talk->wants[0]))
        want_drop(talk, 0);
    page = talk->want_count ? talk->wants[0] : talk->ahead;
    if (!talk->want_count)
        talk->ahead = -1;
    if (page < 0 || is_whole(talk, page))
        return;
    talk->reading = page;
    reading = reading_new(talk, page_run, page_done);
    reading->from = pages_missing(talk->pages, page);
    reading->limit = page_end(talk, page) - reading->from;
    dispatch(talk, reading);
}

void talk_retry(struct talk *talk)
{
    if (talk->retry_ms == 0 || clock_ms() < talk->retry_ms)
        return;
    talk->retry_ms = 0;
    pump(talk);
}

void talk_want(struct talk *talk, int64_t index)
{
    int64_t page = index / PAGE_MESSAGES;

    for (size_t i = 0; i < talk->want_count; i++)
        if (talk->wants[i] == page)
            want_drop(talk, i);
    if (talk->want_count == TALK_WANTS)
        talk->want_count--;
    memmove(&talk->wants[1], &talk->wants[0], talk->want_count * sizeof(talk->wants[0]));
    talk->wants[0] = page;
    talk->want_count++;
    pump(talk);
}

void talk_want_near(struct talk *talk, int64_t index)
{
    int64_t page = index / PAGE_MESSAGES;
    int64_t near = index % PAGE_MESSAGES < PAGE_MESSAGES / 2 ? page - 1 : page + 1;

    if (near < 0 || near * PAGE_MESSAGES >= talk->count || is_heavy(talk, near) ||
        is_whole(talk, near))
        return;
    talk->ahead = near;
    pump(talk);
}
