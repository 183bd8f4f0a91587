#include "store/sqlite/search_index.h"

#include "base/escape.h"
#include "store/limits.h"
#include "store/sqlite/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SLICE = 500, /* acts that are indexed in one transaction */
    FORM = 2     /* of the tables and what is in them; an index of another one is made anew */
};

static const char tokens[] = "unicode61 remove_diacritics 2";

static const char *const texts[FIND_COUNT] = {
#define QUERY(name, sql) sql,
    SQLITE_SEARCH_QUERIES(QUERY)
#undef QUERY
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

sqlite3_stmt *index_find(struct search *search, enum find which)
{
    sqlite3_reset(search->queries[which]);
    return search->queries[which];
}

enum fault_code index_step(struct search *search, sqlite3_stmt *q, bool *row, struct fault *fault)
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

static enum fault_code index_run(struct search *search, sqlite3_stmt *q, struct fault *fault)
{
    bool row;

    return index_step(search, q, &row, fault);
}

enum fault_code index_text(struct search *search, enum find which, int64_t rowid, struct str text,
                           const struct whose *whose, struct fault *fault)
{
    sqlite3_stmt *q = index_find(search, which);
    char who[64];

    sqlite3_bind_int64(q, 1, rowid);
    sqlite3_bind_text64(q, 2, text.p ? text.p : "", text.n, SQLITE_STATIC, SQLITE_UTF8);
    if (whose) {
        snprintf(who, sizeof(who), "o%lld s%lld", (long long)whose->owner, (long long)whose->s);
        sqlite3_bind_text(q, 3, who, -1, SQLITE_TRANSIENT);
    }
    return index_run(search, q, fault);
}

static enum fault_code number_run(struct search *search, enum find which, int64_t number,
                                  struct fault *fault)
{
    sqlite3_stmt *q = index_find(search, which);

    sqlite3_bind_int64(q, 1, number);
    return index_run(search, q, fault);
}

/* ---- opening ---- */

static int make_tables(struct search *search, struct str store)
{
    char sql[1024];

    snprintf(sql, sizeof(sql),
             "BEGIN IMMEDIATE;"
             "CREATE TABLE IF NOT EXISTS mark(one INTEGER PRIMARY KEY CHECK(one = 1),"
             " store TEXT NOT NULL, e INT NOT NULL, act BLOB);"
             "INSERT OR IGNORE INTO mark VALUES(1, '%.*s', 0, NULL);"
             "CREATE TABLE IF NOT EXISTS doc(e INTEGER PRIMARY KEY);"
             "CREATE TABLE IF NOT EXISTS skip(e INTEGER PRIMARY KEY);"
             "CREATE VIRTUAL TABLE IF NOT EXISTS text USING fts5(body, who, content='',"
             " tokenize='%s');"
             "CREATE VIRTUAL TABLE IF NOT EXISTS title USING fts5(body, who, tokenize='%s');"
             "COMMIT;"
             "CREATE VIRTUAL TABLE temp.page USING fts5(body, tokenize='%s');",
             STR_ARG(store), tokens, tokens, tokens);
    return sqlite3_exec(search->handle, sql, NULL, NULL, NULL);
}

static int open_file(struct search *search, struct str store)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int code;

    db_make_private(search->path);
    code = sqlite3_open_v2(search->path ? search->path : ":memory:", &search->handle, flags, NULL);
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

void index_remove(struct search *search)
{
    static const char *const ends[] = {"", "-wal", "-shm"};

    shut(search);
    for (size_t i = 0; search->path && i < sizeof(ends) / sizeof(*ends); i++) {
        char path[4096];

        if (snprintf(path, sizeof(path), "%s%s", search->path, ends[i]) < (int)sizeof(path))
            unlink(path);
    }
}

/* How far the index goes: the number of the newest act or note in it, and what stood there. */
struct mark {
    struct str store, act;
    int64_t e;
};

static enum fault_code mark_get(struct search *search, struct arena *arena, struct mark *out,
                                struct fault *fault)
{
    sqlite3_stmt *q = index_find(search, F_MARK);
    bool row;

    if (index_step(search, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "the search index has no mark");
    out->store = column_dup(q, 0, arena);
    out->e = sqlite3_column_int64(q, 1);
    out->act = column_dup(q, 2, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* What tells the act or note of that number from another one; p == NULL: it is not there. */
static enum fault_code mark_act(struct db *db, int64_t e, struct arena *arena, struct str *out,
                                struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_MARK_ACT, ARGS(arg_int(e)));
    bool row;

    *out = STR_NONE;
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row)
        *out = column_dup(q, 0, arena);
    sqlite3_reset(q);
    return FAULT_OK;
}

/* Is the index one of this store, and of no later state of it (an older backup may be back)? */
static enum fault_code mark_fits(struct search *search, struct db *db, struct str store,
                                 struct arena *arena, bool *fits, struct fault *fault)
{
    struct mark mark;
    struct str act;
    int64_t newest = 0;

    if (mark_get(search, arena, &mark, fault) != FAULT_OK ||
        db_int(db, Q_NUMBER_NEWEST, NULL, 0, &newest, fault) != FAULT_OK ||
        mark_act(db, mark.e, arena, &act, fault) != FAULT_OK)
        return fault_pass(fault);
    *fits = str_eq(mark.store, store) && mark.e <= newest && (!act.p || str_eq(act, mark.act));
    return FAULT_OK;
}

/* The store's id and the form of the index: one of another form does not fit. */
static enum fault_code store_name(struct db *db, struct arena *arena, struct str *out,
                                  struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_STORE, NULL, 0);
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "the store has no id");
    *out = arena_printf(arena, "%.*s/%d", STR_ARG(column_str(q, 0)), FORM);
    sqlite3_reset(q);
    return FAULT_OK;
}

enum fault_code index_open(struct search *search, struct db *db, struct arena *arena,
                           struct fault *fault)
{
    struct str store;

    if (store_name(db, arena, &store, fault) != FAULT_OK)
        return fault_pass(fault);
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
            return fault_pass(fault);
        } else {
            db_fault(search->handle, code, "opening the search index", fault);
        }
        index_remove(search);
        if (code == SQLITE_OK && !fits)
            fault_set(fault, FAULT_CORRUPT, "the search index cannot be made");
    }
    return fault_pass(fault);
}

/* ---- filling ---- */

bool index_entry_text(struct str spans, struct str body, struct arena *arena, struct buf *out)
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
    sqlite3_stmt *q = index_find(search, which);

    if (number)
        sqlite3_bind_int64(q, 1, *number);
    if (index_step(search, q, out, fault) != FAULT_OK)
        return fault_pass(fault);
    sqlite3_reset(q);
    return FAULT_OK;
}

static enum fault_code index_acts(struct search *search, struct db *db, int64_t after, int64_t upto,
                                  struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_SEARCH_ACTS, ARGS(arg_int(after), arg_int(upto)));
    struct whose whose = {0};
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
            !index_entry_text(column_str(q, 2), column_str(q, 3), &arena, &text))
            continue;
        if (sqlite3_column_int64(q, 1) != whose.s) {
            whose.s = sqlite3_column_int64(q, 1);
            code = owner_of(db, whose.s, &whose.owner, fault);
        }
        if (code == FAULT_OK)
            code = number_run(search, F_DOC_INSERT, e, fault);
        if (code == FAULT_OK)
            code = index_text(search, F_TEXT_INSERT, e, buf_str(&text), &whose, fault);
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
        struct whose whose;
        sqlite3_stmt *q;
        int64_t s;

        if (db_step(db, changed, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        s = sqlite3_column_int64(changed, 0);
        if (number_run(search, F_TITLE_DELETE, s, fault) != FAULT_OK)
            return fault_pass(fault);
        q = db_query(db, Q_SEARCH_TITLE, ARGS(arg_int(s)));
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            continue;
        whose = (struct whose){.owner = sqlite3_column_int64(q, 1), .s = s};
        if (index_text(search, F_TITLE_INSERT, s, column_str(q, 0), &whose, fault) != FAULT_OK)
            return fault_pass(fault);
        sqlite3_reset(q);
    }
}

/* One slice, in one transaction with its mark. */
static enum fault_code index_slice(struct search *search, struct db *db, int64_t newest, bool *done,
                                   struct arena *arena, struct fault *fault)
{
    struct mark mark;
    struct str act;
    sqlite3_stmt *q;
    int64_t upto;

    if (mark_get(search, arena, &mark, fault) != FAULT_OK)
        return fault_pass(fault);
    *done = mark.e >= newest;
    if (*done)
        return FAULT_OK;
    upto = newest - mark.e > SLICE ? mark.e + SLICE : newest;
    if (index_acts(search, db, mark.e, upto, fault) != FAULT_OK ||
        index_titles(search, db, mark.e, upto, fault) != FAULT_OK ||
        mark_act(db, upto, arena, &act, fault) != FAULT_OK)
        return fault_pass(fault);
    q = index_find(search, F_MARK_SET);
    sqlite3_bind_int64(q, 1, upto);
    sqlite3_bind_blob64(q, 2, act.p, act.n, SQLITE_STATIC);
    *done = upto >= newest;
    return index_run(search, q, fault);
}

enum fault_code index_catch_up(struct search *search, struct db *db, struct arena *arena,
                               struct fault *fault)
{
    int64_t newest = 0;
    struct fault ignored;
    bool done = false;

    if (db_int(db, Q_NUMBER_NEWEST, NULL, 0, &newest, fault) != FAULT_OK)
        return fault_pass(fault);
    while (!done) {
        if (index_run(search, index_find(search, F_BEGIN), fault) != FAULT_OK)
            return fault_pass(fault);
        if (index_slice(search, db, newest, &done, arena, fault) != FAULT_OK ||
            index_run(search, index_find(search, F_COMMIT), fault) != FAULT_OK) {
            if (index_run(search, index_find(search, F_ROLLBACK), &ignored) != FAULT_OK)
                shut(search);
            return fault_pass(fault);
        }
    }
    return FAULT_OK;
}

static enum fault_code forget_one(struct search *search, struct db *db, int64_t e,
                                  struct arena *arena, struct buf *text, struct fault *fault)
{
    struct whose whose;
    sqlite3_stmt *q;
    bool row;

    if (known(search, F_DOC_KNOWN, &e, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return number_run(search, F_SKIP_INSERT, e, fault);
    q = db_query(db, Q_SEARCH_TEXT, ARGS(arg_int(e)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row || !index_entry_text(column_str(q, 3), column_str(q, 4), arena, text))
        return FAULT_OK;
    whose.s = sqlite3_column_int64(q, 0);
    if (owner_of(db, whose.s, &whose.owner, fault) != FAULT_OK ||
        index_text(search, F_TEXT_DELETE, e, buf_str(text), &whose, fault) != FAULT_OK)
        return fault_pass(fault);
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
    code = index_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = index_run(search, index_find(search, F_BEGIN), fault);
    if (code == FAULT_OK) {
        for (size_t i = 0; code == FAULT_OK && i < count; i++)
            code = forget_one(search, db, acts[i], &arena, &text, fault);
        if (code == FAULT_OK)
            code = index_run(search, index_find(search, F_COMMIT), fault);
        if (code != FAULT_OK &&
            index_run(search, index_find(search, F_ROLLBACK), &ignored) != FAULT_OK)
            shut(search);
    }
    pthread_mutex_unlock(&search->lock);
    buf_clear(&text);
    arena_clear(&arena);
    return code;
}

enum fault_code search_scrub(struct search *search, struct db *db, struct fault *fault)
{
    struct arena arena;
    enum fault_code code;

    if (search->path ? access(search->path, F_OK) != 0 : !search->handle)
        return FAULT_OK;
    arena_init(&arena);
    pthread_mutex_lock(&search->lock);
    code = index_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = index_catch_up(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = index_run(search, index_find(search, F_TEXT_OPTIMIZE), fault);
    if (code == FAULT_OK)
        code = index_run(search, index_find(search, F_TITLE_OPTIMIZE), fault);
    if (code == FAULT_OK &&
        sqlite3_wal_checkpoint_v2(search->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) ==
            SQLITE_CORRUPT)
        code = fault_set(fault, FAULT_CORRUPT, "the search index is damaged");
    pthread_mutex_unlock(&search->lock);
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
    code = index_open(search, db, &arena, fault);
    if (code == FAULT_OK)
        code = index_catch_up(search, db, &arena, fault);
    /* More documents than there are acts: it names what is gone, so it is made anew. */
    if (code == FAULT_OK) {
        q = index_find(search, F_DOC_COUNT);
        code = index_step(search, q, &row, fault);
        if (code == FAULT_OK && row) {
            struct store_counts counts;
            int64_t docs = sqlite3_column_int64(q, 0);

            sqlite3_reset(q);
            code = counts_run(db, &counts, fault);
            newest = counts.entries;
            if (code == FAULT_OK && docs > newest)
                index_remove(search);
        }
    }
    pthread_mutex_unlock(&search->lock);
    arena_clear(&arena);
    return code;
}
