/* The tree view, for the files that are parts of it. */
#ifndef TUI_TREE_OWN_H
#define TUI_TREE_OWN_H

#include "tui/field.h"
#include "tui/rows.h"
#include "tui/tree_rows.h"
#include "tui/tui.h"

enum { TREE_MARKS = 2 };

/* A row, whatever becomes of the rows: a session, or a stretch that it had. */
struct tree_place {
    char *session;
    char *first; /* message that the stretch begins with; NULL: the session itself */
};

struct tree_view {
    struct view view;
    char *session;             /* whose family it is */
    struct tine_result *read;  /* the family; NULL: it is not there yet */
    struct arena family, made; /* of `tree` and of `rows` */
    struct tree tree;
    struct tree_rows rows;
    struct rows list;
    struct field filter;
    bool typing;
    bool rewound; /* shown, too */
    char **folded;
    size_t folded_count, folded_room;
    struct tree_place marks[TREE_MARKS]; /* the older one first */
    size_t mark_count;
    bool stale;      /* something has happened to the family since it was read */
    int64_t read_ms; /* when that was begun */
    char *failed;    /* why it could not be read; NULL */
};

/* The row under the mark, and its session; NULL: there is none. */
const struct tree_row *tree_marked(const struct tree_view *tree);
const struct tine_session *tree_session(const struct tree_view *tree, const struct tree_row *row);
const struct tine_session *tree_view_find(const struct tree_view *tree,
                                          const char *id); /* NULL: none */

/* The session in the chat; without one that whose family this is. */
const char *tree_here(const struct tree_view *tree);

void tree_set(char **at, const char *text); /* a copy, in place of what was there */

/* The message that the stretch of the row begins with; NULL: it is a session. */
const char *tree_first(const struct tree_row *row);

/* Which of the two that Space has marked it is, counted from 1; 0: none. */
int tree_mark_of(const struct tree_view *tree, const struct tree_row *row);

void tree_draw_all(struct tree_view *tree, struct pane pane); /* tree_paint.c */

/* ---- what is done to the marked row: tree_acts.c ---- */

void tree_view_open(struct tree_view *tree);
void tree_fork(struct tree_view *tree);
void tree_rewind(struct tree_view *tree);
void tree_rewind_source(struct tree_view *tree); /* to where the row's session parted */
void tree_merge(struct tree_view *tree);
void tree_adopt(struct tree_view *tree);
void tree_undo(struct tree_view *tree);
void tree_redo(struct tree_view *tree);
void tree_label(struct tree_view *tree);
void tree_title(struct tree_view *tree);
void tree_delete(struct tree_view *tree);
void tree_compare(struct tree_view *tree); /* the two that are marked, or one with the chat's */

#endif
