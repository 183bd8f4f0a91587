/*
 * Inside the workspaces. What must hold:
 * 1. Whoever looks at a session's directory or changes it holds its place: a lock on the directory
 *    itself when it is attached, else on a file beside it, so that it also keeps other processes
 * off.
 * 2. A place is held before the store is asked what the files should be; nobody waits for a second
 *    place while holding one.
 * 3. Between the first file that a move touches and the act that tells of it stands an intent; one
 *    that is found by somebody who holds the place was left by a crash.
 */
#ifndef ENGINE_WORKSPACES_OWN_H
#define ENGINE_WORKSPACES_OWN_H

#include "engine/rules.h"
#include "engine/workspaces.h"
#include "workspace/restore.h"

#include <pthread.h>

enum {
    PLACE_WAIT_MS = 5000, /* of a verb for a directory that another uses */
    PLACE_CROWD_MS = 200, /* of a send, when others wait behind it for the same session */
    PLACE_WAITERS = 32,   /* at once, of all; who comes then is refused: each keeps a worker */
    STALE_TRIES = 16      /* a gc that began meanwhile lets a verb begin again */
};

struct workspaces {
    struct engine *engine;
    char *home;
    struct snapshot_limits limits;
    pthread_mutex_t lock; /* of the counts, and of … */
    struct workspaces_counts counts;
    int waiting;        /* for a place */
    int execs;          /* commands of users that run */
    struct place *held; /* those in directories that are attached */
    int stop_fd;        /* readable: commands of users are to stop */
};

static inline struct store *workspaces_store(const struct workspaces *workspaces)
{
    return engine_store(workspaces->engine);
}

struct place {
    struct workspaces *workspaces;
    struct arena arena;
    struct session session; /* as it was when the place was taken */
    int64_t owner;
    struct str dir, index;
    int lock;
    int fd;                         /* of the directory; -1: it is not laid out */
    unsigned char tree[HASH_BYTES]; /* recorded last */
    unsigned char seen[HASH_BYTES]; /* found by place_look */
    bool unseen;                    /* it was too large to be looked at when the turn began */
    bool is_held;
    struct place *next_held;
};

/* Is an absolute path the directory, or something below it? */
bool dir_is_inside(const char *path, const char *dir);

enum place_need {
    PLACE_AS_IT_IS, /* fd stays -1 when the directory was not needed so far */
    PLACE_LAID_OUT
};

/* FAULT_WORKSPACE_NONE; FAULT_TURN_RUNNING when the session's own turn has it. */
FAULT_CHECK enum fault_code place_take(struct workspaces *workspaces, int64_t owner,
                                       struct str session, enum place_need need, int wait_ms,
                                       struct place **out, struct fault *fault);

/* Opens its directory; -1 with errno. */
int place_open(const struct place *place);

/* What place_take is made of: the session as it is now, where its directory is, the way out. */
FAULT_CHECK enum fault_code place_read(struct place *place, struct str session,
                                       struct fault *fault);
void place_name(struct place *place);
void place_clear(struct place *place);

/* Why its directory cannot be used, by errno. */
FAULT_CHECK enum fault_code place_refuse(const struct place *place, struct fault *fault);

/* place_lock.c. FAULT_TURN_RUNNING, FAULT_WORKSPACE_BUSY, FAULT_WORKSPACE_BLOCKED. */
FAULT_CHECK enum fault_code place_lock(struct place *place, struct str session, int wait_ms,
                                       struct fault *fault);
void place_unlock(struct place *place);

FAULT_CHECK enum fault_code place_snapshot(struct place *place, int cancel_fd, struct arena *arena,
                                           struct snapshot *out, struct fault *fault);

/* Takes the place of whoever changes files. FAULT_WORKSPACE_NONE, FAULT_TURN_RUNNING. */
FAULT_CHECK enum fault_code place_take_to_write(struct workspaces *workspaces, int64_t owner,
                                                struct str session, struct place **out,
                                                struct fault *fault);

/* Records what was just done there: fills in the tree, and the entry when something changed. */
FAULT_CHECK enum fault_code place_record_own(struct place *place, struct arena *arena,
                                             struct file_result *out, struct fault *fault);

/* Makes what is in the directory an entry of the session when nobody has recorded it. */
FAULT_CHECK enum fault_code place_record_foreign(struct place *place, struct fault *fault);

/* The same of a session whose directory nobody uses; one that is not laid out has nothing new. */
FAULT_CHECK enum fault_code session_record(struct workspaces *workspaces, int64_t owner,
                                           struct str session, struct fault *fault);

/*
 * For a session that works elsewhere and is to come back to its own directory: what is there from
 * before becomes the files as they are recorded now. Nothing is there: it is laid out when needed.
 */
FAULT_CHECK enum fault_code session_refit(struct workspaces *workspaces, int64_t owner,
                                          struct str session, struct fault *fault);

/* The object of the directory without entries is in the store. */
FAULT_CHECK enum fault_code empty_tree_keep(struct workspaces *workspaces, struct tree_spec *out,
                                            struct fault *fault);

static inline bool tree_same(const unsigned char a[HASH_BYTES], const unsigned char b[HASH_BYTES])
{
    return memcmp(a, b, HASH_BYTES) == 0;
}

/* Counts what a report says was done. */
void workspaces_count_report(struct workspaces *workspaces, const struct files_report *report);

/* ---- intent.c: what is written down before files are touched ---- */

enum deed { DEED_MOVE = 1, DEED_ADOPT, DEED_MERGE };

/* How an intent is finished. */
struct plan {
    enum deed deed;
    enum move_act act; /* DEED_MOVE */
    enum move_scope scope;
    struct address target;  /* of a rewind */
    struct str from;        /* adopt, merge: the other session … */
    struct address from_at; /* … and where its head was */
    struct str body;        /* merge: of the message */
    const struct str *keep; /* DEED_MOVE, as of struct move_spec; so the entry */
    size_t keep_count;
    struct entry_spec *entry; /* NULL: none */
};

void plan_encode(const struct plan *plan, struct buf *out);
bool plan_decode(struct str bytes, struct arena *arena, struct plan *out); /* borrows the bytes */

/*
 * Carries it out: files from `was` to `is`, with an intent around it, then `finish`, which makes
 * the act and takes the intent away. When that cannot be made, the files are brought back.
 */
struct deed_spec {
    struct place *place;
    const struct plan *plan;
    struct address at; /* where the head is */
    struct snapshot *was;
    unsigned char is[HASH_BYTES];
    enum fault_code (*finish)(void *context, int64_t intent, struct fault *fault);
    void *context;
};

FAULT_CHECK enum fault_code deed_do(const struct deed_spec *spec, struct arena *arena,
                                    struct files_report *report, struct fault *fault);

/* Finishes what a crash left of this session, whose place is held. FAULT_WORKSPACE_BLOCKED. */
FAULT_CHECK enum fault_code intent_settle(struct place *place, struct fault *fault);

/* Gives up what cannot be finished: the conversation did not move. */
FAULT_CHECK enum fault_code intent_give_up(struct workspaces *workspaces, int64_t s,
                                           struct fault *fault);

/* ---- files_report.c ---- */

void paths_add(struct paths *paths, struct str path, struct arena *arena);

/* A report that grows while files are restored: context of report_restored. */
struct reporting {
    struct files_report *report;
    struct arena *arena;
};
restore_visit report_restored;

/* What would happen on the way from one tree to another. */
FAULT_CHECK enum fault_code report_plan(struct workspaces *workspaces,
                                        const unsigned char was[HASH_BYTES],
                                        const unsigned char is[HASH_BYTES], struct arena *arena,
                                        struct files_report *report, struct fault *fault);

/*
 * Which paths that differ between `was` and `is` were changed by others: by foreign acts above
 * `since`, or between what was recorded last and `was`.
 */
FAULT_CHECK enum fault_code report_conflicts(struct place *place, struct address since,
                                             const unsigned char was[HASH_BYTES],
                                             const unsigned char is[HASH_BYTES],
                                             struct arena *arena, struct paths *out,
                                             struct fault *fault);

#endif
