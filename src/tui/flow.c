/*
 * The line that is being written is kept as cells, of which the newest place where it may be broken
 * is remembered. When a character does not fit, the line ends there and what stands behind goes
 * into the next one: never more than a line, so that the cost is that of the text.
 */
#include "tui/flow.h"

#include "base/utf8.h"

#include <assert.h>

enum {
    TAB_COLUMNS = 4,
    ROOM_MIN = 8,    /* columns: a prefix that leaves less is left out */
    HELD_MAX = 4096, /* columns of blanks: more of them are left out */
    CELL_ROOM = 256
};

struct cell {
    size_t at; /* in the text of the line */
    uint8_t bytes, columns;
    bool blank; /* of running text: dropped at the end of a line */
    struct look look;
};

struct prefix {
    struct str first, rest; /* both `columns` wide */
    int columns;
    struct look look;
    bool begun; /* `first` has been written */
};

struct flow {
    struct arena *arena;
    int width;
    struct line *lines;
    size_t count, room;
    struct prefix *prefixes;
    size_t depth, prefix_room;
    int indent; /* columns of all prefixes */
    /* the line that is being written */
    struct cell *cells;
    size_t cell_count, cell_room;
    char *text;
    size_t text_bytes, text_room;
    int used;    /* columns */
    size_t mark; /* the cell that may begin another line; 0: none */
    bool ended;  /* the line is full of blanks: what comes next begins another one */
    int held;    /* blanks of exact text, which are written when something follows them */
    struct look held_look;
    bool empty; /* the line above is empty, or there is none */
};

struct flow *flow_new(struct arena *arena, int width)
{
    struct flow *flow = arena_alloc(arena, sizeof(*flow));

    assert(width >= 1);
    flow->arena = arena;
    flow->width = width;
    flow->empty = true;
    return flow;
}

struct arena *flow_arena(struct flow *flow)
{
    return flow->arena;
}

int flow_room(const struct flow *flow)
{
    return flow->width - flow->indent;
}

/* ---- lines that are done ---- */

static void line_add(struct flow *flow, const struct line *line)
{
    flow->lines =
        arena_more(flow->arena, flow->lines, flow->count, &flow->room, sizeof(*flow->lines));
    flow->lines[flow->count++] = *line;
}

static bool is_blank_text(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ')
            return false;
    return true;
}

/* Writes the prefixes as spans; returns how many. A blank line does not begin them. */
static size_t prefix_spans(struct flow *flow, bool blank, struct span *out)
{
    size_t count = 0;

    for (size_t i = 0; i < flow->depth; i++) {
        struct prefix *prefix = &flow->prefixes[i];
        struct str text = blank || prefix->begun ? prefix->rest : prefix->first;

        prefix->begun = prefix->begun || !blank;
        if (prefix->columns)
            out[count++] = (struct span){text, prefix->columns, prefix->look};
    }
    return count;
}

/* Takes the blanks away that end the spans. */
static size_t spans_trim(struct span *spans, size_t count)
{
    while (count && is_blank_text(spans[count - 1].text))
        count--;
    if (count) {
        struct span *last = &spans[count - 1];

        for (; last->text.p[last->text.n - 1] == ' '; last->text.n--)
            last->columns--;
    }
    return count;
}

static void line_finish(struct flow *flow, struct span *spans, size_t count, bool empty)
{
    struct line line = {.spans = spans};

    line.count = empty ? spans_trim(spans, count) : count;
    for (size_t i = 0; i < line.count; i++)
        line.columns += spans[i].columns;
    line_add(flow, &line);
    flow->empty = empty;
}

static bool looks_same(struct look a, struct look b)
{
    return a.tone == b.tone && a.bits == b.bits;
}

static size_t runs_of(const struct cell *cells, size_t count)
{
    size_t runs = count > 0;

    for (size_t i = 1; i < count; i++)
        runs += !looks_same(cells[i - 1].look, cells[i].look);
    return runs;
}

/* The first `count` cells as spans, with `text` for theirs. */
static size_t cell_spans(const struct cell *cells, size_t count, const char *text, struct span *out)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !looks_same(cells[i - 1].look, cells[i].look))
            out[n++] = (struct span){{text + cells[i].at, 0}, 0, cells[i].look};
        out[n - 1].text.n += cells[i].bytes;
        out[n - 1].columns += cells[i].columns;
    }
    return n;
}

static size_t without_blanks(const struct flow *flow, size_t count)
{
    while (count && flow->cells[count - 1].blank)
        count--;
    return count;
}

/* Ends a line behind `count` cells and takes them out of it. */
static void line_end(struct flow *flow, size_t count)
{
    size_t shown = without_blanks(flow, count), spans;
    size_t bytes = shown ? flow->cells[shown - 1].at + flow->cells[shown - 1].bytes : 0;
    struct span *out =
        arena_array(flow->arena, flow->depth + runs_of(flow->cells, shown) + 1, sizeof(*out));
    struct str text = arena_dup(flow->arena, (struct str){flow->text, bytes});
    size_t taken = count < flow->cell_count ? flow->cells[count].at : flow->text_bytes;

    spans = prefix_spans(flow, false, out);
    spans += cell_spans(flow->cells, shown, text.p, out + spans);
    line_finish(flow, out, spans, shown == 0);

    flow->cell_count -= count;
    flow->text_bytes -= taken;
    flow->used = 0;
    flow->mark = 0;
    flow->held = 0;
    flow->ended = false;
    if (flow->cell_count) {
        memmove(flow->cells, flow->cells + count, flow->cell_count * sizeof(*flow->cells));
        memmove(flow->text, flow->text + taken, flow->text_bytes);
    }
    for (size_t i = 0; i < flow->cell_count; i++) {
        flow->cells[i].at -= taken;
        flow->used += flow->cells[i].columns;
    }
}

void flow_break(struct flow *flow)
{
    if (without_blanks(flow, flow->cell_count)) {
        line_end(flow, flow->cell_count);
        return;
    }
    flow->cell_count = flow->text_bytes = flow->mark = 0;
    flow->used = flow->held = 0;
    flow->ended = false;
}

void flow_blank(struct flow *flow)
{
    struct span *spans;

    flow_break(flow);
    if (flow->empty)
        return;
    spans = arena_array(flow->arena, flow->depth + 1, sizeof(*spans));
    line_finish(flow, spans, prefix_spans(flow, true, spans), true);
}

void flow_lines(struct flow *flow, struct laid laid)
{
    flow_break(flow);
    for (size_t i = 0; i < laid.count; i++) {
        const struct line *line = &laid.lines[i];
        struct span *spans =
            arena_array(flow->arena, flow->depth + line->count + 1, sizeof(*spans));
        size_t count = prefix_spans(flow, false, spans);

        if (line->count)
            memcpy(spans + count, line->spans, line->count * sizeof(*spans));
        line_finish(flow, spans, count + line->count, line->count == 0);
    }
}

struct laid flow_end(struct flow *flow)
{
    flow_break(flow);
    return (struct laid){flow->lines, flow->count};
}

/* ---- prefixes ---- */

/* The text with blanks behind it, up to `to` columns. */
static struct str filled(struct flow *flow, struct str text, int columns, int to)
{
    size_t blanks = (size_t)(to - columns);
    char *out;

    if (blanks == 0)
        return text;
    out = arena_alloc(flow->arena, text.n + blanks);
    if (text.n)
        memcpy(out, text.p, text.n);
    memset(out + text.n, ' ', blanks);
    return (struct str){out, text.n + blanks};
}

void flow_push(struct flow *flow, struct str first, struct str rest, struct look look)
{
    struct prefix *prefix;
    int first_columns, rest_columns, columns;

    flow_break(flow);
    first = cells_clean(first, flow->arena);
    rest = cells_clean(rest, flow->arena);
    first_columns = cells_count(first);
    rest_columns = cells_count(rest);
    columns = first_columns > rest_columns ? first_columns : rest_columns;
    if (flow_room(flow) - columns < ROOM_MIN)
        columns = 0;

    flow->prefixes = arena_more(flow->arena, flow->prefixes, flow->depth, &flow->prefix_room,
                                sizeof(*flow->prefixes));
    prefix = &flow->prefixes[flow->depth++];
    *prefix = (struct prefix){.columns = columns, .look = look};
    if (columns) {
        prefix->first = filled(flow, first, first_columns, columns);
        prefix->rest = filled(flow, rest, rest_columns, columns);
    }
    flow->indent += columns;
}

void flow_pop(struct flow *flow)
{
    struct prefix *prefix;

    assert(flow->depth > 0);
    flow_break(flow);
    prefix = &flow->prefixes[flow->depth - 1];
    if (!prefix->begun && !is_blank_text(prefix->first)) {
        line_end(flow, 0);
        flow->empty = false;
    }
    flow->indent -= prefix->columns;
    flow->depth--;
}

/* ---- text ---- */

static void cell_add(struct flow *flow, const struct cluster *cluster, struct look look, bool blank)
{
    if (flow->text_room - flow->text_bytes < cluster->shown_bytes) {
        size_t room = 2 * flow->text_room + CELL_ROOM;
        char *text = arena_alloc(flow->arena, room);

        if (flow->text_bytes)
            memcpy(text, flow->text, flow->text_bytes);
        flow->text = text;
        flow->text_room = room;
    }
    flow->cells = arena_more(flow->arena, flow->cells, flow->cell_count, &flow->cell_room,
                             sizeof(*flow->cells));
    flow->cells[flow->cell_count++] = (struct cell){
        flow->text_bytes, cluster->shown_bytes, cluster->columns, blank, look,
    };
    memcpy(flow->text + flow->text_bytes, cluster->shown, cluster->shown_bytes);
    flow->text_bytes += cluster->shown_bytes;
    flow->used += cluster->columns;
}

/* One that is wider than a whole line. */
static void shrink(const struct flow *flow, struct cluster *cluster)
{
    if (cluster->columns > flow_room(flow)) {
        cluster->shown[0] = '?';
        cluster->shown_bytes = cluster->columns = 1;
    }
}

static bool fits(const struct flow *flow, int columns)
{
    return flow->used + columns <= flow_room(flow);
}

/* Wide punctuation that ends something, and does not begin a line. */
static bool is_closing(struct str bytes)
{
    size_t at = 0;

    switch (utf8_next(bytes, &at)) {
    case 0x3001: /* 、 */
    case 0x3002: /* 。 */
    case 0x300b: /* 》 */
    case 0x300d: /* 」 */
    case 0x300f: /* 』 */
    case 0x3011: /* 】 */
    case 0xff01: /* ！ */
    case 0xff09: /* ） */
    case 0xff0c: /* ， */
    case 0xff1a: /* ： */
    case 0xff1b: /* ； */
    case 0xff1f: /* ？ */
        return true;
    default:
        return false;
    }
}

/* May a line begin with this one? Scripts of wide characters have no blanks between words. */
static bool may_begin(const struct flow *flow, const struct cluster *cluster)
{
    const struct cell *last;

    if (flow->cell_count == 0 || without_blanks(flow, flow->cell_count) == 0)
        return false;
    last = &flow->cells[flow->cell_count - 1];
    if (last->blank)
        return true;
    return (last->columns == 2 || cluster->columns == 2) && cluster->bytes.n > 2 &&
           !is_closing(cluster->bytes);
}

static const struct cluster blank = {.shown = " ", .shown_bytes = 1, .columns = 1};

/* Adds one where it stands; a line that is full is ended before it. */
static void exact_add(struct flow *flow, const struct cluster *cluster, struct look look)
{
    if (flow->ended || !fits(flow, cluster->columns))
        line_end(flow, flow->cell_count);
    cell_add(flow, cluster, look, false);
}

/* Writes the blanks that were held back: something follows them. */
static void release(struct flow *flow)
{
    int held = flow->held;

    flow->held = 0;
    for (; held > 0; held--)
        exact_add(flow, &blank, flow->held_look);
}

static void blank_add(struct flow *flow, int columns, struct look look)
{
    release(flow);
    for (; columns > 0 && !flow->ended; columns--) {
        if (fits(flow, 1))
            cell_add(flow, &blank, look, true);
        else
            flow->ended = true;
    }
}

static void word_add(struct flow *flow, struct cluster *cluster, struct look look)
{
    release(flow);
    shrink(flow, cluster);
    if (flow->ended)
        line_end(flow, flow->cell_count);
    if (may_begin(flow, cluster))
        flow->mark = flow->cell_count;
    if (!fits(flow, cluster->columns)) {
        line_end(flow, flow->mark ? flow->mark : flow->cell_count);
        if (!fits(flow, cluster->columns))
            line_end(flow, flow->cell_count);
    }
    cell_add(flow, cluster, look, false);
}

static int tab_columns(const struct flow *flow)
{
    return TAB_COLUMNS - (flow->used + flow->held) % TAB_COLUMNS;
}

void flow_text(struct flow *flow, struct str text, struct look look)
{
    for (size_t at = 0; at < text.n;) {
        struct cluster cluster;

        cells_next(text, &at, &cluster);
        if (cluster.columns == 0)
            line_end(flow, flow->cell_count);
        else if (cluster.bytes.p[0] == '\t')
            blank_add(flow, tab_columns(flow), look);
        else if (cluster.bytes.p[0] == ' ')
            blank_add(flow, 1, look);
        else
            word_add(flow, &cluster, look);
    }
}

/* Blanks at the end of a line are not seen, and must not make another one. */
static void hold(struct flow *flow, int columns, struct look look)
{
    if (flow->held && !looks_same(flow->held_look, look))
        release(flow);
    if (flow->held < HELD_MAX)
        flow->held += columns;
    flow->held_look = look;
}

void flow_exact(struct flow *flow, struct str text, struct look look)
{
    for (size_t at = 0; at < text.n;) {
        struct cluster cluster;

        cells_next(text, &at, &cluster);
        if (cluster.columns == 0) {
            line_end(flow, flow->cell_count);
        } else if (cluster.bytes.p[0] == '\t') {
            hold(flow, tab_columns(flow), look);
        } else if (cluster.bytes.p[0] == ' ') {
            hold(flow, 1, look);
        } else {
            release(flow);
            shrink(flow, &cluster);
            exact_add(flow, &cluster, look);
        }
    }
}
