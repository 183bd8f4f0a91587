/*
 * The store: where sessions and their acts are kept. Each verb is one whole transaction in domain
 * words. Conditions go down with the verb and are checked inside; rows never come up to be written
 * down again. Every verb may be called from any thread. A write returns after it is durable.
 *
 * Sessions are named by (owner, id); one of another owner does not exist. Unless said otherwise,
 * results live in the arena given, `out` is written on success only, and a visit is called once for
 * each row, in order; a visit that returns a fault ends the verb with that fault. A visit must not
 * call the store.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/event.h"
#include "store/files.h"
#include "store/log_item.h"
#include "store/object.h"
#include "store/once.h"
#include "store/session.h"

/*
 * As `owner` of a verb about a session that exists, and of lists and searches: whoever it belongs
 * to. Ids are unique for an owner only; FAULT_AMBIGUOUS when two have it.
 */
#define OWNER_ANY INT64_C(-1)

/*
 * Where a spec has `once`, it may be NULL. FAULT_KEY_REUSED when its key came with another request;
 * FAULT_TOO_LARGE when the answer is over LIMIT_ONCE_BYTES; then nothing was done.
 */

/* ---- writes ---- */

struct create_spec {
    int64_t owner;
    struct str id; /* the client's; empty: `drawn` */
    struct str title, agent, metadata, limits;
    struct str home, settings; /* as of struct session; settings empty: {} */
    bool sub;                  /* a sub-session */
    struct workspace workspace;
    struct state state; /* what it begins with: its first entry, of kind ENTRY_STATE */
    struct once *once;
    /* drawn by the engine */
    struct id drawn, drawn_entry;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
    int64_t sessions_max;
};

struct update_spec {
    int64_t owner;
    struct str session;
    const struct str *title, *agent, *metadata, *limits, *settings; /* NULL: as it is */
    const bool *archived;
    const struct str *expect_settings; /* as they must be now, else FAULT_HEAD_MOVED; NULL: any */
    int64_t at_us;
};

struct append_spec {
    int64_t owner;
    struct str session;
    const struct entry_spec *entries;
    size_t count;
    struct str expect_head; /* id of the newest entry on the path; p == NULL: any */
    struct run_step run;
    struct once *once;
    int64_t at_us; /* drawn by the engine: of the notes of a turn */
};

struct append_result {
    struct entry *entries; /* with ids, places, indexes, hashes and bodies */
    size_t count;
    int64_t e;     /* the highest number that is taken by it, or before it when it took none */
    bool repeated; /* the ids were there already, with the same bytes; nothing was written */
};

struct fork_spec {
    int64_t owner;
    struct str session;
    struct point_spec point;
    const struct str *title, *agent, *metadata; /* NULL: the next of the series; the source's */
    const struct str *settings;                 /* NULL: the source's */
    struct str home;                            /* as of struct session */
    struct str id;                              /* the client's; empty: `drawn` */
    struct str expect_head;
    /*
     * The files that it begins with when they are not those of the point: then its first entry is
     * of kind ENTRY_FILES. It has a directory of its own, unless its source has none at all.
     */
    struct tree_spec tree;
    bool dry_run;
    struct once *once;
    /* drawn by the engine */
    struct id drawn, drawn_files;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
    int64_t sessions_max;
};

struct fork_result {
    struct session session; /* on a dry run: as it would be, without an id */
    struct point point;
    bool has_excluded;
    struct entry excluded; /* the message before which the cut was made */
};

/*
 * What the files do in a move, when the caller looks after them (`tree.given`). With nothing given
 * the tree is that of the place moved to, or of the head for SCOPE_CONVERSATION. Where the tree
 * that results is not that of the place moved to, an entry of kind ENTRY_FILES follows the move.
 */
struct move_files {
    struct tree_spec tree;    /* the files after it */
    const struct address *at; /* where the head must be, else FAULT_HEAD_MOVED; NULL: anywhere */
    int64_t intent;           /* goes in the same transaction; without it, and with one there:
                                 FAULT_WORKSPACE_BUSY; no longer there: FAULT_NOT_FOUND. 0: none */
    struct id drawn;          /* drawn by the engine, of the entry of kind ENTRY_FILES */
    unsigned char salt[SALT_BYTES];
};

/*
 * A move of SCOPE_FILES leaves the head where it is and brings the tree of the point; undoing it
 * brings the tree that was there before it, and leaves the conversation, too.
 */
struct move_spec {
    int64_t owner;
    struct str session;
    enum move_act act; /* MOVE_REWIND, MOVE_UNDO, MOVE_REDO */
    enum move_scope scope;
    struct point_spec point; /* MOVE_REWIND */
    const struct str *keep;  /* state whose keys start so is not moved */
    size_t keep_count;
    struct str expect_head;
    /*
     * A runtime's own word for the move, appended before it in the same transaction: so it stands
     * in the raw log, and not on the path that is gone to. The point does not see it; undo comes
     * back to it. (SCOPE_FILES goes nowhere, and leaves it on the path.) It brings no files and
     * names no session. Not on a dry run. NULL: none.
     */
    struct entry_spec *entry;
    struct move_files files;
    bool dry_run;
    struct once *once;
    /* drawn by the engine */
    struct id drawn;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
};

struct adopt_spec {
    int64_t owner;
    struct str session, from;      /* of one family */
    enum move_scope scope;         /* SCOPE_FILES: takes over the files alone */
    const struct address *from_at; /* where the head of `from` must be; NULL: anywhere */
    struct str expect_head;
    struct move_files files;
    bool dry_run;
    struct once *once;
    /* Drawn by the engine: called for each entry taken over, and once for the move. */
    void (*draw)(void *context, struct id *id, unsigned char salt[SALT_BYTES], int64_t *at_us);
    void *draw_context;
};

/*
 * The file changes of another session of the family come into this one: a move to where the head is
 * already, so that it can be undone, and an entry that tells of it and brings the tree.
 */
struct merge_spec {
    int64_t owner;
    struct str session, from;
    struct str expect_head;
    struct move_files files;       /* files.tree: what came of it; needed unless it is a dry run */
    struct entry_spec *entry;      /* a message of role ROLE_SYSTEM; NULL on a dry run */
    const struct address *from_at; /* where the head of `from` must be; NULL: anywhere */
    bool dry_run;
    struct once *once;
    /* drawn by the engine */
    struct id drawn;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
};

struct merge_result {
    struct session session;
    struct str id;                        /* of the move; empty on a dry run */
    struct entry entry;                   /* the message; not filled in on a dry run */
    struct address head_at, from_at;      /* before it */
    struct address base;                  /* the common point, or the place of `from` merged last */
    struct str base_id;                   /* id of the entry there; empty: before everything */
    unsigned char base_tree[HASH_BYTES];  /* tree_empty: none; so the two below */
    unsigned char our_tree[HASH_BYTES];   /* at our head */
    unsigned char their_tree[HASH_BYTES]; /* at the head of `from` */
};

struct move_result {
    struct session session;                /* on a dry run: as it is */
    enum move_scope scope;                 /* of undo and redo: that of the act taken back */
    struct address head_at;                /* where the head was before it */
    unsigned char tree_before[HASH_BYTES]; /* at that head; tree_empty: none */
    unsigned char tree_target[HASH_BYTES]; /* of the place that the files go to: with an adopt, of
                                              the head of `from`; SCOPE_CONVERSATION: as before */
    struct address
        foreign_from;      /* foreign changes above this one (store_files_acts) stand between */
    struct str id;         /* of the move; empty on a dry run */
    struct str from, to;   /* ids of the newest entry on the path before and after; empty: none */
    int64_t dropped, kept; /* visible messages */
    int64_t added;         /* adopt: entries taken over */
    struct point point;
    bool has_excluded;
    struct entry excluded;
};

struct record_spec {
    int64_t owner;
    struct str session, id, turn; /* turn empty: it counts from where the head is now */
    int kind;
    struct str body;
    int64_t at_us;
};

struct label_spec {
    int64_t owner;
    struct str session;
    struct point_spec message; /* by message, index or label; the side does not matter */
    struct str text;           /* empty: take the label away */
    int64_t at_us;
};

struct delete_spec {
    int64_t owner;
    struct str session;
    bool purge; /* also empty the bodies that are left on no living path */
    int64_t at_us;
};

struct workspace_spec {
    int64_t owner;
    struct str session;
    struct workspace workspace;
    int64_t at_us;
};

struct intent_spec {
    int64_t owner;
    struct str session;
    struct address at; /* where the head must be: FAULT_HEAD_MOVED */
    /*
     * The files as they are just now (the intent's `from`): when the head does not have them, they
     * become an entry of kind ENTRY_FILES with ENTRY_FOREIGN, so that undo can bring them back.
     */
    struct tree_spec from;
    unsigned char to[HASH_BYTES]; /* as they will be; as old as `from` */
    struct str dir;
    int64_t dev, ino;
    struct str body;
    bool left_out; /* `from` does not have everything */
    /* drawn by the engine */
    struct id drawn;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
};

/* ---- reads ---- */

struct list_spec {
    int64_t owner;
    struct str agent; /* empty: any */
    int archived;     /* 0: not, 1: only, -1: both */
    int64_t limit;    /* 0: all */
    int64_t before_us,
        before_s; /* cursor: updated_us and s of the last one seen; 0: from the newest */
};

struct history_spec {
    int64_t owner;
    struct str session;
    struct point_spec at; /* the path up to here; POINT_END for the head */
    bool all;             /* also system messages, summaries, events … */
    bool tail;            /* the last `limit` visible messages */
    bool from_summary;    /* from the newest summary on, and it first; without a page */
    int64_t from;         /* first visible index */
    int64_t limit;        /* 0: all; with `all`, of entries */
    struct address after; /* cursor: the last entry seen; overrides `from` */
};

struct history_info {
    struct address head; /* of the path that was read: the cursor's `at` */
    struct address last; /* the last entry given: the cursor's `after` */
    int64_t total;       /* visible messages on the path */
    bool more;
};

/*
 * Where the history of a session stands. While it is the same, store_history gives the same again
 * for the same spec, if that names its end by address or not at all. All of it only grows, so that
 * one that has changed never comes back.
 */
struct history_mark {
    int64_t s;       /* the session, which no other will ever be */
    int64_t n;       /* its newest act; 0: it has none of its own */
    int64_t cleared; /* of the store: how often acts were removed or emptied */
};

struct log_spec {
    int64_t owner;
    struct str session;
    struct address after; /* raw log: the last act seen */
    int64_t after_e;      /* journal: the last number seen */
    int64_t limit;        /* 0: all */
};

enum search_way {
    SEARCH_NEWEST, /* all, newest first */
    SEARCH_BEFORE, /* those with a smaller place, newest first */
    SEARCH_AFTER   /* those with a larger place, oldest first */
};

struct search_spec {
    int64_t owner;
    struct str words; /* all must occur; "a phrase"; a star at the end of a word: its start */
    int64_t limit;
    /* Only the visible messages on the path of this session; empty: everything there is. */
    struct str session;
    enum search_way way; /* within a session; the others ignore it */
    int64_t place;       /* SEARCH_BEFORE, SEARCH_AFTER: a place in its visible list */
};

struct search_info {
    int64_t next; /* within a session: the place to go on from, the same way; -1: that was all */
};

/* ---- who may come in, and who answers ---- */

struct user_spec {
    struct str name;                 /* of the owner, who is made when new */
    unsigned char token[HASH_BYTES]; /* SHA-256 of the token; the token itself is never kept */
    struct str label;                /* what the token is for */
    int64_t at_us;
};

struct user {
    struct str name;
    int64_t owner;
    int64_t tokens;     /* 0: made by a dialect or by the local user, and cannot log in */
    int64_t sessions;   /* living ones */
    int64_t created_us; /* of its oldest token; 0: it has none */
};

typedef enum fault_code user_visit(void *context, const struct user *user, struct fault *fault);

/* An agent that was defined over the API: what it is is for the layers above to read. */
struct agent_row {
    struct str name; /* namespace/name */
    struct str body;
    int64_t at_us;
};

typedef enum fault_code agent_row_visit(void *context, const struct agent_row *row,
                                        struct fault *fault);

/* ---- the house ---- */

/* Counters since the store was opened, for those who watch it. */
struct store_timings {
    int64_t commits, pieces;    /* transactions of the writer, and pieces of work in them */
    int64_t commit_us, work_us; /* spent in committing, and in the pieces */
    int64_t waiting;            /* pieces that wait now */
};

/*
 * Called after each commit that changed something, by the writer's thread, before those who wait
 * for it are answered: must be quick and must not call the store.
 */
typedef void store_watch_call(void *context);

struct gc_spec {
    int64_t now_us;
    int64_t keep_us; /* what nobody names any more stays that long: objects, notes, loose
                        sub-sessions */
};

struct gc_result {
    int64_t sessions, entries, objects, notes; /* removed */
    int64_t bytes_before, bytes_after;         /* of the main file */
};

struct verify_result {
    int64_t sessions, entries, problems;
};

struct store_counts {
    int64_t sessions, deleted, subsessions, entries, lines, moves, states, turns, records, notes,
        pins, labels, objects, reaps, runs, answers, tokens, agents;
};

/* Told how far a long piece of work is; `total` 0 when it is not known. */
typedef void store_progress(void *context, const char *step, int64_t done, int64_t total);

/* Told what `verify` found broken, one line each. */
typedef void store_problem(void *context, const char *message);

struct store;

struct store_tree_ops {
    enum fault_code (*create)(struct store *, const struct create_spec *, struct arena *,
                              struct session *, struct fault *);
    enum fault_code (*update)(struct store *, const struct update_spec *, struct arena *,
                              struct session *, struct fault *);
    enum fault_code (*append)(struct store *, const struct append_spec *, struct arena *,
                              struct append_result *, struct fault *);
    enum fault_code (*fork)(struct store *, const struct fork_spec *, struct arena *,
                            struct fork_result *, struct fault *);
    enum fault_code (*move)(struct store *, const struct move_spec *, struct arena *,
                            struct move_result *, struct fault *);
    enum fault_code (*adopt)(struct store *, const struct adopt_spec *, struct arena *,
                             struct move_result *, struct fault *);
    enum fault_code (*save)(struct store *, const struct record_spec *, struct fault *);
    enum fault_code (*label)(struct store *, const struct label_spec *, struct arena *,
                             struct label *, struct fault *);
    enum fault_code (*remove)(struct store *, const struct delete_spec *, struct fault *);
    enum fault_code (*reap)(struct store *, bool *more, struct fault *);
};

struct store_read_ops {
    enum fault_code (*session)(struct store *, int64_t owner, struct str name, bool may_be_part,
                               struct arena *, struct session *, struct fault *);
    enum fault_code (*list)(struct store *, const struct list_spec *, session_visit *, void *,
                            struct fault *);
    enum fault_code (*point)(struct store *, int64_t owner, struct str session,
                             const struct point_spec *, struct arena *, struct point *,
                             struct fault *);
    enum fault_code (*entry)(struct store *, int64_t owner, struct str session,
                             const struct point_spec *, struct arena *, struct entry *,
                             struct fault *);
    enum fault_code (*state)(struct store *, int64_t owner, struct str session,
                             const struct point_spec *, struct arena *, struct state *,
                             struct fault *);
    enum fault_code (*history)(struct store *, const struct history_spec *, entry_visit *, void *,
                               struct history_info *, struct fault *);
    enum fault_code (*history_mark)(struct store *, int64_t owner, struct str session,
                                    struct history_mark *, struct fault *);
    enum fault_code (*raw_log)(struct store *, const struct log_spec *, entry_visit *, void *,
                               struct fault *);
    enum fault_code (*journal)(struct store *, const struct log_spec *, journal_visit *, void *,
                               struct fault *);
    enum fault_code (*records)(struct store *, int64_t owner, struct str session, record_visit *,
                               void *, struct fault *);
    enum fault_code (*record_last)(struct store *, int64_t owner, struct str session,
                                   unsigned kinds, struct arena *, struct record *, struct fault *);
    enum fault_code (*record_find)(struct store *, int64_t owner, struct str id, struct arena *,
                                   struct str *session, struct fault *);
    enum fault_code (*labels)(struct store *, int64_t owner, struct str session, label_visit *,
                              void *, struct fault *);
    enum fault_code (*relatives)(struct store *, int64_t owner, struct str session, int relation,
                                 session_visit *, void *, struct fault *);
    enum fault_code (*rewound)(struct store *, int64_t owner, struct str session, rewound_visit *,
                               void *, struct fault *);
    enum fault_code (*search)(struct store *, const struct search_spec *, hit_visit *, void *,
                              struct search_info *, struct fault *);
    enum fault_code (*events)(struct store *, const struct event_spec *, event_visit *, void *,
                              struct event_info *, struct fault *);
    enum fault_code (*turn)(struct store *, int64_t owner, struct str session, struct str turn,
                            entry_visit *, void *, struct fault *);
};

/* Files: objects, where a session's directory is, and what is about to happen to it. */
struct store_file_ops {
    enum fault_code (*put)(struct store *, const struct object *, size_t, struct fault *);
    enum fault_code (*have)(struct store *, const unsigned char (*)[HASH_BYTES], size_t, bool *,
                            struct fault *);
    enum fault_code (*get)(struct store *, const unsigned char[HASH_BYTES], struct arena *,
                           struct object *, struct fault *);
    enum fault_code (*since)(struct store *, int64_t *, struct fault *);
    enum fault_code (*acts)(struct store *, int64_t owner, struct str session, struct address after,
                            files_act_visit *, void *, struct fault *);
    enum fault_code (*tree_at)(struct store *, int64_t owner, struct str session,
                               const struct point_spec *, struct address *at, unsigned char *tree,
                               struct fault *);
    enum fault_code (*workspace)(struct store *, const struct workspace_spec *, struct arena *,
                                 struct session *, struct fault *);
    enum fault_code (*intent_begin)(struct store *, const struct intent_spec *, int64_t *intent,
                                    struct address *head, struct fault *);
    enum fault_code (*intent_drop)(struct store *, int64_t intent, struct fault *);
    enum fault_code (*intents)(struct store *, intent_visit *, void *, struct fault *);
    enum fault_code (*merge)(struct store *, const struct merge_spec *, struct arena *,
                             struct merge_result *, struct fault *);
};

/* Who may come in, who answers, and what is going on: small tables beside the tree. */
struct store_desk_ops {
    enum fault_code (*user_add)(struct store *, const struct user_spec *, int64_t *owner,
                                struct fault *);
    enum fault_code (*user_list)(struct store *, user_visit *, void *, struct fault *);
    enum fault_code (*user_remove)(struct store *, struct str name, struct fault *);
    enum fault_code (*user_find)(struct store *, const unsigned char token[HASH_BYTES],
                                 struct arena *, struct user *, struct fault *);
    enum fault_code (*agent_put)(struct store *, const struct agent_row *, bool must_be_new,
                                 struct once *, struct arena *, struct fault *);
    enum fault_code (*agent_remove)(struct store *, struct str name, struct fault *);
    enum fault_code (*agent_list)(struct store *, agent_row_visit *, void *, struct fault *);
    enum fault_code (*run_draft)(struct store *, int64_t owner, struct str session, struct str turn,
                                 struct str body, struct fault *);
    enum fault_code (*run_active)(struct store *, run_visit *, void *, struct fault *);
    enum fault_code (*run_get)(struct store *, int64_t owner, struct str session, struct arena *,
                               struct run *, struct fault *);
    enum fault_code (*answer_find)(struct store *, struct once *, int64_t now_us, struct arena *,
                                   struct fault *);
    enum fault_code (*answer_keep)(struct store *, struct once *, int64_t now_us, struct arena *,
                                   struct fault *);
};

struct store_house_ops {
    void (*close)(struct store *);
    void (*watch)(struct store *, store_watch_call *, void *);
    enum fault_code (*version)(struct store *, int64_t *, struct fault *);
    void (*timings)(struct store *, struct store_timings *);
    enum fault_code (*owner)(struct store *, struct str name, int64_t *out, struct fault *);
    enum fault_code (*counts)(struct store *, struct store_counts *, struct fault *);
    enum fault_code (*backup)(struct store *, const char *path, store_progress *, void *,
                              struct fault *);
    enum fault_code (*verify)(struct store *, store_problem *, store_progress *, void *,
                              struct verify_result *, struct fault *);
    enum fault_code (*gc)(struct store *, const struct gc_spec *, store_progress *, void *,
                          struct gc_result *, struct fault *);
    enum fault_code (*export_log)(struct store *, int64_t owner, struct str session,
                                  log_item_visit *, void *, struct fault *);
    enum fault_code (*import_log)(struct store *, int64_t owner, log_item_next *, void *,
                                  struct fault *);
};

struct store {
    const struct store_tree_ops *tree;
    const struct store_read_ops *read;
    const struct store_file_ops *file;
    const struct store_desk_ops *desk;
    const struct store_house_ops *house;
};

enum store_relation {
    RELATION_FAMILY,    /* all living sessions of the family, root first, parents before forks */
    RELATION_ANCESTORS, /* the chain of parents, nearest first; deleted ones as far as known */
    RELATION_CHILDREN   /* living sessions that were forked from it, oldest first */
};

/*
 * A new session. FAULT_EXISTS when the owner has the id; FAULT_LIMIT at `sessions_max`;
 * FAULT_USER_NOT_FOUND when there is no such owner.
 */
FAULT_CHECK static inline enum fault_code
store_session_create(struct store *store, const struct create_spec *spec, struct arena *arena,
                     struct session *out, struct fault *fault)
{
    return store->tree->create(store, spec, arena, out, fault);
}

FAULT_CHECK static inline enum fault_code
store_session_update(struct store *store, const struct update_spec *spec, struct arena *arena,
                     struct session *out, struct fault *fault)
{
    return store->tree->update(store, spec, arena, out, fault);
}

/*
 * Appends all entries or none. An id that the session already has gives the same answer again when
 * everything but the files is the same, else FAULT_ID_TAKEN. FAULT_WORKSPACE_BUSY when there is an
 * intent, and the append begins a turn or brings files.
 */
FAULT_CHECK static inline enum fault_code
store_append(struct store *store, const struct append_spec *spec, struct arena *arena,
             struct append_result *out, struct fault *fault)
{
    return store->tree->append(store, spec, arena, out, fault);
}

/* One row, whatever the length of the history. The source is not touched. */
FAULT_CHECK static inline enum fault_code
store_session_fork(struct store *store, const struct fork_spec *spec, struct arena *arena,
                   struct fork_result *out, struct fault *fault)
{
    return store->tree->fork(store, spec, arena, out, fault);
}

/*
 * Rewind, undo or redo. A rewind that would change nothing is FAULT_POINT_IS_HEAD: the conversation
 * is there already (or stays, SCOPE_FILES), and the files after it are those of the head (or do not
 * count, SCOPE_CONVERSATION). A dry run of SCOPE_FILES is never refused so: what is in the
 * directory is not known to it; one with an entry changes the log, and is not refused so either.
 * FAULT_TURN_RUNNING, FAULT_WORKSPACE_BUSY, FAULT_HEAD_MOVED; FAULT_ID_TAKEN when the session has
 * an entry of that id.
 *
 * Whoever looks first and moves later names the point by its address then (POINT_ADDRESS): an
 * intent may put an entry of kind ENTRY_FILES behind the message that a point is after.
 */
FAULT_CHECK static inline enum fault_code
store_session_move(struct store *store, const struct move_spec *spec, struct arena *arena,
                   struct move_result *out, struct fault *fault)
{
    return store->tree->move(store, spec, arena, out, fault);
}

/*
 * Goes back to where `from` parted and takes over what it has since, as one act. FAULT_NOT_FAMILY;
 * FAULT_NOTHING_TO_ADOPT when `from` has nothing since; with SCOPE_FILES, when the files are the
 * same already (but a dry run is never refused so).
 */
FAULT_CHECK static inline enum fault_code
store_session_adopt(struct store *store, const struct adopt_spec *spec, struct arena *arena,
                    struct move_result *out, struct fault *fault)
{
    return store->tree->adopt(store, spec, arena, out, fault);
}

/* Saves a version of a record. The one before is overwritten unless a fork has seen it. */
FAULT_CHECK static inline enum fault_code
store_record_save(struct store *store, const struct record_spec *spec, struct fault *fault)
{
    return store->tree->save(store, spec, fault);
}

/* Sets, moves or removes a label: a text names one message of a session, a message has one. */
FAULT_CHECK static inline enum fault_code store_label_set(struct store *store,
                                                          const struct label_spec *spec,
                                                          struct arena *arena, struct label *out,
                                                          struct fault *fault)
{
    return store->tree->label(store, spec, arena, out, fault);
}

/* Takes the name away. What nothing else stands on is left for store_reap. */
FAULT_CHECK static inline enum fault_code
store_session_delete(struct store *store, const struct delete_spec *spec, struct fault *fault)
{
    return store->tree->remove(store, spec, fault);
}

/* One small transaction of clearing away what was deleted; `more` when there is more to do. */
FAULT_CHECK static inline enum fault_code store_reap(struct store *store, bool *more,
                                                     struct fault *fault)
{
    return store->tree->reap(store, more, fault);
}

/*
 * The session of that id. With `may_be_part` also a unique start or end (4 characters or more) of
 * an id, or a title that only one living session has; FAULT_AMBIGUOUS when several fit.
 */
FAULT_CHECK static inline enum fault_code
store_session_get(struct store *store, int64_t owner, struct str name, bool may_be_part,
                  struct arena *arena, struct session *out, struct fault *fault)
{
    return store->read->session(store, owner, name, may_be_part, arena, out, fault);
}

/* Living sessions, the one last written to first. The state is not filled in. */
FAULT_CHECK static inline enum fault_code store_session_list(struct store *store,
                                                             const struct list_spec *spec,
                                                             session_visit *visit, void *context,
                                                             struct fault *fault)
{
    return store->read->list(store, spec, visit, context, fault);
}

/* What a point comes to, with its guard. */
FAULT_CHECK static inline enum fault_code
store_point(struct store *store, int64_t owner, struct str session, const struct point_spec *spec,
            struct arena *arena, struct point *out, struct fault *fault)
{
    return store->read->point(store, owner, session, spec, arena, out, fault);
}

/* The entry that a point names, whatever its side. */
FAULT_CHECK static inline enum fault_code store_entry_get(struct store *store, int64_t owner,
                                                          struct str session,
                                                          const struct point_spec *spec,
                                                          struct arena *arena, struct entry *out,
                                                          struct fault *fault)
{
    return store->read->entry(store, owner, session, spec, arena, out, fault);
}

/* The state at a point. */
FAULT_CHECK static inline enum fault_code store_state_get(struct store *store, int64_t owner,
                                                          struct str session,
                                                          const struct point_spec *spec,
                                                          struct arena *arena, struct state *out,
                                                          struct fault *fault)
{
    return store->read->state(store, owner, session, spec, arena, out, fault);
}

/* The effective history, oldest first: a page, the tail, or all of it. `info` may be NULL. */
FAULT_CHECK static inline enum fault_code
store_history(struct store *store, const struct history_spec *spec, entry_visit *visit,
              void *context, struct history_info *info, struct fault *fault)
{
    return store->read->history(store, spec, visit, context, info, fault);
}

/* Much cheaper than the history itself; also sees what other processes have written. */
FAULT_CHECK static inline enum fault_code store_history_mark(struct store *store, int64_t owner,
                                                             struct str session,
                                                             struct history_mark *out,
                                                             struct fault *fault)
{
    return store->read->history_mark(store, owner, session, out, fault);
}

/* Everything the session ever had, moves included, oldest first. */
FAULT_CHECK static inline enum fault_code store_raw_log(struct store *store,
                                                        const struct log_spec *spec,
                                                        entry_visit *visit, void *context,
                                                        struct fault *fault)
{
    return store->read->raw_log(store, spec, visit, context, fault);
}

/* The session's own acts and notes, oldest first. */
FAULT_CHECK static inline enum fault_code store_journal(struct store *store,
                                                        const struct log_spec *spec,
                                                        journal_visit *visit, void *context,
                                                        struct fault *fault)
{
    return store->read->journal(store, spec, visit, context, fault);
}

/* The records on the session's path: the last version of each, in the order of their first places.
 */
FAULT_CHECK static inline enum fault_code store_records(struct store *store, int64_t owner,
                                                        struct str session, record_visit *visit,
                                                        void *context, struct fault *fault)
{
    return store->read->records(store, owner, session, visit, context, fault);
}

/*
 * Of the records on the session's path, as store_records gives them, the one that was saved last
 * and is of one of these kinds (1U << kind, kinds below 32). No other body is read.
 * FAULT_NOT_FOUND.
 */
FAULT_CHECK static inline enum fault_code store_record_last(struct store *store, int64_t owner,
                                                            struct str session, unsigned kinds,
                                                            struct arena *arena, struct record *out,
                                                            struct fault *fault)
{
    return store->read->record_last(store, owner, session, kinds, arena, out, fault);
}

/* The id of the living session in which a record of that id was last saved. FAULT_NOT_FOUND. */
FAULT_CHECK static inline enum fault_code store_record_find(struct store *store, int64_t owner,
                                                            struct str id, struct arena *arena,
                                                            struct str *session,
                                                            struct fault *fault)
{
    return store->read->record_find(store, owner, id, arena, session, fault);
}

/* The session's labels and those of what it stands on; its own win. */
FAULT_CHECK static inline enum fault_code store_labels(struct store *store, int64_t owner,
                                                       struct str session, label_visit *visit,
                                                       void *context, struct fault *fault)
{
    return store->read->labels(store, owner, session, visit, context, fault);
}

/* `relation` is an enum store_relation. */
FAULT_CHECK static inline enum fault_code store_relatives(struct store *store, int64_t owner,
                                                          struct str session, int relation,
                                                          session_visit *visit, void *context,
                                                          struct fault *fault)
{
    return store->read->relatives(store, owner, session, relation, visit, context, fault);
}

/* What the session itself wrote and has rewound away, in the order it was written. */
FAULT_CHECK static inline enum fault_code store_rewound(struct store *store, int64_t owner,
                                                        struct str session, rewound_visit *visit,
                                                        void *context, struct fault *fault)
{
    return store->read->rewound(store, owner, session, visit, context, fault);
}

/*
 * Titles and text across all branches, newest first; or the messages of one session. Sees
 * everything acknowledged before it. Within a session it costs what it looks at, however long the
 * session is, and ends after `limit` hits or LIMIT_LOOKS matches: `info` (may be NULL) then says
 * where to go on, which is always further than it began.
 */
FAULT_CHECK static inline enum fault_code
store_search(struct store *store, const struct search_spec *spec, hit_visit *visit, void *context,
             struct search_info *info, struct fault *fault)
{
    return store->read->search(store, spec, visit, context, info, fault);
}

/*
 * Acts and notes above a number, in order; a visit sees each once. Nothing ever appears later below
 * a number that was given out. Of a deleted session its deletion is told and nothing else, also
 * when it is named; then FAULT_SESSION_NOT_FOUND. Sub-sessions are told only when named.
 */
FAULT_CHECK static inline enum fault_code store_events(struct store *store,
                                                       const struct event_spec *spec,
                                                       event_visit *visit, void *context,
                                                       struct event_info *info, struct fault *fault)
{
    return store->read->events(store, spec, visit, context, info, fault);
}

/*
 * The entries of a turn that the session itself has, in the order they were written, also those
 * rewound away since. FAULT_TURN_NOT_FOUND.
 */
FAULT_CHECK static inline enum fault_code store_turn(struct store *store, int64_t owner,
                                                     struct str session, struct str turn,
                                                     entry_visit *visit, void *context,
                                                     struct fault *fault)
{
    return store->read->turn(store, owner, session, turn, visit, context, fault);
}

/*
 * Keeps objects, in one transaction; those that are there already are named anew, so that gc leaves
 * them for a while. At most OBJECT_PUT_BYTES of data, unless it is one object alone.
 */
FAULT_CHECK static inline enum fault_code store_objects_put(struct store *store,
                                                            const struct object *objects,
                                                            size_t count, struct fault *fault)
{
    return store->file->put(store, objects, count, fault);
}

/* Which of them are there; those are named anew, too. At most LIMIT_HAVE at once. */
FAULT_CHECK static inline enum fault_code
store_objects_have(struct store *store, const unsigned char (*hashes)[HASH_BYTES], size_t count,
                   bool *have, struct fault *fault)
{
    return store->file->have(store, hashes, count, have, fault);
}

/* An object by its hash, packed as it is kept. FAULT_NOT_FOUND. */
FAULT_CHECK static inline enum fault_code store_object_get(struct store *store,
                                                           const unsigned char hash[HASH_BYTES],
                                                           struct arena *arena, struct object *out,
                                                           struct fault *fault)
{
    return store->file->get(store, hash, arena, out, fault);
}

/* When gc last began; what was named since is still there. */
FAULT_CHECK static inline enum fault_code store_objects_since(struct store *store, int64_t *out,
                                                              struct fault *fault)
{
    return store->file->since(store, out, fault);
}

/* The session's own acts above a place that changed its files, moves included, in order. */
FAULT_CHECK static inline enum fault_code store_files_acts(struct store *store, int64_t owner,
                                                           struct str session, struct address after,
                                                           files_act_visit *visit, void *context,
                                                           struct fault *fault)
{
    return store->file->acts(store, owner, session, after, visit, context, fault);
}

/* The tree of a point, and the point's place; tree_empty when there are no files. */
FAULT_CHECK static inline enum fault_code
store_tree_at(struct store *store, int64_t owner, struct str session, const struct point_spec *spec,
              struct address *at, unsigned char tree[HASH_BYTES], struct fault *fault)
{
    return store->file->tree_at(store, owner, session, spec, at, tree, fault);
}

/* Another directory for the session. FAULT_TURN_RUNNING, FAULT_WORKSPACE_BUSY. */
FAULT_CHECK static inline enum fault_code
store_workspace_set(struct store *store, const struct workspace_spec *spec, struct arena *arena,
                    struct session *out, struct fault *fault)
{
    return store->file->workspace(store, spec, arena, out, fault);
}

/*
 * Says what is about to happen to a directory; *head is where the head is then. FAULT_TURN_RUNNING;
 * FAULT_WORKSPACE_BUSY when the session has an intent already; FAULT_HEAD_MOVED; FAULT_TREE_STALE
 * and FAULT_NOT_FOUND of either tree.
 */
FAULT_CHECK static inline enum fault_code store_intent_begin(struct store *store,
                                                             const struct intent_spec *spec,
                                                             int64_t *intent, struct address *head,
                                                             struct fault *fault)
{
    return store->file->intent_begin(store, spec, intent, head, fault);
}

/* It was taken back: nothing of it was done, or all of it undone. */
FAULT_CHECK static inline enum fault_code store_intent_drop(struct store *store, int64_t intent,
                                                            struct fault *fault)
{
    return store->file->intent_drop(store, intent, fault);
}

FAULT_CHECK static inline enum fault_code store_intents(struct store *store, intent_visit *visit,
                                                        void *context, struct fault *fault)
{
    return store->file->intents(store, visit, context, fault);
}

/*
 * FAULT_NOTHING_TO_MERGE when `from` has changed no files since the base; FAULT_NOT_FAMILY,
 * FAULT_TURN_RUNNING (in either), FAULT_WORKSPACE_BUSY, FAULT_HEAD_MOVED.
 */
FAULT_CHECK static inline enum fault_code
store_session_merge(struct store *store, const struct merge_spec *spec, struct arena *arena,
                    struct merge_result *out, struct fault *fault)
{
    return store->file->merge(store, spec, arena, out, fault);
}

/* Gives a user, who is made when new, a token. FAULT_EXISTS when the token is there already. */
FAULT_CHECK static inline enum fault_code store_user_add(struct store *store,
                                                         const struct user_spec *spec,
                                                         int64_t *owner, struct fault *fault)
{
    return store->desk->user_add(store, spec, owner, fault);
}

/* All owners, by name. */
FAULT_CHECK static inline enum fault_code store_user_list(struct store *store, user_visit *visit,
                                                          void *context, struct fault *fault)
{
    return store->desk->user_list(store, visit, context, fault);
}

/*
 * Takes all tokens of a user away; the name goes too when nothing belongs to it, else the sessions
 * stay its own. FAULT_USER_NOT_FOUND.
 */
FAULT_CHECK static inline enum fault_code store_user_remove(struct store *store, struct str name,
                                                            struct fault *fault)
{
    return store->desk->user_remove(store, name, fault);
}

/* The user with that token. FAULT_UNAUTHORIZED. `sessions` is not filled in. */
FAULT_CHECK static inline enum fault_code store_user_find(struct store *store,
                                                          const unsigned char token[HASH_BYTES],
                                                          struct arena *arena, struct user *out,
                                                          struct fault *fault)
{
    return store->desk->user_find(store, token, arena, out, fault);
}

/*
 * Keeps the definition of an agent. With `must_be_new`, FAULT_EXISTS when there is one. `once` may
 * be NULL.
 */
FAULT_CHECK static inline enum fault_code store_agent_put(struct store *store,
                                                          const struct agent_row *row,
                                                          bool must_be_new, struct once *once,
                                                          struct arena *arena, struct fault *fault)
{
    return store->desk->agent_put(store, row, must_be_new, once, arena, fault);
}

/*
 * For an act that is no transaction of this thread's: the answer that is kept for the key, if there
 * is one (once->repeated). FAULT_KEY_REUSED.
 */
FAULT_CHECK static inline enum fault_code store_answer_find(struct store *store, struct once *once,
                                                            int64_t now_us, struct arena *arena,
                                                            struct fault *fault)
{
    return store->desk->answer_find(store, once, now_us, arena, fault);
}

/*
 * … and keeps its answer afterwards, in a transaction of its own; once->repeated when somebody was
 * first. An act whose process ends between the two is not known to have been carried out.
 */
FAULT_CHECK static inline enum fault_code store_answer_keep(struct store *store, struct once *once,
                                                            int64_t now_us, struct arena *arena,
                                                            struct fault *fault)
{
    return store->desk->answer_keep(store, once, now_us, arena, fault);
}

/* FAULT_AGENT_NOT_FOUND */
FAULT_CHECK static inline enum fault_code store_agent_remove(struct store *store, struct str name,
                                                             struct fault *fault)
{
    return store->desk->agent_remove(store, name, fault);
}

/* All of them, by name. */
FAULT_CHECK static inline enum fault_code
store_agent_list(struct store *store, agent_row_visit *visit, void *context, struct fault *fault)
{
    return store->desk->agent_list(store, visit, context, fault);
}

/* Keeps what a turn has said so far of a message. FAULT_TURN_OVER when it is not the active one. */
FAULT_CHECK static inline enum fault_code store_run_draft(struct store *store, int64_t owner,
                                                          struct str session, struct str turn,
                                                          struct str body, struct fault *fault)
{
    return store->desk->run_draft(store, owner, session, turn, body, fault);
}

/* All turns that are active, with their sessions and drafts. */
FAULT_CHECK static inline enum fault_code store_run_active(struct store *store, run_visit *visit,
                                                           void *context, struct fault *fault)
{
    return store->desk->run_active(store, visit, context, fault);
}

/* The newest turn of a session, with its draft. FAULT_NO_TURN when tine has run none in it. */
FAULT_CHECK static inline enum fault_code store_run_get(struct store *store, int64_t owner,
                                                        struct str session, struct arena *arena,
                                                        struct run *out, struct fault *fault)
{
    return store->desk->run_get(store, owner, session, arena, out, fault);
}

/* Whom to tell of commits by this store; one at a time, NULL: nobody. */
static inline void store_watch(struct store *store, store_watch_call *call, void *context)
{
    store->house->watch(store, call, context);
}

/* A number that is another one after any commit, also by another process. */
FAULT_CHECK static inline enum fault_code store_version(struct store *store, int64_t *out,
                                                        struct fault *fault)
{
    return store->house->version(store, out, fault);
}

static inline void store_time(struct store *store, struct store_timings *out)
{
    store->house->timings(store, out);
}

static inline void store_close(struct store *store)
{
    if (store)
        store->house->close(store);
}

/* The number of the owner of that name, who is made when new. */
FAULT_CHECK static inline enum fault_code store_owner(struct store *store, struct str name,
                                                      int64_t *out, struct fault *fault)
{
    return store->house->owner(store, name, out, fault);
}

FAULT_CHECK static inline enum fault_code store_count(struct store *store, struct store_counts *out,
                                                      struct fault *fault)
{
    return store->house->counts(store, out, fault);
}

/* A consistent copy while others work, put in place whole. FAULT_EXISTS when the path is taken. */
FAULT_CHECK static inline enum fault_code store_backup(struct store *store, const char *path,
                                                       store_progress *progress, void *context,
                                                       struct fault *fault)
{
    return store->house->backup(store, path, progress, context, fault);
}

/* Recomputes every hash and fact, looks at lines, references and orphans. Changes nothing. */
FAULT_CHECK static inline enum fault_code store_verify(struct store *store, store_problem *problem,
                                                       store_progress *progress, void *context,
                                                       struct verify_result *out,
                                                       struct fault *fault)
{
    return store->house->verify(store, problem, progress, context, out, fault);
}

/* Finishes deletions, removes what nobody names, gives space back. */
FAULT_CHECK static inline enum fault_code store_gc(struct store *store, const struct gc_spec *spec,
                                                   store_progress *progress, void *context,
                                                   struct gc_result *out, struct fault *fault)
{
    return store->house->gc(store, spec, progress, context, out, fault);
}

/* The family of a session (empty: all of the owner's) as items that store_import takes. */
FAULT_CHECK static inline enum fault_code store_export(struct store *store, int64_t owner,
                                                       struct str session, log_item_visit *visit,
                                                       void *context, struct fault *fault)
{
    return store->house->export_log(store, owner, session, visit, context, fault);
}

/* Takes in all items or none; every path hash is computed anew and must agree. */
FAULT_CHECK static inline enum fault_code store_import(struct store *store, int64_t owner,
                                                       log_item_next *next, void *context,
                                                       struct fault *fault)
{
    return store->house->import_log(store, owner, next, context, fault);
}

#endif
