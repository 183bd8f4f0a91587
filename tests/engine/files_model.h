/*
 * Sessions and their files as plain lists: each session has a copy of everything that it ever had,
 * each act a copy of its path and a whole copy of the directory as it was there. What the engine
 * finds by looking up, this finds by walking through all of it.
 */
#ifndef ENGINE_FILES_MODEL_H
#define ENGINE_FILES_MODEL_H

#include "files_map.h"
#include "store/session.h"

/* A directory as it was at some place, kept for good. Equal ones are one and the same. */
struct copy {
    struct files_map map;
    unsigned long sum;
    bool seen; /* the store has shown it under … */
    unsigned char hash[HASH_BYTES];
    int look; /* with which it was read whole */
};

struct model_files_act {
    struct address at;
    char id[ID_TEXT + 1];
    enum entry_kind kind;
    bool foreign;
    bool of_turn;        /* ENTRY_FILES: what a turn left behind */
    struct copy *before; /* at the head when it came */
    struct copy *tree;
    int *path; /* acts that are entries, oldest first */
    int path_count;
    int merged; /* the act of another session that was merged; -1: it tells of no merge */
};

/* A directory on the disk, as it should be. */
struct model_dir {
    char path[256];
    bool there;
    struct files_map map;
};

struct model_step {
    int place;
    enum move_scope scope;
};

enum { STEPS_MAX = 512 };

/* Places are counted: n is after the n-th act that the session ever had, 0 before everything. */
struct files_session {
    bool alive;
    char id[ID_TEXT + 1];
    int64_t s;
    int family, number;
    int *raw;
    int count, inherited;
    struct model_dir own, *dir; /* the own one, or an attached one */
    struct model_step undo[STEPS_MAX], redo[STEPS_MAX];
    int undos, redos;
};

struct files_model {
    struct model_files_act **acts;
    int act_count, act_room;
    struct copy **copies;
    int copy_count, copy_room;
    struct files_session **sessions;
    int session_count;
    struct copy *empty;
};

void files_model_open(struct files_model *model);
void files_model_close(struct files_model *model);

struct copy *model_keep(struct files_model *model, const struct files_map *map);

/* `source` NULL: a session of its own; else with the first `place` acts of that one. */
struct files_session *model_session_add(struct files_model *model,
                                        const struct files_session *source, int place);

struct copy *model_tree(const struct files_model *model, const struct files_session *session,
                        int place);
struct address model_place_address(const struct files_model *model,
                                   const struct files_session *session, int place);

/* The files at the head, and in the directory: at the head, too, when it is not laid out. */
struct copy *model_head_tree(const struct files_model *model, const struct files_session *session);
struct copy *model_dir_tree(struct files_model *model, const struct files_session *session);

/* An entry at the end; `tree` NULL: the files are as before it. Returns its number. */
int model_entry(struct files_model *model, struct files_session *session, enum entry_kind kind,
                struct copy *tree, bool foreign);

/* An entry of kind ENTRY_FILES when the head has other files. */
void model_files(struct files_model *model, struct files_session *session, struct copy *tree,
                 bool foreign);

/* The directory becomes what it is at the head. */
void model_lay_out(const struct files_model *model, struct files_session *session);
void model_dir_set(struct model_dir *dir, const struct files_map *map);

enum model_turn { MODEL_NEW, MODEL_UNDO, MODEL_REDO };

/* A move of the conversation to a place, remembered for undo and redo. */
void model_go(struct files_model *model, struct files_session *session, int place,
              enum move_scope scope, enum model_turn turn);

/* Are the entries at the end of the two paths the same one? */
bool model_same_entry(const struct files_model *model, const struct files_session *session, int a,
                      int b);

/* The path at a place; its length goes to *count. */
const int *model_path(const struct files_model *model, const struct files_session *session,
                      int place, int *count);

/* How many entries at the start of both paths are the same. */
int model_common(const struct files_model *model, const struct files_session *a,
                 const struct files_session *b);

/* The place of an act that the session ever had; -1: it never had it. */
int model_place_of(const struct files_session *session, int act);

/* How many entries of the path of `from` are behind what was merged last, or common. */
int model_merged(const struct files_model *model, const struct files_session *session,
                 const struct files_session *from);

/*
 * Paths that differ between `was` and `is` and that somebody else changed since the place: by an
 * act of the session's own above it that is foreign, or between the head and `was`.
 */
void model_conflicts(const struct files_model *model, const struct files_session *session,
                     int since, const struct copy *was, const struct copy *is,
                     struct map_paths *out);

#endif
