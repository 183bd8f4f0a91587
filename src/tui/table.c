#include "tui/table.h"

#include "base/buf.h"

#include <assert.h>

enum {
    COLUMN_MIN = 6,     /* a column that needs more is not made narrower */
    BETWEEN = 3,        /* columns of the line between two cells, blanks included */
    CELL_MAX = 1 << 20, /* columns: what is wider is that wide */
    RULE_BYTES = 64 * 1024
};

struct piece {
    struct str text;
    struct look look;
};

struct cell {
    struct piece *pieces;
    size_t count, room;
};

struct row {
    struct cell *cells;
    size_t count; /* that were begun */
};

struct table {
    struct arena *arena;
    size_t columns;
    enum table_align *aligns;
    struct row *rows;
    size_t count, room;
};

struct table *table_new(struct arena *arena, size_t columns)
{
    struct table *table = arena_alloc(arena, sizeof(*table));

    table->arena = arena;
    table->columns = columns;
    table->aligns = arena_array(arena, columns + 1, sizeof(*table->aligns));
    return table;
}

void table_row(struct table *table)
{
    table->rows =
        arena_more(table->arena, table->rows, table->count, &table->room, sizeof(*table->rows));
    table->rows[table->count++] = (struct row){
        .cells = arena_array(table->arena, table->columns + 1, sizeof(struct cell)),
    };
}

void table_cell(struct table *table, enum table_align align)
{
    struct row *row;

    assert(table->count > 0);
    row = &table->rows[table->count - 1];
    if (row->count == table->columns)
        return;
    table->aligns[row->count++] = align;
}

void table_text(struct table *table, struct str text, struct look look)
{
    struct row *row = table->count ? &table->rows[table->count - 1] : NULL;
    struct cell *cell;

    if (!row || row->count == 0)
        return;
    cell = &row->cells[row->count - 1];
    cell->pieces =
        arena_more(table->arena, cell->pieces, cell->count, &cell->room, sizeof(*cell->pieces));
    cell->pieces[cell->count++] = (struct piece){text, look};
}

/* ---- how wide ---- */

/* The columns that the widest line of the cell takes. */
static int cell_width(const struct cell *cell)
{
    int widest = 0, columns = 0;

    for (size_t i = 0; i < cell->count; i++) {
        struct str text = cell->pieces[i].text;

        for (size_t at = 0; at < text.n;) {
            struct cluster cluster;

            cells_next(text, &at, &cluster);
            columns = cluster.columns && columns < CELL_MAX ? columns + cluster.columns : 0;
            widest = columns > widest ? columns : widest;
        }
    }
    return widest;
}

static int sum_of(const int *widths, size_t count, int most)
{
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += widths[i] < most ? widths[i] : most;
    return sum < CELL_MAX ? (int)sum : CELL_MAX;
}

/* Makes the widest columns narrower, all alike, until everything fits into `room`. */
static void widths_shrink(int *widths, size_t count, int room)
{
    int low = COLUMN_MIN, high = room, left;

    while (low < high) {
        int most = (low + high + 1) / 2;

        if (sum_of(widths, count, most) <= room)
            low = most;
        else
            high = most - 1;
    }
    left = room - sum_of(widths, count, low);
    for (size_t i = 0; i < count; i++)
        if (widths[i] > low)
            widths[i] = low + (left > 0 ? left--, 1 : 0);
}

/* The width of each column; NULL: they do not fit. */
static int *widths_of(const struct table *table, int room)
{
    int *widths = arena_array(table->arena, table->columns + 1, sizeof(*widths));

    if (table->columns > (size_t)room)
        return NULL;
    for (size_t i = 0; i < table->count; i++)
        for (size_t k = 0; k < table->rows[i].count; k++) {
            int width = cell_width(&table->rows[i].cells[k]);

            widths[k] = width > widths[k] ? width : widths[k];
        }
    for (size_t k = 0; k < table->columns; k++)
        widths[k] = widths[k] ? widths[k] : 1;
    room -= BETWEEN * (int)(table->columns - 1);
    if (sum_of(widths, table->columns, COLUMN_MIN) > room)
        return NULL;
    if (sum_of(widths, table->columns, CELL_MAX) > room)
        widths_shrink(widths, table->columns, room);
    return widths;
}

/* ---- in columns ---- */

struct row_lines {
    struct span *spans;
    size_t count;
};

static void blanks_add(const struct table *table, struct row_lines *out, int columns)
{
    if (columns > 0)
        out->spans[out->count++] = (struct span){
            arena_printf(table->arena, "%*s", columns, ""),
            columns,
            look(TONE_TEXT),
        };
}

static void bar_add(const struct table *table, struct row_lines *out)
{
    out->spans[out->count++] =
        (struct span){cells_clean(STR(" │ "), table->arena), BETWEEN, look(TONE_FAINT)};
}

/* One line of a cell, with blanks around it up to the width of the column. */
static void cell_line(const struct table *table, size_t column, const struct line *line, int width,
                      struct row_lines *out)
{
    int blanks = width - (line ? line->columns : 0), before = 0;

    if (table->aligns[column] == TABLE_RIGHT)
        before = blanks;
    else if (table->aligns[column] == TABLE_CENTER)
        before = blanks / 2;
    if (!line || line->count == 0)
        before = 0;
    blanks_add(table, out, before);
    for (size_t i = 0; line && i < line->count; i++)
        out->spans[out->count++] = line->spans[i];
    if (column + 1 < table->columns)
        blanks_add(table, out, blanks - before);
}

static void cell_write(const struct cell *cell, struct flow *flow)
{
    for (size_t i = 0; i < cell->count; i++)
        flow_text(flow, cell->pieces[i].text, cell->pieces[i].look);
}

static struct line row_line(const struct table *table, const struct laid *cells, size_t at,
                            const int *widths)
{
    size_t spans = 0;
    struct row_lines out = {0};
    struct line line = {0};

    for (size_t k = 0; k < table->columns; k++)
        spans += 3 + (at < cells[k].count ? cells[k].lines[at].count : 0);
    out.spans = arena_array(table->arena, spans, sizeof(*out.spans));
    for (size_t k = 0; k < table->columns; k++) {
        if (k)
            bar_add(table, &out);
        cell_line(table, k, at < cells[k].count ? &cells[k].lines[at] : NULL, widths[k], &out);
    }
    line.spans = out.spans;
    line.count = out.count;
    for (size_t i = 0; i < out.count; i++)
        line.columns += out.spans[i].columns;
    return line;
}

static void row_lay(const struct table *table, const struct row *row, const int *widths,
                    struct flow *flow)
{
    struct laid *cells = arena_array(table->arena, table->columns, sizeof(*cells));
    size_t height = 1;

    for (size_t k = 0; k < row->count; k++) {
        struct flow *cell = flow_new(table->arena, widths[k]);

        cell_write(&row->cells[k], cell);
        cells[k] = flow_end(cell);
        height = cells[k].count > height ? cells[k].count : height;
    }
    for (size_t at = 0; at < height; at++) {
        struct line line = row_line(table, cells, at, widths);

        flow_lines(flow, (struct laid){&line, 1});
    }
}

/* The line below the head. */
static void rule_lay(const struct table *table, const int *widths, struct flow *flow)
{
    struct buf rule;

    buf_init(&rule, RULE_BYTES);
    for (size_t k = 0; k < table->columns; k++) {
        if (k)
            buf_add_text(&rule, "─┼─");
        for (int i = 0; i < widths[k]; i++)
            buf_add_text(&rule, "─");
    }
    flow_exact(flow, buf_take(&rule, table->arena), look(TONE_FAINT));
    flow_break(flow);
}

/* ---- as a list ---- */

static void row_list(const struct table *table, const struct row *row, struct flow *flow)
{
    const struct row *head = &table->rows[0];

    flow_push(flow, STR("• "), STR("  "), look(TONE_FAINT));
    for (size_t k = 0; k < row->count; k++) {
        if (row->cells[k].count == 0)
            continue;
        if (k < head->count && head->cells[k].count) {
            cell_write(&head->cells[k], flow);
            flow_text(flow, STR(": "), look(TONE_FAINT));
        }
        cell_write(&row->cells[k], flow);
        flow_break(flow);
    }
    flow_pop(flow);
}

static void head_list(const struct table *table, struct flow *flow)
{
    const struct row *head = &table->rows[0];

    for (size_t k = 0; k < head->count; k++) {
        cell_write(&head->cells[k], flow);
        flow_break(flow);
    }
}

void table_lay(const struct table *table, struct flow *flow)
{
    const int *widths;

    flow_break(flow);
    if (table->count == 0 || table->columns == 0)
        return;
    widths = widths_of(table, flow_room(flow));
    if (!widths && table->count == 1)
        head_list(table, flow);
    for (size_t i = 0; i < table->count; i++) {
        if (widths)
            row_lay(table, &table->rows[i], widths, flow);
        else if (i > 0)
            row_list(table, &table->rows[i], flow);
        if (widths && i == 0)
            rule_lay(table, widths, flow);
    }
}
