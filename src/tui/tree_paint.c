/* The tree view on the screen: its bar, the headings of its columns, its rows, its keys. */
#include "tui/age.h"
#include "tui/bars.h"
#include "tui/message_lay.h"
#include "tui/move_words.h"
#include "tui/status.h"
#include "tui/tree_own.h"

#include <inttypes.h>

enum { HEAD_ROWS = 2, GUTTER = 2, NARROW = 80 };

/* What a row is drawn with. */
struct drawing {
    struct tree_view *tree;
    const struct tree_row *row;
    const struct tine_session *session;
    struct pane pane;
    int bits; /* of all looks in it */
    struct arena *arena;
};

static struct look tone(const struct drawing *drawing, enum tone tone, int bits)
{
    return look_with(tone, drawing->bits | bits);
}

/* Writes what ends before that column. */
static void draw_right(const struct drawing *drawing, int end, struct str text)
{
    pane_text(drawing->pane, 0, end - cells_count(text), tone(drawing, TONE_FAINT, 0), text);
}

static void draw_columns(const struct drawing *drawing, const struct tree_columns *fit)
{
    const struct tine_session *session = drawing->session;
    const struct tine_rewound *rewound = drawing->row->rewound;
    int64_t tokens = session->usage.input_tokens + session->usage.output_tokens;
    int end = drawing->pane.columns - fit->width + TREE_MESSAGES_COLUMNS;
    char age[AGE_MAX];

    draw_right(drawing, end,
               status_count(rewound ? rewound->messages : session->own_messages, drawing->arena));
    if (fit->tokens && !rewound && tokens)
        draw_right(drawing, end + TREE_TOKENS_COLUMNS, status_count(tokens, drawing->arena));
    end += fit->tokens ? TREE_TOKENS_COLUMNS : 0;
    if (fit->cost && !rewound && session->usage.cost_nano)
        draw_right(drawing, end + TREE_COST_COLUMNS,
                   status_cost(session->usage.cost_nano, drawing->arena));
    end += fit->cost ? TREE_COST_COLUMNS : 0;
    if (fit->files && !rewound && session->files_changed)
        draw_right(drawing, end + TREE_FILES_COLUMNS,
                   status_count(session->files_changed, drawing->arena));
    age_text(rewound ? rewound->first->created_ms : session->updated_ms, tui_wall_ms(), age);
    draw_right(drawing, drawing->pane.columns, str_of(age));
}

static void draw_rewound(const struct drawing *drawing, struct pane room, int column)
{
    const struct tine_rewound *rewound = drawing->row->rewound;

    column = pane_format(room, 0, column, tone(drawing, TONE_FAINT, LOOK_DIM),
                         "rewound at message %" PRId64 ": ", rewound->index + 1);
    pane_text(room, 0, column, tone(drawing, TONE_FAINT, LOOK_DIM | LOOK_ITALIC),
              message_gist(rewound->first, drawing->arena));
}

static int draw_labels(const struct drawing *drawing, struct pane room, int column)
{
    const struct tine_session *session = drawing->session;

    for (size_t i = 0; i < session->label_count; i++)
        if (session->labels[i].label && !session->labels[i].inherited)
            column = pane_format(room, 0, column, tone(drawing, TONE_WARN, 0), "  @%s",
                                 session->labels[i].label);
    return column;
}

static void draw_session(const struct drawing *drawing, struct pane room, int column)
{
    const struct tine_session *session = drawing->session;
    const struct tree_row *row = drawing->row;
    struct tree_view *tree = drawing->tree;
    bool on_path = tree->tree.members[row->member].on_path, narrow = drawing->pane.columns < NARROW;
    bool aside = field_text(&tree->filter).n && !row->matches;
    enum tone of_title = row->matches ? TONE_FOUND : aside ? TONE_FAINT : TONE_TEXT;

    column = pane_text(room, 0, column, tone(drawing, on_path ? TONE_GOOD : TONE_FAINT, 0),
                       on_path ? STR("● ") : STR("○ "));
    column = pane_text(room, 0, column, tone(drawing, of_title, on_path ? LOOK_BOLD : 0),
                       *session->title ? str_of(session->title) : STR("untitled"));
    if (row->hidden)
        column = pane_format(room, 0, column, tone(drawing, TONE_MARK, 0), "  [+%zu]", row->hidden);
    if (strcmp(session->id, tree_here(tree)) == 0)
        column = pane_text(room, 0, column, tone(drawing, TONE_GOOD, 0), STR("  ◀ here"));
    column = draw_labels(drawing, room, column);
    if (session->archived)
        column = pane_text(room, 0, column, tone(drawing, TONE_FAINT, 0), STR("  archived"));
    if (session->parent && !narrow)
        pane_format(room, 0, column, tone(drawing, TONE_FAINT, 0), "  after message %" PRId64,
                    session->index);
}

static void draw_row(void *context, struct pane pane, size_t index, bool marked)
{
    struct tree_view *tree = context;
    const struct tree_row *row = &tree->rows.rows[index];
    struct tree_columns fit = tree_columns_fit(pane.columns);
    struct arena arena;
    struct drawing drawing = {.tree = tree,
                              .row = row,
                              .session = tree_session(tree, row),
                              .pane = pane,
                              .bits = marked ? LOOK_MARKED : 0,
                              .arena = &arena};
    struct pane room = pane_columns(pane, 0, pane.columns - fit.width);
    int mark = tree_mark_of(tree, row), column;

    arena_init(&arena);
    if (mark)
        pane_format(room, 0, 0, tone(&drawing, TONE_MARK, LOOK_BOLD), "%d", mark);
    column = pane_text(room, 0, GUTTER, tone(&drawing, TONE_FAINT, 0),
                       tree_row_lead(row, room.columns / 2, &arena));
    if (row->rewound)
        draw_rewound(&drawing, room, column);
    else
        draw_session(&drawing, room, column);
    draw_columns(&drawing, &fit);
    arena_clear(&arena);
}

static void draw_heading(struct pane pane)
{
    struct tree_columns fit = tree_columns_fit(pane.columns);
    struct look faint = look(TONE_FAINT);
    int at = pane.columns - fit.width;

    pane_text(pane, 0, GUTTER, faint, STR("session"));
    pane_text(pane, 0, at + TREE_MESSAGES_COLUMNS - 4, faint, STR("msgs"));
    at += TREE_MESSAGES_COLUMNS;
    if (fit.tokens)
        pane_text(pane, 0, at + TREE_TOKENS_COLUMNS - 6, faint, STR("tokens"));
    at += fit.tokens ? TREE_TOKENS_COLUMNS : 0;
    if (fit.cost)
        pane_text(pane, 0, at + TREE_COST_COLUMNS - 4, faint, STR("cost"));
    at += fit.cost ? TREE_COST_COLUMNS : 0;
    if (fit.files)
        pane_text(pane, 0, at + TREE_FILES_COLUMNS - 5, faint, STR("files"));
    pane_text(pane, 0, pane.columns - 3, faint, STR("age"));
}

static void draw_foot(struct tree_view *tree, struct pane pane, int row)
{
    if (tree->typing) {
        pane_text(pane, row, 0, look_with(TONE_TEXT, LOOK_BOLD), STR("/"));
        field_draw(&tree->filter, pane_columns(pane_rows(pane, row, 1), 1, pane.columns - 1),
                   "title, id, label or agent");
        return;
    }
    bars_keys(pane, row,
              field_text(&tree->filter).n
                  ? "n N: Next, before|/: Filter|Enter: Open|f: Fork|Esc: All again"
              : pane.columns < NARROW
                  ? "Enter: Open|f: Fork|Space: Mark|?: Keys|q: Close"
                  : "Enter: Open|f: Fork|Space: Mark|d: Compare|k: Keep|m: Merge|r: Rewind"
                    "|w: Rewound|/: Filter|x: Delete|?: Keys|q: Close");
}

static void draw_title(const struct tree_view *tree, struct pane pane)
{
    struct arena arena;
    const char *title = "Tree", *right = NULL;
    struct str words = field_text(&tree->filter);

    arena_init(&arena);
    if (tree->tree.count)
        title = arena_printf(&arena, "Tree of %s · %zu session%s",
                             move_words_title(tree->tree.members[0].session->title, &arena),
                             tree->tree.count, tree->tree.count == 1 ? "" : "s")
                    .p;
    if (words.n)
        right = arena_printf(&arena, "%zu match%s", tree->rows.matches,
                             tree->rows.matches == 1 ? "" : "es")
                    .p;
    else if (tree->mark_count)
        right = arena_printf(&arena, "%zu marked", tree->mark_count).p;
    bars_title(pane, 0, title, right);
    arena_clear(&arena);
}

void tree_draw_all(struct tree_view *tree, struct pane pane)
{
    struct pane list = pane_rows(pane, HEAD_ROWS, pane.rows - HEAD_ROWS - 1);

    pane_fill(pane, look(TONE_TEXT));
    draw_title(tree, pane);
    draw_heading(pane_columns(pane_rows(pane, 1, 1), 0, pane.columns - ROWS_BAR));
    rows_draw(&tree->list, list, draw_row, tree,
              tree->failed                      ? tree->failed
              : !tree->read                     ? "reading…"
              : field_text(&tree->filter).n > 0 ? "no session has that"
                                                : "no session");
    draw_foot(tree, pane, pane.rows - 1);
}
