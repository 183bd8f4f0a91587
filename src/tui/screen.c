#include "tui/screen.h"

#include "base/utf8.h"
#include "tui/palette.h"
#include "tui/plain.h"
#include "tui/terminal.h"

/* Functions only: as macros, `move`, `clear` and others would take our names. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

#include <langinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>

/*
 * 1. ncurses is asked to draw and never to read: tui.c reads the keys.
 * 2. What is drawn goes through cells.h, cell by cell: nothing that the server or a person said
 *    reaches the terminal as a control character.
 * 3. The terminal is as it was found after screen_close, screen_leave and screen_rescue.
 */

/* A frame is shown at once by terminals that know how; the others ignore it. */
#define FRAME_BEGIN "\x1b[?2026h"
#define FRAME_END   "\x1b[?2026l"

/* The title that was there is kept and comes back, where terminals do that. */
#define TITLE_KEEP  "\x1b[22;2t"
#define TITLE_BACK  "\x1b[23;2t"
#define TITLE_BEGIN "\x1b]2;"
#define TITLE_END   "\a"

enum {
    TERM_MAX = 128,      /* bytes of a terminal's name */
    TITLE_COLUMNS = 100, /* of the window's title that are set … */
    TITLE_MAX = 1024,    /* … and bytes of it that are looked at */
    FORMAT_MAX = 1024,   /* bytes of pane_format */
    ROWS_ASSUMED = 24,   /* of a terminal that does not say */
    COLUMNS_ASSUMED = 80,
    CELL_POINTS = 5 /* code points that a cell can hold, CCHARW_MAX */
};

struct paint {
    attr_t bits;
    short pair;
};

struct screen {
    struct terminal terminal;
    SCREEN *curses;
    enum palette_depth depth;
    enum palette_ground ground;
    struct paint paints[2][TONE_COUNT]; /* the second: on the ground of the marked row */
    bool utf8, dims, titles, away;
    int rows, columns;
    bool cursor; /* was set in this frame */
    int cursor_row, cursor_column;
    struct buf title; /* that was set last */
};

/* ---- opening ---- */

/* Signals are the business of the loop: what ncurses does with them is undone. */
static const int signals[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static SCREEN *curses_new(const char *term)
{
    struct sigaction before[SIGNALS];
    SCREEN *curses;

    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    use_env(false);
    use_tioctl(true);
    curses = newterm(term, stdout, stdin);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    return curses;
}

static bool is_true_colour(void)
{
    const char *said = getenv("COLORTERM");

    return said && (strcmp(said, "truecolor") == 0 || strcmp(said, "24bit") == 0);
}

static bool is_colourless(void)
{
    const char *said = getenv("NO_COLOR");

    return said && *said;
}

/* xterm-256color → xterm-direct: the same terminal, its colours given as they are. */
static bool direct_name(const char *term, char *out, size_t room)
{
    const char *dash = strstr(term, "-256color");
    size_t n = dash ? (size_t)(dash - term) : strlen(term);
    int written = snprintf(out, room, "%.*s-direct", (int)(n < room ? n : room), term);

    return written > 0 && (size_t)written < room;
}

static enum fault_code curses_open(struct screen *screen, struct fault *fault)
{
    const char *term = getenv("TERM");
    char direct[TERM_MAX];

    if (!term || !*term)
        return fault_set(fault, FAULT_INVALID, "TERM is not set: it names the kind of terminal");
    if (strcmp(term, "dumb") == 0)
        return fault_set(fault, FAULT_INVALID,
                         "the terminal is called \"dumb\" (TERM): one that can move its cursor is "
                         "needed");
    if (is_true_colour() && !is_colourless() && direct_name(term, direct, sizeof(direct)))
        screen->curses = curses_new(direct);
    if (!screen->curses)
        screen->curses = curses_new(term);
    if (!screen->curses)
        return fault_set(fault, FAULT_INVALID,
                         "the terminal \"%.100s\" (TERM) is not known here; xterm-256color is what "
                         "most are like",
                         term);
    return FAULT_OK;
}

/* A capability of the terminal; STR_NONE: it does not have it. */
static struct str capability(const char *name)
{
    const char *found = tigetstr(name);

    return found && found != (const char *)-1 ? str_of(found) : STR_NONE;
}

/* Capabilities may ask for delays, "$<5/>", which no terminal of today needs. */
static void add_capability(struct buf *buf, const char *name)
{
    struct str bytes = capability(name);

    for (size_t i = 0; i < bytes.n; i++) {
        const char *end = bytes.n - i > 2 && bytes.p[i] == '$' && bytes.p[i + 1] == '<'
                              ? memchr(bytes.p + i, '>', bytes.n - i)
                              : NULL;

        if (end)
            i = (size_t)(end - bytes.p);
        else
            buf_add_char(buf, bytes.p[i]);
    }
}

static void arm(struct screen *screen)
{
    struct buf farewell;

    buf_init(&farewell, TERMINAL_FAREWELL_MAX / 2);
    buf_add_text(&farewell, FRAME_END);
    add_capability(&farewell, "sgr0");
    add_capability(&farewell, "op");
    add_capability(&farewell, "cnorm");
    add_capability(&farewell, "rmcup");
    if (screen->titles)
        buf_add_text(&farewell, TITLE_BACK);
    terminal_arm(&screen->terminal, buf_str(&farewell));
    buf_clear(&farewell);
}

/* Does it take the title of its window? */
static bool has_titles(void)
{
    const char *term = getenv("TERM");
    bool flag = tigetflag("XT") > 0;

    return flag || str_starts(capability("tsl"), STR("\x1b]")) ||
           str_starts(str_of(term), STR("screen"));
}

/* ---- colours ---- */

static attr_t attributes(const struct screen *screen, int bits)
{
    attr_t out = A_NORMAL;

    if (bits & LOOK_BOLD)
        out |= A_BOLD;
    if (bits & LOOK_ITALIC)
        out |= A_ITALIC;
    if (bits & LOOK_UNDERLINE)
        out |= A_UNDERLINE;
    if (bits & LOOK_REVERSE)
        out |= A_REVERSE;
    /* ncurses has no strike-through: what is struck out stands back */
    if (bits & (LOOK_DIM | LOOK_STRIKE) && screen->dims)
        out |= A_DIM;
    return out;
}

static void paints_make(struct screen *screen)
{
    for (int marked = 0; marked < 2; marked++)
        for (int tone = 0; tone < TONE_COUNT; tone++) {
            struct palette_ink ink =
                palette_ink(screen->depth, screen->ground, (enum tone)tone, marked);
            struct paint *paint = &screen->paints[marked][tone];
            short pair = (short)(1 + marked * TONE_COUNT + tone);

            paint->bits = attributes(screen, ink.bits);
            /* one that cannot be made, of too many, is drawn without colour */
            if (screen->depth != PALETTE_NONE &&
                init_extended_pair(pair, ink.ink, ink.ground) != ERR)
                paint->pair = pair;
        }
}

static void colours_open(struct screen *screen)
{
    screen->dims = capability("dim").n > 0;
    screen->depth = PALETTE_NONE;
    if (!is_colourless() && has_colors() && start_color() != ERR) {
        screen->depth = palette_depth(COLORS);
        if (use_default_colors() == ERR)
            assume_default_colors(screen->ground == PALETTE_LIGHT ? COLOR_BLACK : COLOR_WHITE,
                                  screen->ground == PALETTE_LIGHT ? COLOR_WHITE : COLOR_BLACK);
    }
    paints_make(screen);
}

static void ground_find(struct screen *screen)
{
    screen->ground = palette_ground_said(getenv("TINE_THEME"), getenv("COLORFGBG"));
    /* the console of Linux does not know the question */
    if (screen->ground == PALETTE_UNKNOWN && !is_colourless() && has_colors() &&
        strcmp(getenv("TERM"), "linux") != 0)
        screen->ground = terminal_ask_ground(&screen->terminal);
}

static void take(const struct screen *screen)
{
    if (screen->titles)
        terminal_send(STR(TITLE_KEEP));
    terminal_modes(true);
}

static enum fault_code begin(struct screen *screen, struct fault *fault)
{
    enum fault_code code = terminal_open(&screen->terminal, fault);

    if (code)
        return code;
    screen->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    code = curses_open(screen, fault);
    if (code)
        return code;
    screen->titles = has_titles();
    arm(screen);
    terminal_set_raw(&screen->terminal);
    ground_find(screen);
    /* ncurses sets this again after it was left */
    def_prog_mode();
    nonl();
    leaveok(stdscr, false);
    colours_open(screen);
    screen_resized(screen);
    take(screen);
    return FAULT_OK;
}

enum fault_code screen_open(struct screen **out, struct fault *fault)
{
    struct screen *screen = calloc(1, sizeof(*screen));
    enum fault_code code;

    if (!screen)
        abort();
    buf_init(&screen->title, TITLE_MAX);
    code = begin(screen, fault);
    if (code) {
        screen_close(screen);
        return code;
    }
    *out = screen;
    return FAULT_OK;
}

static void give_back(struct screen *screen)
{
    if (screen->away)
        return;
    screen->away = true;
    terminal_modes(false);
    endwin();
    if (screen->titles)
        terminal_send(STR(TITLE_BACK));
    buf_reset(&screen->title);
    /* whatever ncurses believes to have found */
    terminal_set_back(&screen->terminal);
    terminal_arm(NULL, STR_NONE);
}

void screen_close(struct screen *screen)
{
    if (!screen)
        return;
    if (screen->curses) {
        give_back(screen);
        delscreen(screen->curses);
    }
    terminal_clear(&screen->terminal);
    buf_clear(&screen->title);
    free(screen);
}

void screen_rescue(void)
{
    terminal_rescue();
}

void screen_leave(struct screen *screen)
{
    give_back(screen);
}

void screen_return(struct screen *screen)
{
    if (!screen->away)
        return;
    screen->away = false;
    arm(screen);
    terminal_set_raw(&screen->terminal);
    take(screen);
    screen_resized(screen);
    screen_redraw(screen);
}

void screen_continued(struct screen *screen)
{
    if (screen->away)
        return;
    terminal_set_raw(&screen->terminal); /* in the background this stops it again */
    give_back(screen);
    screen_return(screen);
}

struct str screen_early(const struct screen *screen)
{
    return buf_str(&screen->terminal.early);
}

void screen_resized(struct screen *screen)
{
    int rows = ROWS_ASSUMED, columns = COLUMNS_ASSUMED;

    terminal_size(&rows, &columns);
    if (rows != LINES || columns != COLS)
        resizeterm(rows, columns);
    getmaxyx(stdscr, screen->rows, screen->columns);
}

/* In ASCII: a byte of anything else may be a control character to a terminal that is not UTF-8. */
static struct str plainly(struct str text, struct arena *arena)
{
    char *out = arena_alloc(arena, text.n + 1);
    size_t at = 0, n = 0;

    while (at < text.n) {
        uint32_t c = utf8_next(text, &at);
        char plain = c < 0x80 ? (char)c : plain_of(c);

        out[n++] = plain ? plain : '?';
    }
    return (struct str){out, n};
}

void screen_title(struct screen *screen, struct str title)
{
    struct arena arena;
    struct str shown;

    title = utf8_cut(title, TITLE_MAX);
    if (!screen->titles || str_eq(title, buf_str(&screen->title)))
        return;
    buf_reset(&screen->title);
    buf_add_str(&screen->title, title);
    arena_init(&arena);
    shown = cells_fit(title, TITLE_COLUMNS, &arena, NULL);
    if (!screen->utf8)
        shown = plainly(shown, &arena);
    terminal_send(arena_printf(&arena, TITLE_BEGIN "%.*s" TITLE_END, STR_ARG(shown)));
    arena_clear(&arena);
}

void screen_bell(struct screen *screen)
{
    (void)screen;
    terminal_send(STR("\a"));
}

bool screen_utf8(const struct screen *screen)
{
    return screen->utf8;
}

/* ---- frames ---- */

struct pane screen_begin(struct screen *screen)
{
    screen->cursor = false;
    erase();
    return (struct pane){screen, 0, 0, screen->rows, screen->columns};
}

void screen_show(struct screen *screen)
{
    terminal_send(STR(FRAME_BEGIN));
    if (screen->cursor)
        move(screen->cursor_row, screen->cursor_column);
    else
        curs_set(0);
    refresh();
    if (screen->cursor)
        curs_set(1);
    terminal_send(STR(FRAME_END));
}

void screen_redraw(struct screen *screen)
{
    (void)screen;
    clearok(curscr, true);
}

/* ---- panes ---- */

struct pane pane_rows(struct pane pane, int row, int rows)
{
    if (row < 0) {
        rows += row;
        row = 0;
    }
    if (row > pane.rows)
        row = pane.rows;
    if (rows > pane.rows - row)
        rows = pane.rows - row;
    pane.row += row;
    pane.rows = rows > 0 ? rows : 0;
    return pane;
}

struct pane pane_columns(struct pane pane, int column, int columns)
{
    if (column < 0) {
        columns += column;
        column = 0;
    }
    if (column > pane.columns)
        column = pane.columns;
    if (columns > pane.columns - column)
        columns = pane.columns - column;
    pane.column += column;
    pane.columns = columns > 0 ? columns : 0;
    return pane;
}

static struct paint paint_of(const struct screen *screen, struct look look)
{
    int bits = look.bits;
    int tone = look.tone < TONE_COUNT ? look.tone : TONE_TEXT;
    struct paint paint;

    /* where nothing can be dimmed, what is to stand back is faint; its own colour is the less
     * important one */
    if (bits & (LOOK_DIM | LOOK_STRIKE) && !screen->dims && tone != TONE_BAR)
        tone = TONE_FAINT;
    paint = screen->paints[bits & LOOK_MARKED ? 1 : 0][tone];
    paint.bits |= attributes(screen, bits);
    return paint;
}

/* A character with the marks that stand on it; of two columns when it is wide. */
struct cell {
    wchar_t points[CELL_POINTS + 1];
    int columns;
};

/* The next cell of a cluster as it is shown. */
static struct cell cell_next(struct str shown, size_t *at)
{
    struct cell cell = {{(wchar_t)utf8_next(shown, at)}, 0};
    size_t n = 1;

    cell.columns = wcwidth(cell.points[0]);
    while (*at < shown.n) {
        size_t behind = *at;
        wchar_t c = (wchar_t)utf8_next(shown, &behind);

        if (wcwidth(c) != 0)
            break;
        if (n < CELL_POINTS)
            cell.points[n++] = c;
        *at = behind;
    }
    return cell.columns > 0 ? cell : (struct cell){L"?", 1};
}

/* Where it fits: what is left inside of a wide character that does not becomes blank. */
static void put(struct pane pane, int row, int column, struct paint paint, struct cell cell)
{
    cchar_t out;

    if (row < 0 || row >= pane.rows || column >= pane.columns || column + cell.columns <= 0)
        return;
    if (column < 0 || column + cell.columns > pane.columns) {
        column = column < 0 ? 0 : column;
        cell = (struct cell){L" ", 1};
    }
    if (setcchar(&out, cell.points, paint.bits, paint.pair, NULL) == OK)
        mvadd_wch(pane.row + row, pane.column + column, &out);
}

/* Returns the column behind it. A line break takes one, as a blank. */
static int put_cluster(struct pane pane, int row, int column, struct paint paint,
                       const struct cluster *cluster)
{
    struct str shown = {cluster->shown, cluster->shown_bytes};
    size_t at = 0;

    if (shown.n == 0)
        shown = STR(" ");
    while (at < shown.n) {
        struct cell cell = cell_next(shown, &at);

        put(pane, row, column, paint, cell);
        column += cell.columns;
    }
    return column;
}

static int cluster_columns(const struct cluster *cluster)
{
    return cluster->columns ? cluster->columns : 1;
}

/* Does the text end at or before that column? Looks no further than that. */
static bool is_within(struct str text, int column, int end)
{
    struct cluster cluster;

    for (size_t at = 0; at < text.n && column <= end; column += cluster_columns(&cluster))
        cells_next(text, &at, &cluster);
    return column <= end;
}

/* Clusters as long as they end at or before `end`. */
static int put_text(struct pane pane, int row, int column, struct paint paint, struct str text,
                    int end)
{
    struct cluster cluster;

    for (size_t at = 0; at < text.n;) {
        cells_next(text, &at, &cluster);
        if (column + cluster_columns(&cluster) > end)
            break;
        column = put_cluster(pane, row, column, paint, &cluster);
    }
    return column;
}

int pane_text(struct pane pane, int row, int column, struct look look, struct str text)
{
    struct paint paint = paint_of(pane.screen, look);

    if (row < 0 || row >= pane.rows || column >= pane.columns)
        return column;
    if (is_within(text, column, pane.columns))
        return put_text(pane, row, column, paint, text, pane.columns);
    column = put_text(pane, row, column, paint, text, pane.columns - 1);
    put(pane, row, column, paint, (struct cell){{pane.screen->utf8 ? L'…' : L'~'}, 1});
    return column + 1;
}

int pane_format(struct pane pane, int row, int column, struct look look, const char *format, ...)
{
    char text[FORMAT_MAX];
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n < 0)
        return column;
    if ((size_t)n >= sizeof(text))
        n = (int)sizeof(text) - 1;
    return pane_text(pane, row, column, look, utf8_cut((struct str){text, (size_t)n}, (size_t)n));
}

static struct look look_over(struct look under, struct look over)
{
    return (struct look){over.tone == TONE_TEXT ? under.tone : over.tone,
                         (uint8_t)(under.bits | over.bits)};
}

void pane_line(struct pane pane, int row, int column, const struct line *line, struct look over)
{
    if (row < 0 || row >= pane.rows)
        return;
    for (size_t i = 0; i < line->count; i++) {
        const struct span *span = &line->spans[i];
        struct paint paint = paint_of(pane.screen, look_over(span->look, over));
        int end = column + span->columns;

        /* a wide character at the edge is begun, and blanked there */
        put_text(pane, row, column, paint, span->text, end);
        column = end;
    }
}

void pane_row(struct pane pane, int row, struct look look)
{
    struct paint paint = paint_of(pane.screen, look);
    cchar_t blank;

    if (row < 0 || row >= pane.rows || pane.columns == 0 ||
        setcchar(&blank, L" ", paint.bits, paint.pair, NULL) != OK)
        return;
    mvhline_set(pane.row + row, pane.column, &blank, pane.columns);
}

void pane_fill(struct pane pane, struct look look)
{
    for (int row = 0; row < pane.rows; row++)
        pane_row(pane, row, look);
}

/* A sign for lines and corners: the plain one where there is no other. */
static void put_sign(struct pane pane, int row, int column, struct paint paint, wchar_t c)
{
    char plain = plain_of((uint32_t)c);

    if (!pane.screen->utf8 && plain)
        c = (wchar_t)plain;
    put(pane, row, column, paint, (struct cell){{c}, 1});
}

void pane_rule(struct pane pane, int row, struct look look)
{
    struct paint paint = paint_of(pane.screen, look);

    for (int column = 0; column < pane.columns; column++)
        put_sign(pane, row, column, paint, L'─');
}

static void put_edges(struct pane pane, struct paint paint)
{
    int last_row = pane.rows - 1, last_column = pane.columns - 1;

    for (int column = 1; column < last_column; column++) {
        put_sign(pane, 0, column, paint, L'─');
        put_sign(pane, last_row, column, paint, L'─');
    }
    for (int row = 1; row < last_row; row++) {
        put_sign(pane, row, 0, paint, L'│');
        put_sign(pane, row, last_column, paint, L'│');
    }
    put_sign(pane, 0, 0, paint, L'╭');
    put_sign(pane, 0, last_column, paint, L'╮');
    put_sign(pane, last_row, 0, paint, L'╰');
    put_sign(pane, last_row, last_column, paint, L'╯');
}

void pane_box(struct pane pane, struct look look, struct str title)
{
    struct pane edge;
    int behind;

    pane_fill(pane, (struct look){TONE_TEXT, 0});
    if (pane.rows < 2 || pane.columns < 2)
        return;
    put_edges(pane, paint_of(pane.screen, look));
    edge = pane_columns(pane_rows(pane, 0, 1), 2, pane.columns - 4);
    if (title.n == 0 || edge.columns < 4)
        return;
    behind = pane_text(pane_columns(edge, 1, edge.columns - 2), 0, 0, look, title) + 1;
    put(edge, 0, 0, paint_of(pane.screen, look), (struct cell){L" ", 1});
    put(edge, 0, behind, paint_of(pane.screen, look), (struct cell){L" ", 1});
}

void pane_cursor(struct pane pane, int row, int column)
{
    if (row < 0 || row >= pane.rows || column < 0 || column >= pane.columns)
        return;
    pane.screen->cursor = true;
    pane.screen->cursor_row = pane.row + row;
    pane.screen->cursor_column = pane.column + column;
}

void screen_cursor_off(struct screen *screen)
{
    screen->cursor = false;
}
