#include "tui/tree_rows.h"

#include "base/buf.h"
#include "client/kin.h"

#include <stdlib.h>
#include <strings.h>

/* ---- order ---- */

static void mark_path(struct tree *tree, const char *current)
{
    for (size_t i = 0; i < tree->count; i++) {
        size_t at = i;

        if (strcmp(tree->members[i].session->id, current) != 0)
            continue;
        while (!tree->members[at].on_path) {
            tree->members[at].on_path = true;
            at = tree->members[at].parent;
        }
        return;
    }
}

void tree_order(const struct tine_session *sessions, size_t count, const char *current,
                struct arena *arena, struct tree *out)
{
    struct kin *kin = kin_order(sessions, &count, arena);

    *out = (struct tree){.count = count};
    out->members = arena_array(arena, count, sizeof(*out->members));
    for (size_t i = 0; i < count; i++)
        out->members[i] = (struct tree_member){
            .session = kin[i].session, .parent = kin[i].parent, .depth = kin[i].depth};
    if (current)
        mark_path(out, current);
}

/* ---- what is looked for ---- */

/* Letters beyond ASCII are compared as they are. */
static bool has_text(const char *in, struct str text)
{
    struct str all = str_of(in);

    for (size_t at = 0; at + text.n <= all.n; at++)
        if (strncasecmp(all.p + at, text.p, text.n) == 0)
            return true;
    return false;
}

bool tree_matches(const struct tine_session *session, struct str text)
{
    if (has_text(session->title, text) || has_text(session->id, text) ||
        has_text(session->agent, text))
        return true;
    for (size_t i = 0; i < session->label_count; i++)
        if (has_text(session->labels[i].label, text))
            return true;
    return false;
}

/* ---- rows ---- */

/* What is known of a member while rows are made. */
struct shown {
    bool seen;        /* it gets a row */
    bool matches;     /* … because it is what is looked for */
    bool wanted;      /* it, or one below it, is */
    bool folded;      /* what is below it is not shown */
    bool last;        /* of those of its parent that are seen */
    bool parent_of;   /* one that is seen */
    size_t below;     /* members below it that would be shown */
    uint64_t through; /* as in its row */
};

struct making {
    const struct tree *tree;
    const struct tree_rows_options *options;
    struct shown *shown; /* by member */
    struct tree_row *rows;
    size_t count, room;
    struct arena *arena;
};

/* Who matches, and who is on the way to one that does. */
static void find_wanted(struct making *making)
{
    const struct tree *tree = making->tree;
    struct str filter = making->options->filter;

    for (size_t i = tree->count; i-- > 0;) {
        struct shown *shown = &making->shown[i];
        size_t parent = tree->members[i].parent;

        shown->matches = filter.n && tree_matches(tree->members[i].session, filter);
        shown->wanted |= filter.n == 0 || shown->matches;
        if (!shown->wanted || parent == i)
            continue;
        making->shown[parent].wanted = true;
        making->shown[parent].below += 1 + shown->below;
    }
}

/* Who gets a row: those that are wanted and not folded away. A search unfolds what it finds. */
static void find_seen(struct making *making)
{
    const struct tree_rows_options *options = making->options;
    const struct tree *tree = making->tree;

    for (size_t i = 0; i < tree->count; i++) {
        struct shown *shown = &making->shown[i];
        const struct tree_member *member = &tree->members[i];
        const struct shown *parent = &making->shown[member->parent];

        shown->folded = !options->filter.n && options->folded &&
                        options->folded(options->context, member->session->id);
        shown->seen = shown->wanted && (member->parent == i || (parent->seen && !parent->folded));
    }
}

static uint64_t bit(size_t depth)
{
    return depth <= TREE_DEPTH_MAX ? (uint64_t)1 << depth : 0;
}

/* Which lines go on below each row: from the last one up, so that the last of each is known. */
static void find_lines(struct making *making)
{
    const struct tree *tree = making->tree;

    for (size_t i = tree->count; i-- > 0;) {
        struct shown *shown = &making->shown[i];
        struct shown *parent = &making->shown[tree->members[i].parent];

        if (!shown->seen || shown == parent)
            continue;
        shown->last = !parent->parent_of;
        parent->parent_of = true;
    }
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_member *member = &tree->members[i];
        struct shown *shown = &making->shown[i];

        if (!shown->seen || member->parent == i)
            continue;
        shown->through =
            making->shown[member->parent].through | (shown->last ? 0 : bit(member->depth));
    }
}

static struct tree_row *row_add(struct making *making, size_t member)
{
    struct tree_row *row;

    making->rows = arena_more(making->arena, making->rows, making->count, &making->room,
                              sizeof(*making->rows));
    row = &making->rows[making->count++];
    *row = (struct tree_row){.member = member};
    return row;
}

static uint8_t drawn_depth(size_t depth)
{
    return (uint8_t)(depth < TREE_DEPTH_MAX ? depth : TREE_DEPTH_MAX);
}

static void rows_add(struct making *making, size_t i)
{
    const struct tree_member *member = &making->tree->members[i];
    const struct shown *shown = &making->shown[i];
    struct tree_row *row = row_add(making, i);

    row->depth = drawn_depth(member->depth);
    row->through = shown->through;
    row->last = shown->last;
    row->matches = shown->matches;
    row->hidden = shown->folded ? shown->below : 0;
    row->parted = shown->below > 0;
    if (!making->options->rewound || shown->folded)
        return;
    row->parted |= member->session->rewound_count > 0;
    for (size_t r = 0; r < member->session->rewound_count; r++) {
        row = row_add(making, i);
        row->rewound = &member->session->rewound[r];
        row->depth = drawn_depth(member->depth + 1);
        row->through = shown->through | (shown->parent_of ? bit(member->depth + 1) : 0);
    }
}

void tree_rows_make(const struct tree *tree, const struct tree_rows_options *options,
                    struct arena *arena, struct tree_rows *out)
{
    struct making making = {.tree = tree, .options = options, .arena = arena};

    *out = (struct tree_rows){0};
    making.shown = arena_array(arena, tree->count + 1, sizeof(*making.shown));
    find_wanted(&making);
    find_seen(&making);
    find_lines(&making);
    for (size_t i = 0; i < tree->count; i++) {
        if (!making.shown[i].seen)
            continue;
        rows_add(&making, i);
        out->matches += making.shown[i].matches;
    }
    out->rows = making.rows;
    out->count = making.count;
}

/* ---- finding rows ---- */

/* Of rows that ascend by member: the first one of that member; `count` when it has none. */
static size_t first_row(const struct tree_rows *rows, size_t member)
{
    size_t low = 0, high = rows->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (rows->rows[middle].member < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low < rows->count && rows->rows[low].member == member ? low : rows->count;
}

static size_t stretch_row(const struct tree_rows *rows, size_t row, const char *first)
{
    for (size_t i = row + 1; i < rows->count && rows->rows[i].rewound; i++)
        if (strcmp(rows->rows[i].rewound->first->id, first) == 0)
            return i;
    return row;
}

size_t tree_rows_find(const struct tree *tree, const struct tree_rows *rows, const char *session,
                      const char *first, size_t otherwise)
{
    size_t at = 0, row;

    while (at < tree->count && strcmp(tree->members[at].session->id, session) != 0)
        at++;
    if (at == tree->count)
        return otherwise;
    row = first_row(rows, at);
    if (row < rows->count)
        return first ? stretch_row(rows, row, first) : row;
    while (row == rows->count && tree->members[at].parent != at) {
        at = tree->members[at].parent;
        row = first_row(rows, at);
    }
    return row < rows->count ? row : otherwise;
}

size_t tree_rows_next(const struct tree_rows *rows, size_t from, int direction)
{
    size_t at = from;

    for (size_t i = 0; i < rows->count; i++) {
        at = direction > 0 ? (at + 1) % rows->count : (at + rows->count - 1) % rows->count;
        if (rows->rows[at].matches)
            return at;
    }
    return from;
}

/* ---- lines ---- */

/* The levels that are left out; something says so when there are any. */
static size_t levels_out(size_t levels, int columns)
{
    size_t room = columns > TREE_LEVEL_COLUMNS ? (size_t)(columns / TREE_LEVEL_COLUMNS) : 1;

    return levels > room ? levels - room : 0;
}

struct str tree_row_lead(const struct tree_row *row, int columns, struct arena *arena)
{
    size_t out = levels_out(row->depth, columns);
    struct buf text;

    buf_init(&text, TREE_DEPTH_MAX * 8);
    for (size_t level = 1 + out; level <= row->depth; level++) {
        bool goes_on = (row->through & bit(level)) != 0;

        if (level == row->depth && row->rewound)
            buf_add_text(&text, goes_on ? "│┄ " : " ┄ ");
        else if (level == row->depth)
            buf_add_text(&text, row->last ? "└─ " : "├─ ");
        else if (out && level == 1 + out)
            buf_add_text(&text, "…  ");
        else
            buf_add_text(&text, goes_on ? "│  " : "   ");
    }
    return row->depth ? buf_take(&text, arena) : STR("");
}

/* ---- columns ---- */

struct tree_columns tree_columns_fit(int columns)
{
    enum { TITLE_WANTED = 44 }; /* lines and title: a column gives way before they do */
    struct tree_columns fit = {.width = TREE_MESSAGES_COLUMNS + TREE_AGE_COLUMNS};
    int room = columns - TITLE_WANTED - fit.width;

    fit.tokens = room >= TREE_TOKENS_COLUMNS;
    room -= TREE_TOKENS_COLUMNS;
    fit.cost = room >= TREE_COST_COLUMNS;
    room -= TREE_COST_COLUMNS;
    fit.files = room >= TREE_FILES_COLUMNS;
    fit.width += (fit.tokens ? TREE_TOKENS_COLUMNS : 0) + (fit.cost ? TREE_COST_COLUMNS : 0) +
                 (fit.files ? TREE_FILES_COLUMNS : 0);
    return fit;
}
