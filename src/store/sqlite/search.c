/* Asking the index: from what a person types to hits with snippets. */
#include "store/sqlite/search_index.h"

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

/* From what a person types to an FTS5 expression; false when there is nothing in it. */
static bool match_make(struct str words, struct buf *out)
{
    size_t i = 0;

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

/* What is found with one word of the index: hits, and beside them their texts in table page. */
struct page {
    struct hit *hits;
    int64_t *rowids;
    size_t count, max;
};

static enum fault_code page_add(struct search *search, struct page *page, int64_t rowid,
                                const struct hit *hit, struct str text, int64_t owner,
                                struct fault *fault)
{
    if (index_text(search, F_PAGE_INSERT, rowid, text, owner, fault) != FAULT_OK)
        return fault_pass(fault);
    page->hits[page->count] = *hit;
    page->rowids[page->count++] = rowid;
    return FAULT_OK;
}

static enum fault_code text_hit(struct search *search, struct db *db, int64_t e, int64_t owner,
                                struct arena *arena, struct buf *text, struct page *page,
                                struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_TEXT, ARGS(arg_int(e)));
    struct hit hit = {0};
    struct act_head head;
    struct address at;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found || !index_entry_text(column_str(q, 3), column_str(q, 4), arena, text) ||
        !act_head_decode_brief(column_str(q, 2), &head))
        return FAULT_OK;
    at = column_address(q, 0);
    hit.role = head.role;
    hit.at_us = head.at_us;
    sqlite3_reset(q);
    if (shown_at(db, &at, arena, &hit, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return FAULT_OK;
    return page_add(search, page, e, &hit, buf_str(text), owner, fault);
}

static enum fault_code title_hit(struct search *search, struct db *db, int64_t s, int64_t owner,
                                 struct arena *arena, struct page *page, struct fault *fault)
{
    struct session session;
    struct hit hit = {0};

    if (session_get(db, s, false, arena, &session, fault) != FAULT_OK) /* gone meanwhile */
        return fault->code == FAULT_CORRUPT ? FAULT_OK : fault->code;
    if (session.state != SESSION_LIVE)
        return FAULT_OK;
    hit.session = session.id;
    hit.title = session.title;
    hit.at_us = session.updated_us;
    return page_add(search, page, s, &hit, session.title, owner, fault);
}

/* Snippets come from the page's texts; then the hits are handed out in their order. */
static enum fault_code page_show(struct search *search, struct page *page, struct str match,
                                 struct arena *arena, hit_visit *visit, void *context,
                                 struct fault *fault)
{
    sqlite3_stmt *q = index_find(search, F_PAGE_MATCH);
    bool row;

    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    for (;;) {
        if (index_step(search, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        for (size_t i = 0; i < page->count; i++)
            if (page->rowids[i] == sqlite3_column_int64(q, 0))
                page->hits[i].snippet = column_dup(q, 1, arena);
    }
    for (size_t i = 0; i < page->count; i++) {
        if (visit(context, &page->hits[i], fault) != FAULT_OK)
            return fault_pass(fault);
    }
    return FAULT_OK;
}

static enum fault_code ask(struct search *search, struct db *db, enum find which,
                           const struct search_spec *spec, struct str match, struct arena *arena,
                           size_t *left, hit_visit *visit, void *context, struct fault *fault)
{
    sqlite3_stmt *q = index_find(search, which);
    struct page page = {.max = *left};
    struct buf text;
    enum fault_code code;
    bool row;

    code = index_step(search, index_find(search, F_PAGE_CLEAR), &row, fault);
    page.hits = arena_array(arena, page.max, sizeof(*page.hits));
    page.rowids = arena_array(arena, page.max, sizeof(*page.rowids));
    buf_init(&text, LIMIT_ENTRY_BYTES * (size_t)2);
    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    while (code == FAULT_OK && page.count < page.max) {
        int64_t rowid;

        code = index_step(search, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        rowid = sqlite3_column_int64(q, 0);
        code = which == F_TEXT_MATCH
                   ? text_hit(search, db, rowid, spec->owner, arena, &text, &page, fault)
                   : title_hit(search, db, rowid, spec->owner, arena, &page, fault);
    }
    sqlite3_reset(q);
    buf_clear(&text);
    if (code == FAULT_OK)
        code = page_show(search, &page, match, arena, visit, context, fault);
    *left -= page.count;
    return code;
}

/* *again: the index was found damaged and taken away before anything was handed out. */
static enum fault_code search_once(struct search *search, struct db *db,
                                   const struct search_spec *spec, struct str match,
                                   hit_visit *visit, void *context, bool *again,
                                   struct fault *fault)
{
    size_t max = spec->limit > 0 && spec->limit < LIMIT_PAGE ? (size_t)spec->limit : LIMIT_PAGE;
    size_t left = max;
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = index_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = index_catch_up(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = ask(search, db, F_TITLE_MATCH, spec, match, &arena, &left, visit, context, fault);
    if (code == FAULT_OK && left)
        code = ask(search, db, F_TEXT_MATCH, spec, match, &arena, &left, visit, context, fault);
    *again = code == FAULT_CORRUPT && left == max;
    if (code == FAULT_CORRUPT)
        index_remove(search);
    arena_clear(&arena);
    return code;
}

enum fault_code search_run(struct search *search, struct db *db, const struct search_spec *spec,
                           hit_visit *visit, void *context, struct fault *fault)
{
    struct buf words, match;
    enum fault_code code;
    bool again;

    buf_init(&words, MATCH_BYTES_MAX);
    buf_init(&match, MATCH_BYTES_MAX + 64);
    if (spec->words.n > LIMIT_QUERY_BYTES) {
        code = fault_set(fault, FAULT_TOO_LARGE, "the words have %zu bytes; the limit is %d",
                         spec->words.n, LIMIT_QUERY_BYTES);
    } else if (!match_make(spec->words, &words)) {
        code = fault_set(fault, FAULT_INVALID, "there is no word to search for");
    } else {
        if (spec->owner != OWNER_ANY)
            buf_add_format(&match, "who : o%lld AND ", (long long)spec->owner);
        buf_add_format(&match, "body : (%.*s)", STR_ARG(buf_str(&words)));
        pthread_mutex_lock(&search->lock);
        code = search_once(search, db, spec, buf_str(&match), visit, context, &again, fault);
        if (again)
            code = search_once(search, db, spec, buf_str(&match), visit, context, &again, fault);
        pthread_mutex_unlock(&search->lock);
    }
    buf_clear(&words);
    buf_clear(&match);
    return code;
}
