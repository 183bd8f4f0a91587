/* The verbs that read: each takes a connection and sees one moment. */
#include "store/sqlite/own.h"

#include "store/sqlite/point_find.h"
#include "store/sqlite/state_row.h"

static enum fault_code read_session(struct store *store, int64_t owner, struct str name,
                                    bool may_be_part, struct arena *arena, struct session *out,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = session_named(db, owner, name, may_be_part, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_list(struct store *store, const struct list_spec *spec,
                                 session_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = list_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_point(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct point *out, struct fault *fault)
{
    struct link link;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, session, spec, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_entry(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct entry *out, struct fault *fault)
{
    struct address at;
    struct link link;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_anchor(db, &link, session, spec, arena, &at, fault);
    if (code == FAULT_OK)
        code = entry_get(db, at, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_state(struct store *store, int64_t owner, struct str session,
                                  const struct point_spec *spec, struct arena *arena,
                                  struct state *out, struct fault *fault)
{
    struct point_spec wanted = *spec;
    struct point point;
    struct link link;
    struct act act;
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    wanted.guard = GUARD_NONE;
    code = link_named(db, owner, session, &link, fault);
    if (code == FAULT_OK)
        code = point_find(db, &link, session, &wanted, arena, &point, fault);
    if (code == FAULT_OK)
        code = act_get(db, point.at, &act, fault);
    if (code == FAULT_OK)
        code = state_get(db, &act.facts, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_history(struct store *store, const struct history_spec *spec,
                                    entry_visit *visit, void *context, struct history_info *info,
                                    struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = history_run(db, spec, visit, context, info, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_history_mark(struct store *store, int64_t owner, struct str session,
                                         struct history_mark *out, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = history_mark_run(db, owner, session, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_raw_log(struct store *store, const struct log_spec *spec,
                                    entry_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = raw_log_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_journal(struct store *store, const struct log_spec *spec,
                                    journal_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = journal_run(db, spec, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_records(struct store *store, int64_t owner, struct str session,
                                    record_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = records_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_record_last(struct store *store, int64_t owner, struct str session,
                                        unsigned kinds, struct arena *arena, struct record *out,
                                        struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = record_last_run(db, owner, session, kinds, arena, out, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_record_find(struct store *store, int64_t owner, struct str id,
                                        struct arena *arena, struct str *session,
                                        struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = record_find_run(db, owner, id, arena, session, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_labels(struct store *store, int64_t owner, struct str session,
                                   label_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = labels_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_relatives(struct store *store, int64_t owner, struct str session,
                                      int relation, session_visit *visit, void *context,
                                      struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = relatives_run(db, owner, session, relation, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_rewound(struct store *store, int64_t owner, struct str session,
                                    rewound_visit *visit, void *context, struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = rewound_run(db, owner, session, visit, context, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_search(struct store *store, const struct search_spec *spec,
                                   hit_visit *visit, void *context, struct search_info *info,
                                   struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (reader_take(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = search_run(own(store)->search, db, spec, visit, context, info, fault);
    reader_give(own(store), db);
    return code;
}

static enum fault_code read_events(struct store *store, const struct event_spec *spec,
                                   event_visit *visit, void *context, struct event_info *info,
                                   struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = events_run(db, spec, visit, context, info, fault);
    read_end(own(store), db);
    return code;
}

static enum fault_code read_turn(struct store *store, int64_t owner, struct str session,
                                 struct str turn, entry_visit *visit, void *context,
                                 struct fault *fault)
{
    struct db *db;
    enum fault_code code;

    if (read_begin(own(store), &db, fault) != FAULT_OK)
        return fault_pass(fault);
    code = turn_run(db, owner, session, turn, visit, context, fault);
    read_end(own(store), db);
    return code;
}

const struct store_read_ops sqlite_read_ops = {
    .session = read_session,
    .list = read_list,
    .point = read_point,
    .entry = read_entry,
    .state = read_state,
    .history = read_history,
    .history_mark = read_history_mark,
    .raw_log = read_raw_log,
    .journal = read_journal,
    .records = read_records,
    .record_last = read_record_last,
    .record_find = read_record_find,
    .labels = read_labels,
    .relatives = read_relatives,
    .rewound = read_rewound,
    .search = read_search,
    .events = read_events,
    .turn = read_turn,
};
