/*
 * The screen on a terminal of its own: what it sends, what it leaves behind, which answers it
 * understands. A child process has the terminal; the test sits at its other end.
 */
#include "support/check.h"

#include "base/buf.h"
#include "base/clock.h"
#include "tui/screen.h"
#include "tui/terminal.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20 * 1000, OUTPUT_MAX = 1024 * 1024, FAILED = 99 };

/* ---- the terminal ---- */

struct seat {
    int fd;
    pid_t child;
    struct buf output;
    struct termios before;
    int status;
};

struct play {
    void (*act)(void);              /* in the child */
    const char *answer;             /* when the ground is asked for; NULL: none */
    const char *const *environment; /* "NAME=value", or "NAME": not set; ends with NULL */
    const char *locale;
    int rows, columns;
};

static void environment_set(const char *const *environment)
{
    setenv("TERM", "xterm-256color", 1);
    unsetenv("COLORTERM");
    unsetenv("COLORFGBG");
    unsetenv("NO_COLOR");
    unsetenv("TINE_THEME");
    for (; environment && *environment; environment++)
        if (strchr(*environment, '='))
            putenv((char *)*environment);
        else
            unsetenv(*environment);
}

static void sit_down(struct seat *seat, const struct play *play)
{
    struct winsize size = {.ws_row = (unsigned short)(play->rows ? play->rows : 24),
                           .ws_col = (unsigned short)(play->columns ? play->columns : 80)};

    *seat = (struct seat){.fd = -1};
    buf_init(&seat->output, OUTPUT_MAX);
    fflush(NULL);
    seat->child = forkpty(&seat->fd, NULL, NULL, &size);
    assert_true(seat->child >= 0);
    if (seat->child == 0) {
        environment_set(play->environment);
        setlocale(LC_ALL, play->locale ? play->locale : "C.UTF-8");
        play->act();
        _exit(0);
    }
    assert_int_equal(tcgetattr(seat->fd, &seat->before), 0);
}

static bool has(const struct seat *seat, const char *text)
{
    return seat->output.n && memmem(seat->output.p, seat->output.n, text, strlen(text));
}

static void type(const struct seat *seat, const char *text)
{
    assert_int_equal(write(seat->fd, text, strlen(text)), strlen(text));
}

/* Until the child has closed the terminal. */
static void watch(struct seat *seat, const struct play *play)
{
    int64_t until_ms = clock_ms() + PATIENCE_MS;
    bool answered = !play->answer;

    for (;;) {
        struct pollfd fd = {.fd = seat->fd, .events = POLLIN};
        char bytes[4096];
        ssize_t n;

        if (poll(&fd, 1, (int)(until_ms - clock_ms())) <= 0)
            fail_msg("the child does not end; it wrote %zu bytes", seat->output.n);
        n = read(seat->fd, bytes, sizeof(bytes));
        if (n <= 0)
            return; /* EIO: nobody is at the other end any more */
        buf_add(&seat->output, bytes, (size_t)n);
        if (!answered && has(seat, "\x1b]11;?")) {
            answered = true;
            type(seat, play->answer);
        }
    }
}

static void run(struct seat *seat, const struct play *play)
{
    sit_down(seat, play);
    watch(seat, play);
    assert_int_equal(waitpid(seat->child, &seat->status, 0), seat->child);
    assert_int_not_equal(seat->status, FAILED << 8);
}

static void get_up(struct seat *seat)
{
    close(seat->fd);
    buf_clear(&seat->output);
}

static void check_given_back(const struct seat *seat)
{
    static const char *const endings[] = {"\x1b[?1006l", "\x1b[?1000l", "\x1b[?2004l",
                                          "\x1b[?1049l"};
    struct termios now;

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (!has(seat, endings[i]))
            fail_msg("\\e%s was not sent", endings[i] + 1);
    assert_int_equal(tcgetattr(seat->fd, &now), 0);
    assert_int_equal(now.c_iflag, seat->before.c_iflag);
    assert_int_equal(now.c_lflag, seat->before.c_lflag);
    assert_int_equal(now.c_oflag, seat->before.c_oflag);
}

/* ---- in the child ---- */

static struct screen *opened(void)
{
    struct screen *screen;
    struct fault fault;

    if (screen_open(&screen, &fault) != FAULT_OK) {
        printf("fault: %s\n", fault.message);
        fflush(stdout);
        _exit(FAILED);
    }
    return screen;
}

static void demand(bool holds)
{
    if (!holds)
        _exit(FAILED);
}

static void draw_some(void)
{
    struct screen *screen = opened();
    struct pane pane = screen_begin(screen);
    struct termios now;

    tcgetattr(STDIN_FILENO, &now);
    demand(!(now.c_lflag & (ICANON | ECHO | ISIG | IEXTEN)) && !(now.c_iflag & (IXON | ICRNL)));
    pane_text(pane, 0, 0, look(TONE_USER), STR("hello there"));
    pane_box(pane_columns(pane_rows(pane, 2, 4), 2, 20), look(TONE_MARK), STR("← a title"));
    screen_show(screen);
    screen_title(screen, STR("Ärger — tine"));
    screen_title(screen, STR("Ärger — tine"));
    screen_close(screen);
}

static void draw_early(void)
{
    struct screen *screen = opened();
    struct str early = screen_early(screen);
    struct pane pane = screen_begin(screen);

    pane_format(pane, 0, 0, look(TONE_TEXT), "early=<%.*s>", STR_ARG(early));
    screen_show(screen);
    screen_close(screen);
}

static void draw_badly(void)
{
    struct screen *screen = opened();
    struct pane pane = screen_begin(screen);

    pane_text(pane, 0, 0, look(TONE_TEXT),
              STR("\x1b]0;pwned\a \x1b[31m \xc2\x9b"
                  "5n \r\n\b"));
    screen_title(screen, STR("a\x1b]52;c;pwned\a title"));
    screen_show(screen);
    screen_close(screen);
}

static void leave_and_return(void)
{
    struct screen *screen = opened();
    struct termios now;

    screen_begin(screen);
    screen_show(screen);
    screen_leave(screen);
    screen_leave(screen);
    tcgetattr(STDIN_FILENO, &now);
    demand((now.c_lflag & (ICANON | ECHO | ISIG)) == (ICANON | ECHO | ISIG));
    screen_rescue(); /* nothing to rescue now */
    terminal_send(STR("<outside>"));
    screen_return(screen);
    tcgetattr(STDIN_FILENO, &now);
    demand(!(now.c_lflag & (ICANON | ECHO | ISIG)));
    pane_text(screen_begin(screen), 0, 0, look(TONE_TEXT), STR("again"));
    screen_show(screen);
    screen_close(screen);
}

/* A stop that nobody could refuse: the shell has set the terminal for itself meanwhile. */
static void be_stopped_and_continued(void)
{
    struct screen *screen = opened();
    struct termios now;

    pane_text(screen_begin(screen), 0, 0, look(TONE_TEXT), STR("before"));
    screen_show(screen);
    tcgetattr(STDIN_FILENO, &now);
    now.c_lflag |= ICANON | ECHO | ISIG;
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
    terminal_send(STR("<outside>"));
    screen_continued(screen);
    tcgetattr(STDIN_FILENO, &now);
    demand(!(now.c_lflag & (ICANON | ECHO | ISIG)));
    pane_text(screen_begin(screen), 0, 0, look(TONE_TEXT), STR("before"));
    screen_show(screen);
    screen_leave(screen);
    screen_continued(screen); /* it had left: whoever left it returns */
    tcgetattr(STDIN_FILENO, &now);
    demand((now.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO));
    screen_close(screen);
}

static void on_abort(int number)
{
    (void)number;
    screen_rescue();
    _exit(3);
}

static void draw_and_abort(void)
{
    struct screen *screen = opened();

    signal(SIGABRT, on_abort);
    pane_text(screen_begin(screen), 0, 0, look(TONE_TEXT), STR("hello"));
    screen_show(screen);
    abort();
}

static void set_size(int rows, int columns)
{
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    ioctl(STDOUT_FILENO, TIOCSWINSZ, &size);
}

static void draw_everything(struct screen *screen)
{
    struct pane pane = screen_begin(screen);
    struct span span = {STR("漢字 e\xcc\x81 👩"), 9, look(TONE_CODE)};
    struct line line = {&span, 1, 9};

    pane_fill(pane, look(TONE_BAR));
    for (int column = -12; column < 12; column++) {
        pane_text(pane, 0, column, look(TONE_TEXT), STR("漢字漢字"));
        pane_line(pane, 1, column, &line, look_with(TONE_TEXT, LOOK_MARKED));
    }
    pane_text(pane, pane.rows - 1, pane.columns - 1, look(TONE_FOUND), STR("漢"));
    pane_text(pane, -1, 0, look(TONE_TEXT), STR("x"));
    pane_text(pane, pane.rows, 0, look(TONE_TEXT), STR("x"));
    pane_rule(pane, 0, look(TONE_FAINT));
    pane_box(pane, look(TONE_MARK), STR("a title that is too long for most sizes"));
    pane_box(pane_rows(pane, 3, 100), look(TONE_MARK), STR("t"));
    pane_box(pane_columns(pane, -3, 5), look(TONE_MARK), STR("t"));
    pane_cursor(pane, pane.rows, pane.columns);
    pane_cursor(pane, pane.rows - 1, pane.columns - 1);
    screen_show(screen);
}

static void draw_at_all_sizes(void)
{
    static const int sizes[][2] = {{24, 80}, {1, 1}, {2, 2}, {1, 200}, {50, 1}, {3, 5}, {200, 400}};
    struct screen *screen = opened();

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct pane pane;

        set_size(sizes[i][0], sizes[i][1]);
        screen_resized(screen);
        pane = screen_begin(screen);
        demand(pane.rows == sizes[i][0] && pane.columns == sizes[i][1]);
        draw_everything(screen);
    }
    screen_close(screen);
}

static void tell_fault(void)
{
    struct screen *screen;
    struct fault fault = {0};

    demand(screen_open(&screen, &fault) == FAULT_INVALID);
    printf("fault: %s\n", fault.message);
    fflush(stdout);
}

static void tell_fault_of_input(void)
{
    int fd = open("/dev/null", O_RDONLY);

    demand(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    tell_fault();
}

/* ---- what must hold ---- */

static void a_terminal_is_taken_and_given_back(void **state)
{
    static const char *const beginnings[] = {"\x1b[?1049h",   "\x1b[?2004h", "\x1b[?1000h",
                                             "\x1b[?1006h",   "\x1b[?25l",   "hello there",
                                             "╭─ ← a title ─"};
    struct play play = {.act = draw_some, .answer = "\x1b]11;rgb:0000/0000/0000\a\x1b[?62;22c"};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (!has(&seat, beginnings[i]))
            fail_msg("%s was not sent", beginnings[i]);
    check_given_back(&seat);
    get_up(&seat);
}

static void a_terminal_that_does_not_answer_is_used(void **state)
{
    struct play play = {.act = draw_some};
    struct seat seat;
    int64_t begun_ms = clock_ms();

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    assert_true(has(&seat, "hello there") && has(&seat, "\x1b]11;?"));
    assert_true(clock_ms() - begun_ms < 5000);
    check_given_back(&seat);
    get_up(&seat);
}

static void check_colours(const char *answer, const char *const *environment, const char *want)
{
    struct play play = {.act = draw_some, .answer = answer, .environment = environment};
    struct seat seat;

    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    if (!has(&seat, want))
        fail_msg("\\e%s was not sent", want + 1);
    get_up(&seat);
}

static void colours_are_those_of_ground_and_terminal(void **state)
{
    static const char *const light[] = {"TINE_THEME=light", NULL};
    static const char *const fgbg[] = {"COLORFGBG=0;15", NULL};
    static const char *const eight[] = {"TERM=xterm", NULL};
    static const char *const eight_light[] = {"TERM=xterm", "TINE_THEME=light", NULL};
    static const char *const direct[] = {"COLORTERM=truecolor", "TINE_THEME=dark", NULL};
    const char *dark_user = "\x1b[38;5;111m", *light_user = "\x1b[38;5;25m";

    (void)state;
    check_colours("\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?1;2c", NULL, dark_user);
    check_colours("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?1;2c", NULL, light_user);
    check_colours("\x1b]11;rgb:ff/ff/ff\a", NULL, light_user); /* and nothing behind it */
    check_colours("\x1b[?1;2c", NULL, dark_user);
    check_colours(NULL, light, light_user);
    check_colours(NULL, fgbg, light_user);
    check_colours(NULL, eight, "\x1b[36m");
    check_colours(NULL, eight_light, "\x1b[34m");
    check_colours(NULL, direct, "\x1b[38:2::132:174:250m");
}

/* ESC [ … m with a colour among its numbers; 39 and 49 are the terminal's own. */
static bool has_colour(const struct seat *seat)
{
    const char *p = seat->output.p, *end = p + seat->output.n;

    while ((p = memmem(p, (size_t)(end - p), "\x1b[", 2))) {
        const char *number = p + 2;
        bool colour = false;
        char *behind;

        for (;; number = behind + 1) {
            long n = strtol(number, &behind, 10);

            colour = colour || (n >= 30 && n <= 48 && n != 39) || (n >= 90 && n <= 107);
            if (*behind != ';' && *behind != ':')
                break;
        }
        if (*behind == 'm' && colour)
            return true;
        p += 2;
    }
    return false;
}

static void without_colour_none_is_sent(void **state)
{
    static const char *const environment[] = {"NO_COLOR=1", "COLORTERM=truecolor", NULL};
    struct play play = {.act = draw_some, .environment = environment};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    assert_true(has(&seat, "hello there"));
    assert_false(has_colour(&seat) || has(&seat, "\x1b]11"));
    get_up(&seat);
    play = (struct play){.act = draw_some};
    run(&seat, &play);
    assert_true(has_colour(&seat)); /* else it would be */
    get_up(&seat);
}

static void what_is_typed_meanwhile_is_kept(void **state)
{
    struct play play = {.act = draw_early,
                        .answer = "ab\x1b]11;rgb:0/0/0\x1b\\cd\x1b[?64;1;2c"
                                  "e\x1b[A"};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    if (!has(&seat, "early=<abcde\\e[A>"))
        fail_msg("%.*s", STR_ARG(buf_str(&seat.output)));
    get_up(&seat);
}

static void nothing_that_is_said_commands_the_terminal(void **state)
{
    static const char *const environment[] = {"TINE_THEME=dark", NULL};
    struct play play = {.act = draw_badly, .environment = environment};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    assert_true(has(&seat, "pwned")); /* as text, or its tail in the title */
    assert_false(has(&seat, "\x1b]0;pwned") || has(&seat, "\x1b]52") || has(&seat, "\xc2\x9b"));
    assert_false(has(&seat, "\x1b[31m"));
    get_up(&seat);
}

static void it_may_be_left_for_a_while(void **state)
{
    struct play play = {.act = leave_and_return, .answer = "\x1b[?1;2c"};
    struct seat seat;
    const char *outside, *away, *again;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    outside = memmem(seat.output.p, seat.output.n, "<outside>", 9);
    away = memmem(seat.output.p, seat.output.n, "\x1b[?1049l", 8);
    assert_true(outside && away && away < outside);
    again = memmem(outside, (size_t)(seat.output.p + seat.output.n - outside), "\x1b[?1049h", 8);
    assert_non_null(again);
    assert_non_null(memmem(again, (size_t)(seat.output.p + seat.output.n - again), "again", 5));
    check_given_back(&seat);
    get_up(&seat);
}

static void an_abort_gives_it_back(void **state)
{
    struct play play = {.act = draw_and_abort, .answer = "\x1b[?1;2c"};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(WEXITSTATUS(seat.status), 3);
    assert_true(has(&seat, "hello") && has(&seat, "\x1b[?25h"));
    check_given_back(&seat);
    get_up(&seat);
}

static void any_size_will_do(void **state)
{
    struct play play = {.act = draw_at_all_sizes, .answer = "\x1b[?1;2c"};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    check_given_back(&seat);
    get_up(&seat);
    play.rows = play.columns = 1;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    get_up(&seat);
}

static void after_a_stop_from_outside_all_is_drawn_again(void **state)
{
    struct play play = {.act = be_stopped_and_continued, .answer = "\x1b[?1;2c"};
    struct seat seat;
    const char *outside, *again;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    outside = memmem(seat.output.p, seat.output.n, "<outside>", 9);
    assert_non_null(outside);
    again = memmem(outside, (size_t)(seat.output.p + seat.output.n - outside), "\x1b[?1049h", 8);
    assert_non_null(again);
    assert_non_null(memmem(again, (size_t)(seat.output.p + seat.output.n - again), "before", 6));
    check_given_back(&seat);
    get_up(&seat);
}

static void without_utf8_it_is_ascii(void **state)
{
    struct play play = {.act = draw_some, .answer = "\x1b[?1;2c", .locale = "C"};
    struct seat seat;

    (void)state;
    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    assert_true(has(&seat, "hello there") && has(&seat, "+- < a title -"));
    assert_true(has(&seat, "\x1b]2;?rger - tine\a"));
    for (size_t i = 0; i < seat.output.n; i++)
        assert_true((seat.output.p[i] & 0x80) == 0);
    get_up(&seat);
}

static void check_fault(void (*act)(void), const char *const *environment, const char *want)
{
    struct play play = {.act = act, .environment = environment};
    struct seat seat;

    run(&seat, &play);
    assert_int_equal(seat.status, 0);
    if (!has(&seat, want))
        fail_msg("not \"%s\": %.*s", want, STR_ARG(buf_str(&seat.output)));
    assert_false(has(&seat, "\x1b"));
    get_up(&seat);
}

static void terminals_that_cannot_are_refused(void **state)
{
    static const char *const dumb[] = {"TERM=dumb", NULL};
    static const char *const none[] = {"TERM", NULL};
    static const char *const odd[] = {"TERM=no-such-terminal", NULL};

    (void)state;
    check_fault(tell_fault, dumb, "\"dumb\"");
    check_fault(tell_fault, none, "TERM is not set");
    check_fault(tell_fault, odd, "\"no-such-terminal\" (TERM) is not known here");
    check_fault(tell_fault_of_input, NULL, "this needs a terminal");
}

/* ---- answers, byte by byte ---- */

static void sift(const char *bytes, const char *left, bool last, enum palette_ground ground)
{
    enum palette_ground got = PALETTE_UNKNOWN;
    struct buf buf;

    buf_init(&buf, TERMINAL_EARLY_MAX);
    buf_add_text(&buf, bytes);
    assert_int_equal(terminal_sift(&buf, &got), last);
    CHECK_STR(buf_str(&buf), left);
    assert_int_equal(got, ground);
    buf_clear(&buf);
}

static void answers_are_taken_out(void **state)
{
    (void)state;
    sift("x", "x", false, PALETTE_UNKNOWN);
    sift("\x1b]11;rgb:ff/ff/ff\a", "", false, PALETTE_LIGHT);
    sift("\x1b]11;rgb:ff/ff/ff\x1b\\", "", false, PALETTE_LIGHT);
    sift("\x1b]11;rgb:ff/ff/ff\x1b", "\x1b]11;rgb:ff/ff/ff\x1b", false, PALETTE_UNKNOWN);
    sift("\x1b]11;nonsense\aq", "q", false, PALETTE_UNKNOWN);
    sift("\x1b[?62c", "", true, PALETTE_UNKNOWN);
    sift("\x1b[?6", "\x1b[?6", false, PALETTE_UNKNOWN);
    sift("\x1b[?c", "", true, PALETTE_UNKNOWN);
    sift("\x1b[?25h", "\x1b[?25h", false, PALETTE_UNKNOWN);
    sift("\x1b[A\x1b[?1;2c\x1b\x1b", "\x1b[A\x1b\x1b", true, PALETTE_UNKNOWN);
    sift("\x1b]10;rgb:0/0/0\a", "\x1b]10;rgb:0/0/0\a", false, PALETTE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_is_taken_and_given_back),
        cmocka_unit_test(a_terminal_that_does_not_answer_is_used),
        cmocka_unit_test(colours_are_those_of_ground_and_terminal),
        cmocka_unit_test(without_colour_none_is_sent),
        cmocka_unit_test(what_is_typed_meanwhile_is_kept),
        cmocka_unit_test(nothing_that_is_said_commands_the_terminal),
        cmocka_unit_test(it_may_be_left_for_a_while),
        cmocka_unit_test(an_abort_gives_it_back),
        cmocka_unit_test(any_size_will_do),
        cmocka_unit_test(after_a_stop_from_outside_all_is_drawn_again),
        cmocka_unit_test(without_utf8_it_is_ascii),
        cmocka_unit_test(terminals_that_cannot_are_refused),
        cmocka_unit_test(answers_are_taken_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
