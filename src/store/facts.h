/*
 * Prefix facts: what sums over the path up to an act. The path above an act never changes, so its
 * facts are constants, computed once when it is written, by these functions and no others.
 */
#ifndef STORE_FACTS_H
#define STORE_FACTS_H

#include "store/entry.h"

struct facts {
    int64_t visible, user, tool; /* messages so far: in the visible list, of users, of tools */
    int64_t flat, flat_user;     /* the first two with sub-sessions flattened in */
    struct usage path;           /* sums over the path */
    struct usage spent;          /* sums over all acts of the session itself, rewound ones too */
    int64_t open;                /* tool calls of the current turn without a result */
    int64_t turn;                /* the store's number of the newest turn on the path, 0: none */
    struct address good;         /* newest place at or before this one with open == 0 */
    struct address summary;      /* newest summary */
    struct address state;        /* newest act with a change of state */
    int64_t tree;                /* the store's number of the workspace tree, 0: none */
    unsigned char hash[HASH_BYTES];
};

/* What one act adds. */
struct facts_step {
    struct address at;
    enum entry_kind kind;
    enum role role;
    struct usage usage;
    int calls, results;
    bool in_turn;                 /* the act names its turn … */
    bool same_turn;               /* … and it is the one that stood before it */
    int64_t turn;                 /* the store's number of that turn */
    bool has_state;               /* brings a change of state */
    int64_t tree;                 /* brings this tree; 0: none */
    const struct facts *ref;      /* ENTRY_SUBSESSION: the facts at the pinned place */
    const unsigned char *content; /* content hash, HASH_BYTES */
};

/*
 * Facts of an entry, from those of the act before it on the path. `spent` are the session's own
 * sums before it (zero for its first act): they follow the numbers, not the path.
 */
struct facts facts_next(struct hasher *hasher, const struct facts *before, struct usage spent,
                        const struct facts_step *step);

/*
 * Facts of a move, from those of the place it moves to. A move is not on the path, so nothing
 * changes, unless it brings a change of state: then that counts, and so does its content.
 */
struct facts facts_move(struct hasher *hasher, const struct facts *target, struct usage spent,
                        const struct facts_step *step);

/* What goes into a content hash; docs/hash.md gives the bytes. */
struct content {
    const unsigned char *salt; /* SALT_BYTES */
    enum entry_kind kind;
    enum role role;
    struct str id;   /* text form */
    struct str turn; /* name, empty when none */
    int64_t at_us;
    struct usage usage;
    struct str state;  /* encoded delta, empty when none */
    struct str tree;   /* 32 bytes, or empty */
    struct str pinned; /* path hash of the pinned place, or empty */
    struct str body;
};

void content_hash(struct hasher *hasher, const struct content *content,
                  unsigned char out[HASH_BYTES]);

/* Time of an act: the clock's, but above that of the act before it. */
int64_t act_time(int64_t now_us, int64_t before_us);

#endif
