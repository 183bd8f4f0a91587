/*
 * The family of a session as rows of a list: each session behind its source, with the lines that
 * join them; what was rewound away below its session; folded, and narrowed to what is looked for.
 */
#ifndef TUI_TREE_ROWS_H
#define TUI_TREE_ROWS_H

#include "base/arena.h"

#include <tine.h>

enum {
    TREE_DEPTH_MAX = 60,   /* deeper forks are drawn at this depth; a bit of `through` each */
    TREE_LEVEL_COLUMNS = 3 /* of a level of the lines */
};

struct tree_member {
    const struct tine_session *session;
    size_t parent; /* its place; itself for a root */
    size_t depth;  /* 0: a root */
    bool on_path;  /* it is the current session, or one that it comes from */
};

/* The sessions in the order of drawing: each is followed by its forks, by where they parted. */
struct tree {
    struct tree_member *members;
    size_t count;
};

/* `current` is the id of the session that the path leads to; NULL: none. */
void tree_order(const struct tine_session *sessions, size_t count, const char *current,
                struct arena *arena, struct tree *out);

struct tree_row {
    size_t member;                      /* of the tree */
    const struct tine_rewound *rewound; /* a stretch that it had; NULL: the session itself */
    uint64_t through;                   /* bit d: the line at depth d goes on below this row */
    size_t hidden;                      /* sessions below it that are folded away */
    uint8_t depth;                      /* at most TREE_DEPTH_MAX */
    bool last;                          /* of those that stand below its source */
    bool parted;                        /* it can be folded: something is below it */
    bool matches;                       /* what is looked for, if anything */
};

struct tree_rows {
    const struct tree_row *rows;
    size_t count;
    size_t matches; /* rows that match */
};

struct tree_rows_options {
    bool rewound;      /* also what was rewound away */
    struct str filter; /* only sessions that have this text, and what they come from; n 0: all */
    bool (*folded)(void *context, const char *session);
    void *context;
};

void tree_rows_make(const struct tree *tree, const struct tree_rows_options *options,
                    struct arena *arena, struct tree_rows *out);

/* Does the title, the id, a label or the agent have the text, whatever the case of its letters? */
bool tree_matches(const struct tine_session *session, struct str text);

/* The row of that session, or of its stretch that begins with message `first` (NULL: itself);
 * when it has none, that of the session it is folded into; `otherwise` when there is none. */
size_t tree_rows_find(const struct tree *tree, const struct tree_rows *rows, const char *session,
                      const char *first, size_t otherwise);

/* The next row that matches in that direction (1, -1), around the ends; `from` when none does. */
size_t tree_rows_next(const struct tree_rows *rows, size_t from, int direction);

/* The lines before the row, in at most `columns`: of deep rows the levels above are left out. */
struct str tree_row_lead(const struct tree_row *row, int columns, struct arena *arena);

/* ---- columns ---- */

/* What stands at the right of a row, as far as there is room; messages and age always. */
struct tree_columns {
    bool tokens, cost, files;
    int width; /* of all of them, and the blanks before each */
};

enum {
    TREE_MESSAGES_COLUMNS = 6,
    TREE_TOKENS_COLUMNS = 7,
    TREE_COST_COLUMNS = 8,
    TREE_FILES_COLUMNS = 6,
    TREE_AGE_COLUMNS = 5
};

struct tree_columns tree_columns_fit(int columns);

#endif
