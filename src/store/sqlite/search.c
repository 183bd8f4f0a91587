/* Asking the index: from what a person types to hits with snippets. */
#include "store/sqlite/search_page.h"

#include "store/limits.h"
#include "store/sqlite/entry_row.h"
#include "store/sqlite/session_row.h"

enum {
    REFERRERS_MAX = 8, /* sub-sessions within sub-sessions that are followed to a name */
    MATCH_BYTES_MAX = 16 * LIMIT_QUERY_BYTES
};

/* Adds a word or phrase as FTS5 takes it, quoted, so that nothing in it is an operator. */
static void match_add(struct buf *out, struct str word, bool start)
{
    if (out->n)
        buf_add_text(out, " AND ");
    buf_add_char(out, '"');
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] == '"')
            buf_add_char(out, '"');
        if (word.p[i] != '\0')
            buf_add_char(out, word.p[i]);
    }
    buf_add_text(out, start ? "\" *" : "\"");
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * From what a person types to an FTS5 expression; false when there is nothing in it. *starts: there
 * is a start of a word in it.
 */
static bool match_make(struct str words, struct buf *out, bool *starts)
{
    size_t i = 0;

    *starts = false;
    while (i < words.n) {
        size_t from = i;
        bool start = false;

        if (blank(words.p[i])) {
            i++;
            continue;
        }
        if (words.p[i] == '"') {
            from = ++i;
            while (i < words.n && words.p[i] != '"')
                i++;
            if (i > from)
                match_add(out, (struct str){words.p + from, i - from}, false);
            i++;
            continue;
        }
        while (i < words.n && !blank(words.p[i]) && words.p[i] != '"')
            i++;
        start = i - from > 1 && words.p[i - 1] == '*';
        *starts = *starts || start;
        match_add(out, (struct str){words.p + from, i - from - start}, start);
    }
    return out->n > 0;
}

/*
 * Where the act is shown: in the session that wrote it or its nearest living fork; what is inside a
 * sub-session, at the reference to it. *at becomes that place; *found is false when there is none.
 */
static enum fault_code shown_at(struct db *db, struct address *at, struct arena *arena,
                                struct hit *hit, bool *found, struct fault *fault)
{
    for (int i = 0; i < REFERRERS_MAX; i++) {
        sqlite3_stmt *q = db_query(db, Q_SEARCH_LIVING, ARGS(arg_int(at->s), arg_int(at->n)));

        if (db_step(db, q, found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (*found) {
            hit->session = column_dup(q, 0, arena);
            hit->title = column_dup(q, 1, arena);
            sqlite3_reset(q);
            return entry_id(db, *at, arena, &hit->message, fault);
        }
        q = db_query(db, Q_SEARCH_REFERRER, ARGS(arg_int(at->s), arg_int(at->n)));
        if (db_step(db, q, found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!*found)
            return FAULT_OK;
        *at = column_address(q, 0);
        sqlite3_reset(q);
    }
    *found = false;
    return FAULT_OK;
}

static enum fault_code text_hit(struct quest *quest, int64_t e, struct page *page,
                                struct fault *fault)
{
    struct db *db = quest->db;
    sqlite3_stmt *q = db_query(db, Q_SEARCH_TEXT, ARGS(arg_int(e)));
    struct hit hit = {.index = -1};
    struct act_head head;
    struct address at;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found ||
        !index_entry_text(column_str(q, 3), column_str(q, 4), quest->arena, &quest->text) ||
        !act_head_decode_brief(column_str(q, 2), &head))
        return FAULT_OK;
    at = column_address(q, 0);
    hit.role = head.role;
    hit.at_us = head.at_us;
    sqlite3_reset(q);
    if (shown_at(db, &at, quest->arena, &hit, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return FAULT_OK;
    return page_add(quest, page, e, &hit, buf_str(&quest->text), fault);
}

static enum fault_code title_hit(struct quest *quest, int64_t s, struct page *page,
                                 struct fault *fault)
{
    struct hit hit = {.index = -1};
    struct session session;

    if (session_get(quest->db, s, false, quest->arena, &session, fault) != FAULT_OK)
        return fault->code == FAULT_CORRUPT ? FAULT_OK : fault->code; /* gone meanwhile */
    if (session.state != SESSION_LIVE)
        return FAULT_OK;
    hit.session = session.id;
    hit.title = session.title;
    hit.at_us = session.updated_us;
    return page_add(quest, page, s, &hit, session.title, fault);
}

/* Everything of one kind, titles or texts, newest first. */
static enum fault_code search_all(struct quest *quest, enum find which, struct page *page,
                                  struct fault *fault)
{
    sqlite3_stmt *q = index_find(quest->search, which);
    struct str match = quest->words;
    enum fault_code code = FAULT_OK;
    bool row;

    if (quest->spec->owner != OWNER_ANY)
        match = arena_printf(quest->arena, "who : o%lld AND %.*s", (long long)quest->spec->owner,
                             STR_ARG(match));
    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    while (code == FAULT_OK && page->count < page->max) {
        int64_t rowid;

        code = index_step(quest->search, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        rowid = sqlite3_column_int64(q, 0);
        code = which == F_TEXT_MATCH ? text_hit(quest, rowid, page, fault)
                                     : title_hit(quest, rowid, page, fault);
    }
    sqlite3_reset(q);
    return code;
}

/* Titles, then texts; each has a page, as the rowids of the one say nothing of the other. */
static enum fault_code answer_all(struct quest *quest, size_t *left, hit_visit *visit,
                                  void *context, struct fault *fault)
{
    static const enum find kinds[] = {F_TITLE_MATCH, F_TEXT_MATCH};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && *left; i++) {
        struct page page;
        enum fault_code code;

        if (page_begin(quest, *left, &page, fault) != FAULT_OK)
            return fault_pass(fault);
        code = search_all(quest, kinds[i], &page, fault);
        if (code == FAULT_OK) {
            *left -= page.count;
            code = page_show(quest, &page, visit, context, fault);
        }
        page_end(quest);
        if (code != FAULT_OK)
            return code;
    }
    return FAULT_OK;
}

/* As the main file is now, which is no older than the index. */
static enum fault_code answer_within(struct quest *quest, size_t *left, hit_visit *visit,
                                     void *context, struct search_info *info, struct fault *fault)
{
    struct page page;
    enum fault_code code;

    if (db_run(quest->db, Q_READ_BEGIN, NULL, 0, fault) != FAULT_OK)
        return fault_pass(fault);
    code = page_begin(quest, *left, &page, fault);
    if (code == FAULT_OK) {
        code = search_within(quest, &page, info, fault);
        if (code == FAULT_OK) {
            *left -= page.count;
            code = page_show(quest, &page, visit, context, fault);
        }
        page_end(quest);
    }
    db_rest(quest->db);
    sqlite3_step(db_query(quest->db, Q_READ_END, NULL, 0));
    return code;
}

/* *again: the index was found damaged and taken away before anything was handed out. */
static enum fault_code search_once(struct quest *quest, hit_visit *visit, void *context,
                                   struct search_info *info, bool *again, struct fault *fault)
{
    int64_t limit = quest->spec->limit;
    size_t max = limit > 0 && limit < LIMIT_PAGE ? (size_t)limit : LIMIT_PAGE;
    size_t left = max;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    quest->arena = &arena;
    info->next = -1;
    code = index_open(quest->search, quest->db, &arena, fault);
    if (code == FAULT_OK)
        code = index_catch_up(quest->search, quest->db, &arena, fault);
    if (code == FAULT_OK)
        code = quest->spec->session.n ? answer_within(quest, &left, visit, context, info, fault)
                                      : answer_all(quest, &left, visit, context, fault);
    *again = code == FAULT_CORRUPT && left == max;
    if (code == FAULT_CORRUPT)
        index_remove(quest->search);
    arena_clear(&arena);
    return code;
}

enum fault_code search_run(struct search *search, struct db *db, const struct search_spec *spec,
                           hit_visit *visit, void *context, struct search_info *info,
                           struct fault *fault)
{
    struct quest quest = {.search = search, .db = db, .spec = spec};
    struct search_info found;
    struct buf words, match;
    enum fault_code code;
    bool again;

    buf_init(&words, MATCH_BYTES_MAX);
    buf_init(&match, MATCH_BYTES_MAX + 64);
    buf_init(&quest.text, LIMIT_ENTRY_BYTES * (size_t)2);
    if (spec->words.n > LIMIT_QUERY_BYTES) {
        code = fault_set(fault, FAULT_TOO_LARGE, "the words have %zu bytes; the limit is %d",
                         spec->words.n, LIMIT_QUERY_BYTES);
    } else if (!match_make(spec->words, &words, &quest.starts)) {
        code = fault_set(fault, FAULT_INVALID, "there is no word to search for");
    } else {
        buf_add_format(&match, "body : (%.*s)", STR_ARG(buf_str(&words)));
        quest.words = buf_str(&match);
        pthread_mutex_lock(&search->lock);
        code = search_once(&quest, visit, context, &found, &again, fault);
        if (again)
            code = search_once(&quest, visit, context, &found, &again, fault);
        pthread_mutex_unlock(&search->lock);
        if (code == FAULT_OK && info)
            *info = found;
    }
    buf_clear(&words);
    buf_clear(&match);
    buf_clear(&quest.text);
    return code;
}
