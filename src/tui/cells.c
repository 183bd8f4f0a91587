/*
 * Where clusters end is Unicode's rule, by libunistring; how wide a character is, is what wcwidth
 * says, because ncurses and tmux believe it. A cluster that nothing ends (combining marks without
 * number) is cut, so that no text costs more than its length.
 */
#include "tui/cells.h"

#include "base/buf.h"
#include "base/control.h"
#include "base/utf8.h"
#include "tui/plain.h"

#include <assert.h>
#include <langinfo.h>
#include <unigbrk.h>
#include <uniwidth.h>
#include <wchar.h>

enum {
    CLUSTER_BYTES_LIKELY = 32, /* looked at first: most end within */
    CLUSTER_BYTES_MAX = 256,   /* a longer one is cut */
    CLUSTER_POINTS = 5,        /* that ncurses keeps in a cell */
    BACK_BYTES = 4096          /* that cells_before looks back for a place to begin at */
};

enum {
    BAD = 0xfffd, /* … of a single byte: none of UTF-8 */
    ZERO_WIDTH_NON_JOINER = 0x200c,
    ZERO_WIDTH_JOINER = 0x200d,
    DOTTED_CIRCLE = 0x25cc,
    EMOJI_FORM = 0xfe0f, /* variation selector 16 */
    BLACK_FLAG = 0x1f3f4 /* flags of regions are this one with tags behind it */
};

static bool is_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool is_bad(uint32_t c, size_t bytes)
{
    return c == BAD && bytes == 1;
}

static bool is_emoji_modifier(uint32_t c)
{
    return c >= 0x1f3fb && c <= 0x1f3ff;
}

/* Changes how another one looks, and is nothing by itself. */
static bool is_selector(uint32_t c)
{
    return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

static bool is_tag(uint32_t c)
{
    return c >= 0xe0020 && c <= 0xe007f;
}

/* ---- where clusters end ---- */

/*
 * The end of the text that a cluster from `at` on can reach, at most `most` bytes on: up to a byte
 * that is no UTF-8, or a character that is shown as an escape.
 */
static size_t reach(struct str text, size_t at, size_t most)
{
    size_t limit = text.n - at > most ? at + most : text.n, end = at;
    uint32_t first = 0;

    while (end < limit) {
        size_t next = end;
        uint32_t c = utf8_next(text, &next);
        bool flag = first == BLACK_FLAG && is_tag(c);

        if (next > limit || is_bad(c, next - end) || (end > at && !flag && control_is(c)))
            break;
        if (end == at)
            first = c;
        end = next;
    }
    return end;
}

/* (u8_grapheme_next of libunistring 1.0 does not know emoji that are joined; this one does.) */
static size_t grapheme_end(struct str text, size_t at, size_t end)
{
    char breaks[CLUSTER_BYTES_MAX];
    size_t n = end - at;

    assert(n <= sizeof(breaks));
    u8_grapheme_breaks((const uint8_t *)text.p + at, n, breaks);
    for (size_t i = 1; i < n; i++)
        if (breaks[i])
            return at + i;
    return end;
}

/* Letters, or whole syllables of Hangul, that no sequence goes on from: most of all texts. */
static bool is_alone(uint32_t c)
{
    int property = uc_graphemeclusterbreak_property(c);

    return property == GBP_OTHER || property == GBP_LV || property == GBP_LVT;
}

/* The end of the cluster that begins with `c`, whose bytes end at `behind`. */
static size_t cluster_end(struct str text, size_t at, size_t behind, uint32_t c)
{
    size_t next = behind, end, found;

    if (behind == text.n)
        return behind;
    if ((unsigned char)text.p[behind] < 0x80 && c < 0x80)
        return c == '\r' && text.p[behind] == '\n' ? behind + 1 : behind;
    if (is_bad(c, behind - at) || control_is(c) ||
        (is_alone(c) && is_alone(utf8_next(text, &next))))
        return behind;
    end = reach(text, at, CLUSTER_BYTES_LIKELY);
    found = grapheme_end(text, at, end);
    if (found < end || end - at < CLUSTER_BYTES_LIKELY - 3)
        return found;
    return grapheme_end(text, at, reach(text, at, CLUSTER_BYTES_MAX));
}

/* ---- what is shown ---- */

static void show_text(struct cluster *out, const char *text, int bytes, int columns)
{
    assert(bytes >= 0 && bytes <= CLUSTER_SHOWN_MAX);
    memcpy(out->shown, text, (size_t)bytes);
    out->shown_bytes = (uint8_t)bytes;
    out->columns = (uint8_t)columns;
}

static void show_escape(struct cluster *out, uint32_t c)
{
    char escape[CONTROL_ESCAPE_MAX];
    int n = control_escape(c, escape);

    show_text(out, escape, n, n);
}

static void show_bad(struct cluster *out)
{
    char escape[CONTROL_ESCAPE_MAX];
    int n = control_escape_byte((unsigned char)out->bytes.p[0], escape);

    show_text(out, escape, n, n);
}

static void show_more(struct cluster *out, uint32_t c, int columns)
{
    out->shown_bytes = (uint8_t)(out->shown_bytes + utf8_encode(c, out->shown + out->shown_bytes));
    out->columns = (uint8_t)(out->columns + columns);
}

/* Where characters beyond ASCII cannot be drawn. */
static void show_plain(struct cluster *out, uint32_t first)
{
    char plain = plain_of(first);

    if (plain)
        show_text(out, &plain, 1, 1);
    else if (uc_width(first, "UTF-8") == 2)
        show_text(out, "??", 2, 2);
    else
        show_text(out, "?", 1, 1);
}

/* The characters behind the first one, as far as they are shown. */
static void show_rest(struct cluster *out, size_t at)
{
    struct cluster first = *out;
    bool joined = false;

    for (int points = 1; at < out->bytes.n && points < CLUSTER_POINTS;) {
        uint32_t c = utf8_next(out->bytes, &at);
        int columns = wcwidth((wchar_t)c);

        if (c == EMOJI_FORM || is_emoji_modifier(c) || (joined && columns > 0)) {
            *out = first;
            return;
        }
        joined = joined || c == ZERO_WIDTH_JOINER;
        if (c == ZERO_WIDTH_JOINER || c == ZERO_WIDTH_NON_JOINER || is_selector(c) || is_tag(c) ||
            columns < 0)
            continue;
        show_more(out, c, columns);
        points++;
    }
}

static void show_cluster(struct cluster *out, uint32_t c, size_t behind)
{
    int columns = wcwidth((wchar_t)c);

    if (columns < 0) {
        show_escape(out, c);
        return;
    }
    show_text(out, "", 0, 0);
    if (columns == 0 && uc_graphemeclusterbreak_property(c) != GBP_PREPEND)
        show_more(out, DOTTED_CIRCLE, 1); /* a mark that nothing stands below */
    show_more(out, c, columns);
    show_rest(out, behind);
    if (out->columns == 0)
        show_escape(out, c);
}

void cells_next(struct str text, size_t *at, struct cluster *out)
{
    size_t begin = *at, behind = begin;
    uint32_t c;

    assert(begin < text.n);
    c = utf8_next(text, &behind);
    *at = cluster_end(text, begin, behind, c);
    out->bytes = (struct str){text.p + begin, *at - begin};
    if (c == '\n' || (c == '\r' && out->bytes.n == 2))
        show_text(out, "", 0, 0);
    else if (c == '\t')
        show_text(out, " ", 1, 1);
    else if (is_bad(c, behind - begin))
        show_bad(out);
    else if (control_is(c))
        show_escape(out, c);
    else if (out->bytes.n == 1)
        show_text(out, out->bytes.p, 1, 1);
    else if (!is_utf8())
        show_plain(out, c);
    else
        show_cluster(out, c, behind - begin);
}

/*
 * A place at or before `at` where a cluster begins, whatever stands around it: between two
 * characters of ASCII, or at the beginning.
 */
static size_t place_before(struct str text, size_t at)
{
    size_t least = at > BACK_BYTES ? at - BACK_BYTES : 0;

    for (; at > least; at--) {
        unsigned char a = (unsigned char)text.p[at - 1], b = (unsigned char)text.p[at];

        if (a < 0x80 && b < 0x80 && !(a == '\r' && b == '\n'))
            return at;
    }
    for (int i = 0; i < 3 && at > 0 && ((unsigned char)text.p[at] & 0xc0) == 0x80; i++)
        at--;
    return at;
}

size_t cells_before(struct str text, size_t at)
{
    size_t begin, next;

    assert(at <= text.n);
    if (at == 0)
        return 0;
    begin = next = place_before(text, at - 1);
    while (next < at) {
        struct cluster cluster;

        begin = next;
        cells_next(text, &next, &cluster);
    }
    return begin;
}

/* ---- whole texts ---- */

/* As cells_next; a line break becomes a blank. */
static void next_in_line(struct str text, size_t *at, struct cluster *out)
{
    cells_next(text, at, out);
    if (out->columns == 0)
        show_text(out, " ", 1, 1);
}

int cells_count(struct str text)
{
    int columns = 0;

    for (size_t at = 0; at < text.n;) {
        struct cluster cluster;

        next_in_line(text, &at, &cluster);
        columns += cluster.columns;
    }
    return columns;
}

struct str cells_clean(struct str text, struct arena *arena)
{
    struct buf out;

    buf_init(&out, (text.n + 1) * CLUSTER_SHOWN_MAX);
    for (size_t at = 0; at < text.n;) {
        struct cluster cluster;

        next_in_line(text, &at, &cluster);
        buf_add(&out, cluster.shown, cluster.shown_bytes);
    }
    return buf_take(&out, arena);
}

struct str cells_fit(struct str text, int columns, struct arena *arena, int *used)
{
    struct str ellipsis = is_utf8() ? STR("…") : STR("~");
    size_t kept = 0;
    int all = 0, kept_columns = 0;
    struct buf out;

    buf_init(&out, ((size_t)(columns < 0 ? 0 : columns) + 2) * CLUSTER_SHOWN_MAX);
    for (size_t at = 0; at < text.n && all <= columns;) {
        struct cluster cluster;

        next_in_line(text, &at, &cluster);
        buf_add(&out, cluster.shown, cluster.shown_bytes);
        all += cluster.columns;
        if (all < columns) { /* the ellipsis fits behind it */
            kept = out.n;
            kept_columns = all;
        }
    }
    if (all > columns) {
        out.n = kept;
        if (columns > 0)
            buf_add_str(&out, ellipsis);
        all = columns > 0 ? kept_columns + 1 : 0;
    }
    if (used)
        *used = all;
    return buf_take(&out, arena);
}
