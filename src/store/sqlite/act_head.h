/*
 * All of an act but its body, as the bytes of the column entry.head: what it is, what it brought
 * and its prefix facts. One column, because every column of a row costs a reader of the history
 * more than a number in here does.
 */
#ifndef STORE_SQLITE_ACT_HEAD_H
#define STORE_SQLITE_ACT_HEAD_H

#include "base/arena.h"
#include "store/facts.h"

/* Strings are borrowed from the bytes, but for `turn` and `id`, which may be in `room`. */
struct act_head {
    int64_t n, at_us;
    enum entry_kind kind;
    enum role role;
    unsigned flags;
    bool drawn;      /* id is tine's own, 16 bytes */
    struct str id;   /* as stored: 16 bytes, or the client's text */
    struct str turn; /* name of its own turn; empty: none */
    struct usage usage;
    bool has_usage;
    int calls, results;
    int64_t own_tree;
    struct address ref;
    struct facts facts;
    char room[ID_TEXT + 1]; /* for a turn whose name is an id */
};

struct str act_head_encode(const struct act_head *head, struct arena *arena);

/* False when the bytes are none. */
bool act_head_decode(struct str bytes, struct act_head *out);

/*
 * The same without what a reader of the history does not need: of the facts only `visible` and
 * `hash`.
 */
bool act_head_decode_brief(struct str bytes, struct act_head *out);

#endif
