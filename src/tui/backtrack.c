#include "tui/backtrack.h"

#include "tui/bars.h"
#include "tui/compare_view.h"
#include "tui/moves.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum step { STEP_NONE = 0, STEP_OLDER = -1, STEP_NEWER = 1 };

struct backtrack {
    struct view view;
    struct talk *talk;
    struct scroll *scroll;
    uint64_t version; /* of the talk that the mark was set in */
    int64_t count;    /* of its messages then */
    int64_t marked;
    bool yours;        /* only the person's own messages are stepped to */
    enum step seeking; /* to the next of those, through pages that are still being read */
    int run;           /* Escs in a row */
    int64_t run_ms;    /* when the newest of them came */
    bool paired;       /* … and it came together with the one before */
};

/* ---- stepping ---- */

static bool is_yours(const struct tine_message *message)
{
    return message->role && strcmp(message->role, "user") == 0;
}

static void mark(struct backtrack *back, int64_t index)
{
    back->marked = index;
    scroll_to(back->scroll, index);
}

/* From the marked message on, or from `index`, to the next one that is stepped to. */
static bool seek(struct backtrack *back, int64_t index, enum step step)
{
    for (; index >= 0 && index < back->count; index += step) {
        const struct tine_message *message = back->yours ? talk_at(back->talk, index) : NULL;

        if (back->yours && !message) { /* goes on when it is here */
            mark(back, index);
            back->seeking = step;
            return true;
        }
        if (!back->yours || is_yours(message)) {
            mark(back, index);
            back->seeking = STEP_NONE;
            return true;
        }
    }
    return false;
}

/* What was being read may be here now, and another client may have moved the conversation. */
static void follow(struct backtrack *back)
{
    int64_t count = talk_count(back->talk);

    if (count != back->count || back->version != talk_version(back->talk)) {
        back->version = talk_version(back->talk);
        back->count = count;
        if (back->marked >= count)
            back->marked = count - 1;
    }
    if (back->seeking && talk_at(back->talk, back->marked)) {
        enum step step = back->seeking;

        if (!seek(back, back->marked, step) && !seek(back, back->marked, -step))
            back->seeking = STEP_NONE;
    }
}

static void leave(struct backtrack *back)
{
    tui_close(back->view.tui, &back->view);
}

static void step(struct backtrack *back, enum step step)
{
    if (!back->seeking)
        seek(back, back->marked + step, step);
}

/*
 * Three in a row leave, and so does one at the oldest message. Two that came as one were let go by
 * tmux when the second was pressed; one behind them was held back.
 */
static void escape(struct backtrack *back, const struct press *press)
{
    int64_t limit = BACKTRACK_RUN_MS + (back->paired ? BACKTRACK_HELD_MS : 0);

    back->paired = back->run > 0 && press->at_ms == back->run_ms;
    back->run = press->at_ms - back->run_ms <= limit ? back->run + 1 : 1;
    back->run_ms = press->at_ms;
    if (back->run >= BACKTRACK_RUN)
        leave(back);
    else if (!back->seeking && !seek(back, back->marked - 1, STEP_OLDER))
        leave(back);
}

static void switch_yours(struct backtrack *back)
{
    back->yours = !back->yours;
    back->seeking = STEP_NONE;
    if (back->yours && !seek(back, back->marked, STEP_OLDER) &&
        !seek(back, back->marked, STEP_NEWER)) {
        back->yours = false;
        tui_say(back->view.tui, "none of the messages here is yours");
    }
}

/* ---- acting ---- */

/* The marked message; NULL, and said so, while it is being read. */
static const struct tine_message *marked(struct backtrack *back)
{
    const struct tine_message *message = back->seeking ? NULL : talk_at(back->talk, back->marked);

    if (!message)
        tui_say(back->view.tui, "the message is still being read");
    return message;
}

/* Before the person's own message, whose text can be written anew; after any other. */
static void fork_here(struct backtrack *back, bool always_after)
{
    const struct tine_message *message = marked(back);
    struct moves_point point = {0};

    if (!message)
        return;
    if (is_yours(message) && !always_after)
        point.before = message->id;
    else
        point.after = message->id;
    moves_fork(back->view.tui, talk_id(back->talk), point, point.before != NULL);
}

static void rewind_here(struct backtrack *back)
{
    const struct tine_message *message = marked(back);
    struct moves_point point = {0};

    if (!message)
        return;
    if (is_yours(message))
        point.before = message->id;
    else
        point.after = message->id;
    moves_rewind(back->view.tui, talk_id(back->talk), point);
}

static void diff_here(struct backtrack *back)
{
    const struct tine_message *message = marked(back);
    struct compare_side here = {.session = talk_id(back->talk)}, now = here;
    char title[64];

    if (!message)
        return;
    snprintf(title, sizeof(title), "at message %" PRId64, back->marked + 1);
    here.at = message->id;
    here.title = title;
    now.title = "now";
    tui_push(back->view.tui, compare_view_new(back->view.tui, &here, &now));
}

/* ---- keys ---- */

bool backtrack_takes(const struct press *press)
{
    switch (press->kind) {
    case PRESS_ENTER:
    case PRESS_TAB:
    case PRESS_UP:
    case PRESS_DOWN:
    case PRESS_LEFT:
    case PRESS_RIGHT:
    case PRESS_HOME:
    case PRESS_END:
        return true;
    case PRESS_CHAR:
        return !press->ctrl && press->c < 0x80 && strchr("ardjkq", (int)press->c);
    default:
        return false;
    }
}

static bool leaves(const struct press *press)
{
    return press_is(press, 'q') || press_is_ctrl(press, 'c');
}

static bool is_older(const struct press *press)
{
    return press->kind == PRESS_UP || press->kind == PRESS_LEFT || press_is(press, 'k');
}

static bool is_newer(const struct press *press)
{
    return press->kind == PRESS_DOWN || press->kind == PRESS_RIGHT || press_is(press, 'j');
}

static void moved(struct backtrack *back, const struct press *press)
{
    if (is_older(press))
        step(back, STEP_OLDER);
    else if (is_newer(press))
        step(back, STEP_NEWER);
    else if (press->kind == PRESS_HOME)
        seek(back, 0, STEP_NEWER);
    else if (press->kind == PRESS_END)
        seek(back, back->count - 1, STEP_OLDER);
    else if (press->kind == PRESS_TAB)
        switch_yours(back);
    else if (press->kind == PRESS_PAGE_UP || press->kind == PRESS_PAGE_DOWN)
        scroll_page(back->scroll, press->kind == PRESS_PAGE_UP ? -1 : 1);
    else if (press->kind == PRESS_WHEEL_UP || press->kind == PRESS_WHEEL_DOWN)
        scroll_by(back->scroll, press->kind == PRESS_WHEEL_UP ? -3 : 3);
}

static void press(struct view *view, const struct press *press)
{
    struct backtrack *back = (struct backtrack *)view;

    follow(back);
    if (press->kind == PRESS_ESCAPE) {
        escape(back, press);
        return;
    }
    back->run = 0;
    if (leaves(press))
        leave(back);
    else if (press->kind == PRESS_ENTER || press_is(press, 'a'))
        fork_here(back, press_is(press, 'a'));
    else if (press_is(press, 'r'))
        rewind_here(back);
    else if (press_is(press, 'd'))
        diff_here(back);
    else if (press_is(press, 'o') || press_is(press, ' '))
        scroll_toggle(back->scroll, back->marked);
    else
        moved(back, press);
}

/* ---- drawing ---- */

static const char banner[] = "BACKTRACK MODE";
static const char banner_hint[] = "← Press Esc to step back, Enter to fork here →";
static const char keys_first[] = "Esc: Step back|Enter: Fork here|Esc×3: Cancel";
static const char keys_more[] =
    "a: Fork after|r: Rewind|d: Diff|Tab: Yours only|o: Unfold|↑↓: Step|q: Cancel";
static const char keys_more_yours[] =
    "a: Fork after|r: Rewind|d: Diff|Tab: All|o: Unfold|↑↓: Step|q: Cancel";

/* On one row where there is room, else on two. */
static int draw_banner(const struct backtrack *back, struct pane pane)
{
    struct look bar = look_with(TONE_MARK, LOOK_BOLD | LOOK_REVERSE);
    int words = cells_count(str_of(banner)), hint = cells_count(str_of(banner_hint));
    int rows = words + hint + 5 <= pane.columns || pane.rows < 12 ? 1 : 2;
    char where[64];
    int n = snprintf(where, sizeof(where), "message %" PRId64 " of %" PRId64, back->marked + 1,
                     back->count);

    pane_row(pane, 0, bar);
    pane_text(pane, 0, 1, bar, str_of(banner));
    if (rows == 1) {
        pane_text(pane, 0, words + 3, bar, str_of(banner_hint));
        if (words + hint + n + 6 <= pane.columns)
            pane_text(pane, 0, pane.columns - n - 1, bar, str_of(where));
        return 1;
    }
    pane_text(pane, 0, pane.columns - n - 1, bar, str_of(where));
    pane_row(pane, 1, bar);
    pane_text(pane, 1, 1, bar, str_of(banner_hint));
    return 2;
}

static void draw(struct view *view, struct pane pane)
{
    struct backtrack *back = (struct backtrack *)view;
    int top, keys = pane.rows >= 10 ? 2 : 1;

    follow(back);
    if (back->count == 0) { /* another client took everything back */
        leave(back);
        return;
    }
    top = draw_banner(back, pane);
    scroll_set(back->scroll, &(struct scroll_look){.numbered = true,
                                                   .marked = back->marked,
                                                   .mark_words = "← FORK POINT",
                                                   .dim_behind = true});
    if (pane.rows - top - keys > 0)
        scroll_draw(back->scroll, pane_rows(pane, top, pane.rows - top - keys));
    bars_keys(pane, pane.rows - keys, keys_first);
    if (keys > 1)
        bars_keys(pane, pane.rows - 1, back->yours ? keys_more_yours : keys_more);
}

/* ---- its life ---- */

static void backtrack_free(struct view *view)
{
    struct backtrack *back = (struct backtrack *)view;

    scroll_free(back->scroll);
    free(back);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, backtrack_free};

struct view *backtrack_new(struct tui *tui, struct talk *talk, int64_t entered_ms)
{
    struct backtrack *back = calloc(1, sizeof(*back));

    if (!back)
        abort();
    back->view.ops = &ops;
    back->view.tui = tui;
    back->talk = talk;
    back->scroll = scroll_new(talk);
    back->version = talk_version(talk);
    back->count = talk_count(talk);
    back->run = 1;
    back->run_ms = entered_ms;
    mark(back, back->count - 1);
    return &back->view;
}
