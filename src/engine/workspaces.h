/*
 * The files of sessions: the directory that each works in, snapshots of it bound to the entries,
 * and whatever moves conversation and files together. The verbs here stand before those of the
 * engine (engine.h) of the same name: whoever has workspaces calls these.
 *
 * A directory is used by one at a time: a turn, or a verb that looks at it or changes it
 * (FAULT_WORKSPACE_BUSY after a short wait). Every function may be called from any thread.
 */
#ifndef ENGINE_WORKSPACES_H
#define ENGINE_WORKSPACES_H

#include "engine/engine.h"
#include "workspace/merge.h"
#include "workspace/patch.h"
#include "workspace/snapshot.h"

enum {
    FILES_TOLD = 1000,                 /* paths in one list of a report */
    FILES_PUT_BYTES = 64 * 1024 * 1024 /* of a file that is put or read as a whole */
};

struct workspaces_options {
    struct engine *engine;
    const char *home; /* own directories are below it */
    struct snapshot_limits limits;
};

struct workspaces;

FAULT_CHECK enum fault_code workspaces_open(const struct workspaces_options *options,
                                            struct workspaces **out, struct fault *fault);
void workspaces_close(struct workspaces *workspaces);

/*
 * Finishes, or takes back, what a crash left half done. One whose directory is not there stays, and
 * its session answers FAULT_WORKSPACE_BLOCKED. *left is how many those are.
 */
FAULT_CHECK enum fault_code workspaces_recover(struct workspaces *workspaces, int64_t *left,
                                               struct fault *fault);

/* Removes directories of sessions that are gone for good; how many. */
FAULT_CHECK enum fault_code workspaces_sweep(struct workspaces *workspaces, int64_t *removed,
                                             struct fault *fault);

/* What was done since it was opened, for /metrics; from any thread. */
struct workspaces_counts {
    int64_t snapshots, snapshot_us; /* taken, and the time that it took */
    int64_t files_read, bytes_read; /* for them: what the index did not know already */
    int64_t restored, deleted;      /* paths in directories */
};
void workspaces_count(struct workspaces *workspaces, struct workspaces_counts *out);

/* ---- what happened to files, for a reply ---- */

struct paths {
    struct str *list; /* any bytes; the first FILES_TOLD, in the arena */
    size_t count;
    int64_t all;
};

/*
 * Of a verb that has `once`, the report is whole before the store's verb is called: the answer that
 * is kept is rendered inside it, from the result and the report.
 */
struct files_report {
    struct paths restored;  /* written, as they were there */
    struct paths deleted;   /* not there then */
    struct paths conflicts; /* others changed them since: refused without force */
    struct paths skipped;   /* left alone: too large to be kept, a device, changed just now */
};

/* ---- fork, and moves ---- */

enum fork_files { FORK_FILES_POINT, FORK_FILES_LIVE, FORK_FILES_NONE };

/*
 * FORK_FILES_POINT costs what a fork without files costs: the directory is made when it is needed.
 * FORK_FILES_LIVE takes a snapshot of the source's directory as it is now. The report says what
 * would be different from the source's files as they are recorded now (only on a dry run).
 */
FAULT_CHECK enum fault_code workspaces_fork(struct workspaces *workspaces, struct fork_spec *spec,
                                            enum fork_files files, struct arena *arena,
                                            struct fork_result *out, struct files_report *report,
                                            struct fault *fault);

/*
 * Rewind, undo, redo as spec->act says, by spec->scope (undo and redo: by that of what they take
 * back). FAULT_FILES_CONFLICT: report->conflicts says which, and nothing has moved; with `force`
 * they are written over, and undo brings them back.
 */
FAULT_CHECK enum fault_code workspaces_move(struct workspaces *workspaces, struct move_spec *spec,
                                            bool force, struct arena *arena,
                                            struct move_result *out, struct files_report *report,
                                            struct fault *fault);
FAULT_CHECK enum fault_code workspaces_adopt(struct workspaces *workspaces, struct adopt_spec *spec,
                                             bool force, struct arena *arena,
                                             struct move_result *out, struct files_report *report,
                                             struct fault *fault);

struct merge_cmd {
    int64_t owner;
    struct str session, from;
    struct str expect_head;
    bool dry_run;
    bool force; /* theirs wins where both changed the same */
    struct once *once;
};

struct merge_report {
    struct merge_result result;
    struct merge_conflict *conflicts;
    size_t conflict_count;
    struct files_report files;
};

/*
 * FAULT_FILES_CONFLICT: out->conflicts and out->files.conflicts say which, and nothing has moved.
 * FAULT_NOTHING_TO_MERGE.
 */
FAULT_CHECK enum fault_code workspaces_merge(struct workspaces *workspaces, struct merge_cmd *cmd,
                                             struct arena *arena, struct merge_report *out,
                                             struct fault *fault);

/*
 * Appends what somebody else's agent, or a user, said where no turn is run. What the session's
 * directory has that was not recorded becomes an entry of kind ENTRY_FILES before it: the work that
 * the entries tell of when one of them is an agent's, else a foreign change. A directory that
 * nobody has needed, that is in use or that cannot be looked at is left for whoever looks next.
 */
FAULT_CHECK enum fault_code workspaces_append(struct workspaces *workspaces,
                                              struct append_spec *spec, struct entry_spec *entries,
                                              size_t count, struct arena *arena,
                                              struct append_result *out, struct fault *fault);

/* ---- reading and writing ---- */

struct files_place {
    int64_t owner;
    struct str session;
    struct point_spec at; /* GUARD_NONE */
    bool live;            /* the directory as it is now, and not `at` */
};

/*
 * A directory's entries by name, or all below it, or the one file. `live` takes a snapshot first
 * and records it. FAULT_FILE_NOT_FOUND. *tree is what was listed; tree_empty: nothing.
 */
FAULT_CHECK enum fault_code workspaces_list(struct workspaces *workspaces,
                                            const struct files_place *place, struct str path,
                                            bool deep, tree_entry_visit *visit, void *context,
                                            unsigned char tree[HASH_BYTES], struct fault *fault);

/* A file, or a link with its target as content. FAULT_FILE_NOT_FOUND, FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code workspaces_read(struct workspaces *workspaces,
                                            const struct files_place *place, struct str path,
                                            struct arena *arena, struct tree_entry *entry,
                                            struct str *content, struct fault *fault);

struct file_cmd {
    int64_t owner;
    struct str session;
    struct str path;
    bool remove;
    struct str content;
    unsigned mode; /* 0: as it is; a new file gets 0644 */
    struct str expect_head;
};

struct file_result {
    struct entry entry;     /* the files entry that records it; id empty when nothing changed */
    struct tree_entry file; /* as it is now; not filled in when it was removed */
    unsigned char tree[HASH_BYTES];
    bool made; /* it was not there before */
};

/* Writes or removes one file of the live directory. FAULT_TURN_RUNNING, FAULT_WORKSPACE_NONE. */
FAULT_CHECK enum fault_code workspaces_put(struct workspaces *workspaces, struct file_cmd *cmd,
                                           struct arena *arena, struct file_result *out,
                                           struct fault *fault);

/* Can a file of a session have this path? FAULT_PATH_INVALID. */
FAULT_CHECK enum fault_code workspaces_check_path(struct str path, struct fault *fault);

/* One of several files that are written together. */
struct file_put {
    struct str path, content;
    unsigned mode;      /* as of struct file_cmd */
    struct fault fault; /* code FAULT_OK: it was written; else why not */
};

/*
 * Writes files of the live directory one after another, and records them as one act. What is wrong
 * with one is told with it, and the others are written. FAULT_TURN_RUNNING, FAULT_WORKSPACE_NONE.
 */
FAULT_CHECK enum fault_code workspaces_put_all(struct workspaces *workspaces, int64_t owner,
                                               struct str session, struct file_put *files,
                                               size_t count, struct arena *arena,
                                               struct fault *fault);

/* ---- bundles: a directory as one file, tar with gzip ---- */

enum {
    BUNDLE_BYTES = 60 * 1024 * 1024,          /* of a bundle */
    BUNDLE_CONTENT_BYTES = 128 * 1024 * 1024, /* of all files in one that is taken in */
    BUNDLE_FILES = 100 * 1000                 /* of those */
};

/* Is it left out, with all that is below it? */
typedef bool bundle_skips(struct str path);

/* Files, links and directories of a place, in the order of paths. FAULT_TOO_LARGE. */
FAULT_CHECK enum fault_code workspaces_bundle(struct workspaces *workspaces,
                                              const struct files_place *place, bundle_skips *skips,
                                              struct buf *out, struct fault *fault);

/*
 * Writes the files of a bundle over those that are there, as one act; *count is how many. Links and
 * devices in it are not made. FAULT_INVALID: it is none; FAULT_PATH_INVALID: it names a path that
 * leaves the directory, or cannot be written there. FAULT_TOO_LARGE, and those of
 * workspaces_put_all. After a fault the files are as they were.
 */
FAULT_CHECK enum fault_code workspaces_unbundle(struct workspaces *workspaces, int64_t owner,
                                                struct str session, struct str bytes,
                                                struct arena *arena, int64_t *count,
                                                struct fault *fault);

/* ---- commands of users ---- */

enum {
    EXEC_COMMAND_BYTES = 120 * 1024,     /* the kernel takes 128 KiB as one argument */
    EXEC_OUTPUT_BYTES = 4 * 1024 * 1024, /* of stdout, and of stderr */
    EXEC_MS_MAX = 300 * 1000,
    EXEC_AT_ONCE = 16 /* of all sessions: each keeps a thread of those that answer requests */
};

struct exec_cmd {
    int64_t owner;
    struct str session;
    struct str command; /* for bash -c */
    int64_t time_ms;    /* at most EXEC_MS_MAX; 0: as long as a command of an agent */
    bool network;
};

struct exec_result {
    int code;                  /* 128 + n when signal n ended it */
    const char *stopped;       /* why it was: over a limit, out of time; NULL: it ended by itself */
    bool timed_out;            /* … the latter */
    struct str output, errors; /* any bytes */
};

/*
 * Runs a command in the session's directory, in the sandbox, with the variables that its settings
 * have; what it did to the files is recorded as work of the session. FAULT_TURN_RUNNING,
 * FAULT_SANDBOX, FAULT_TOO_MANY, FAULT_INVALID; FAULT_STOPPING after workspaces_stop.
 */
FAULT_CHECK enum fault_code workspaces_exec(struct workspaces *workspaces,
                                            const struct exec_cmd *cmd, struct arena *arena,
                                            struct exec_result *out, struct fault *fault);

/* From now on no command of a user is run, and those that run are stopped. From any thread. */
void workspaces_stop(struct workspaces *workspaces);

/*
 * Brings one path back as it was at a point: a file, a link, or a directory with all in it. Undone
 * like any other move; out->entry.id is that of the files entry, and nothing else of it is filled
 * in.
 */
FAULT_CHECK enum fault_code workspaces_restore(struct workspaces *workspaces,
                                               const struct files_place *from, struct str path,
                                               struct arena *arena, struct files_report *report,
                                               struct file_result *out, struct fault *fault);

typedef enum fault_code file_diff_visit(void *context, const struct tree_change *change,
                                        const struct patch *patch, struct fault *fault);

/*
 * What differs between two places, in the order of paths; directories are told only when they are
 * empty or when their mode changed. Without `patches` only the lines are counted.
 */
FAULT_CHECK enum fault_code workspaces_diff(struct workspaces *workspaces,
                                            const struct files_place *left,
                                            const struct files_place *right, bool patches,
                                            file_diff_visit *visit, void *context,
                                            struct fault *fault);

/* How many files differ between two trees; at most `max` are counted. */
FAULT_CHECK enum fault_code workspaces_count_changes(struct workspaces *workspaces,
                                                     const unsigned char was[HASH_BYTES],
                                                     const unsigned char is[HASH_BYTES],
                                                     int64_t max, int64_t *out,
                                                     struct fault *fault);

/* ---- where a session works ---- */

/*
 * Another directory: WORKSPACE_ATTACHED needs an absolute path of a directory that is there and is
 * not inside tine's home. WORKSPACE_OWN after it: a directory of its own again, with the files as
 * they are recorded. Nothing in the old directory changes. The files found are recorded.
 */
FAULT_CHECK enum fault_code workspaces_set(struct workspaces *workspaces,
                                           struct workspace_spec *spec, struct arena *arena,
                                           struct session *out, struct fault *fault);

/* The path that the session's directory has, or will have when it is made; empty: it has none. */
struct str workspaces_path(struct workspaces *workspaces, const struct session *session,
                           struct arena *arena);

/* The path of the session's directory, made when missing; empty when it has none. */
FAULT_CHECK enum fault_code workspaces_dir(struct workspaces *workspaces,
                                           const struct session *session, struct arena *arena,
                                           struct str *out, struct fault *fault);

/* Is there a directory to look at: attached, or its own and laid out already? Makes none. */
bool workspaces_has_dir(struct workspaces *workspaces, const struct session *session);

/* FAULT_INVALID when a new session may not be given this directory. */
FAULT_CHECK enum fault_code workspaces_check_dir(struct workspaces *workspaces,
                                                 const struct workspace *workspace,
                                                 struct fault *fault);

/*
 * Deletes the session, and the directory that was its own. FAULT_INVALID: it is a sub-session,
 * which goes when nothing names it any more; sooner, those that it is in could not be read.
 */
FAULT_CHECK enum fault_code workspaces_delete(struct workspaces *workspaces,
                                              struct delete_spec *spec, struct fault *fault);

/* ---- for turns ---- */

/* A directory that is held. */
struct place;

/* Takes the session's directory, laid out; `wait_ms` for others. FAULT_WORKSPACE_BUSY. */
FAULT_CHECK enum fault_code place_hold(struct workspaces *workspaces, int64_t owner,
                                       struct str session, int wait_ms, struct place **out,
                                       struct fault *fault);
void place_leave(struct place *place);

const char *place_dir(const struct place *place); /* where to work */

/*
 * The files as they are now, for the entry about to be stored: fills in tree, tree_since and
 * ENTRY_LEFT_OUT when they are not those that were recorded last (by place_record or by the head
 * when the place was taken); false when they are. A session of WORKSPACE_NONE has no changes.
 */
FAULT_CHECK enum fault_code place_look(struct place *place, int cancel_fd, struct entry_spec *entry,
                                       bool *changed, struct fault *fault);

/* The entry was stored. */
void place_record(struct place *place, const struct entry_spec *entry);

/* An entry of kind ENTRY_FILES for what place_look found. */
void place_entry(struct entry_spec *entry, bool foreign);

#endif
