/* The growing end of a session within a transaction: the only place where acts are written. */
#ifndef STORE_SQLITE_WRITER_H
#define STORE_SQLITE_WRITER_H

#include "store/sqlite/entry_row.h"

struct writer {
    struct db *db;
    struct link link;
    struct act head;      /* the newest act, or the base */
    struct str turn_name; /* of head.facts.turn */
};

/* An act whose every part is settled but for its place. */
struct draft {
    enum entry_kind kind;
    enum role role;
    unsigned flags; /* without ENTRY_IN_TURN */
    struct str id;  /* text, or with `drawn` 16 bytes */
    bool drawn;
    struct str turn; /* its turn's name; empty: none */
    int64_t at_us;   /* raised when it is not above the time of the act before it */
    struct usage usage;
    bool has_usage;
    int calls, results;
    struct str state; /* encoded delta; p == NULL: none */
    int64_t tree;     /* object; 0: none */
    struct address ref;
    struct address merged; /* ENTRY_MERGED: the place that was, as far as it is known */
    struct str salt, spans, body;
    struct str content; /* content hash of an erased entry, else p == NULL */
};

struct move_draft {
    struct id drawn;
    struct str salt;
    int64_t at_us;
    enum move_act act;
    enum move_scope scope;
    struct str state; /* encoded delta that it carries; p == NULL: none */
};

FAULT_CHECK enum fault_code writer_open(struct writer *writer, struct db *db,
                                        const struct link *link, struct arena *arena,
                                        struct fault *fault);

/* Appends an entry. FAULT_TOO_LARGE when the state or the flattened list would be. */
FAULT_CHECK enum fault_code writer_add(struct writer *writer, const struct draft *draft,
                                       struct arena *arena, struct fault *fault);

/* Appends a move to `target` and keeps the stacks of undo and redo. */
FAULT_CHECK enum fault_code writer_move(struct writer *writer, const struct move_draft *move,
                                        const struct act *target, struct arena *arena,
                                        struct fault *fault);

/*
 * The stacks of undo and redo, as lists through the moves: a rewind, an adopt, a merge or a redo
 * stands on the undo stack, an undo on the redo stack. A move remembers what is below it on the
 * stack it is on, and both tops after it; 0 when there is none.
 */
struct stacks {
    int64_t undo_next, redo_next, undo, redo;
};

/* As they are just before act n. */
FAULT_CHECK enum fault_code stacks_before(struct db *db, int64_t s, int64_t n, struct stacks *out,
                                          struct fault *fault);

/* As they are after a move at that place. */
FAULT_CHECK enum fault_code stacks_after(struct db *db, struct address at, enum move_act act,
                                         struct stacks *out, struct fault *fault);

/*
 * Where undo or redo as act n goes: to where the head was before the act that it takes back, whose
 * scope it has.
 */
FAULT_CHECK enum fault_code way_back(struct db *db, const struct link *link, int64_t n,
                                     enum move_act act, struct act *target, enum move_scope *scope,
                                     struct fault *fault);

/* Spans as bytes for the column entry.spans, and back. */
struct str spans_encode(const struct span *spans, size_t count, struct arena *arena);
bool spans_decode(struct str bytes, size_t body_length, struct arena *arena, struct span **out,
                  size_t *count);

#endif
