/*
 * Deleting: a session loses its name at once; its acts go, slice by slice, down to the highest
 * number at which something else begins or is pinned. When nothing stands on it any more the rest
 * goes too, and the session below is looked at in turn.
 */
#include "store/sqlite/verbs.h"

#include "store/sqlite/content_row.h"
#include "store/sqlite/once_row.h"
#include "store/sqlite/path.h"
#include "store/sqlite/session_row.h"

enum { SLICE = 500 };

/* The column reap.purge. */
enum { PURGE_NOT, PURGE_SCRUB, PURGE_SELF };

enum fault_code delete_run(struct db *db, const struct delete_spec *spec, struct fault *fault)
{
    struct note note = {.act = NOTE_DELETED, .at_us = spec->at_us};
    struct link link;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    if (link.state == SESSION_LIVE) /* nobody was told of a sub-session */
        note.now = spec->session;
    if ((spec->purge && db_run(db, Q_NOTE_BLANK, ARGS(arg_int(link.s)), fault) != FAULT_OK) ||
        db_run(db, Q_RUN_DELETE, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
        db_run(db, Q_INTENT_FORGET, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
        db_run(db, Q_SESSION_DELETE, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
        db_run(db, Q_REAP_INSERT,
               ARGS(arg_int(link.s), arg_int(spec->purge ? PURGE_SELF : PURGE_NOT)),
               fault) != FAULT_OK)
        return fault_pass(fault);
    return note_insert(db, &link, &note, fault);
}

/* Acts of a session up to this number are stood upon. */
static enum fault_code stood_upon(struct db *db, int64_t s, int64_t *out, struct fault *fault)
{
    *out = 0;
    return db_int(db, Q_REAP_LOW, ARGS(arg_int(s)), out, fault);
}

/* The newest acts above a number, at most a slice; `low` comes down to just below them. */
static enum fault_code trim_find(struct db *db, struct arena *arena, struct reap_plan *plan,
                                 struct fault *fault)
{
    sqlite3_stmt *q =
        db_query(db, Q_REAP_SLICE, ARGS(arg_int(plan->s), arg_int(plan->low), arg_int(SLICE)));
    bool row;

    plan->acts = arena_array(arena, SLICE, sizeof(*plan->acts));
    for (;;) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        plan->acts[plan->count++] = sqlite3_column_int64(q, 0);
        plan->low = sqlite3_column_int64(q, 1) - 1;
    }
}

/* Numbers of a session that are on the path of something that lives. */
struct kept {
    struct range *items;
    size_t count, room;
};

static enum fault_code keep_path(struct db *db, struct address head, int64_t s, struct arena *arena,
                                 struct kept *kept, struct fault *fault)
{
    struct range *path;
    struct act act;
    size_t count;

    if (act_get(db, head, &act, fault) != FAULT_OK ||
        path_ranges(db, ADDRESS_START, &act, arena, &path, &count, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < count; i++) {
        if (path[i].s != s)
            continue;
        kept->items =
            arena_more(arena, kept->items, kept->count, &kept->room, sizeof(*kept->items));
        kept->items[kept->count++] = path[i];
    }
    return FAULT_OK;
}

/* The heads of all that stands on the session and lives, and the places pinned there. */
static enum fault_code kept_find(struct db *db, int64_t s, struct arena *arena, struct kept *kept,
                                 struct fault *fault)
{
    static const enum query heads[] = {Q_PURGE_HEADS, Q_PURGE_PINS};
    bool row;

    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        sqlite3_stmt *q = db_query(db, heads[i], ARGS(arg_int(s)));

        for (;;) {
            if (db_step(db, q, &row, fault) != FAULT_OK)
                return fault_pass(fault);
            if (!row)
                break;
            if (keep_path(db, column_address(q, 0), s, arena, kept, fault) != FAULT_OK)
                return fault_pass(fault);
        }
    }
    return FAULT_OK;
}

static bool is_kept(const struct kept *kept, int64_t n)
{
    for (size_t i = 0; i < kept->count; i++)
        if (n >= kept->items[i].from && n <= kept->items[i].to)
            return true;
    return false;
}

static enum fault_code purge_find(struct db *db, struct arena *arena, struct reap_plan *plan,
                                  struct fault *fault)
{
    struct kept kept = {0};
    sqlite3_stmt *q;
    bool row;

    if (kept_find(db, plan->s, arena, &kept, fault) != FAULT_OK)
        return fault_pass(fault);
    q = db_query(db, Q_PURGE_SCAN, ARGS(arg_int(plan->s)));
    while (plan->count < SLICE) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        if (!is_kept(&kept, sqlite3_column_int64(q, 1)))
            plan->acts[plan->count++] = sqlite3_column_int64(q, 0);
    }
    sqlite3_reset(q);
    return FAULT_OK;
}

/* What is to be done next for one session, but for emptying: that has to wait for the others. */
static enum fault_code reap_plan_one(struct db *db, struct arena *arena, struct reap_plan *plan,
                                     struct fault *fault)
{
    struct link link;

    plan->step = REAP_FINISH;
    if (link_get(db, plan->s, &link, fault) != FAULT_OK ||
        stood_upon(db, plan->s, &plan->low, fault) != FAULT_OK)
        return fault_pass(fault);
    if (link.state != SESSION_DELETED)
        return FAULT_OK;
    if (trim_find(db, arena, plan, fault) != FAULT_OK)
        return fault_pass(fault);
    if (plan->count)
        plan->step = REAP_TRIM;
    else if (plan->purge && plan->low)
        plan->step = REAP_PURGE;
    return FAULT_OK;
}

/*
 * What a clearing away elsewhere lets go must not keep a body from being emptied, so those that
 * purge come last, and they empty only when all others have gone as far as they can.
 */
enum fault_code reap_look(struct db *db, struct arena *arena, struct reap_plan *out,
                          struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_REAP_ALL, NULL, 0);
    bool row;

    *out = (struct reap_plan){0};
    for (;;) {
        struct reap_plan plan = {0};

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            break;
        plan.s = sqlite3_column_int64(q, 0);
        plan.purge = sqlite3_column_int(q, 1) == PURGE_SELF;
        plan.scrub = sqlite3_column_int(q, 1) != PURGE_NOT;
        if (reap_plan_one(db, arena, &plan, fault) != FAULT_OK)
            return fault_pass(fault);
        if (plan.step != REAP_PURGE || out->step == REAP_NOTHING)
            *out = plan;
        if (plan.step != REAP_PURGE)
            break;
    }
    sqlite3_reset(q);
    if (out->step != REAP_PURGE)
        return FAULT_OK;
    if (purge_find(db, arena, out, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!out->count)
        out->step = REAP_FINISH;
    return FAULT_OK;
}

/* Takes away the names of the sub-sessions that a query finds, one after another. */
static enum fault_code delete_loose(struct db *db, enum query query, int64_t key,
                                    struct fault *fault)
{
    for (;;) {
        sqlite3_stmt *q = db_query(db, query, ARGS(arg_int(key)));
        struct note note = {.act = NOTE_DELETED};
        struct link link = {0};
        bool row;

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        link.s = sqlite3_column_int64(q, 0);
        link.owner = sqlite3_column_int64(q, 1);
        note.at_us = sqlite3_column_int64(q, 2);
        sqlite3_reset(q);
        if (db_run(db, Q_RUN_DELETE, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
            db_run(db, Q_INTENT_FORGET, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
            db_run(db, Q_SESSION_DELETE, ARGS(arg_int(link.s)), fault) != FAULT_OK ||
            db_run(db, Q_REAP_INSERT, ARGS(arg_int(link.s), arg_int(0)), fault) != FAULT_OK ||
            note_insert(db, &link, &note, fault) != FAULT_OK)
            return fault_pass(fault);
    }
}

/* Acts above `low` go, with all that belongs to them. What they referred to is looked at later. */
static enum fault_code trim(struct db *db, const struct reap_plan *plan, struct fault *fault)
{
    static const enum query steps[] = {
        Q_TRIM_REAP_PINNED, Q_TRIM_PIN,   Q_TRIM_LINE,  Q_TRIM_MOVE,  Q_TRIM_STATE,
        Q_TRIM_LABEL,       Q_TRIM_FILES, Q_TRIM_MERGE, Q_TRIM_ENTRY,
    };

    struct link link;

    if (link_get(db, plan->s, &link, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < plan->count; i++)
        if (act_forget_names(db, link.fam, plan->acts[i], fault) != FAULT_OK)
            return fault_pass(fault);
    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (db_run(db, steps[i], ARGS(arg_int(plan->s), arg_int(plan->low)), fault) != FAULT_OK)
            return fault_pass(fault);
    return delete_loose(db, Q_TRIM_LOOSE, plan->s, fault); /* it goes with its last reference */
}

static enum fault_code erase(struct db *db, int64_t e, struct arena *arena, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_ACT_NUMBERED, ARGS(arg_int(e)));
    unsigned char content[HASH_BYTES];
    struct act_row row;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return FAULT_OK;
    if (act_row_read(q, &row, fault) != FAULT_OK ||
        stored_content(db, &row, arena, content, fault) != FAULT_OK)
        return fault_pass(fault);
    sqlite3_reset(q);
    return db_run(db, Q_ENTRY_ERASE, ARGS(arg_int(e), arg_bytes(content, HASH_BYTES)), fault);
}

static enum fault_code finish(struct db *db, int64_t s, bool scrub, struct fault *fault)
{
    struct link link;
    int64_t low, stands = 0;

    if (link_get(db, s, &link, fault) != FAULT_OK || stood_upon(db, s, &low, fault) != FAULT_OK ||
        db_int(db, Q_SESSION_STANDS, ARGS(arg_int(s)), &stands, fault) != FAULT_OK)
        return fault_pass(fault);
    if (link.state != SESSION_DELETED)
        return db_run(db, Q_REAP_DELETE, ARGS(arg_int(s)), fault);
    if (db_run(db, Q_REAP_RECORDS, ARGS(arg_int(s)), fault) != FAULT_OK)
        return fault_pass(fault);
    if (low == 0 && !stands) {
        if (db_run(db, Q_REAP_LABELS, ARGS(arg_int(s)), fault) != FAULT_OK ||
            db_run(db, Q_REAP_NOTES, ARGS(arg_int(s)), fault) != FAULT_OK ||
            db_run(db, Q_REAP_DELETE, ARGS(arg_int(s)), fault) != FAULT_OK ||
            db_run(db, Q_SESSION_REMOVE, ARGS(arg_int(s)), fault) != FAULT_OK)
            return fault_pass(fault);
        if (link.base.s)
            return db_run(db, Q_REAP_INSERT_DEAD,
                          ARGS(arg_int(link.base.s), arg_int(scrub ? PURGE_SCRUB : PURGE_NOT)),
                          fault);
        return FAULT_OK;
    }
    return db_run(db, Q_REAP_DELETE, ARGS(arg_int(s)), fault);
}

enum fault_code reap_run(struct db *db, const struct reap_plan *plan, struct arena *arena,
                         struct fault *fault)
{
    int64_t known = 0;

    /* Somebody else may have finished it meanwhile. */
    if (db_int(db, Q_REAP_KNOWN, ARGS(arg_int(plan->s)), &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return FAULT_OK;
    switch (plan->step) {
    case REAP_NOTHING:
        return FAULT_OK;
    case REAP_TRIM:
        if (db_run(db, Q_CLEARED_MORE, NULL, 0, fault) != FAULT_OK)
            return fault_pass(fault);
        return trim(db, plan, fault);
    case REAP_PURGE:
        if (db_run(db, Q_CLEARED_MORE, NULL, 0, fault) != FAULT_OK)
            return fault_pass(fault);
        for (size_t i = 0; i < plan->count; i++)
            if (erase(db, plan->acts[i], arena, fault) != FAULT_OK)
                return fault_pass(fault);
        return FAULT_OK;
    case REAP_FINISH:
        break;
    }
    return finish(db, plan->s, plan->scrub, fault);
}

enum fault_code gc_loose(struct db *db, const struct gc_spec *spec, struct fault *fault)
{
    return delete_loose(db, Q_LOOSE_FIRST, spec->now_us - spec->keep_us, fault);
}

enum fault_code gc_leftovers(struct db *db, const struct gc_spec *spec, struct gc_result *out,
                             struct fault *fault)
{
    int64_t before = spec->now_us - spec->keep_us;

    if (db_run(db, Q_META_FLOOR, ARGS(arg_int(db->e)), fault) != FAULT_OK ||
        db_run(db, Q_GC_NOTE_FLOOR, ARGS(arg_int(before)), fault) != FAULT_OK ||
        once_expire(db, spec->now_us, -1, fault) != FAULT_OK ||
        db_run(db, Q_GC_NOTES, ARGS(arg_int(before)), fault) != FAULT_OK)
        return fault_pass(fault);
    out->notes += sqlite3_changes64(db->handle);
    return FAULT_OK;
}

enum fault_code counts_run(struct db *db, struct store_counts *out, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_COUNTS, NULL, 0);
    int64_t *fields[] = {
        &out->sessions, &out->deleted, &out->subsessions, &out->entries, &out->lines,  &out->moves,
        &out->states,   &out->turns,   &out->records,     &out->notes,   &out->pins,   &out->labels,
        &out->objects,  &out->reaps,   &out->runs,        &out->answers, &out->tokens, &out->agents,
    };
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; row && i < sizeof(fields) / sizeof(*fields); i++)
        *fields[i] = sqlite3_column_int64(q, (int)i);
    sqlite3_reset(q);
    return FAULT_OK;
}
