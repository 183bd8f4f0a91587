/*
 * The naive model of sessions, which the engine is compared with: plain arrays and real copies.
 *
 * A session has `raw`, everything that ever happened to it, and `places`: place i is how things
 * stood after its first i acts, with the whole effective path and the whole state written out.
 *   append      the path of the last place and one more
 *   fork at i   copies raw[0 … i) and places[0 … i]; starts with empty stacks
 *   rewind to i a mark; the path and the state of place i
 *   undo        a mark; the place before the act that is taken back
 * A move of files alone is a mark at the last place. The files of a place are the number of a tree;
 * which acts changed them is seen by looking at two places beside each other.
 * Nothing is shared, so nothing can be wrong with the sharing. Acts never change; sessions hold
 * their numbers. Sessions that were deleted stay in the list, because forks may stand on them.
 */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include "store/store.h"

enum {
    MODEL_KEYS = 8,  /* keys that a state can have */
    MODEL_ID = 40,   /* room for an id or the name of a turn */
    MODEL_TEXT = 96, /* room for a body or a title */
    MODEL_ABSENT = -1,
    MODEL_SAME = -2,    /* in a delta: this key is not touched */
    MODEL_TREELESS = -1 /* no files are known; to anybody who looks the same as tree 0 */
};

struct model_list {
    int *items;
    int count, room;
};

struct model_act {
    int writer; /* number of the session that wrote it */
    int n;      /* its number in that session, from 1 */
    int order;  /* its place among all acts and notes */
    enum entry_kind kind;
    enum role role;
    bool interrupted, adopted;
    bool foreign, left_out, merged; /* as the flags of that name */
    bool in_turn;
    char turn[MODEL_ID]; /* when in_turn */
    char id[MODEL_ID];
    bool client_id; /* chosen by the client */
    int64_t at_us;
    struct usage usage;
    bool has_usage;
    int calls, results;
    int delta[MODEL_KEYS];
    char body[MODEL_TEXT];
    bool erased;
    int brings;      /* a tree, or MODEL_TREELESS */
    int tree;        /* that of the place after it */
    int merged_from; /* the act that it merged; -1: none */
    int index;       /* place in the visible list of its path; -1: not visible */
    /* of a reference: the messages it stands for, and path and raw log of the place it names */
    struct model_list flat, path, had;
    int ref; /* reference, adopted, merged: the act named; move: the act moved to; -1: none */
    enum move_act move;
    enum move_scope scope;
};

struct model_place {
    struct model_list path;
    int state[MODEL_KEYS];
    int tree;
};

struct model_save {
    char id[MODEL_ID], turn[MODEL_ID], body[MODEL_TEXT];
    int kind;
    int place; /* the act at which it counts; -1: everywhere */
    int64_t at_us;
    int writer;
};

struct model_label {
    char text[MODEL_ID];
    int act;
};

struct model_note {
    enum note_act act;
    int order;
    int64_t at_us;
    char message[MODEL_ID], was[MODEL_TEXT], now[MODEL_TEXT];
};

struct model_session {
    int number;
    bool alive, sub, archived;
    bool bare; /* it has no workspace */
    bool left; /* it lives, or something stands on an act of it */
    int64_t s; /* the store's number for it */
    char id[MODEL_ID], title[MODEL_TEXT], settings[MODEL_TEXT];
    int64_t created_us;
    int family;    /* number of its first session */
    int base;      /* the session that wrote the act after which it begins; -1: none */
    int inherited; /* acts that came with the fork */
    int parent;    /* the session that was forked; -1: none */
    char parent_id[MODEL_ID], parent_title[MODEL_TEXT], parent_message[MODEL_ID];
    enum point_side parent_side;
    struct model_list raw;
    struct model_place *places; /* raw.count + 1 */
    struct model_list undo, redo;
    struct model_save *saves;
    int save_count;
    struct model_label *labels; /* its own */
    int label_count;
    struct model_note *notes;
    int note_count;
};

struct model {
    struct model_act **acts;
    int act_count;
    struct model_list references; /* those of the acts that are references */
    struct model_session **sessions;
    int session_count;
    int order; /* counts acts and notes */
};

struct model *model_new(void);
void model_free(struct model *model);

const char *model_key(int key); /* its name; some start with app: or user: */
bool model_key_kept(int key);

/* ---- verbs; each takes what the store drew, and trusts that it may be done ---- */

struct model_session *model_create(struct model *model, const char *id, int64_t s,
                                   const char *title, bool sub, int64_t at_us);

/* An empty act: no turn, no delta, no reference. */
struct model_act model_blank(enum entry_kind kind, enum role role);

/* Appends a copy of the act, completed; returns its number. The time is the clock's or later. */
int model_append(struct model *model, struct model_session *session, const struct model_act *act,
                 int64_t now_us);

struct model_fork {
    int place;
    const char *id, *title, *message;
    enum point_side side;
    int64_t s, at_us;
};

struct model_session *model_fork(struct model *model, struct model_session *source,
                                 const struct model_fork *fork);

struct model_move {
    enum move_act act;
    enum move_scope scope;
    int place;
    bool keep; /* the kept keys stay as they are */
    const char *id;
};

/* A move of any kind to a place. */
int model_move(struct model *model, struct model_session *session, const struct model_move *move,
               int64_t now_us);

/* The place to which an undo or a redo goes, and what it moves; -1 when there is none. */
int model_back(const struct model *model, const struct model_session *session, enum move_act move,
               enum move_scope *scope);

/* Where the path of `from` parts from that of the session: how many entries both have. */
int model_parting(const struct model_session *session, const struct model_session *from);

void model_save(struct model *model, struct model_session *session, const struct model_save *save);
void model_label(struct model *model, struct model_session *session, int act, const char *text,
                 int64_t at_us); /* text empty: takes it away */
void model_rename(struct model *model, struct model_session *session, const char *title,
                  int64_t at_us);
void model_archive(struct model *model, struct model_session *session, bool archived,
                   int64_t at_us);
void model_settings(struct model *model, struct model_session *session, const char *settings,
                    int64_t at_us);

/* With `purge` also the bodies go that the session wrote and that are on no living path. */
void model_delete(struct model *model, struct model_session *session, bool purge);

/* ---- files ---- */

/* Are they the same to anybody who looks? */
bool model_tree_same(int a, int b);

/* The act of the raw log changed the files. */
bool model_changed(const struct model_session *session, int raw);

/*
 * How much of the path of `from` the session has the files of: up to where they part, or up to what
 * was merged last. A number of entries.
 */
int model_merge_base(const struct model *model, const struct model_session *session,
                     const struct model_session *from);

/* ---- what can be asked ---- */

const struct model_place *model_head(const struct model_session *session);
bool model_visible(const struct model *model, int act);

/* Position in the raw log; -1 when the session never had it. */
int model_raw_index(const struct model_session *session, int act);
int model_visible_count(const struct model *model, const struct model_list *path);

/* The path as a list of messages, references flattened; `owner` (may be NULL): the path's entry. */
void model_flatten(const struct model *model, const struct model_list *path, struct model_list *out,
                   struct model_list *owner);

int model_open_calls(const struct model *model, const struct model_list *path, int count);

/* Name of the newest turn on the path; empty: none. */
const char *model_newest_turn(const struct model *model, const struct model_list *path);

struct model_usage {
    struct usage own, inherited, spent;
};

struct model_usage model_usage(const struct model *model, const struct model_session *session);

struct model_point {
    int place;  /* index into places */
    int anchor; /* the act named; -1: none */
    enum point_side side;
    bool snapped;
    enum fault_code either; /* when it is refused: another fault that is as right; or FAULT_OK */
};

/* What a point comes to, or the fault it gives. */
enum fault_code model_point(const struct model *model, const struct model_session *session,
                            const struct point_spec *spec, struct model_point *out);

/* The address of a place in the store. */
struct address model_address(const struct model *model, const struct model_session *session,
                             int place);
struct address model_act_address(const struct model *model, int act); /* -1: ADDRESS_START */

/* A label as a session sees it: its own, or one of what it stands on. */
struct model_seen {
    const char *text;
    int act;
    bool inherited;
};

/* All that the session sees, in no order; of equal texts and of equal acts the nearest. */
struct model_seen *model_labels(const struct model *model, const struct model_session *session,
                                int *count); /* the caller frees */

/*
 * Indexes into saves: the version that counts of each record, in order, and the version at whose
 * place it counts; the caller frees both.
 */
int *model_records(const struct model_session *session, int **places, int *count);

/* The next title in the series of the session's title. */
void model_fork_title(const struct model *model, const struct model_session *session, char *out);

/* Stretches that the session wrote and no longer has on its path: pairs of raw indexes, in `out`.
 */
void model_rewound(const struct model *model, const struct model_session *session,
                   struct model_list *out);

/*
 * Marks the acts that some living session, or a reference in one, still stands on; returns how
 * many. `marks` has room for all acts. Sub-sessions that have lost their last reference end here.
 */
int model_retain(struct model *model, bool *marks);

void model_list_add(struct model_list *list, int item);
void model_list_clear(struct model_list *list);
struct model_list model_list_copy(const struct model_list *from, int count); /* its first `count` */

#endif
