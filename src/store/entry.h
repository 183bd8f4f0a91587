/* What can happen to a conversation, as it goes into a store and as it comes out. */
#ifndef STORE_ENTRY_H
#define STORE_ENTRY_H

#include "base/hash.h"
#include "base/id.h"
#include "base/str.h"
#include "store/address.h"
#include "store/point.h"
#include "store/state.h"

enum entry_kind {
    ENTRY_MESSAGE,
    ENTRY_EVENT,      /* a runtime's own, opaque */
    ENTRY_SUMMARY,    /* stands for what is before it when a model is asked */
    ENTRY_SUBSESSION, /* a pinned place in another session */
    ENTRY_FILES,      /* the workspace as it is now */
    ENTRY_STATE,      /* a change of state and nothing else */
    ENTRY_MOVE,       /* rewind, undo, redo, adopt, merge: never on a path */
    ENTRY_KIND_COUNT
};

enum role { ROLE_NONE, ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL, ROLE_SYSTEM, ROLE_COUNT };

enum move_act { MOVE_REWIND = 1, MOVE_UNDO, MOVE_REDO, MOVE_ADOPT, MOVE_MERGE };
enum move_scope { SCOPE_BOTH, SCOPE_CONVERSATION, SCOPE_FILES };

enum entry_flag {
    ENTRY_IN_TURN = 1, /* the entry names its turn (else `turn` is the one that stood before it) */
    ENTRY_INTERRUPTED = 2, /* cut off before it was complete */
    ENTRY_ADOPTED = 4,     /* taken over from another session; `ref` is the entry it came from, also
                              of one that tells of a merge */
    ENTRY_FOREIGN = 8,     /* ENTRY_FILES: the change that it brings was made by somebody else */
    ENTRY_LEFT_OUT = 16,   /* the tree that it brings does not have everything (TREE_LEFT) */
    ENTRY_MERGED = 32      /* tells of a merge; `ref` is the place that was merged */
};

enum { SALT_BYTES = 16 };

struct usage {
    int64_t input, output; /* tokens */
    int64_t cost;          /* in 1e-9 of the unit of account */
};

/* A piece of a body that is the inside of a JSON string whose text is searched. */
struct span {
    uint32_t from, length;
};

/* How an entry comes to its turn when it is stored. */
enum turn_rule {
    TURN_NONE,  /* belongs to none */
    TURN_NAMED, /* to the one named */
    TURN_NEW,   /* begins one, named by `turn` as drawn by the engine */
    TURN_JOIN   /* to the turn that stands before it on the path; begins one when there is none */
};

/* An entry to be appended. Sizes were checked by the engine. */
struct entry_spec {
    enum entry_kind kind;
    enum role role;
    unsigned flags; /* ENTRY_INTERRUPTED, ENTRY_FOREIGN, ENTRY_LEFT_OUT */
    struct str id;  /* the client's; empty: `drawn` */
    enum turn_rule turn_rule;
    struct str turn; /* for TURN_NAMED */
    struct usage usage;
    bool has_usage;
    int calls, results; /* tool calls that it opens, and that it answers */
    struct state state; /* delta; sorted by the engine */
    struct str body;    /* JSON, kept byte for byte */
    const struct span *spans;
    size_t span_count;
    struct str ref_session;      /* ENTRY_SUBSESSION: the session it names … */
    struct point_spec ref_point; /* … and the place in it */
    struct str tree;    /* the files as they are now: hash of a stored tree, 32 bytes, or empty */
    int64_t tree_since; /* as since_us of struct tree_spec */
    /* drawn by the engine */
    struct id drawn, drawn_turn;
    unsigned char salt[SALT_BYTES];
    int64_t at_us;
};

/* A stored act. Strings live as long as the arena or, in a visit, as the call. */
struct entry {
    struct address at;
    int64_t e; /* number of the act in the store */
    enum entry_kind kind;
    enum role role;
    unsigned flags;
    struct str id;
    struct str turn; /* its turn's name, empty when it belongs to none */
    int64_t at_us;
    bool visible;
    int64_t index; /* place in the visible list of its path; -1 when it is not visible */
    struct usage usage;
    bool has_usage;
    struct str session;     /* id of the session that wrote it */
    struct address ref;     /* ENTRY_SUBSESSION, ENTRY_ADOPTED, ENTRY_MOVE: the place named … */
    struct str ref_session; /* … in words, as far as it is still there: the session … */
    struct str ref_id;      /* … and the entry; empty: before everything, or gone */
    int64_t ref_index;      /* visible messages up to there */
    enum move_act move;     /* ENTRY_MOVE */
    enum move_scope scope;  /* ENTRY_MOVE */
    unsigned char hash[HASH_BYTES]; /* path hash */
    bool erased;                    /* its body is gone, its hashes stay */
    bool has_tree;                  /* files are known there: … */
    unsigned char tree[HASH_BYTES]; /* … as they were at this entry */
    bool own_tree;                  /* the entry itself brought them */
    struct str body;
};

/* Messages of user, assistant and tool stand in the visible list; system messages do not. */
static inline bool entry_visible(enum entry_kind kind, enum role role)
{
    return kind == ENTRY_MESSAGE && role != ROLE_SYSTEM;
}

/* The same with strings of its own in the arena, for keeping what a visit is shown. */
struct entry entry_copy(const struct entry *entry, struct arena *arena);

/* Likewise of an entry that is to be appended later. */
struct entry_spec entry_spec_copy(const struct entry_spec *spec, struct arena *arena);

typedef enum fault_code entry_visit(void *context, const struct entry *entry, struct fault *fault);

#endif
