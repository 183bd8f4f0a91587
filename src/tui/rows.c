#include "tui/rows.h"

static size_t page(const struct rows *rows)
{
    return rows->page ? rows->page : 1;
}

/* The marked item is seen, and there is no empty room below the last one while others are above. */
static void settle(struct rows *rows)
{
    if (rows->count == 0) {
        rows->marked = rows->top = 0;
        return;
    }
    if (rows->marked >= rows->count)
        rows->marked = rows->count - 1;
    if (rows->marked < rows->top)
        rows->top = rows->marked;
    if (rows->marked - rows->top >= page(rows))
        rows->top = rows->marked - page(rows) + 1;
    if (rows->count - rows->top < page(rows))
        rows->top = rows->count > page(rows) ? rows->count - page(rows) : 0;
}

void rows_count(struct rows *rows, size_t count)
{
    rows->count = count;
    settle(rows);
}

void rows_mark(struct rows *rows, size_t index)
{
    rows->marked = index;
    settle(rows);
}

static void back(struct rows *rows, size_t items)
{
    rows_mark(rows, rows->marked > items ? rows->marked - items : 0);
}

static void forth(struct rows *rows, size_t items)
{
    rows_mark(rows, rows->count - rows->marked > items ? rows->marked + items
                                                       : rows->count - (rows->count > 0));
}

static bool click(struct rows *rows, const struct press *press)
{
    int row = press->row - rows->pane.row, column = press->column - rows->pane.column;
    size_t index = rows->top + (size_t)(row < 0 ? 0 : row) / (size_t)(rows->tall ? rows->tall : 1);

    if (row < 0 || row >= rows->pane.rows || column < 0 || column >= rows->pane.columns ||
        index >= rows->count)
        return false;
    rows_mark(rows, index);
    return true;
}

bool rows_press(struct rows *rows, const struct press *press)
{
    if (press->ctrl || press->alt)
        return false;
    switch (press->kind) {
    case PRESS_UP:
        back(rows, 1);
        return true;
    case PRESS_DOWN:
        forth(rows, 1);
        return true;
    case PRESS_WHEEL_UP:
        back(rows, ROWS_WHEEL);
        return true;
    case PRESS_WHEEL_DOWN:
        forth(rows, ROWS_WHEEL);
        return true;
    case PRESS_PAGE_UP:
        back(rows, page(rows));
        return true;
    case PRESS_PAGE_DOWN:
        forth(rows, page(rows));
        return true;
    case PRESS_HOME:
        back(rows, rows->count);
        return true;
    case PRESS_END:
        forth(rows, rows->count);
        return true;
    case PRESS_CLICK:
        return click(rows, press);
    default:
        return false;
    }
}

bool rows_at_end(const struct rows *rows)
{
    return rows->count - rows->top <= page(rows);
}

void rows_bar(struct pane pane, size_t top, size_t seen, size_t count)
{
    size_t all = (size_t)pane.rows, size, first;

    if (count <= seen || pane.rows < 2)
        return;
    size = all * seen / count;
    size = size ? size : 1;
    first = (all - size) * top / (count - seen);
    for (size_t i = 0; i < all; i++) {
        bool inside = i >= first && i < first + size;

        pane_text(pane, (int)i, pane.columns - 1, look(TONE_FAINT), inside ? STR("█") : STR("│"));
    }
}

void rows_draw(struct rows *rows, struct pane pane, rows_draw_item *draw, void *context,
               const char *empty)
{
    int tall = rows->tall ? rows->tall : 1;
    struct pane inside;

    rows->pane = pane;
    rows->page = pane.rows > tall ? (size_t)(pane.rows / tall) : 1;
    settle(rows);
    if (rows->count == 0) {
        pane_text(pane, pane.rows > 2 ? 1 : 0, 2, look(TONE_FAINT), str_of(empty));
        return;
    }
    inside = pane_columns(pane, 0, pane.columns - ROWS_BAR);
    for (size_t i = 0; i < rows->page && rows->top + i < rows->count; i++) {
        size_t index = rows->top + i;
        struct pane item = pane_rows(inside, (int)i * tall, tall);

        if (index == rows->marked)
            pane_fill(item, look_with(TONE_TEXT, LOOK_MARKED));
        draw(context, item, index, index == rows->marked);
    }
    rows_bar(pane, rows->top, rows->page, rows->count);
}
