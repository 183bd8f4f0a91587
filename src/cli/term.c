#include "cli/term.h"

#include "base/control.h"
#include "base/utf8.h"

#include <langinfo.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 20, WIDTH_MAX = 1000 };

static int width_of(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;

    if (width <= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        return WIDTH_DEFAULT;
    return (int)(width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width);
}

struct term term_of(FILE *file)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    struct term term = {.is_terminal = isatty(fileno(file)) == 1};

    term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    term.color =
        term.is_terminal && !(no_color && *no_color) && !(kind && strcmp(kind, "dumb") == 0);
    term.width = term.is_terminal ? width_of(fileno(file)) : 0;
    return term;
}

void term_style(const struct term *term, struct buf *out, enum term_style style)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",
        [STYLE_GOOD] = "\033[32m", [STYLE_WARN] = "\033[33m", [STYLE_NAME] = "\033[36m",
        [STYLE_GONE] = "\033[31m",
    };

    if (term->color)
        buf_add_text(out, codes[style]);
}

static int columns_of(uint32_t c)
{
    int n = c < 0x7f ? 1 : wcwidth((wchar_t)c);

    return n < 0 ? 1 : n;
}

int term_columns(struct str text)
{
    int columns = 0;

    for (size_t at = 0; at < text.n;)
        columns += columns_of(utf8_next(text, &at));
    return columns;
}

/* Adds one character, escaped when it must be; returns its columns. */
static int add_char(struct buf *out, struct str text, size_t from, size_t to, uint32_t c)
{
    char escape[CONTROL_ESCAPE_MAX];
    int n;

    if (c == 0xfffd && to - from == 1) { /* a byte that is none of UTF-8 */
        n = control_escape_byte((unsigned char)text.p[from], escape);
    } else if (control_is(c)) {
        n = control_escape(c, escape);
    } else {
        buf_add(out, text.p + from, to - from);
        return columns_of(c);
    }
    buf_add(out, escape, (size_t)n);
    return n;
}

int term_add_line(const struct term *term, struct buf *out, struct str text, int columns)
{
    const char *ellipsis = term->utf8 ? "…" : "...";
    int ellipsis_columns = term->utf8 ? 1 : 3;
    int used = 0, mark_columns = 0;
    size_t mark = out->n;

    for (size_t at = 0; at < text.n;) {
        size_t from = at;
        uint32_t c = utf8_next(text, &at);

        if (columns <= 0 || used + ellipsis_columns <= columns) {
            mark = out->n;
            mark_columns = used;
        }
        used += add_char(out, text, from, at, c);
        if (columns > 0 && used > columns) {
            out->n = mark;
            out->p[mark] = '\0';
            buf_add_text(out, ellipsis);
            return mark_columns + ellipsis_columns;
        }
    }
    return used;
}

static void add_indent(struct buf *out, int indent)
{
    for (int i = 0; i < indent; i++)
        buf_add_char(out, ' ');
}

/* The columns of the word that begins at `at`, up to a blank. */
static int word_columns(struct str line, size_t at)
{
    size_t end = at;

    while (end < line.n && line.p[end] != ' ')
        end++;
    return term_columns((struct str){line.p + at, end - at});
}

/* One line of a text, broken between words, or within one that is wider than the terminal. */
static void add_wrapped(struct buf *out, struct str line, int indent, int width)
{
    int room = width - indent, used = 0;

    add_indent(out, indent);
    for (size_t at = 0; at < line.n;) {
        size_t from = at;
        uint32_t c = utf8_next(line, &at);
        int need = c == '\t' ? 8 - used % 8 : columns_of(c);

        if (c == ' ' && at < line.n && line.p[at] != ' ' && used > 0 &&
            used + 1 + word_columns(line, at) > room && word_columns(line, at) <= room) {
            buf_add_char(out, '\n');
            add_indent(out, indent);
            used = 0;
            continue;
        }
        if (used + need > room && used > 0) {
            buf_add_char(out, '\n');
            add_indent(out, indent);
            used = 0;
        }
        if (c == '\t') {
            add_indent(out, need);
            used += need;
        } else {
            used += add_char(out, line, from, at, c);
        }
    }
    buf_add_char(out, '\n');
}

void term_add_text(const struct term *term, struct buf *out, struct str text, int indent)
{
    size_t at = 0;

    do {
        const char *feed = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;
        size_t end = feed ? (size_t)(feed - text.p) : text.n;
        struct str line = {text.p + at, end - at};

        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (term->is_terminal) {
            add_wrapped(out, line, indent, term->width);
        } else {
            add_indent(out, indent);
            buf_add_str(out, line);
            buf_add_char(out, '\n');
        }
        at = end + 1;
    } while (at < text.n);
}

/* The end of the escape that begins at `at`; `at` itself when none does. */
static size_t escape_end(struct str text, size_t at)
{
    if (text.p[at] != '\033')
        return at;
    while (at < text.n && text.p[at] != 'm')
        at++;
    return at < text.n ? at + 1 : at;
}

int term_shown(const struct buf *out, size_t from)
{
    struct str text = buf_str(out);
    int columns = 0;

    while (from < text.n) {
        size_t end = escape_end(text, from);

        if (end > from)
            from = end;
        else
            columns += columns_of(utf8_next(text, &from));
    }
    return columns;
}

void term_fit(const struct term *term, struct buf *out, size_t from)
{
    int room = term->width - (term->utf8 ? 1 : 3), used = 0;

    if (!term->is_terminal || term_shown(out, from) <= term->width)
        return;
    while (from < out->n) {
        size_t at = from, end = escape_end(buf_str(out), from);

        if (end == from) {
            used += columns_of(utf8_next(buf_str(out), &at));
            if (used > room)
                break;
            end = at;
        }
        from = end;
    }
    out->n = from;
    out->p[from] = '\0';
    buf_add_text(out, term->utf8 ? "…" : "...");
    term_style(term, out, STYLE_PLAIN);
}
