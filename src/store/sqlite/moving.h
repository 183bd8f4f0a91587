/* What rewind, undo, redo, adopt and merge have in common. */
#ifndef STORE_SQLITE_MOVING_H
#define STORE_SQLITE_MOVING_H

#include "store/sqlite/writer.h"
#include "store/store.h"

/* What the caller said of any move. */
struct moving {
    int64_t owner;
    struct str session, expect_head;
    const struct move_files *files;
    bool dry_run;
    struct str from;               /* adopt, merge: the other session … */
    const struct address *from_at; /* … and where its head must be; NULL: anywhere */
    bool from_rests;               /* … and no turn may run there */
};

/*
 * A writer at the head of the session, when everything is as the caller expects: no turn runs, no
 * other move of files is under way, and the head is where it should be.
 */
FAULT_CHECK enum fault_code moving_open(const struct moving *moving, struct db *db,
                                        struct arena *arena, struct writer *out,
                                        struct fault *fault);

/* The head of the other session, when that is of the same family and as the caller expects. */
FAULT_CHECK enum fault_code moving_other(const struct moving *moving, const struct writer *writer,
                                         struct act *out, struct fault *fault);

/* What a move from `head` to `place` does to the list of messages, and between which entries. */
FAULT_CHECK enum fault_code moving_list(struct db *db, const struct act *head,
                                        const struct act *place, struct arena *arena,
                                        struct move_result *out, struct fault *fault);

/*
 * What it does to the files, unless the caller gave others: they become `tree`. Foreign changes
 * after `since` are in its way.
 */
FAULT_CHECK enum fault_code moving_files(const struct writer *writer, int64_t tree,
                                         struct address since, struct move_result *out,
                                         struct fault *fault);

/* The tree after the move: the one given, else `tree`. FAULT_TREE_STALE, FAULT_NOT_FOUND. */
FAULT_CHECK enum fault_code moving_tree(struct db *db, const struct move_files *files, int64_t tree,
                                        int64_t *out, struct fault *fault);

/*
 * Finishes a move, of which everything else is written: brings the tree where the head has another,
 * takes the intent away, remembers that the session was written to.
 */
FAULT_CHECK enum fault_code moving_close(struct writer *writer, const struct move_files *files,
                                         int64_t tree, struct arena *arena, struct fault *fault);

#endif
