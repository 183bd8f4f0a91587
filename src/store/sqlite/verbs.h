/*
 * The verbs of the store as they run on one connection, inside a transaction that the caller began.
 * Contracts are those of store/store.h. Those that write check all their conditions first.
 */
#ifndef STORE_SQLITE_VERBS_H
#define STORE_SQLITE_VERBS_H

#include "store/sqlite/db.h"
#include "store/store.h"

/* writes */
FAULT_CHECK enum fault_code create_run(struct db *db, const struct create_spec *spec,
                                       struct arena *arena, struct session *out,
                                       struct fault *fault);
FAULT_CHECK enum fault_code update_run(struct db *db, const struct update_spec *spec,
                                       struct arena *arena, struct session *out,
                                       struct fault *fault);
FAULT_CHECK enum fault_code append_run(struct db *db, const struct append_spec *spec,
                                       struct arena *arena, struct append_result *out,
                                       struct fault *fault);
FAULT_CHECK enum fault_code fork_run(struct db *db, const struct fork_spec *spec,
                                     struct arena *arena, struct fork_result *out,
                                     struct fault *fault);
FAULT_CHECK enum fault_code move_run(struct db *db, const struct move_spec *spec,
                                     struct arena *arena, struct move_result *out,
                                     struct fault *fault);
FAULT_CHECK enum fault_code adopt_run(struct db *db, const struct adopt_spec *spec,
                                      struct arena *arena, struct move_result *out,
                                      struct fault *fault);
FAULT_CHECK enum fault_code merge_files_run(struct db *db, const struct merge_spec *spec,
                                            struct arena *arena, struct merge_result *out,
                                            struct fault *fault);
FAULT_CHECK enum fault_code workspace_run(struct db *db, const struct workspace_spec *spec,
                                          struct arena *arena, struct session *out,
                                          struct fault *fault);
FAULT_CHECK enum fault_code intent_begin_run(struct db *db, const struct intent_spec *spec,
                                             struct arena *arena, int64_t *intent,
                                             struct address *head, struct fault *fault);
FAULT_CHECK enum fault_code intent_drop_run(struct db *db, int64_t intent, struct fault *fault);
FAULT_CHECK enum fault_code save_run(struct db *db, const struct record_spec *spec,
                                     struct arena *arena, struct fault *fault);
FAULT_CHECK enum fault_code label_run(struct db *db, const struct label_spec *spec,
                                      struct arena *arena, struct label *out, struct fault *fault);
FAULT_CHECK enum fault_code delete_run(struct db *db, const struct delete_spec *spec,
                                       struct fault *fault);
FAULT_CHECK enum fault_code owner_run(struct db *db, struct str name, int64_t *out,
                                      struct fault *fault);
FAULT_CHECK enum fault_code user_add_run(struct db *db, const struct user_spec *spec,
                                         int64_t *owner, struct fault *fault);
FAULT_CHECK enum fault_code user_remove_run(struct db *db, struct str name, struct fault *fault);
FAULT_CHECK enum fault_code agent_put_run(struct db *db, const struct agent_row *row,
                                          bool must_be_new, struct once *once, struct arena *arena,
                                          struct fault *fault);
FAULT_CHECK enum fault_code agent_remove_run(struct db *db, struct str name, struct fault *fault);
FAULT_CHECK enum fault_code draft_run(struct db *db, int64_t owner, struct str session,
                                      struct str turn, struct str body, struct fault *fault);
FAULT_CHECK enum fault_code import_run(struct db *db, int64_t owner, log_item_next *next,
                                       void *context, struct fault *fault);

/*
 * Clearing away, in two transactions because search.db is a file of its own: first what will go,
 * then, when that has been taken out of the index, the going. What is found may go stays so: a new
 * fork or reference can only name what a living session has, and that is below.
 */
struct reap_plan {
    enum {
        REAP_NOTHING,
        REAP_TRIM,  /* acts above `low` go */
        REAP_PURGE, /* the bodies of `acts` go */
        REAP_FINISH /* no act is left that must go: the rest is looked at */
    } step;
    int64_t s, low;
    bool purge;    /* bodies that nobody shows go, too */
    bool scrub;    /* no word of what goes may be left anywhere */
    int64_t *acts; /* numbers in the store: what is to be taken out of the index */
    size_t count;
};

FAULT_CHECK enum fault_code reap_look(struct db *db, struct arena *arena, struct reap_plan *out,
                                      struct fault *fault);
FAULT_CHECK enum fault_code reap_run(struct db *db, const struct reap_plan *plan,
                                     struct arena *arena, struct fault *fault);

/* gc: sub-sessions that nothing ever named are deleted; then what nobody names is removed. */
FAULT_CHECK enum fault_code gc_loose(struct db *db, const struct gc_spec *spec,
                                     struct fault *fault);
FAULT_CHECK enum fault_code gc_leftovers(struct db *db, const struct gc_spec *spec,
                                         struct gc_result *out, struct fault *fault);

/* reads */
FAULT_CHECK enum fault_code session_named(struct db *db, int64_t owner, struct str name,
                                          bool may_be_part, struct arena *arena,
                                          struct session *out, struct fault *fault);
FAULT_CHECK enum fault_code list_run(struct db *db, const struct list_spec *spec,
                                     session_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code relatives_run(struct db *db, int64_t owner, struct str session,
                                          int relation, session_visit *visit, void *context,
                                          struct fault *fault);
FAULT_CHECK enum fault_code labels_run(struct db *db, int64_t owner, struct str session,
                                       label_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code history_run(struct db *db, const struct history_spec *spec,
                                        entry_visit *visit, void *context,
                                        struct history_info *info, struct fault *fault);
FAULT_CHECK enum fault_code history_mark_run(struct db *db, int64_t owner, struct str session,
                                             struct history_mark *out, struct fault *fault);
FAULT_CHECK enum fault_code raw_log_run(struct db *db, const struct log_spec *spec,
                                        entry_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code journal_run(struct db *db, const struct log_spec *spec,
                                        journal_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code events_run(struct db *db, const struct event_spec *spec,
                                       event_visit *visit, void *context, struct event_info *info,
                                       struct fault *fault);
FAULT_CHECK enum fault_code turn_run(struct db *db, int64_t owner, struct str session,
                                     struct str turn, entry_visit *visit, void *context,
                                     struct fault *fault);
FAULT_CHECK enum fault_code rewound_run(struct db *db, int64_t owner, struct str session,
                                        rewound_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code records_run(struct db *db, int64_t owner, struct str session,
                                        record_visit *visit, void *context, struct fault *fault);
FAULT_CHECK enum fault_code record_last_run(struct db *db, int64_t owner, struct str session,
                                            unsigned kinds, struct arena *arena, struct record *out,
                                            struct fault *fault);
FAULT_CHECK enum fault_code record_find_run(struct db *db, int64_t owner, struct str id,
                                            struct arena *arena, struct str *session,
                                            struct fault *fault);
FAULT_CHECK enum fault_code files_acts_run(struct db *db, int64_t owner, struct str session,
                                           struct address after, files_act_visit *visit,
                                           void *context, struct fault *fault);
FAULT_CHECK enum fault_code tree_at_run(struct db *db, int64_t owner, struct str session,
                                        const struct point_spec *spec, struct address *at,
                                        unsigned char tree[HASH_BYTES], struct fault *fault);
FAULT_CHECK enum fault_code intents_run(struct db *db, intent_visit *visit, void *context,
                                        struct fault *fault);
FAULT_CHECK enum fault_code user_list_run(struct db *db, user_visit *visit, void *context,
                                          struct fault *fault);
FAULT_CHECK enum fault_code user_find_run(struct db *db, const unsigned char token[HASH_BYTES],
                                          struct arena *arena, struct user *out,
                                          struct fault *fault);
FAULT_CHECK enum fault_code agent_list_run(struct db *db, agent_row_visit *visit, void *context,
                                           struct fault *fault);
FAULT_CHECK enum fault_code run_active_run(struct db *db, run_visit *visit, void *context,
                                           struct fault *fault);
FAULT_CHECK enum fault_code run_get_run(struct db *db, int64_t owner, struct str session,
                                        struct arena *arena, struct run *out, struct fault *fault);
FAULT_CHECK enum fault_code counts_run(struct db *db, struct store_counts *out,
                                       struct fault *fault);
FAULT_CHECK enum fault_code verify_run(struct db *db, store_problem *problem,
                                       store_progress *progress, void *context,
                                       struct verify_result *out, struct fault *fault);
FAULT_CHECK enum fault_code export_run(struct db *db, int64_t owner, struct str session,
                                       log_item_visit *visit, void *context, struct fault *fault);

#endif
