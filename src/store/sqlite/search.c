#include "store/sqlite/search.h"

#include "base/escape.h"
#include "sqlite_search_queries.h"
#include "store/limits.h"
#include "store/sqlite/path.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SLICE = 500,           /* acts that are indexed in one transaction */
    REFERRERS_MAX = 8,     /* sub-sessions within sub-sessions that are followed to a name */
    MATCH_BYTES_MAX = 16 * LIMIT_QUERY_BYTES
};

static const char tokens[] = "unicode61 remove_diacritics 2";

enum find {
#define QUERY(name, sql) F_##name,
    SQLITE_SEARCH_QUERIES(QUERY)
#undef QUERY
        FIND_COUNT
};

static const char *const texts[FIND_COUNT] = {
#define QUERY(name, sql) sql,
    SQLITE_SEARCH_QUERIES(QUERY)
#undef QUERY
};

struct search {
    char *path;
    int busy_ms;
    pthread_mutex_t lock; /* of all below */
    sqlite3 *handle;
    sqlite3_stmt *queries[FIND_COUNT];
};

struct search *search_new(const char *path, int busy_ms)
{
    struct search *search = calloc(1, sizeof(*search));

    if (!search)
        abort();
    if (path && !(search->path = strdup(path)))
        abort();
    search->busy_ms = busy_ms;
    pthread_mutex_init(&search->lock, NULL);
    return search;
}

static void shut(struct search *search)
{
    for (int i = 0; i < FIND_COUNT; i++) {
        sqlite3_finalize(search->queries[i]);
        search->queries[i] = NULL;
    }
    sqlite3_close(search->handle);
    search->handle = NULL;
}

void search_free(struct search *search)
{
    if (!search)
        return;
    shut(search);
    pthread_mutex_destroy(&search->lock);
    free(search->path);
    free(search);
}

/* ---- one statement at a time ---- */

static sqlite3_stmt *find(struct search *search, enum find which)
{
    sqlite3_reset(search->queries[which]);
    return search->queries[which];
}

static enum fault_code find_step(struct search *search, sqlite3_stmt *q, bool *row,
                                 struct fault *fault)
{
    int code = sqlite3_step(q);

    *row = code == SQLITE_ROW;
    if (*row)
        return FAULT_OK;
    if (code != SQLITE_DONE)
        db_fault(search->handle, code, "searching", fault);
    sqlite3_reset(q);
    return code == SQLITE_DONE ? FAULT_OK : fault->code;
}

static enum fault_code find_run(struct search *search, sqlite3_stmt *q, struct fault *fault)
{
    bool row;

    return find_step(search, q, &row, fault);
}

/* Statements that take a rowid, a text and the owner's word. */
static enum fault_code text_run(struct search *search, enum find which, int64_t rowid,
                                struct str text, int64_t owner, struct fault *fault)
{
    sqlite3_stmt *q = find(search, which);
    char who[32];

    snprintf(who, sizeof(who), "o%lld", (long long)owner);
    sqlite3_bind_int64(q, 1, rowid);
    sqlite3_bind_text64(q, 2, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
    sqlite3_bind_text(q, 3, who, -1, SQLITE_TRANSIENT);
    return find_run(search, q, fault);
}

static enum fault_code number_run(struct search *search, enum find which, int64_t number,
                                  struct fault *fault)
{
    sqlite3_stmt *q = find(search, which);

    sqlite3_bind_int64(q, 1, number);
    return find_run(search, q, fault);
}

/* ---- opening ---- */

static int make_tables(struct search *search, struct str store)
{
    char sql[1024];

    snprintf(sql, sizeof(sql),
             "BEGIN IMMEDIATE;"
             "CREATE TABLE IF NOT EXISTS mark(one INTEGER PRIMARY KEY CHECK(one = 1),"
             " store TEXT NOT NULL, e INT NOT NULL, at_us INT NOT NULL);"
             "INSERT OR IGNORE INTO mark VALUES(1, '%.*s', 0, 0);"
             "CREATE TABLE IF NOT EXISTS doc(e INTEGER PRIMARY KEY);"
             "CREATE TABLE IF NOT EXISTS skip(e INTEGER PRIMARY KEY);"
             "CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(body, who, content='',"
             " tokenize='%s');"
             "CREATE VIRTUAL TABLE IF NOT EXISTS title USING fts5(body, who, tokenize='%s');"
             "COMMIT;"
             "CREATE VIRTUAL TABLE temp.page USING fts5(body, who, tokenize='%s');",
             STR_ARG(store), tokens, tokens, tokens);
    return sqlite3_exec(search->handle, sql, NULL, NULL, NULL);
}

static int open_file(struct search *search, struct str store)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code = sqlite3_open_v2(search->path ? search->path : ":memory:", &search->handle, flags, NULL);

    if (code != SQLITE_OK)
        return code;
    sqlite3_extended_result_codes(search->handle, 1);
    sqlite3_busy_timeout(search->handle, search->busy_ms);
    /* A derived file may lose its last moments in a power cut, mark included. */
    code = sqlite3_exec(search->handle,
                        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                        "PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON",
                        NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = make_tables(search, store);
    for (int i = 0; code == SQLITE_OK && i < FIND_COUNT; i++)
        code = sqlite3_prepare_v3(search->handle, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                  &search->queries[i], NULL);
    return code;
}

static void remove_file(struct search *search)
{
    static const char *const ends[] = {"", "-wal", "-shm"};

    shut(search);
    for (size_t i = 0; search->path && i < sizeof(ends) / sizeof(*ends); i++) {
        char path[4096];

        if (snprintf(path, sizeof(path), "%s%s", search->path, ends[i]) < (int)sizeof(path))
            unlink(path);
    }
}

static enum fault_code mark_get(struct search *search, struct arena *arena, struct str *store,
                                int64_t *e, int64_t *at_us, struct fault *fault)
{
    sqlite3_stmt *q = find(search, F_MARK);
    bool row;

    if (find_step(search, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "the search index has no mark");
    *store = column_dup(q, 0, arena);
    *e = sqlite3_column_int64(q, 1);
    *at_us = sqlite3_column_int64(q, 2);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* Is the index one of this store, and of no later state of it (an older backup may be back)? */
static enum fault_code mark_fits(struct search *search, struct db *db, struct str store,
                                 struct arena *arena, bool *fits, struct fault *fault)
{
    int64_t e = 0, at_us = 0, newest = 0, then = 0;
    struct str of;

    if (mark_get(search, arena, &of, &e, &at_us, fault) != FAULT_OK ||
        db_int(db, Q_NUMBER_NEWEST, NULL, 0, &newest, fault) != FAULT_OK ||
        db_int(db, Q_SEARCH_MARK_TIME, ARGS(arg_int(e)), &then, fault) != FAULT_OK)
        return fault->code;
    *fits = str_eq(of, store) && e <= newest && (then == 0 || then == at_us);
    return FAULT_OK;
}

static enum fault_code store_name(struct db *db, struct arena *arena, struct str *out,
                                  struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_STORE, NULL, 0);
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "the store has no id");
    *out = column_dup(q, 0, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* Opens the index, or makes it anew when it cannot be used. */
static enum fault_code ensure_open(struct search *search, struct db *db, struct arena *arena,
                                   struct fault *fault)
{
    struct str store;

    if (store_name(db, arena, &store, fault) != FAULT_OK)
        return fault->code;
    for (int attempt = 0; attempt < 2; attempt++) {
        int code = SQLITE_OK;
        bool fits = false;

        if (!search->handle)
            code = open_file(search, store);
        if (code == SQLITE_OK) {
            if (mark_fits(search, db, store, arena, &fits, fault) == FAULT_OK && fits)
                return FAULT_OK;
        } else if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_CANTOPEN) {
            db_fault(search->handle, code, "opening the search index", fault);
            shut(search);
            return fault->code;
        } else {
            db_fault(search->handle, code, "opening the search index", fault);
        }
        remove_file(search);
        if (code == SQLITE_OK && !fits)
            fault_set(fault, FAULT_CORRUPT, "the search index cannot be made");
    }
    return fault->code;
}

/* ---- filling ---- */

/* The text of an entry that is searched: the strings that its spans name, one a line. */
static bool entry_text(struct str spans, struct str body, struct arena *arena, struct buf *out)
{
    struct span *list;
    size_t count;

    buf_reset(out);
    if (!spans.p || !body.p || !spans_decode(spans, body.n, arena, &list, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_add_char(out, '\n');
        unescape_json(out, (struct str){body.p + list[i].from, list[i].length});
    }
    return out->n > 0;
}

static enum fault_code owner_of(struct db *db, int64_t s, int64_t *out, struct fault *fault)
{
    *out = 0;
    return db_int(db, Q_SEARCH_OWNER, ARGS(arg_int(s)), out, fault);
}

/* Does a query that takes at most a number give a row? */
static enum fault_code known(struct search *search, enum find which, const int64_t *number,
                             bool *out, struct fault *fault)
{
    sqlite3_stmt *q = find(search, which);

    if (number)
        sqlite3_bind_int64(q, 1, *number);
    if (find_step(search, q, out, fault) != FAULT_OK)
        return fault->code;
    sqlite3_reset(q);
    return FAULT_OK;
}

static enum fault_code index_acts(struct search *search, struct db *db, int64_t after, int64_t upto,
                                  struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_ACTS, ARGS(arg_int(after), arg_int(upto)));
    int64_t s = 0, owner = 0;
    struct arena arena;
    struct buf text;
    enum fault_code code;
    bool row, skips, skip = false;

    arena_init(&arena);
    buf_init(&text, LIMIT_ENTRY_BYTES * (size_t)2);
    code = known(search, F_SKIP_ANY, NULL, &skips, fault);
    while (code == FAULT_OK) {
        int64_t e;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        e = sqlite3_column_int64(q, 0);
        if (skips)
            code = known(search, F_SKIP_KNOWN, &e, &skip, fault);
        if (code != FAULT_OK || skip ||
            !entry_text(column_str(q, 2), column_str(q, 3), &arena, &text))
            continue;
        if (sqlite3_column_int64(q, 1) != s) {
            s = sqlite3_column_int64(q, 1);
            code = owner_of(db, s, &owner, fault);
        }
        if (code == FAULT_OK)
            code = number_run(search, F_DOC_INSERT, e, fault);
        if (code == FAULT_OK)
            code = text_run(search, F_TEXT_INSERT, e, buf_str(&text), owner, fault);
        arena_clear(&arena);
    }
    if (code == FAULT_OK && skips)
        code = number_run(search, F_SKIP_DELETE, upto, fault);
    arena_clear(&arena);
    buf_clear(&text);
    return code;
}

static enum fault_code index_titles(struct search *search, struct db *db, int64_t after,
                                    int64_t upto, struct fault *fault)
{
    sqlite3_stmt *changed = db_query(db, Q_SEARCH_NOTES, ARGS(arg_int(after), arg_int(upto)));
    bool row;

    for (;;) {
        sqlite3_stmt *q;
        int64_t s;

        if (db_step(db, changed, &row, fault) != FAULT_OK)
            return fault->code;
        if (!row)
            return FAULT_OK;
        s = sqlite3_column_int64(changed, 0);
        if (number_run(search, F_TITLE_DELETE, s, fault) != FAULT_OK)
            return fault->code;
        q = db_query(db, Q_SEARCH_TITLE, ARGS(arg_int(s)));
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault->code;
        if (!row)
            continue;
        if (text_run(search, F_TITLE_INSERT, s, column_str(q, 0), sqlite3_column_int64(q, 1),
                     fault) != FAULT_OK)
            return fault->code;
        sqlite3_reset(q);
    }
}

/* One slice, in one transaction with its mark. */
static enum fault_code index_slice(struct search *search, struct db *db, int64_t newest, bool *done,
                                   struct arena *arena, struct fault *fault)
{
    int64_t e = 0, at_us = 0, upto;
    struct str store;
    sqlite3_stmt *q;

    if (mark_get(search, arena, &store, &e, &at_us, fault) != FAULT_OK)
        return fault->code;
    *done = e >= newest;
    if (*done)
        return FAULT_OK;
    upto = newest - e > SLICE ? e + SLICE : newest;
    at_us = 0;
    if (index_acts(search, db, e, upto, fault) != FAULT_OK ||
        index_titles(search, db, e, upto, fault) != FAULT_OK ||
        db_int(db, Q_SEARCH_MARK_TIME, ARGS(arg_int(upto)), &at_us, fault) != FAULT_OK)
        return fault->code;
    q = find(search, F_MARK_SET);
    sqlite3_bind_int64(q, 1, upto);
    sqlite3_bind_int64(q, 2, at_us);
    *done = upto >= newest;
    return find_run(search, q, fault);
}

static enum fault_code catch_up(struct search *search, struct db *db, struct arena *arena,
                                struct fault *fault)
{
    int64_t newest = 0;
    struct fault ignored;
    bool done = false;

    if (db_int(db, Q_NUMBER_NEWEST, NULL, 0, &newest, fault) != FAULT_OK)
        return fault->code;
    while (!done) {
        if (find_run(search, find(search, F_BEGIN), fault) != FAULT_OK)
            return fault->code;
        if (index_slice(search, db, newest, &done, arena, fault) != FAULT_OK ||
            find_run(search, find(search, F_COMMIT), fault) != FAULT_OK) {
            if (find_run(search, find(search, F_ROLLBACK), &ignored) != FAULT_OK)
                shut(search);
            return fault->code;
        }
    }
    return FAULT_OK;
}

static enum fault_code forget_one(struct search *search, struct db *db, int64_t e,
                                  struct arena *arena, struct buf *text, struct fault *fault)
{
    sqlite3_stmt *q;
    int64_t owner;
    bool row;

    if (known(search, F_DOC_KNOWN, &e, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row)
        return number_run(search, F_SKIP_INSERT, e, fault);
    q = db_query(db, Q_SEARCH_TEXT, ARGS(arg_int(e)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault->code;
    if (!row || !entry_text(column_str(q, 4), column_str(q, 5), arena, text))
        return FAULT_OK;
    if (owner_of(db, sqlite3_column_int64(q, 0), &owner, fault) != FAULT_OK ||
        text_run(search, F_TEXT_DELETE, e, buf_str(text), owner, fault) != FAULT_OK)
        return fault->code;
    sqlite3_reset(q);
    return number_run(search, F_DOC_DELETE, e, fault);
}

enum fault_code search_forget(struct search *search, struct db *db, const int64_t *acts,
                              size_t count, struct fault *fault)
{
    struct arena arena;
    struct buf text;
    enum fault_code code = FAULT_OK;
    struct fault ignored;

    if (count == 0 || (search->path ? access(search->path, F_OK) != 0 : !search->handle))
        return FAULT_OK;
    arena_init(&arena);
    buf_init(&text, LIMIT_ENTRY_BYTES * (size_t)2);
    pthread_mutex_lock(&search->lock);
    code = ensure_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = find_run(search, find(search, F_BEGIN), fault);
    if (code == FAULT_OK) {
        for (size_t i = 0; code == FAULT_OK && i < count; i++)
            code = forget_one(search, db, acts[i], &arena, &text, fault);
        if (code == FAULT_OK)
            code = find_run(search, find(search, F_COMMIT), fault);
        if (code != FAULT_OK && find_run(search, find(search, F_ROLLBACK), &ignored) != FAULT_OK)
            shut(search);
    }
    pthread_mutex_unlock(&search->lock);
    buf_clear(&text);
    arena_clear(&arena);
    return code;
}

enum fault_code search_tend(struct search *search, struct db *db, struct fault *fault)
{
    int64_t newest = 0;
    struct arena arena;
    enum fault_code code;
    sqlite3_stmt *q;
    bool row;

    if (search->path ? access(search->path, F_OK) != 0 : !search->handle)
        return FAULT_OK;
    arena_init(&arena);
    pthread_mutex_lock(&search->lock);
    code = ensure_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = catch_up(search, db, &arena, fault);
    /* More documents than there are acts: it names what is gone, so it is made anew. */
    if (code == FAULT_OK) {
        q = find(search, F_DOC_COUNT);
        code = find_step(search, q, &row, fault);
        if (code == FAULT_OK && row) {
            struct store_counts counts;
            int64_t docs = sqlite3_column_int64(q, 0);

            sqlite3_reset(q);
            code = counts_run(db, &counts, fault);
            newest = counts.entries;
            if (code == FAULT_OK && docs > newest)
                remove_file(search);
        }
    }
    pthread_mutex_unlock(&search->lock);
    arena_clear(&arena);
    return code;
}

/* ---- asking ---- */

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

/* The living session under whose name the act (s, n) is shown; false when there is none. */
static enum fault_code living_name(struct db *db, struct address at, struct arena *arena,
                                   struct hit *hit, bool *found, struct fault *fault)
{
    *found = false;
    for (int i = 0; i < REFERRERS_MAX; i++) {
        sqlite3_stmt *q = db_query(db, Q_SEARCH_LIVING, ARGS(arg_int(at.s), arg_int(at.n)));

        if (db_step(db, q, found, fault) != FAULT_OK)
            return fault->code;
        if (*found) {
            hit->session = column_dup(q, 0, arena);
            hit->title = column_dup(q, 1, arena);
            sqlite3_reset(q);
            return FAULT_OK;
        }
        q = db_query(db, Q_SEARCH_REFERRER, ARGS(arg_int(at.s), arg_int(at.n)));
        if (db_step(db, q, found, fault) != FAULT_OK)
            return fault->code;
        if (!*found)
            return FAULT_OK;
        at = column_address(q, 0);
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
    if (text_run(search, F_PAGE_INSERT, rowid, text, owner, fault) != FAULT_OK)
        return fault->code;
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
    struct address at;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault->code;
    if (!found || !entry_text(column_str(q, 4), column_str(q, 5), arena, text))
        return FAULT_OK;
    at = column_address(q, 0);
    hit.role = (enum role)sqlite3_column_int(q, 2);
    hit.at_us = sqlite3_column_int64(q, 3);
    sqlite3_reset(q);
    if (living_name(db, at, arena, &hit, &found, fault) != FAULT_OK)
        return fault->code;
    if (!found)
        return FAULT_OK;
    q = db_query(db, Q_ENTRY_ID, ARGS(arg_int(at.s), arg_int(at.n)));
    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault->code;
    if (found)
        hit.message = act_id_text(column_str(q, 1), sqlite3_column_int(q, 0) != 0, arena);
    sqlite3_reset(q);
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
    sqlite3_stmt *q = find(search, F_PAGE_MATCH);
    bool row;

    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    for (;;) {
        if (find_step(search, q, &row, fault) != FAULT_OK)
            return fault->code;
        if (!row)
            break;
        for (size_t i = 0; i < page->count; i++)
            if (page->rowids[i] == sqlite3_column_int64(q, 0))
                page->hits[i].snippet = column_dup(q, 1, arena);
    }
    for (size_t i = 0; i < page->count; i++) {
        if (visit(context, &page->hits[i], fault) != FAULT_OK)
            return fault->code;
    }
    return FAULT_OK;
}

static enum fault_code ask(struct search *search, struct db *db, enum find which,
                           const struct search_spec *spec, struct str match, struct arena *arena,
                           size_t *left, hit_visit *visit, void *context, struct fault *fault)
{
    sqlite3_stmt *q = find(search, which);
    struct page page = {.max = *left};
    struct buf text;
    enum fault_code code = find_run(search, find(search, F_PAGE_CLEAR), fault);
    bool row;

    page.hits = arena_array(arena, page.max, sizeof(*page.hits));
    page.rowids = arena_array(arena, page.max, sizeof(*page.rowids));
    buf_init(&text, LIMIT_ENTRY_BYTES * (size_t)2);
    sqlite3_bind_text64(q, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
    while (code == FAULT_OK && page.count < page.max) {
        int64_t rowid;

        code = find_step(search, q, &row, fault);
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
    code = ensure_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = catch_up(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = ask(search, db, F_TITLE_MATCH, spec, match, &arena, &left, visit, context, fault);
    if (code == FAULT_OK && left)
        code = ask(search, db, F_TEXT_MATCH, spec, match, &arena, &left, visit, context, fault);
    *again = code == FAULT_CORRUPT && left == max;
    if (code == FAULT_CORRUPT)
        remove_file(search);
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
    if (!match_make(spec->words, &words)) {
        code = fault_set(fault, FAULT_INVALID, "there is no word to search for");
    } else {
        buf_add_format(&match, "who : o%lld AND body : (%.*s)", (long long)spec->owner,
                       STR_ARG(buf_str(&words)));
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
