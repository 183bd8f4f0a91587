/*
 * What happened, by number: events of the store, the journal of a session, the entries of a turn.
 *
 * Acts and notes have their numbers from one counter, and numbers are given out inside the one
 * transaction that writes. So what is read later never stands below what was read before, and the
 * acts of a session, which have no gaps, have numbers that grow: the first one above a number is
 * found by halving.
 */
#include "store/sqlite/verbs.h"

#include "store/sqlite/entry_row.h"

/* The first act of a session above a number of the store; one more than the last when none is. */
static enum fault_code act_after(struct db *db, int64_t s, int64_t after, int64_t *out,
                                 struct fault *fault)
{
    int64_t low = 1, last = 0, high;

    if (db_int(db, Q_ENTRY_LAST, ARGS(arg_int(s)), &last, fault) != FAULT_OK)
        return fault_pass(fault);
    high = last + 1;
    while (low < high) {
        /* Most ask for what is new: the end is looked at first. */
        int64_t n = high == last + 1 ? last : low + (high - low) / 2, e = 0;

        if (db_int(db, Q_ENTRY_NUMBER, ARGS(arg_int(s), arg_int(n)), &e, fault) != FAULT_OK)
            return fault_pass(fault);
        if (e == 0)
            return fault_set(fault, FAULT_CORRUPT, "act %lld of session %lld is missing",
                             (long long)n, (long long)s);
        if (e > after)
            high = n;
        else
            low = n + 1;
    }
    *out = low;
    return FAULT_OK;
}

/* Acts and notes, both in the order of their numbers. */
struct merge {
    struct db *db;
    sqlite3_stmt *acts;  /* NULL: none. Those of `entry_at`, unless it is one session's s, owner */
    sqlite3_stmt *notes; /* e, act, at_us, msg, was, now, and likewise owner, id of the session */
    bool has_act, has_note;
    int64_t s, owner; /* of one session; s 0: the rows say */
    struct str id;
    struct entry_reader reader;
    struct entry entry;
    struct note note;
};

static enum fault_code act_step(struct merge *merge, struct fault *fault)
{
    merge->has_act = false;
    return merge->acts ? db_step(merge->db, merge->acts, &merge->has_act, fault) : FAULT_OK;
}

static enum fault_code note_step(struct merge *merge, struct fault *fault)
{
    return db_step(merge->db, merge->notes, &merge->has_note, fault);
}

static enum fault_code act_read(struct merge *merge, struct event *out, struct fault *fault)
{
    sqlite3_stmt *q = merge->acts;
    int64_t s = merge->s ? merge->s : sqlite3_column_int64(q, 4);

    if (entry_read(&merge->reader, s, q, &merge->entry, fault) != FAULT_OK)
        return fault_pass(fault);
    *out = (struct event){
        .owner = merge->s ? merge->owner : sqlite3_column_int64(q, 5),
        .session = merge->entry.session,
        .item = {merge->entry.e, &merge->entry, NULL},
    };
    return FAULT_OK;
}

static void note_read(struct merge *merge, struct event *out)
{
    sqlite3_stmt *q = merge->notes;

    merge->note = (struct note){
        .e = sqlite3_column_int64(q, 0),
        .act = (enum note_act)sqlite3_column_int(q, 1),
        .at_us = sqlite3_column_int64(q, 2),
        .message = column_str(q, 3),
        .was = column_str(q, 4),
        .now = column_str(q, 5),
    };
    *out = (struct event){
        .owner = merge->s ? merge->owner : sqlite3_column_int64(q, 6),
        .session = merge->s ? merge->id : column_str(q, 7),
        .item = {merge->note.e, NULL, &merge->note},
    };
}

/* The smaller number is next. *more: the limit ended it. */
static enum fault_code merge_run(struct merge *merge, int64_t limit, event_visit *visit,
                                 void *context, bool *more, struct fault *fault)
{
    int64_t left = limit > 0 ? limit : -1;
    enum fault_code code;

    entry_reader_init(&merge->reader, merge->db);
    code = act_step(merge, fault);
    if (code == FAULT_OK)
        code = note_step(merge, fault);
    while (code == FAULT_OK && (merge->has_act || merge->has_note) && left != 0) {
        bool act_next =
            merge->has_act && (!merge->has_note || sqlite3_column_int64(merge->acts, 0) <
                                                       sqlite3_column_int64(merge->notes, 0));
        struct event event;

        if (act_next)
            code = act_read(merge, &event, fault);
        else
            note_read(merge, &event);
        if (code == FAULT_OK)
            code = visit(context, &event, fault);
        if (code == FAULT_OK)
            code = act_next ? act_step(merge, fault) : note_step(merge, fault);
        if (left > 0)
            left--;
    }
    *more = code == FAULT_OK && (merge->has_act || merge->has_note);
    sqlite3_reset(merge->acts);
    sqlite3_reset(merge->notes);
    return code;
}

/* What happened to one session after a number. */
static enum fault_code merge_session(struct merge *merge, const struct link *link, struct str id,
                                     int64_t after, struct fault *fault)
{
    int64_t from = 1;

    if (act_after(merge->db, link->s, after, &from, fault) != FAULT_OK)
        return fault_pass(fault);
    merge->s = link->s;
    merge->owner = link->owner;
    merge->id = id;
    merge->acts = db_query(merge->db, Q_ENTRY_SCAN_FROM, ARGS(arg_int(link->s), arg_int(from)));
    merge->notes = db_query(merge->db, Q_NOTE_SCAN, ARGS(arg_int(link->s), arg_int(after)));
    return FAULT_OK;
}

/* ---- the journal ---- */

struct journal {
    journal_visit *visit;
    void *context;
};

static enum fault_code journal_event(void *context, const struct event *event, struct fault *fault)
{
    const struct journal *journal = context;

    return journal->visit(journal->context, &event->item, fault);
}

enum fault_code journal_run(struct db *db, const struct log_spec *spec, journal_visit *visit,
                            void *context, struct fault *fault)
{
    struct journal journal = {visit, context};
    struct merge merge = {.db = db};
    struct link link;
    bool more;

    if (link_named(db, spec->owner, spec->session, &link, fault) != FAULT_OK ||
        merge_session(&merge, &link, spec->session, spec->after_e, fault) != FAULT_OK)
        return fault_pass(fault);
    return merge_run(&merge, spec->limit, journal_event, &journal, &more, fault);
}

/* ---- events ---- */

/* Of a session that is gone its deletion is told, and that once. */
static enum fault_code events_gone(struct merge *merge, const struct event_spec *spec,
                                   event_visit *visit, void *context, bool *more,
                                   struct fault *fault)
{
    int64_t known = 0;

    if (db_int(merge->db, Q_NOTE_DELETED,
               ARGS(arg_text(spec->session), arg_int(spec->after), arg_int(spec->owner)), &known,
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        return fault_set(fault, FAULT_SESSION_NOT_FOUND, "session \"%.*s\" does not exist",
                         STR_ARG(spec->session));
    merge->notes =
        db_query(merge->db, Q_NOTE_DELETED,
                 ARGS(arg_text(spec->session), arg_int(spec->after), arg_int(spec->owner)));
    return merge_run(merge, spec->limit, visit, context, more, fault);
}

static enum fault_code events_session(struct merge *merge, const struct event_spec *spec,
                                      event_visit *visit, void *context, bool *more,
                                      struct fault *fault)
{
    struct link link;
    enum fault_code code = link_named(merge->db, spec->owner, spec->session, &link, fault);

    if (code == FAULT_SESSION_NOT_FOUND)
        return events_gone(merge, spec, visit, context, more, fault);
    if (code != FAULT_OK ||
        merge_session(merge, &link, spec->session, spec->after, fault) != FAULT_OK)
        return fault_pass(fault);
    return merge_run(merge, spec->limit, visit, context, more, fault);
}

enum fault_code events_run(struct db *db, const struct event_spec *spec, event_visit *visit,
                           void *context, struct event_info *info, struct fault *fault)
{
    struct merge merge = {.db = db};
    struct event_info found = {0};
    enum fault_code code;

    if (db_int(db, Q_NUMBER_NEWEST, NULL, 0, &found.newest, fault) != FAULT_OK ||
        db_int(db, Q_NOTE_FLOOR, NULL, 0, &found.floor, fault) != FAULT_OK)
        return fault_pass(fault);
    if (spec->session.n) {
        code = events_session(&merge, spec, visit, context, &found.more, fault);
    } else {
        merge.acts =
            db_query(db, Q_ENTRY_SCAN_NUMBER, ARGS(arg_int(spec->after), arg_int(spec->owner)));
        merge.notes =
            db_query(db, Q_NOTE_SCAN_NUMBER, ARGS(arg_int(spec->after), arg_int(spec->owner)));
        code = merge_run(&merge, spec->limit, visit, context, &found.more, fault);
    }
    if (code == FAULT_OK && info)
        *info = found;
    return code;
}

/* ---- a turn ---- */

static enum fault_code turn_missing(struct db *db, const struct link *link, struct str session,
                                    struct str turn, struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, Q_RUN_AT, ARGS(arg_int(link->s)));
    bool row, known;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    known = row && str_eq(column_str(q, 0), turn);
    sqlite3_reset(q);
    if (known) /* it is run, and has nothing yet */
        return FAULT_OK;
    return fault_set(fault, FAULT_TURN_NOT_FOUND, "turn \"%.*s\" is not in session \"%.*s\"",
                     STR_ARG(turn), STR_ARG(session));
}

enum fault_code turn_run(struct db *db, int64_t owner, struct str session, struct str turn,
                         entry_visit *visit, void *context, struct fault *fault)
{
    struct entry_reader reader;
    enum fault_code code = FAULT_OK;
    struct link link;
    int64_t first = 0;
    sqlite3_stmt *q;

    if (link_named(db, owner, session, &link, fault) != FAULT_OK ||
        db_int(db, Q_TURN_BEGINS, ARGS(arg_int(link.fam), arg_text(turn), arg_int(link.s)), &first,
               fault) != FAULT_OK)
        return fault_pass(fault);
    if (first == 0)
        return turn_missing(db, &link, session, turn, fault);
    entry_reader_init(&reader, db);
    q = db_query(db, Q_ENTRY_SCAN_FROM, ARGS(arg_int(link.s), arg_int(first)));
    while (code == FAULT_OK) {
        struct act_head head;
        struct entry entry;
        bool row;

        code = db_step(db, q, &row, fault);
        if (code != FAULT_OK || !row)
            break;
        if (act_head_decode_brief(column_str(q, 1), &head) && !str_eq(head.turn, turn))
            continue;
        code = entry_read(&reader, link.s, q, &entry, fault);
        if (code == FAULT_OK)
            code = visit(context, &entry, fault);
    }
    sqlite3_reset(q);
    return code;
}
