#include "tui/box.h"

int box_room(struct pane pane)
{
    int columns = pane.columns < BOX_COLUMNS_MAX ? pane.columns : BOX_COLUMNS_MAX;

    return columns > 2 * BOX_EDGE ? columns - 2 * BOX_EDGE : 1;
}

struct pane box_draw(struct pane pane, int rows, int columns, const char *title)
{
    int high = rows + 2 < pane.rows ? rows + 2 : pane.rows;
    int wide = columns + 2 * BOX_EDGE < pane.columns ? columns + 2 * BOX_EDGE : pane.columns;
    struct pane box = pane_columns(pane_rows(pane, (pane.rows - high) / 2, high),
                                   (pane.columns - wide) / 2, wide);

    screen_cursor_off(pane.screen);
    pane_box(box, look(TONE_MARK), str_of(title));
    return pane_columns(pane_rows(box, 1, high - 2), BOX_EDGE, wide - 2 * BOX_EDGE);
}
