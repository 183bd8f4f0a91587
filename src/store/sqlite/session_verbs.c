/* What happens to a session as a whole: made, changed, labelled, listed. */
#include "store/sqlite/verbs.h"

#include "base/array.h"
#include "store/sqlite/label_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/point_find.h"
#include "store/sqlite/session_insert.h"
#include "store/object.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/writer.h"
#include "store/title.h"
#include "store/tree.h"

#include <stdlib.h>

/* The state that a session begins with is an entry like any other. */
static enum fault_code first_state(struct db *db, int64_t s, const struct create_spec *spec,
                                   struct arena *arena, struct fault *fault)
{
    struct draft draft = {
        .kind = ENTRY_STATE,
        .id = {(const char *)spec->drawn_entry.b, ID_BYTES},
        .drawn = true,
        .at_us = spec->at_us,
        .salt = {(const char *)spec->salt, SALT_BYTES},
        .body = STR("{}"),
    };
    struct writer writer;
    struct link link;
    struct buf delta;

    if (spec->state.count == 0)
        return FAULT_OK;
    buf_init(&delta, LIMIT_STATE_BYTES);
    state_encode(&spec->state, &delta);
    draft.state = buf_take(&delta, arena);
    if (link_get(db, s, &link, fault) != FAULT_OK ||
        writer_open(&writer, db, &link, arena, fault) != FAULT_OK)
        return fault_pass(fault);
    return writer_add(&writer, &draft, arena, fault);
}

enum fault_code create_run(struct db *db, const struct create_spec *spec, struct arena *arena,
                           struct session *out, struct fault *fault)
{
    struct session_new new = {
        .owner = spec->owner,
        .id = spec->id,
        .drawn = spec->drawn,
        .state = spec->sub ? SESSION_SUB : SESSION_LIVE,
        .agent = spec->agent,
        .title = spec->title,
        .metadata = spec->metadata,
        .limits = spec->limits,
        .home = spec->home,
        .settings = spec->settings,
        .workspace = spec->workspace,
        .at_us = spec->at_us,
        .sessions_max = spec->sessions_max,
        .note = NOTE_CREATED,
    };
    int64_t s, known = 0;
    bool repeated;

    if (once_find(db, spec->once, spec->at_us, arena, &repeated, fault) != FAULT_OK)
        return fault_pass(fault);
    if (repeated)
        return FAULT_OK;
    if (db_int(db, Q_OWNER_KNOWN, ARGS(arg_int(spec->owner)), &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return fault_set(fault, FAULT_USER_NOT_FOUND, "a session needs an owner, and %lld is none",
                         (long long)spec->owner);
    if (session_insert(db, &new, arena, &s, fault) != FAULT_OK ||
        first_state(db, s, spec, arena, fault) != FAULT_OK ||
        session_get(db, s, true, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    return once_keep(db, spec->once, spec->at_us, arena, fault);
}

static enum fault_code rename_to(struct db *db, const struct link *link, const struct session *old,
                                 struct str text, int64_t at_us, struct fault *fault)
{
    struct title title = title_parse(text);
    struct note note = {.act = NOTE_RENAMED, .at_us = at_us, .was = old->title, .now = text};

    if (str_eq(old->title, text))
        return FAULT_OK;
    if (db_run(db, Q_SESSION_RENAME,
               ARGS(arg_int(link->s), arg_text(text), arg_text(title.base), arg_int(title.number)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    return note_insert(db, link, &note, fault);
}

static enum fault_code set_archived(struct db *db, const struct link *link,
                                    const struct session *old, bool archived, int64_t at_us,
                                    struct fault *fault)
{
    struct note note = {.act = archived ? NOTE_ARCHIVED : NOTE_UNARCHIVED, .at_us = at_us};

    if (old->archived == archived)
        return FAULT_OK;
    if (db_run(db, Q_SESSION_ARCHIVE, ARGS(arg_int(link->s), arg_int(archived)), fault) != FAULT_OK)
        return fault_pass(fault);
    return note_insert(db, link, &note, fault);
}

/* The number of what a column of the row is to name: the new text, else the old one. */
static enum fault_code json_put(struct db *db, const struct str *text, struct str old,
                                int64_t at_us, struct arg *out, struct fault *fault)
{
    int64_t object;

    if (object_put(db, OBJECT_JSON, text ? *text : old, at_us, &object, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = object ? arg_int(object) : arg_null();
    return FAULT_OK;
}

/* The agent, and the objects that are kept with the session. */
static enum fault_code set_details(struct db *db, const struct link *link,
                                   const struct session *old, const struct update_spec *spec,
                                   struct fault *fault)
{
    struct note note = {.act = NOTE_UPDATED, .at_us = spec->at_us};
    struct arg metadata, limits, settings;

    if (!spec->agent && !spec->metadata && !spec->limits && !spec->settings)
        return FAULT_OK;
    if (json_put(db, spec->metadata, old->metadata, spec->at_us, &metadata, fault) != FAULT_OK ||
        json_put(db, spec->limits, old->limits, spec->at_us, &limits, fault) != FAULT_OK ||
        json_put(db, spec->settings, old->settings, spec->at_us, &settings, fault) != FAULT_OK ||
        db_run(db, Q_SESSION_OBJECTS, ARGS(arg_int(link->s), metadata, limits, settings), fault) !=
            FAULT_OK ||
        (spec->agent && db_run(db, Q_SESSION_AGENT, ARGS(arg_int(link->s), arg_text(*spec->agent)),
                               fault) != FAULT_OK))
        return fault_pass(fault);
    return note_insert(db, link, &note, fault);
}

static enum fault_code settings_expect(const struct session *old, const struct update_spec *spec,
                                       struct fault *fault)
{
    struct str expected;

    if (!spec->expect_settings)
        return FAULT_OK;
    expected = spec->expect_settings->n ? *spec->expect_settings : STR("{}");
    if (!str_eq(old->settings, expected))
        return fault_set(fault, FAULT_HEAD_MOVED,
                         "the settings of session \"%.*s\" were changed meanwhile",
                         STR_ARG(spec->session));
    return FAULT_OK;
}

enum fault_code update_run(struct db *db, const struct update_spec *spec, struct arena *arena,
                           struct session *out, struct fault *fault)
{
    struct session old;
    struct link link;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        session_get(db, link.s, false, arena, &old, fault) != FAULT_OK ||
        settings_expect(&old, spec, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->title && rename_to(db, &link, &old, *spec->title, spec->at_us, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->archived &&
        set_archived(db, &link, &old, *spec->archived, spec->at_us, fault) != FAULT_OK)
        return fault_pass(fault);
    if (set_details(db, &link, &old, spec, fault) != FAULT_OK)
        return fault_pass(fault);
    return session_get(db, link.s, true, arena, out, fault);
}

enum fault_code owner_run(struct db *db, struct str name, int64_t *out, struct fault *fault)
{
    int64_t owner = 0;

    if (db_int(db, Q_OWNER_NAMED, ARGS(arg_text(name)), &owner, fault) != FAULT_OK)
        return fault_pass(fault);
    if (owner == 0) {
        if (db_run(db, Q_OWNER_INSERT, ARGS(arg_text(name)), fault) != FAULT_OK)
            return fault_pass(fault);
        owner = sqlite3_last_insert_rowid(db->handle);
    }
    *out = owner;
    return FAULT_OK;
}

enum fault_code label_run(struct db *db, const struct label_spec *spec, struct arena *arena,
                          struct label *out, struct fault *fault)
{
    struct note note = {.at_us = spec->at_us};
    struct label label = {.text = spec->text};
    struct entry entry;
    struct link link;
    sqlite3_stmt *q;
    bool row;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        point_anchor(db, &link, spec->session, &spec->message, arena, &label.at, fault) !=
            FAULT_OK ||
        entry_get(db, label.at, arena, &entry, fault) != FAULT_OK)
        return fault_pass(fault);
    label.message = entry.id;
    label.index = entry.index;
    q = db_query(db, Q_LABEL_AT, ARGS(arg_int(link.s), arg_int(label.at.s), arg_int(label.at.n)));
    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (row) {
        note.was = column_dup(q, 0, arena);
        sqlite3_reset(q);
    }
    if (spec->text.n == 0 && !note.was.p)
        return fault_set(fault, FAULT_LABEL_NOT_FOUND, "message \"%.*s\" has no label here",
                         STR_ARG(entry.id));
    note.act = spec->text.n ? NOTE_LABELLED : NOTE_UNLABELLED;
    note.message = entry.id;
    note.now = spec->text.n ? spec->text : STR_NONE;
    if (db_run(
            db, Q_LABEL_DELETE,
            ARGS(arg_int(link.s), arg_int(label.at.s), arg_int(label.at.n), arg_text(spec->text)),
            fault) != FAULT_OK ||
        (spec->text.n && db_run(db, Q_LABEL_INSERT,
                                ARGS(arg_int(link.s), arg_int(label.at.s), arg_int(label.at.n),
                                     arg_text(spec->text)),
                                fault) != FAULT_OK) ||
        note_insert(db, &link, &note, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = label;
    return FAULT_OK;
}

/* ---- reads ---- */

/* Looks through the rows of a query for exactly one. */
static enum fault_code only_one(struct db *db, sqlite3_stmt *q, int64_t *s, bool *several,
                                struct fault *fault)
{
    bool row;

    *s = 0;
    *several = false;
    for (;;) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (*s) {
            *several = true;
            sqlite3_reset(q);
            return FAULT_OK;
        }
        *s = sqlite3_column_int64(q, 0);
    }
}

enum fault_code session_named(struct db *db, int64_t owner, struct str name, bool may_be_part,
                              struct arena *arena, struct session *out, struct fault *fault)
{
    static const struct {
        enum query query, any; /* of an owner; of all */
        size_t least;          /* characters */
        const char *what;
    } ways[] = {
        {Q_SESSION_NAMED, Q_SESSION_ANY, 0, "the id"},
        {Q_SESSION_BY_START, Q_SESSION_ANY_BY_START, 4, "an id that starts with"},
        {Q_SESSION_BY_TITLE, Q_SESSION_ANY_BY_TITLE, 1, "the title"},
        {Q_SESSION_BY_END, Q_SESSION_ANY_BY_END, 4, "an id that ends with"},
    };
    size_t count = may_be_part ? sizeof(ways) / sizeof(*ways) : 1;
    int64_t s = 0;
    bool several;

    for (size_t i = 0; s == 0 && i < count; i++) {
        sqlite3_stmt *q;

        if (name.n < ways[i].least)
            continue;
        q = owner == OWNER_ANY ? db_query(db, ways[i].any, ARGS(arg_text(name)))
                               : db_query(db, ways[i].query, ARGS(arg_int(owner), arg_text(name)));
        if (only_one(db, q, &s, &several, fault) != FAULT_OK)
            return fault_pass(fault);
        if (several)
            return fault_set(fault, FAULT_AMBIGUOUS, "several sessions have %s \"%.*s\"",
                             ways[i].what, STR_ARG(name));
    }
    if (s == 0)
        return fault_set(fault, FAULT_SESSION_NOT_FOUND, "session \"%.*s\" does not exist",
                         STR_ARG(name));
    return session_get(db, s, true, arena, out, fault);
}

/* Candidates of a page, the newest first. */
struct page {
    struct listed {
        int64_t s, updated_us;
    } * items;
    size_t count, room;
};

static int listed_order(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;

    if (x->updated_us != y->updated_us)
        return x->updated_us < y->updated_us ? 1 : -1;
    return x->s < y->s ? 1 : -1;
}

static void page_add(struct page *page, int64_t s, int64_t updated_us)
{
    page->items = array_more(page->items, page->count, &page->room, sizeof(*page->items));
    page->items[page->count++] = (struct listed){s, updated_us};
}

/*
 * touched_us may lag behind the newest act by TOUCH_LAG_US, so the index gives the order only
 * roughly: sessions are taken from it until no later one can still belong to the page.
 */
static enum fault_code page_find(struct db *db, const struct list_spec *spec, struct page *page,
                                 struct fault *fault)
{
    int64_t newest = spec->before_us ? spec->before_us : INT64_MAX;
    struct arg agent = arg_text(spec->agent), archived = arg_int(spec->archived);
    sqlite3_stmt *q = spec->owner == OWNER_ANY
                          ? db_query(db, Q_SESSION_LIST_ANY, ARGS(arg_int(newest), agent, archived))
                          : db_query(db, Q_SESSION_LIST,
                                     ARGS(arg_int(spec->owner), arg_int(newest), agent, archived));
    size_t limit = spec->limit > 0 ? (size_t)spec->limit : SIZE_MAX;
    bool row;

    for (;;) {
        int64_t s, touched, updated;
        struct act last;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        s = sqlite3_column_int64(q, 0);
        touched = sqlite3_column_int64(q, 1);
        if (page->count >= limit) {
            qsort(page->items, page->count, sizeof(*page->items), listed_order);
            page->count = limit;
            if (touched + TOUCH_LAG_US < page->items[limit - 1].updated_us)
                break;
        }
        if (act_last(db, s, &last, fault) != FAULT_OK)
            return fault_pass(fault);
        updated = last.at_us > touched ? last.at_us : touched;
        if (updated < newest || (updated == newest && s < spec->before_s))
            page_add(page, s, updated);
    }
    sqlite3_reset(q);
    if (page->count)
        qsort(page->items, page->count, sizeof(*page->items), listed_order);
    if (page->count > limit)
        page->count = limit;
    return FAULT_OK;
}

enum fault_code list_run(struct db *db, const struct list_spec *spec, session_visit *visit,
                         void *context, struct fault *fault)
{
    struct page page = {0};
    enum fault_code code = page_find(db, spec, &page, fault);

    for (size_t i = 0; code == FAULT_OK && i < page.count; i++) {
        struct session session;
        struct arena arena;

        arena_init(&arena);
        code = session_get(db, page.items[i].s, false, &arena, &session, fault);
        if (code == FAULT_OK)
            code = visit(context, &session, fault);
        arena_clear(&arena);
    }
    free(page.items);
    return code;
}

/* Visits the sessions whose numbers a query gives; state and deleted ones as they are. */
static enum fault_code visit_rows(struct db *db, sqlite3_stmt *q, session_visit *visit,
                                  void *context, struct fault *fault)
{
    enum fault_code code = FAULT_OK;
    bool row;

    while (code == FAULT_OK) {
        struct session session;
        struct arena arena;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        arena_init(&arena);
        code = session_get(db, sqlite3_column_int64(q, 0), false, &arena, &session, fault);
        if (code == FAULT_OK)
            code = visit(context, &session, fault);
        arena_clear(&arena);
    }
    return code;
}

/* A parent of which only the record in its fork is left ends the chain. */
static enum fault_code ancestors(struct db *db, const struct link *link, session_visit *visit,
                                 void *context, struct arena *arena, struct fault *fault)
{
    int64_t s = link->s;

    for (;;) {
        struct session session, parent;
        int64_t parent_s = 0;
        enum fault_code code;

        if (session_get(db, s, false, arena, &session, fault) != FAULT_OK ||
            db_int(db, Q_SESSION_PARENT, ARGS(arg_int(s)), &parent_s, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!session.parent.known)
            return FAULT_OK;
        if (parent_s) {
            if (session_get(db, parent_s, false, arena, &parent, fault) != FAULT_OK)
                return fault_pass(fault);
        } else {
            parent = (struct session){.state = SESSION_DELETED,
                                      .agent = STR(""),
                                      .owner = session.owner,
                                      .head = STR(""),
                                      .metadata = STR("{}"),
                                      .limits = STR("{}"),
                                      .home = STR(""),
                                      .settings = STR("{}"),
                                      .workspace = {WORKSPACE_NONE, STR("")}};
            memcpy(parent.tree, tree_empty, HASH_BYTES);
            memcpy(parent.base_tree, tree_empty, HASH_BYTES);
        }
        if (parent.state == SESSION_DELETED) {
            parent.id = session.parent.session;
            parent.title = session.parent.title;
        }
        code = visit(context, &parent, fault);
        if (code != FAULT_OK || parent_s == 0)
            return code;
        s = parent_s;
    }
}

enum fault_code relatives_run(struct db *db, int64_t owner, struct str session, int relation,
                              session_visit *visit, void *context, struct fault *fault)
{
    struct arena arena;
    struct link link;
    enum fault_code code;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    if (relation == RELATION_FAMILY)
        return visit_rows(db, db_query(db, Q_SESSION_FAMILY, ARGS(arg_int(link.fam))), visit,
                          context, fault);
    if (relation == RELATION_CHILDREN)
        return visit_rows(db, db_query(db, Q_SESSION_CHILDREN, ARGS(arg_int(link.s))), visit,
                          context, fault);
    arena_init(&arena);
    code = ancestors(db, &link, visit, context, &arena, fault);
    arena_clear(&arena);
    return code;
}

enum fault_code labels_run(struct db *db, int64_t owner, struct str session, label_visit *visit,
                           void *context, struct fault *fault)
{
    struct label *labels = NULL;
    size_t count = 0;
    struct arena arena;
    struct link link;
    enum fault_code code;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    arena_init(&arena);
    code = labels_seen(db, &link, &arena, &labels, &count, fault);
    for (size_t i = 0; code == FAULT_OK && i < count; i++) {
        struct entry entry;

        code = entry_get(db, labels[i].at, &arena, &entry, fault);
        if (code != FAULT_OK)
            break;
        labels[i].message = entry.id;
        labels[i].index = entry.index;
        code = visit(context, &labels[i], fault);
    }
    arena_clear(&arena);
    return code;
}
