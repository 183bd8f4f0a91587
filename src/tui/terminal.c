#include "tui/terminal.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MODES_ON  "\x1b[?2004h\x1b[?1000h\x1b[?1006h"
#define MODES_OFF "\x1b[?1006l\x1b[?1000l\x1b[?2004l"

/* Its ground, and then what every terminal answers: what it is. */
#define ASK        "\x1b]11;?\x1b\\\x1b[c"
#define ANSWER     "\x1b]11;"
#define ANSWER_END "\x1b[?"

enum { ANSWER_MAX = 64, READ_BYTES = 1024 };

enum fault_code terminal_open(struct terminal *terminal, struct fault *fault)
{
    *terminal = (struct terminal){0};
    buf_init(&terminal->early, TERMINAL_EARLY_MAX);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &terminal->before) < 0)
        return fault_set(fault, FAULT_INVALID,
                         "this needs a terminal: standard input and output must be one");
    terminal->raw = terminal->before;
    terminal->raw.c_iflag &=
        ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
    terminal->raw.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    /* ncurses takes a line feed for a step down, and for nothing else */
    terminal->raw.c_oflag &= ~(tcflag_t)ONLCR;
    terminal->raw.c_cc[VMIN] = 1;
    terminal->raw.c_cc[VTIME] = 0;
    return FAULT_OK;
}

void terminal_clear(struct terminal *terminal)
{
    buf_clear(&terminal->early);
}

static void set(const struct termios *mode)
{
    while (tcsetattr(STDIN_FILENO, TCSADRAIN, mode) < 0 && errno == EINTR)
        ;
}

void terminal_set_raw(const struct terminal *terminal)
{
    set(&terminal->raw);
}

void terminal_set_back(const struct terminal *terminal)
{
    set(&terminal->before);
}

void terminal_send(struct str bytes)
{
    while (bytes.n) {
        ssize_t n = write(STDOUT_FILENO, bytes.p, bytes.n);

        if (n >= 0) {
            bytes.p += n;
            bytes.n -= (size_t)n;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return; /* it has gone away: whoever reads from it finds out */
        }
    }
}

void terminal_modes(bool on)
{
    terminal_send(on ? STR(MODES_ON) : STR(MODES_OFF));
}

bool terminal_size(int *rows, int *columns)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
        return false;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return true;
}

/* ---- what the terminal answers ---- */

/* The bytes of the answer at `at`, its end included; 0: none is there, or not all of it. */
static size_t ground_answer(struct str bytes, size_t at, struct str *out)
{
    size_t begin = at + sizeof(ANSWER) - 1;

    for (size_t i = begin; i < bytes.n && i - begin < ANSWER_MAX; i++) {
        bool bell = bytes.p[i] == '\a';

        if (bell || (bytes.p[i] == '\x1b' && i + 1 < bytes.n && bytes.p[i + 1] == '\\')) {
            *out = (struct str){bytes.p + begin, i - begin};
            return i + (bell ? 1 : 2) - at;
        }
    }
    return 0;
}

static size_t last_answer(struct str bytes, size_t at)
{
    size_t i = at + sizeof(ANSWER_END) - 1;

    while (i < bytes.n && i - at < ANSWER_MAX &&
           ((bytes.p[i] >= '0' && bytes.p[i] <= '9') || bytes.p[i] == ';'))
        i++;
    return i < bytes.n && bytes.p[i] == 'c' ? i + 1 - at : 0;
}

static void take_out(struct buf *bytes, size_t at, size_t n)
{
    memmove(bytes->p + at, bytes->p + at + n, bytes->n - at - n);
    bytes->n -= n;
    bytes->p[bytes->n] = '\0';
}

bool terminal_sift(struct buf *bytes, enum palette_ground *ground)
{
    bool last = false;
    size_t at = 0;

    while (at < bytes->n) {
        struct str rest = {bytes->p + at, bytes->n - at}, answer;
        size_t n = 0;

        if (str_starts(rest, STR(ANSWER))) {
            n = ground_answer(buf_str(bytes), at, &answer);
            if (n)
                *ground = palette_ground_answered(answer);
        } else if (str_starts(rest, STR(ANSWER_END))) {
            n = last_answer(buf_str(bytes), at);
            last = last || n;
        }
        if (n)
            take_out(bytes, at, n);
        else
            at++;
    }
    return last;
}

enum palette_ground terminal_ask_ground(struct terminal *terminal)
{
    enum palette_ground ground = PALETTE_UNKNOWN;
    int64_t until_ms = clock_ms() + TERMINAL_ASK_MS;

    terminal_send(STR(ASK));
    for (;;) {
        struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
        int64_t left_ms = until_ms - clock_ms();
        char bytes[READ_BYTES];
        ssize_t n;

        if (left_ms <= 0 || poll(&fd, 1, (int)left_ms) <= 0)
            return ground;
        n = read(STDIN_FILENO, bytes, sizeof(bytes));
        if (n <= 0)
            return ground;
        buf_add(&terminal->early, bytes, (size_t)n);
        if (terminal_sift(&terminal->early, &ground) || terminal->early.full)
            return ground;
    }
}

void terminal_stop(void)
{
    struct sigaction as_usual = {.sa_handler = SIG_DFL}, before;
    sigset_t only, mask;

    sigemptyset(&as_usual.sa_mask);
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    sigaction(SIGTSTP, &as_usual, &before);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask);
    (void)kill(0, SIGTSTP);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &before, NULL);
}

/* ---- the way back, from anywhere ---- */

/* A signal can be handed nothing: this is all that it needs. */
static struct {
    volatile sig_atomic_t armed;
    struct termios before;
    char farewell[TERMINAL_FAREWELL_MAX];
    size_t bytes;
} rescue;

void terminal_arm(const struct terminal *terminal, struct str farewell)
{
    rescue.armed = 0;
    if (!terminal || farewell.n + sizeof(MODES_OFF) > sizeof(rescue.farewell))
        return;
    memcpy(rescue.farewell, MODES_OFF, sizeof(MODES_OFF) - 1);
    memcpy(rescue.farewell + sizeof(MODES_OFF) - 1, farewell.p, farewell.n);
    rescue.bytes = sizeof(MODES_OFF) - 1 + farewell.n;
    rescue.before = terminal->before;
    rescue.armed = 1;
}

void terminal_rescue(void)
{
    int kept = errno;

    if (rescue.armed) {
        rescue.armed = 0;
        terminal_send((struct str){rescue.farewell, rescue.bytes});
        tcsetattr(STDIN_FILENO, TCSANOW, &rescue.before);
    }
    errno = kept;
}
