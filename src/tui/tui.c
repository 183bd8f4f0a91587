#include "tui/tui.h"

#include "tui/chat.h"
#include "tui/keyboard.h"
#include "tui/notices.h"
#include "tui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/*
 * The loop. What a person does is drawn at once; what the server says at most FRAME_MS apart, so
 * that a flood of text costs frames and not more. Nothing in it waits for the server.
 */
enum {
    FRAME_MS = 33,
    TICK_MS = 250, /* while something runs: the sign that says so turns */
    FEED_MS = 8,   /* how long events are taken before keys are looked at again */
    READ_BYTES = 16 * 1024
};

struct tui {
    const struct tui_options *options;
    struct screen *screen;
    struct keyboard *keyboard;
    struct errands *errands;
    struct feed *feed; /* of all sessions */
    struct view *chat; /* below all others */
    struct view *top;
    struct notices notices;
    int wake;        /* eventfd: errands or feeds have something */
    bool dirty, now; /* draw again; at once */
    bool quit;
    int signal; /* that ended it; 0: none */
    int64_t drawn_ms;
    int64_t due_ms; /* see tui_due; 0: none */
};

/* ---- time and signals ---- */

static int64_t ms_of(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int64_t tui_now_ms(void)
{
    return ms_of(CLOCK_MONOTONIC);
}

int64_t tui_wall_ms(void)
{
    return ms_of(CLOCK_REALTIME);
}

/* A pipe would do as well; these are all that a handler touches, on whichever thread it runs. */
static atomic_int resized, ended, stopped, continued;
static atomic_int signal_wake = -1;

static void wake_fd(int fd)
{
    uint64_t one = 1;

    if (fd >= 0 && write(fd, &one, sizeof(one)) < 0) {
        /* it is awake already */
    }
}

static void on_signal(int number)
{
    int kept = errno;

    if (number == SIGWINCH)
        resized = 1;
    else if (number == SIGTSTP)
        stopped = 1;
    else if (number == SIGCONT)
        continued = 1;
    else
        ended = number;
    wake_fd(signal_wake);
    errno = kept;
}

/* The terminal is given back before the process dies of it. */
static void on_death(int number)
{
    screen_rescue();
    raise(number); /* SA_RESETHAND: this time for good */
}

static const int watched[] = {SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT};
static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                             SIGQUIT, SIGXCPU, SIGXFSZ, SIGSYS};

enum {
    WATCHED = sizeof(watched) / sizeof(watched[0]),
    DEADLY = sizeof(deadly) / sizeof(deadly[0])
};

struct signals {
    struct sigaction watched[WATCHED], deadly[DEADLY];
};

static void signals_catch(struct signals *before, int wake)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct sigaction death = {.sa_handler = on_death, .sa_flags = (int)SA_RESETHAND};

    resized = ended = stopped = continued = 0;
    signal_wake = wake;
    for (size_t i = 0; i < WATCHED; i++)
        sigaction(watched[i], &action, &before->watched[i]);
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &death, &before->deadly[i]);
}

static void signals_return(const struct signals *before)
{
    for (size_t i = 0; i < WATCHED; i++)
        sigaction(watched[i], &before->watched[i], NULL);
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &before->deadly[i], NULL);
    signal_wake = -1;
}

static void wake(void *context)
{
    struct tui *tui = context;

    wake_fd(tui->wake);
}

/* ---- views ---- */

void tui_push(struct tui *tui, struct view *view)
{
    view->tui = tui;
    view->below = tui->top;
    tui->top = view;
    tui_dirty(tui);
}

void tui_close(struct tui *tui, struct view *view)
{
    view->closed = true;
    tui_dirty(tui);
}

/* Those that were closed go when nobody is inside them any more; true: there were some. */
static bool views_sweep(struct tui *tui)
{
    struct view **at = &tui->top;
    bool swept = false;

    while (*at) {
        struct view *view = *at;

        if (!view->closed) {
            at = &view->below;
            continue;
        }
        *at = view->below;
        view->ops->free(view);
        swept = true;
    }
    return swept;
}

void tui_dirty(struct tui *tui)
{
    tui->dirty = true;
}

void tui_quit(struct tui *tui)
{
    tui->quit = true;
}

struct errands *tui_errands(struct tui *tui)
{
    return tui->errands;
}

const struct tui_options *tui_options(const struct tui *tui)
{
    return tui->options;
}

struct screen *tui_screen(struct tui *tui)
{
    return tui->screen;
}

const char *tui_session(const struct tui *tui)
{
    return talk_id(chat_talk(tui->chat));
}

static void views_close(struct tui *tui)
{
    for (struct view *view = tui->top; view; view = view->below)
        if (view != tui->chat)
            view->closed = true;
    tui_dirty(tui);
}

void tui_open(struct tui *tui, const char *session, const char *note, const char *text)
{
    views_close(tui);
    chat_open(tui->chat, session, note, text);
}

void tui_open_at(struct tui *tui, const char *session, const char *message)
{
    views_close(tui);
    chat_open_at(tui->chat, session, message);
}

void tui_suspend(struct tui *tui)
{
    screen_leave(tui->screen);
    terminal_stop();
    stopped = continued = 0;
    screen_return(tui->screen);
    resized = 1;
    tui_dirty(tui);
}

/* ---- what is said ---- */

void tui_say(struct tui *tui, const char *format, ...)
{
    char text[NOTICE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    notices_say(&tui->notices, text, tui_now_ms());
    tui_dirty(tui);
}

void tui_fail_words(struct tui *tui, const char *format, ...)
{
    char text[NOTICE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    notices_fail(&tui->notices, text);
    tui_dirty(tui);
}

void tui_fail(struct tui *tui, const char *what, const struct tine_error *error)
{
    tui_fail_words(tui, "%s: %s", what, error->detail[0] ? error->detail : error->code);
}

bool tui_read(struct tui *tui)
{
    tui_dirty(tui);
    return notices_read(&tui->notices);
}

/* ---- drawing ---- */

static void view_draw(struct view *view, struct pane pane)
{
    if (view->part && view->below)
        view_draw(view->below, pane);
    view->ops->draw(view, pane);
}

static void frame_make(struct tui *tui)
{
    struct pane all = screen_begin(tui->screen), pane;
    int failed;

    failed = notices_rows(&tui->notices, all.columns, all.rows);
    pane = pane_rows(all, 0, all.rows - failed);
    view_draw(tui->top, pane);
    notices_draw_said(&tui->notices, pane);
    if (failed)
        notices_draw(&tui->notices, pane_rows(all, all.rows - failed, failed));
}

static void title_set(struct tui *tui)
{
    const struct tine_session *session = talk_session(chat_talk(tui->chat));
    struct arena arena;

    arena_init(&arena);
    screen_title(tui->screen, session && session->title && *session->title
                                  ? arena_printf(&arena, "%s — tine", session->title)
                                  : STR("tine"));
    arena_clear(&arena);
}

/* A view that finds nothing to show may close itself: then what is below it is drawn. */
static void draw(struct tui *tui)
{
    if (resized) {
        resized = 0;
        screen_resized(tui->screen);
    }
    do {
        tui->dirty = tui->now = false;
        frame_make(tui);
    } while (views_sweep(tui));
    screen_show(tui->screen);
    title_set(tui);
    tui->drawn_ms = tui_now_ms();
}

/* ---- keys ---- */

bool tui_is_top(const struct tui *tui, const struct view *view)
{
    const struct view *top = tui->top;

    while (top && top->closed)
        top = top->below;
    return top == view;
}

void tui_press(struct tui *tui, const struct press *press)
{
    struct view *view = tui->top;

    while (view->closed)
        view = view->below; /* the chat is never closed */
    view->ops->press(view, press);
    tui->dirty = tui->now = true;
}

/*
 * Terminals, and tmux between, send Esc and a key that follows it soon as one: the key with alt.
 * Only the composer of the chat has keys with alt; elsewhere they are two again.
 */
static void split(struct tui *tui, const struct press *press)
{
    struct press escape = {.kind = PRESS_ESCAPE, .at_ms = press->at_ms}, key = *press;

    if (press->alt && tui->top != tui->chat) {
        tui_press(tui, &escape);
        key.alt = false;
    }
    tui_press(tui, &key);
}

static void pressed(struct tui *tui, const struct press *press)
{
    if (press_is_ctrl(press, 'g')) {
        tui_read(tui);
        tui->now = true;
    } else if (press_is_ctrl(press, 'l')) {
        screen_redraw(tui->screen);
        tui->dirty = tui->now = true;
    } else if (press_is_ctrl(press, 'z')) {
        tui_suspend(tui);
    } else if (press->kind != PRESS_FOCUS) {
        split(tui, press);
        views_sweep(tui);
    }
}

static void keys_take(struct tui *tui)
{
    struct press press;

    while (!tui->quit && keyboard_next(tui->keyboard, tui_now_ms(), &press))
        pressed(tui, &press);
    if (keyboard_paste_cut(tui->keyboard))
        tui_fail_words(tui, "the paste was cut: the limit is %d MiB",
                       KEYBOARD_PASTE_MAX / 1024 / 1024);
}

static void terminal_read(struct tui *tui)
{
    char bytes[READ_BYTES];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));

    if (got > 0)
        keyboard_take(tui->keyboard, (struct str){bytes, (size_t)got}, tui_now_ms());
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        tui->quit = true; /* the terminal has gone */
}

/* ---- the loop ---- */

static void happened(void *context, const struct happening *happening)
{
    struct tui *tui = context;

    for (struct view *view = tui->top; view; view = view->below)
        if (!view->closed)
            view->ops->happened(view, happening);
    tui_dirty(tui);
}

static int sooner(int a, int b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

void tui_due(struct tui *tui, int64_t at_ms)
{
    if (at_ms && (tui->due_ms == 0 || at_ms < tui->due_ms))
        tui->due_ms = at_ms;
}

static int due_wait_ms(struct tui *tui, int64_t now)
{
    if (tui->due_ms == 0)
        return -1;
    if (now < tui->due_ms)
        return (int)(tui->due_ms - now);
    tui->due_ms = 0;
    tui->dirty = true;
    return -1;
}

static int wait_ms(struct tui *tui, bool more)
{
    int64_t now = tui_now_ms();
    bool changed;
    int wait =
        sooner(keyboard_wait_ms(tui->keyboard, now), notices_wait_ms(&tui->notices, now, &changed));

    tui->dirty |= changed;
    wait = sooner(wait, due_wait_ms(tui, now));
    wait = sooner(wait, talk_wait_ms(chat_talk(tui->chat)));
    if (more || tui->now)
        return 0;
    if (talk_runs(chat_talk(tui->chat)))
        wait = sooner(wait, TICK_MS);
    if (tui->dirty)
        wait = sooner(
            wait, now - tui->drawn_ms >= FRAME_MS ? 0 : (int)(FRAME_MS - (now - tui->drawn_ms)));
    return wait;
}

/* Stopped, and continued, by others than the person at the keyboard. */
static void stops_take(struct tui *tui)
{
    if (stopped)
        tui_suspend(tui);
    if (continued) { /* from a stop that nobody was asked about: the shell had the terminal */
        continued = 0;
        screen_continued(tui->screen);
        resized = 1;
    }
}

static void loop(struct tui *tui)
{
    bool more = false;

    while (!tui->quit) {
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = tui->wake, .events = POLLIN}};
        uint64_t woken;
        int got = poll(fds, 2, wait_ms(tui, more));

        if (got == 0 && talk_runs(chat_talk(tui->chat)))
            tui->dirty = true;
        if (ended) {
            tui->signal = ended;
            break;
        }
        stops_take(tui);
        tui->dirty |= resized != 0;
        if (got > 0 && fds[0].revents)
            terminal_read(tui);
        if (got > 0 && fds[1].revents && read(tui->wake, &woken, sizeof(woken)) < 0)
            woken = 0;
        keys_take(tui);
        errands_take(tui->errands);
        more = feed_tell(tui->feed, FEED_MS);
        talk_take(chat_talk(tui->chat));
        views_sweep(tui);
        if (!tui->quit && (tui->now || (tui->dirty && tui_now_ms() - tui->drawn_ms >= FRAME_MS)))
            draw(tui);
    }
}

static void parts_free(struct tui *tui)
{
    while (tui->top) {
        struct view *view = tui->top;

        tui->top = view->below;
        view->ops->free(view);
    }
    feed_free(tui->feed);
    errands_free(tui->errands);
    keyboard_free(tui->keyboard);
    screen_close(tui->screen);
    if (tui->wake >= 0)
        close(tui->wake);
}

static void parts_make(struct tui *tui)
{
    struct feed_options feed = {.door = &tui->options->door,
                                .types = "session.,turn.",
                                .wake = wake,
                                .call = happened,
                                .context = tui};

    tui->keyboard = keyboard_new();
    keyboard_take(tui->keyboard, screen_early(tui->screen), tui_now_ms());
    tui->errands = errands_new(&tui->options->door, wake, tui);
    tui->feed = feed_new(&feed);
    tui->chat = chat_new(tui, wake, tui);
    tui_push(tui, tui->chat);
    chat_open(tui->chat, tui->options->session, NULL, NULL);
}

enum fault_code tui_run(const struct tui_options *options, struct fault *fault)
{
    struct tui tui = {.options = options, .wake = -1};
    struct signals signals;

    tui.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (tui.wake < 0)
        return fault_set(fault, FAULT_IO, "cannot make an event descriptor: %s", strerror(errno));
    signals_catch(&signals, tui.wake);
    if (screen_open(&tui.screen, fault) != FAULT_OK) {
        signals_return(&signals);
        close(tui.wake);
        return fault_pass(fault);
    }
    parts_make(&tui);
    draw(&tui);
    loop(&tui);
    parts_free(&tui);
    signals_return(&signals);
    if (tui.signal)
        return fault_set(fault, FAULT_INTERRUPTED, "ended by a signal: %s", strsignal(tui.signal));
    return FAULT_OK;
}
