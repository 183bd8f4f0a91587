/* The log of sessions as items, in the order in which everything happened. */
#include "store/sqlite/verbs.h"

#include "base/numbers.h"
#include "store/sqlite/entry_row.h"
#include "store/sqlite/merge_row.h"
#include "store/sqlite/object_row.h"
#include "store/sqlite/session_row.h"
#include "store/sqlite/state_row.h"
#include "store/sqlite/tree_walk.h"

static enum fault_code gather(struct db *db, enum query query, int64_t key, struct numbers *out,
                              struct fault *fault)
{
    sqlite3_stmt *q = db_query(db, query, ARGS(arg_int(key)));
    bool row;

    for (;;) {
        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        numbers_add(out, sqlite3_column_int64(q, 0));
    }
}

/* The sessions of a family and of all families that it refers to, and so on. */
static enum fault_code gather_families(struct db *db, int64_t fam, struct numbers *sessions,
                                       struct fault *fault)
{
    struct numbers families = {0}, found = {0};
    enum fault_code code = FAULT_OK;
    size_t done = 0;

    numbers_add(&families, fam);
    while (code == FAULT_OK && done < families.count) {
        size_t from = sessions->count;

        code = gather(db, Q_EXPORT_FAMILY, families.items[done++], sessions, fault);
        found.count = 0;
        for (size_t i = from; code == FAULT_OK && i < sessions->count; i++)
            code = gather(db, Q_EXPORT_PINNED, sessions->items[i], &found, fault);
        for (size_t i = 0; i < found.count; i++) {
            bool known = false;

            for (size_t j = 0; j < families.count && !known; j++)
                known = families.items[j] == found.items[i];
            if (!known)
                numbers_add(&families, found.items[i]);
        }
    }
    numbers_clear(&families);
    numbers_clear(&found);
    return code;
}

/* An export that is being given. */
struct giving {
    struct db *db;
    struct numbers sessions, given; /* those that belong to it, those that were told */
    struct tree_walk walk;          /* of the trees that were told */
    log_item_visit *visit;
    void *context;
};

static enum fault_code give_session(struct giving *giving, int64_t s, struct fault *fault)
{
    struct db *db = giving->db;
    sqlite3_stmt *q = db_query(db, Q_EXPORT_SESSION, ARGS(arg_int(s)));
    struct log_item item = {.kind = LOG_SESSION};
    struct log_session *out = &item.session;
    enum fault_code code;
    bool row;

    if (db_step(db, q, &row, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!row)
        return fault_set(fault, FAULT_CORRUPT, "session %lld is missing", (long long)s);
    out->s = s;
    out->family = sqlite3_column_int64(q, 0);
    out->id = column_str(q, 1);
    out->state = (enum session_state)sqlite3_column_int(q, 2);
    out->base = column_address(q, 3);
    out->base_version = sqlite3_column_int64(q, 5);
    out->parent_s = sqlite3_column_int64(q, 6);
    if (!numbers_have(&giving->sessions, out->parent_s))
        out->parent_s = 0;
    out->parent.session = column_str(q, 7);
    out->parent.known = out->parent.session.p != NULL;
    out->parent.title = column_str(q, 8);
    out->parent.message = column_str(q, 9);
    out->parent.side = (enum point_side)sqlite3_column_int(q, 10);
    out->agent = column_str(q, 11);
    out->title = column_str(q, 12);
    out->archived = sqlite3_column_int(q, 13) != 0;
    out->created_us = sqlite3_column_int64(q, 14);
    out->touched_us = sqlite3_column_int64(q, 15);
    out->metadata = column_str(q, 16);
    out->limits = column_str(q, 17);
    out->workspace.mode = (enum workspace_mode)sqlite3_column_int(q, 18);
    out->home = column_str(q, 19);
    out->settings = column_str(q, 20);
    if (!out->metadata.p)
        out->metadata = STR("{}");
    if (!out->limits.p)
        out->limits = STR("{}");
    if (!out->settings.p)
        out->settings = STR("{}");
    code = giving->visit(giving->context, &item, fault);
    sqlite3_reset(q);
    return code;
}

static enum fault_code give_object(void *context, int64_t number, struct fault *fault)
{
    struct giving *giving = context;
    struct log_item item = {.kind = LOG_OBJECT};
    struct arena arena;
    enum fault_code code;

    arena_init(&arena);
    code = object_at(giving->db, number, &arena, &item.object, fault);
    if (code == FAULT_OK)
        code = giving->visit(giving->context, &item, fault);
    arena_clear(&arena);
    return code;
}

/* The place that an entry merged, if it is still there. */
static enum fault_code merged_known(struct db *db, struct address at, struct address *out,
                                    struct fault *fault)
{
    int64_t known = 0;

    if (merged_at(db, at, out, fault) != FAULT_OK ||
        db_int(db, Q_ACT_KNOWN, ARGS(arg_int(out->s), arg_int(out->n)), &known, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!known)
        *out = ADDRESS_START;
    return FAULT_OK;
}

static enum fault_code give_act(struct giving *giving, const struct act_row *row,
                                struct arena *arena, struct fault *fault)
{
    struct db *db = giving->db;
    struct log_item item = {.kind = LOG_ACT};
    struct log_act *out = &item.act;

    *out = (struct log_act){
        .at = row->at,
        .kind = row->head.kind,
        .role = row->head.role,
        .flags = row->head.flags,
        .id = act_id_text(row->head.id, row->head.drawn, arena),
        .id_is_drawn = row->head.drawn,
        .turn = row->head.turn,
        .at_us = row->head.at_us,
        .usage = row->head.usage,
        .has_usage = row->head.has_usage,
        .calls = row->head.calls,
        .results = row->head.results,
        .ref = row->head.ref,
        .salt = row->salt,
        .content = row->content,
        .hash = {(const char *)row->head.facts.hash, HASH_BYTES},
        .spans = row->spans,
        .erased = row->content.p != NULL,
        .body = row->body,
    };
    if (row->head.kind == ENTRY_MOVE) {
        sqlite3_stmt *q = db_query(db, Q_MOVE_AT, ARGS(arg_int(row->at.s), arg_int(row->at.n)));
        bool found;

        if (db_step(db, q, &found, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!found)
            return fault_set(fault, FAULT_CORRUPT, "move %lld of session %lld is missing",
                             (long long)row->at.n, (long long)row->at.s);
        out->move = (enum move_act)sqlite3_column_int(q, 0);
        out->scope = (enum move_scope)sqlite3_column_int(q, 1);
        out->to = column_address(q, 2);
        sqlite3_reset(q);
    }
    if (state_delta(db, row->at, arena, &out->state, fault) != FAULT_OK ||
        object_hash(db, row->head.own_tree, arena, &out->tree, fault) != FAULT_OK ||
        merged_known(db, row->at, &out->merged, fault) != FAULT_OK ||
        /* what it needs goes first */
        (row->head.own_tree && tree_walk(&giving->walk, row->head.own_tree, fault) != FAULT_OK))
        return fault_pass(fault);
    if ((out->flags & ENTRY_MERGED) && !(out->flags & ENTRY_ADOPTED))
        out->ref = out->merged;
    return giving->visit(giving->context, &item, fault);
}

/* The act or note with a number; the session it belongs to is given before its first one. */
static enum fault_code give_numbered(struct giving *giving, int64_t e, int64_t note_of,
                                     struct fault *fault)
{
    struct db *db = giving->db;
    sqlite3_stmt *q = db_query(db, note_of ? Q_NOTE_AT : Q_ACT_NUMBERED, ARGS(arg_int(e)));
    struct arena arena;
    struct act_row row;
    enum fault_code code;
    int64_t s = note_of;
    bool found;

    if (db_step(db, q, &found, fault) != FAULT_OK)
        return fault_pass(fault);
    if (!found)
        return fault_set(fault, FAULT_CORRUPT, "act number %lld is missing", (long long)e);
    if (!note_of) {
        if (act_row_read(q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        s = row.at.s;
    }
    if (!numbers_have(&giving->given, s)) {
        if (give_session(giving, s, fault) != FAULT_OK)
            return fault_pass(fault);
        numbers_add(&giving->given, s);
        numbers_sort(&giving->given);
    }
    arena_init(&arena);
    if (note_of) {
        struct log_item item = {.kind = LOG_NOTE};

        item.note = (struct log_note){
            s,
            {e, (enum note_act)sqlite3_column_int(q, 1), sqlite3_column_int64(q, 2),
             column_str(q, 3), column_str(q, 4), column_str(q, 5)},
        };
        code = giving->visit(giving->context, &item, fault);
    } else {
        code = give_act(giving, &row, &arena, fault);
    }
    sqlite3_reset(q);
    arena_clear(&arena);
    return code;
}

static enum fault_code give_records(struct giving *giving, int64_t s, struct fault *fault)
{
    struct db *db = giving->db;
    sqlite3_stmt *q = db_query(db, Q_RECORD_ROWS, ARGS(arg_int(s)));
    bool row;

    for (;;) {
        struct log_item item = {.kind = LOG_RECORD};

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        item.record = (struct log_record){
            .s = s,
            .version = sqlite3_column_int64(q, 0),
            .kind = sqlite3_column_int(q, 1),
            .id = column_str(q, 2),
            .turn = column_str(q, 3),
            .place = column_address(q, 4),
            .at_us = sqlite3_column_int64(q, 6),
            .body = column_str(q, 7),
        };
        if (giving->visit(giving->context, &item, fault) != FAULT_OK)
            return fault_pass(fault);
    }
}

static enum fault_code give_labels(struct giving *giving, int64_t s, struct fault *fault)
{
    struct db *db = giving->db;
    sqlite3_stmt *q = db_query(db, Q_LABEL_LIST, ARGS(arg_int(s)));
    bool row;

    for (;;) {
        struct log_item item = {.kind = LOG_LABEL};

        if (db_step(db, q, &row, fault) != FAULT_OK)
            return fault_pass(fault);
        if (!row)
            return FAULT_OK;
        item.label = (struct log_label){s, column_address(q, 0), column_str(q, 2)};
        if (giving->visit(giving->context, &item, fault) != FAULT_OK)
            return fault_pass(fault);
    }
}

/* Acts and notes have their numbers from one counter: the smaller one is next. */
static enum fault_code give_log(struct giving *giving, struct fault *fault)
{
    const struct numbers *sessions = &giving->sessions;
    struct db *db = giving->db;
    struct numbers acts = {0}, notes = {0};
    size_t act = 0, note = 0;
    enum fault_code code = FAULT_OK;

    for (size_t i = 0; code == FAULT_OK && i < sessions->count; i++)
        code = gather(db, Q_EXPORT_ACTS, sessions->items[i], &acts, fault);
    numbers_sort(&acts);
    for (size_t i = 0; code == FAULT_OK && i < sessions->count; i++)
        code = gather(db, Q_EXPORT_NOTES, sessions->items[i], &notes, fault);
    numbers_sort(&notes);
    while (code == FAULT_OK && (act < acts.count || note < notes.count)) {
        bool act_next =
            act < acts.count && (note == notes.count || acts.items[act] < notes.items[note]);

        if (act_next) {
            code = give_numbered(giving, acts.items[act++], 0, fault);
        } else {
            int64_t s = 0;

            code = db_int(db, Q_NOTE_OF, ARGS(arg_int(notes.items[note])), &s, fault);
            if (code == FAULT_OK)
                code = give_numbered(giving, notes.items[note++], s, fault);
        }
    }
    numbers_clear(&acts);
    numbers_clear(&notes);
    return code;
}

static enum fault_code give_all(struct giving *giving, struct fault *fault)
{
    const struct numbers *sessions = &giving->sessions;

    if (give_log(giving, fault) != FAULT_OK)
        return fault_pass(fault);
    for (size_t i = 0; i < sessions->count; i++)
        if (give_records(giving, sessions->items[i], fault) != FAULT_OK)
            return fault_pass(fault);
    for (size_t i = 0; i < sessions->count; i++)
        if (give_labels(giving, sessions->items[i], fault) != FAULT_OK)
            return fault_pass(fault);
    return FAULT_OK;
}

enum fault_code export_run(struct db *db, int64_t owner, struct str session, log_item_visit *visit,
                           void *context, struct fault *fault)
{
    struct giving giving = {.db = db, .visit = visit, .context = context};
    struct link link;
    enum fault_code code;

    if (session.n) {
        if (link_named(db, owner, session, &link, fault) != FAULT_OK)
            return fault_pass(fault);
        code = gather_families(db, link.fam, &giving.sessions, fault);
    } else {
        code = gather(db, owner == OWNER_ANY ? Q_EXPORT_ALL : Q_EXPORT_OWNER, owner,
                      &giving.sessions, fault);
    }
    numbers_sort(&giving.sessions);
    tree_walk_init(&giving.walk, db, give_object, &giving);
    if (code == FAULT_OK)
        code = give_all(&giving, fault);
    tree_walk_clear(&giving.walk);
    numbers_clear(&giving.sessions);
    numbers_clear(&giving.given);
    return code;
}
