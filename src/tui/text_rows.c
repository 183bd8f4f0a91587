/*
 * Where a row begins depends on what stands before it and on the word that it begins with. So when
 * the text changes, the row in which it does and the one before it are laid out again, and those
 * behind; the others stay.
 */
#include "tui/text_rows.h"

#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

void text_rows_clear(struct text_rows *rows)
{
    free(rows->starts);
    *rows = (struct text_rows){0};
}

void text_rows_set_width(struct text_rows *rows, int width)
{
    if (width < 1)
        width = 1;
    if (width != rows->width)
        rows->count = 0;
    rows->width = width;
}

/* The last row that begins at or before `at`. */
static size_t row_of(const struct text_rows *rows, size_t at)
{
    size_t low = 0, high = rows->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (rows->starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void text_rows_stale(struct text_rows *rows, size_t from)
{
    size_t row;

    if (!rows->count || from == SIZE_MAX)
        return;
    row = row_of(rows, from);
    rows->count = row > 0 ? row : 1; /* what begins there is found again from the row before */
    rows->whole = false;
}

int text_rows_step(struct str text, size_t *at, int column)
{
    unsigned char c = (unsigned char)text.p[*at];
    struct cluster cluster;

    if (c == '\t') {
        *at += 1;
        return TEXT_ROWS_TAB - column % TEXT_ROWS_TAB;
    }
    if (c >= ' ' && c < 0x7f && (*at + 1 == text.n || (unsigned char)text.p[*at + 1] < 0x80)) {
        *at += 1; /* most of all texts */
        return 1;
    }
    cells_next(text, at, &cluster);
    return cluster.columns;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_break(struct str text, size_t at)
{
    return text.p[at] == '\n' || (text.p[at] == '\r' && at + 1 < text.n && text.p[at + 1] == '\n');
}

/* Where the row behind the one from `start` on begins; false: there is none. */
static bool next_start(struct str text, size_t start, int width, size_t *out)
{
    size_t at = start, words = start; /* `words`: behind the last blank */
    int column = 0;

    while (at < text.n) {
        size_t next = at;
        bool blank = is_blank(text.p[at]);
        int columns;

        if (is_break(text, at)) {
            *out = at + (text.p[at] == '\n' ? 1 : 2);
            return true;
        }
        columns = text_rows_step(text, &next, column);
        if (!blank && column + columns > width && at > start) {
            *out = words > start ? words : at;
            return true;
        }
        column = column + columns < width || !blank ? column + columns : width;
        at = next;
        if (blank)
            words = at;
    }
    return false;
}

/* Lays out one row more; false: there is none. */
static bool lay_next(struct text_rows *rows, struct str text)
{
    size_t start = 0;

    assert(rows->width > 0);
    if (rows->count == 0) {
        rows->whole = false;
    } else if (rows->whole ||
               !next_start(text, rows->starts[rows->count - 1], rows->width, &start)) {
        rows->whole = true;
        return false;
    }
    rows->starts = array_more(rows->starts, rows->count, &rows->room, sizeof *rows->starts);
    rows->starts[rows->count++] = start;
    return true;
}

size_t text_rows_count(struct text_rows *rows, struct str text, size_t most)
{
    while (rows->count < most && lay_next(rows, text))
        ;
    return rows->count < most ? rows->count : most;
}

bool text_rows_at(struct text_rows *rows, struct str text, size_t row, size_t *start,
                  struct str *out)
{
    size_t end;

    if (text_rows_count(rows, text, row + 2) <= row)
        return false;
    *start = rows->starts[row];
    end = row + 1 < rows->count ? rows->starts[row + 1] : text.n;
    if (end > *start && text.p[end - 1] == '\n') {
        end--;
        if (end > *start && text.p[end - 1] == '\r')
            end--;
    }
    *out = (struct str){text.p + *start, end - *start};
    return true;
}

size_t text_rows_find(struct text_rows *rows, struct str text, size_t at, int *column)
{
    size_t row, place;

    while (!rows->count || rows->starts[rows->count - 1] <= at)
        if (!lay_next(rows, text))
            break;
    row = row_of(rows, at);
    *column = 0;
    for (place = rows->starts[row]; place < at;)
        *column += text_rows_step(text, &place, *column);
    if (*column > rows->width)
        *column = rows->width;
    return row;
}

size_t text_rows_place(struct text_rows *rows, struct str text, size_t row, int column)
{
    size_t start = 0, at, end;
    struct str bytes;
    int reached = 0;

    if (!text_rows_at(rows, text, row, &start, &bytes))
        return text.n;
    at = start;
    end = start + bytes.n;
    while (at < end) {
        size_t next = at;

        reached += text_rows_step(text, &next, reached);
        /* the end of a wrapped row is the beginning of the next one */
        if (reached > column ||
            (next == end && row + 1 < rows->count && rows->starts[row + 1] == end))
            break;
        at = next;
    }
    return at;
}
