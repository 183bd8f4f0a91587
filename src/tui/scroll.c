/*
 * Rows are counted from the anchor: the message, and the row of it, at the top of the pane. Behind
 * the messages stand the one that is being sent and what is being said, as messages of their own.
 * A row of space follows each but the last one. What must hold:
 * 1. Nothing is laid out that is not near the anchor, however long the conversation is.
 * 2. How tall a message is that is not here yet is not known. A move by rows stops before it, and
 *    the rest of the move is owed until it has come: so nothing jumps when it does.
 * 3. At the end the anchor follows from the last row, which stays at the bottom; else it stays when
 *    something is added, and when the width changes it stays in its message.
 */
#include "tui/scroll.h"

#include "base/array.h"
#include "base/buf.h"
#include "tui/blocks.h"
#include "tui/found.h"
#include "tui/owned.h"
#include "tui/rows.h"

#include <stdlib.h>
#include <time.h>

enum {
    BAR_COLUMNS = 2,  /* the bar, and a column before it */
    OWED_MAX = 10000, /* rows */
    OVERLAP = 2       /* rows of the page before that are seen again */
};

struct place {
    int64_t index; /* of a message, or behind them of what is being sent or said */
    int row;
};

struct scroll {
    struct talk *talk;
    struct scroll_look look; /* its texts are copies */
    char *session;           /* that was drawn; NULL: none */
    struct blocks *blocks;
    bool at_end;
    struct place top;
    int top_rows; /* of the message there, when it was drawn */
    int owed;     /* rows, see 2 */
    int64_t goal; /* a message that is to be seen when it has come; -1: none */
    /* as it was drawn last */
    int rows, columns; /* 0: never */
    int64_t *map;      /* the message of each row; -1: none */
    size_t map_count, map_room;
    bool all_here;
};

struct scroll *scroll_new(struct talk *talk)
{
    struct scroll *scroll = calloc(1, sizeof(*scroll));

    if (!scroll)
        abort();
    scroll->talk = talk;
    scroll->blocks = blocks_new(talk);
    scroll->look.marked = -1;
    scroll->at_end = true;
    scroll->goal = -1;
    return scroll;
}

void scroll_free(struct scroll *scroll)
{
    if (!scroll)
        return;
    blocks_free(scroll->blocks);
    free(scroll->session);
    free((char *)scroll->look.mark_words);
    free((char *)scroll->look.found);
    free(scroll->map);
    free(scroll);
}

void scroll_set(struct scroll *scroll, const struct scroll_look *look)
{
    struct scroll_look copy = *look;

    copy.mark_words = owned_copy(look->mark_words);
    copy.found = owned_copy(look->found);
    free((char *)scroll->look.mark_words);
    free((char *)scroll->look.found);
    scroll->look = copy;
}

static int text_width(const struct scroll *scroll)
{
    int width = scroll->columns - BAR_COLUMNS;

    return width > BLOCK_BOX_COLUMNS ? width : 1;
}

/* ---- moving ---- */

/*
 * The place that is so many rows above the end of a block, which is counted without the space
 * behind it. Returns the rows that are missing when the beginning comes first.
 */
static int place_above(struct scroll *scroll, int64_t last, int rows, struct place *out)
{
    int tall = blocks_at(scroll->blocks, last).rows;

    *out = (struct place){last, 0};
    while (tall < rows && out->index > 0) {
        rows -= tall;
        out->index--;
        tall = blocks_rows(scroll->blocks, out->index, NULL);
    }
    if (tall < rows)
        return rows - tall;
    out->row = tall - rows;
    return 0;
}

static int top_from_end(struct scroll *scroll)
{
    int64_t count = blocks_count(scroll->blocks);

    if (count == 0) {
        scroll->top = (struct place){0, 0};
        return scroll->rows;
    }
    return place_above(scroll, count - 1, scroll->rows, &scroll->top);
}

/* Are all rows from the top on seen, and do they leave no row over that others could fill? */
static bool reaches_end(struct scroll *scroll)
{
    int rows = -scroll->top.row;
    int64_t count = blocks_count(scroll->blocks);
    bool here = true;

    for (int64_t i = scroll->top.index; i < count && here && rows <= scroll->rows; i++)
        rows += blocks_rows(scroll->blocks, i, &here);
    return here && rows <= scroll->rows;
}

/* Returns the rows that are owed. */
static int move_up(struct scroll *scroll, int rows)
{
    struct place *top = &scroll->top;

    while (rows > top->row) {
        bool here;
        int tall;

        rows -= top->row;
        top->row = 0;
        if (top->index == 0)
            return 0;
        tall = blocks_rows(scroll->blocks, top->index - 1, &here);
        if (!here)
            return rows;
        top->index--;
        top->row = tall;
    }
    top->row -= rows;
    return 0;
}

static int move_down(struct scroll *scroll, int rows)
{
    struct place *top = &scroll->top;
    int64_t count = blocks_count(scroll->blocks);

    while (rows > 0) {
        bool here;
        int tall = blocks_rows(scroll->blocks, top->index, &here);

        if (!here)
            return rows;
        if (rows < tall - top->row) {
            top->row += rows;
            return 0;
        }
        if (top->index + 1 >= count)
            return 0;
        rows -= tall - top->row;
        top->index++;
        top->row = 0;
    }
    return 0;
}

static void move_by(struct scroll *scroll, int rows)
{
    if (blocks_count(scroll->blocks) == 0)
        return;
    if (scroll->at_end)
        (void)top_from_end(scroll);
    if (rows < 0) {
        scroll->owed = -move_up(scroll, -rows);
        scroll->at_end = scroll->at_end && reaches_end(scroll);
    } else if (!scroll->at_end) {
        scroll->owed = move_down(scroll, rows);
        scroll->at_end = reaches_end(scroll);
    } else {
        scroll->owed = 0;
    }
}

/* Is all of the message seen? */
static bool is_seen(struct scroll *scroll, int64_t index)
{
    int rows = -scroll->top.row;

    if (index < scroll->top.index || (index == scroll->top.index && scroll->top.row > 0))
        return false;
    for (int64_t i = scroll->top.index; i < index && rows < scroll->rows; i++)
        rows += blocks_rows(scroll->blocks, i, NULL);
    return rows + blocks_at(scroll->blocks, index).rows <= scroll->rows;
}

/* Moves as little as is needed. */
static void move_to(struct scroll *scroll, int64_t index)
{
    struct block block = blocks_at(scroll->blocks, index);
    bool above;

    if (scroll->at_end)
        (void)top_from_end(scroll);
    if (block.here && is_seen(scroll, index))
        return;
    above = index <= scroll->top.index;
    scroll->at_end = false;
    if (above || !block.here || block.rows >= scroll->rows)
        scroll->top = (struct place){index, 0};
    else
        (void)place_above(scroll, index, scroll->rows, &scroll->top);
}

/* ---- what others ask for ---- */

void scroll_by(struct scroll *scroll, int rows)
{
    int owed = scroll->owed + rows;

    scroll->goal = -1;
    scroll->owed = 0;
    if (scroll->rows == 0)
        return;
    owed = owed < -OWED_MAX ? -OWED_MAX : owed > OWED_MAX ? OWED_MAX : owed;
    move_by(scroll, owed);
}

void scroll_page(struct scroll *scroll, int pages)
{
    int page = scroll->rows > 2 * OVERLAP ? scroll->rows - OVERLAP : 1;

    scroll_by(scroll, pages * page);
}

void scroll_begin(struct scroll *scroll)
{
    scroll->goal = -1;
    scroll->owed = 0;
    scroll->at_end = false;
    scroll->top = (struct place){0, 0};
}

void scroll_end(struct scroll *scroll)
{
    scroll->goal = -1;
    scroll->owed = 0;
    scroll->at_end = true;
}

void scroll_to(struct scroll *scroll, int64_t index)
{
    scroll->owed = 0;
    scroll->goal = index;
}

bool scroll_at_end(const struct scroll *scroll)
{
    return scroll->at_end;
}

int64_t scroll_at(const struct scroll *scroll, int row)
{
    return row >= 0 && (size_t)row < scroll->map_count ? scroll->map[row] : -1;
}

int64_t scroll_middle(const struct scroll *scroll)
{
    int middle = scroll->rows / 2;

    for (int i = 0; i <= scroll->rows; i++) {
        if (scroll_at(scroll, middle + i) >= 0)
            return scroll_at(scroll, middle + i);
        if (scroll_at(scroll, middle - i) >= 0)
            return scroll_at(scroll, middle - i);
    }
    return -1;
}

void scroll_toggle(struct scroll *scroll, int64_t index)
{
    blocks_toggle(scroll->blocks, index);
}

/* ---- settling, before it is drawn ---- */

/* Another conversation begins at its end. */
static void session_settle(struct scroll *scroll)
{
    if (owned_same(scroll->session, talk_id(scroll->talk)))
        return;
    free(scroll->session);
    scroll->session = owned_copy(talk_id(scroll->talk));
    blocks_begin(scroll->blocks);
    scroll->owed = 0;
    scroll->at_end = true;
}

static void size_settle(struct scroll *scroll, struct pane pane)
{
    bool wider = scroll->columns != pane.columns;
    struct timespec now;

    scroll->rows = pane.rows;
    scroll->columns = pane.columns;
    clock_gettime(CLOCK_REALTIME, &now);
    blocks_set(scroll->blocks, &scroll->look, text_width(scroll),
               (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    if (wider && !scroll->at_end && scroll->top.row > 0 && scroll->top_rows > 0 &&
        scroll->top.index < blocks_count(scroll->blocks)) {
        int tall = blocks_at(scroll->blocks, scroll->top.index).rows;

        scroll->top.row = (int)((int64_t)scroll->top.row * tall / scroll->top_rows);
    }
}

/* What was at the top may be gone, or smaller. */
static void top_settle(struct scroll *scroll)
{
    int tall;

    if (scroll->top.index >= blocks_count(scroll->blocks)) {
        scroll->at_end = true;
        return;
    }
    if (scroll->at_end)
        return;
    tall = blocks_rows(scroll->blocks, scroll->top.index, NULL);
    if (scroll->top.row >= tall)
        scroll->top.row = tall > 0 ? tall - 1 : 0;
}

/* Returns the rows that stay empty above a conversation which is shorter than the pane. */
static int settle(struct scroll *scroll, struct pane pane)
{
    session_settle(scroll);
    size_settle(scroll, pane);
    top_settle(scroll);
    if (scroll->goal >= talk_count(scroll->talk) && talk_session(scroll->talk))
        scroll->goal = -1;
    if (scroll->goal >= 0 && scroll->goal < talk_count(scroll->talk))
        move_to(scroll, scroll->goal);
    else if (scroll->owed)
        move_by(scroll, scroll->owed);
    if (!scroll->at_end && reaches_end(scroll))
        scroll->at_end = true;
    return scroll->at_end ? top_from_end(scroll) : 0;
}

/* ---- drawing ---- */

static struct str repeated(const char *sign, int count, struct arena *arena)
{
    struct buf buf;

    buf_init(&buf, 64 * 1024);
    for (int i = 0; i < count; i++)
        buf_add_text(&buf, sign);
    return buf_take(&buf, arena);
}

/* The upper edge has words near its right end, when there is room for them. */
static void edge_draw(struct scroll *scroll, struct pane pane, int row, bool upper)
{
    struct look look = look_with(TONE_MARK, LOOK_BOLD);
    struct str words = upper ? str_of(scroll->look.mark_words) : STR_NONE;
    int width = text_width(scroll), taken = words.n ? cells_count(words) + 2 : 0;
    struct arena arena;
    int column;

    arena_init(&arena);
    if (taken > width - BLOCK_BOX_COLUMNS)
        taken = 0;
    column = pane_text(pane, row, 0, look, upper ? STR("┌") : STR("└"));
    column = pane_text(pane, row, column, look, repeated("─", width - 3 - taken, &arena));
    if (taken)
        column = pane_text(pane, row, column, look, arena_printf(&arena, " %.*s ", STR_ARG(words)));
    column = pane_text(pane, row, column, look, STR("─"));
    pane_text(pane, row, column, look, upper ? STR("┐") : STR("┘"));
    arena_clear(&arena);
}

static void found_words_draw(const struct scroll *scroll, struct pane pane, int row, int column,
                             const struct line *line)
{
    const char *at = scroll->look.found;

    while (at && *at) {
        size_t n = strcspn(at, " \t\"");

        if (n)
            found_draw(pane, row, column, line, (struct str){at, n}, look(TONE_FOUND));
        at += n + (at[n] != '\0');
    }
}

static void line_draw(struct scroll *scroll, struct pane pane, int row, int column,
                      const struct line *line, struct look over)
{
    pane_line(pane, row, column, line, over);
    found_words_draw(scroll, pane, row, column, line);
}

static void boxed_draw(struct scroll *scroll, struct pane pane, const struct block *block, int row,
                       int at)
{
    struct look look = look_with(TONE_MARK, LOOK_BOLD);

    if (at == 0 || at == block->rows - 1) {
        edge_draw(scroll, pane, row, at == 0);
        return;
    }
    pane_text(pane, row, 0, look, STR("│"));
    line_draw(scroll, pane, row, BLOCK_BOX_COLUMNS / 2, &block->laid.lines[at - 1],
              look_with(TONE_TEXT, 0));
    pane_text(pane, row, text_width(scroll) - 1, look, STR("│"));
}

static struct look look_of(const struct scroll *scroll, int64_t index)
{
    const struct scroll_look *how = &scroll->look;
    bool behind = how->dim_behind && how->marked >= 0 && index > how->marked;

    return behind || blocks_is_sending(scroll->blocks, index) ? look_with(TONE_FAINT, LOOK_DIM)
                                                              : look(TONE_TEXT);
}

/* Draws the rows of a block from `at` on; returns the row behind them. */
static int block_draw(struct scroll *scroll, struct pane pane, int64_t index, int row, int at)
{
    struct block block = blocks_at(scroll->blocks, index);
    struct look over = look_of(scroll, index);
    int64_t place = index < talk_count(scroll->talk) ? index : -1;

    scroll->all_here = scroll->all_here && block.here;
    for (; at < block.rows && row < pane.rows; at++, row++) {
        scroll->map[row] = place;
        if (!block.here)
            pane_text(pane, row, 0, look(TONE_FAINT), STR("· · ·"));
        else if (block.boxed)
            boxed_draw(scroll, pane, &block, row, at);
        else
            line_draw(scroll, pane, row, 0, &block.laid.lines[at], over);
    }
    return at == block.rows ? row + 1 : row; /* the space behind it */
}

static void map_begin(struct scroll *scroll, int rows)
{
    scroll->map_count = 0;
    while (scroll->map_count < (size_t)rows) {
        scroll->map =
            array_more(scroll->map, scroll->map_count, &scroll->map_room, sizeof(scroll->map[0]));
        scroll->map[scroll->map_count++] = -1;
    }
}

/* By messages: how many rows there are above is not known. */
static void bar_draw(const struct scroll *scroll, struct pane pane, int64_t behind)
{
    int64_t count = blocks_count(scroll->blocks), seen = behind - scroll->top.index;

    if (scroll->at_end && scroll->top.index > 0) /* a part of the first one is not seen */
        rows_bar(pane, (size_t)(count - seen), (size_t)seen, (size_t)count);
    else
        rows_bar(pane, (size_t)scroll->top.index, (size_t)(seen < count ? seen : count),
                 (size_t)count);
}

void scroll_draw(struct scroll *scroll, struct pane pane)
{
    int64_t count, index;
    int row, at;

    if (pane.rows <= 0 || pane.columns <= 0)
        return;
    map_begin(scroll, pane.rows);
    row = settle(scroll, pane);
    count = blocks_count(scroll->blocks);
    scroll->all_here = true;
    at = scroll->top.row;
    for (index = scroll->top.index; index < count && row < pane.rows; index++) {
        int tall = blocks_at(scroll->blocks, index).rows;

        if (index == scroll->top.index)
            scroll->top_rows = tall;
        if (at < tall)
            row = block_draw(scroll, pane, index, row, at);
        else
            row++; /* nothing but the space behind it is seen */
        at = 0;
    }
    bar_draw(scroll, pane, index);
    if (scroll->all_here)
        scroll->goal = -1;
}
