/* Inside the game of files: what its parts have in common. */
#ifndef ENGINE_FILES_GAME_OWN_H
#define ENGINE_FILES_GAME_OWN_H

#include "engine/workspaces.h"
#include "files_game.h"
#include "files_hand.h"
#include "support/check.h"
#include "support/gather.h"

enum {
    GAME_SESSIONS = 7,    /* living at a time */
    GAME_ACTS = 160,      /* of one session */
    GAME_DIRECTORIES = 2, /* that sessions may be attached to */
    GAME_LINES = 60,      /* that are printed of what was done before a difference */
    GAME_LINE = 400
};

struct files_game {
    struct rig rig;
    struct workspaces *workspaces;
    struct files_model model;
    struct chance chance;
    struct arena arena;
    struct fault fault;
    char away[64]; /* where the directories are that sessions are attached to */
    struct model_dir attached[GAME_DIRECTORIES];
    int step, looks;
    char lines[GAME_LINES][GAME_LINE];
    int64_t refused, forced, moved, merged, imported; /* so that a run can be seen to have worth */
};

/* Says what is being done, for the case that the two sides differ. */
void game_doing(struct files_game *game, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void game_also(struct files_game *game, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the test. */
void game_differs(struct files_game *game, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

void game_expect(struct files_game *game, const char *what, enum fault_code got,
                 enum fault_code wanted);

/* ---- files_game_check.c ---- */

/* The acts that the model has and the store has not shown yet: they must be there, and no other. */
void game_sync(struct files_game *game, struct files_session *session);

void game_check_dir(struct files_game *game, const struct model_dir *dir);

/* Everything of a tree, read through those workspaces. */
void game_check_place(struct files_game *game, struct workspaces *workspaces,
                      const struct files_session *session, const struct files_place *place,
                      const struct copy *wanted);

/* The tree of a place, as it is named: read whole when it was not seen before, or with `whole`. */
void game_check_tree(struct files_game *game, const struct files_session *session, int place,
                     bool whole);
void game_check_hash(struct files_game *game, const unsigned char hash[HASH_BYTES],
                     struct copy *wanted, const char *what);

/* The list of a report has exactly these paths. */
void game_check_paths(struct files_game *game, const char *what, const struct paths *got,
                      const struct map_paths *wanted);

/* Every place of every session, each tree read whole once; then the store itself. */
void game_check_all(struct files_game *game);

/* ---- operations: each on one session ---- */

typedef void game_operation(struct files_game *game, struct files_session *session);

game_operation game_foreign, game_turn, game_look, game_put, game_delete_file, game_restore; /* … */
game_operation game_rewind, game_undo, game_redo, game_adopt, game_merge, game_fork;
game_operation game_attach, game_detach, game_delete;

/* A point of the session at random, and the place that it comes to. */
struct point_spec game_point(struct files_game *game, const struct files_session *session,
                             int *place);

struct files_session *game_pick(struct files_game *game);
int game_living(const struct files_game *game);

#endif
