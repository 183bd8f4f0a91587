#include "tui/chat_own.h"

#include "tui/age.h"
#include "tui/backtrack.h"
#include "tui/bars.h"
#include "tui/editor.h"
#include "tui/status.h"
#include "tui/tree_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SIDEBAR_COLUMNS = 30,
    SIDEBAR_FROM = 116, /* columns of the screen from which on it is shown */
    WHEEL_LINES = 3,
    LEAVE_MS = 2000 /* between two Ctrl-C that leave */
};

struct talk *chat_talk(struct view *view)
{
    return ((struct chat *)view)->talk;
}

/* ---- opening ---- */

void chat_open(struct view *view, const char *session, const char *note, const char *text)
{
    struct chat *chat = (struct chat *)view;

    chat_find_close(chat->find);
    owned_set(&chat->note, note);
    owned_set(&chat->asked, NULL);
    owned_set(&chat->title, NULL);
    chat->opened++;
    errands_forget(tui_errands(view->tui), &chat->opened); /* a message that was sought */
    talk_open(chat->talk, session);
    scroll_end(chat->scroll);
    if (text)
        composer_set(chat->composer, str_of(text));
    tui_dirty(view->tui);
}

/* A message is named by its id: the server says at which place it stands. */
struct seeking {
    struct errand errand;
    struct chat *chat;
    const char *session, *message;
};

static bool seeking_run(struct errand *errand, struct tine *tine)
{
    struct seeking *seeking = (struct seeking *)errand;
    struct tine_messages_options options = {.at = seeking->message, .tail = 1};

    return tine_messages(tine, seeking->session, &options, &errand->result, &errand->error);
}

static void seeking_done(struct errand *errand)
{
    struct seeking *seeking = (struct seeking *)errand;
    struct chat *chat = seeking->chat;

    if (!errand->ok)
        tui_fail(chat->view.tui, "cannot go to the message", &errand->error);
    else if (errand->result->message_count)
        scroll_to(chat->scroll, errand->result->messages[0].index);
    tui_dirty(chat->view.tui);
}

void chat_open_at(struct view *view, const char *session, const char *message)
{
    struct chat *chat = (struct chat *)view;
    struct seeking *seeking =
        errand_new(sizeof(*seeking), seeking_run, seeking_done, &chat->opened);

    seeking->chat = chat;
    seeking->session = arena_dup(&seeking->errand.arena, str_of(session)).p;
    seeking->message = arena_dup(&seeking->errand.arena, str_of(message)).p;
    chat_open(view, session, NULL, NULL);
    errands_send(tui_errands(view->tui), LANE_LOOK, &seeking->errand);
}

/* ---- drawing ---- */

static void greet(struct chat *chat, struct pane pane)
{
    static const char words[] =
        "Start a conversation\n\n"
        "Type below and press Enter.  /help shows what else there is.\n"
        "Every message can be gone back to: Esc steps back, Enter there forks.\n"
        "Nothing is ever lost: Ctrl-T shows the tree, /undo takes a rewind back.";
    struct arena arena;
    struct flow *flow;
    struct laid laid;
    int width = pane.columns - 4 < 76 ? pane.columns - 4 : 76, top;

    if (width < 1)
        return;
    (void)chat;
    arena_init(&arena);
    flow = flow_new(&arena, width);
    flow_text(flow, str_of(words), look(TONE_FAINT));
    laid = flow_end(flow);
    top = (pane.rows - (int)laid.count) / 2;
    for (size_t i = 0; i < laid.count; i++)
        pane_line(pane, (top > 0 ? top : 0) + (int)i, (pane.columns - width) / 2, &laid.lines[i],
                  i == 0 ? look_with(TONE_HEADING, LOOK_BOLD) : look(TONE_TEXT));
    arena_clear(&arena);
}

static void draw_talk(struct chat *chat, struct pane pane)
{
    const struct tine_error *error = talk_error(chat->talk);

    chat->talked = pane;
    scroll_set(chat->scroll, &(struct scroll_look){.marked = -1,
                                                   .all_open = chat->all_open,
                                                   .found = chat_find_words(chat->find)});
    if (error)
        pane_format(pane, pane.rows / 2, 2, look(TONE_BAD), "This conversation cannot be shown: %s",
                    error->detail);
    else if (talk_count(chat->talk) == 0 && !talk_runs(chat->talk) &&
             !talk_sending_text(chat->talk).p && (!talk_id(chat->talk) || talk_session(chat->talk)))
        greet(chat, pane);
    else
        scroll_draw(chat->scroll, pane);
}

static const char *hint(const struct chat *chat)
{
    if (talk_ask(chat->talk))
        return "the agent waits for your answer; Esc shows what it asks";
    if (talk_runs(chat->talk))
        return "the agent is answering; Esc stops it";
    return "say something, or /help";
}

static const char *keys(const struct chat *chat)
{
    if (talk_ask(chat->talk))
        return "Esc: Answer|/help|PgUp: Scroll|Tab: Unfold|Ctrl-T: Tree|Ctrl-S: Sessions|Ctrl-D: "
               "Quit";
    if (talk_runs(chat->talk))
        return "Esc: Stop|/help|PgUp: Scroll|Tab: Unfold|Ctrl-T: Tree|Ctrl-S: Sessions|Ctrl-D: "
               "Quit";
    return "Esc: Step back|/help|Ctrl-T: Tree|Ctrl-S: Sessions|Ctrl-F: Find|Tab: Unfold|Ctrl-D: "
           "Quit";
}

static int64_t place(const struct chat *chat)
{
    return scroll_at_end(chat->scroll) ? 0 : scroll_middle(chat->scroll) + 1;
}

/* From the bottom up: keys, state, composer, what completes it, what is looked for; the rest is the
 * conversation. */
static void draw_column(struct chat *chat, struct pane pane)
{
    int bottom = pane.rows, rows, top = 1;

    if (bottom > 6)
        bars_keys(pane, --bottom, keys(chat));
    status_line(pane, --bottom, chat->talk, chat->agent, place(chat));
    rows = composer_rows(chat->composer, pane.columns, pane.rows > 15 ? pane.rows / 3 : 3);
    if (rows > bottom - 1)
        rows = bottom - 1;
    bottom -= rows;
    composer_draw(chat->composer, pane_rows(pane, bottom, rows), hint(chat),
                  !chat_find_is_open(chat->find));
    if (chat_find_is_open(chat->find) && bottom > 2)
        chat_find_draw(chat->find, pane_rows(pane, --bottom, 1));
    rows = composer_offers(chat->composer, pane.columns, bottom > 12 ? 10 : bottom - 2);
    if (rows > 0) {
        bottom -= rows;
        composer_draw_offers(chat->composer, pane_rows(pane, bottom, rows));
    }
    status_head(pane, 0, chat->talk, chat->title);
    if (chat->note && bottom > 3)
        pane_text(pane, top++, 1, look(TONE_GOOD), str_of(chat->note));
    if (bottom > top)
        draw_talk(chat, pane_rows(pane, top, bottom - top));
}

static void draw(struct view *view, struct pane pane)
{
    struct chat *chat = (struct chat *)view;

    chat->beside = (struct pane){0};
    if (pane.columns >= SIDEBAR_FROM) {
        chat->beside = pane_columns(pane, 0, SIDEBAR_COLUMNS);
        sidebar_draw(chat->sidebar, chat->beside);
        pane = pane_columns(pane, SIDEBAR_COLUMNS, pane.columns - SIDEBAR_COLUMNS);
    }
    draw_column(chat, pane);
}

/* ---- keys ---- */

/* With an empty composer, nothing running and something to go back to, Esc enters. */
static bool may_enter(const struct chat *chat)
{
    return composer_empty(chat->composer) && !talk_runs(chat->talk) && !chat_is_sending(chat) &&
           talk_count(chat->talk) > 0;
}

static void escape(struct chat *chat, const struct press *press)
{
    struct tui *tui = chat->view.tui;

    if (chat_show_ask(chat))
        return;
    if (!composer_empty(chat->composer))
        composer_escape(chat->composer);
    else if (talk_runs(chat->talk))
        chat_stop(chat);
    else if (may_enter(chat))
        tui_push(tui, backtrack_new(tui, chat->talk, press->at_ms));
    else if (chat_is_sending(chat))
        tui_say(tui, "the message is on its way");
    else if (talk_id(chat->talk) && !talk_session(chat->talk))
        tui_say(tui, "the conversation is still being read");
    else
        tui_say(tui, "there is nothing to go back to yet");
}

/* Ctrl-C ends what is under way; where nothing is, twice leaves. */
static void interrupt(struct chat *chat, const struct press *press)
{
    struct tui *tui = chat->view.tui;

    if (!composer_empty(chat->composer)) {
        composer_escape(chat->composer);
    } else if (talk_runs(chat->talk)) {
        chat_stop(chat);
    } else if (press->at_ms - chat->leave_ms < LEAVE_MS && chat->leave_ms) {
        tui_quit(tui);
    } else {
        chat->leave_ms = press->at_ms;
        tui_say(tui, "Ctrl-C once more, or Ctrl-D, leaves");
    }
}

static void edit_outside(struct chat *chat)
{
    struct tui *tui = chat->view.tui;
    struct arena arena;
    struct fault fault;
    struct str text;

    arena_init(&arena);
    screen_leave(tui_screen(tui));
    if (editor_run(composer_text(chat->composer), &arena, &text, &fault) == FAULT_OK)
        composer_set(chat->composer, text);
    else
        tui_fail_words(tui, "%s", fault.message);
    screen_return(tui_screen(tui));
    arena_clear(&arena);
}

static void say(struct chat *chat)
{
    struct arena arena;
    struct str text;

    if (chat_is_sending(chat)) {
        tui_say(chat->view.tui, "the message before this one is on its way");
        return;
    }
    arena_init(&arena);
    text = composer_take(chat->composer, &arena);
    if (text.n)
        chat_say(chat, text);
    else
        tui_read(chat->view.tui);
    arena_clear(&arena);
}

static void click(struct chat *chat, const struct press *press)
{
    struct pane talked = chat->talked, beside = chat->beside;
    int64_t index;

    if (beside.columns && press->column < beside.column + beside.columns) {
        const char *session = sidebar_at(chat->sidebar, press->row - beside.row);

        if (session)
            tui_open(chat->view.tui, session, NULL, NULL);
    } else if (press->row >= talked.row && press->row < talked.row + talked.rows) {
        index = scroll_at(chat->scroll, press->row - talked.row);
        if (index >= 0)
            scroll_toggle(chat->scroll, index);
    }
}

/* Scrolling; false: the press means something else. */
static bool scrolled(struct chat *chat, const struct press *press)
{
    bool far = press->ctrl || press->shift;

    switch (press->kind) {
    case PRESS_PAGE_UP:
        scroll_page(chat->scroll, -1);
        return true;
    case PRESS_PAGE_DOWN:
        scroll_page(chat->scroll, 1);
        return true;
    case PRESS_WHEEL_UP:
        scroll_by(chat->scroll, -WHEEL_LINES);
        return true;
    case PRESS_WHEEL_DOWN:
        scroll_by(chat->scroll, WHEEL_LINES);
        return true;
    case PRESS_UP:
        scroll_by(chat->scroll, far ? -1 : 0);
        return far;
    case PRESS_DOWN:
        scroll_by(chat->scroll, far ? 1 : 0);
        return far;
    case PRESS_HOME:
        if (far || composer_empty(chat->composer))
            scroll_begin(chat->scroll);
        return far || composer_empty(chat->composer);
    case PRESS_END:
        if (far || composer_empty(chat->composer))
            scroll_end(chat->scroll);
        return far || composer_empty(chat->composer);
    case PRESS_CLICK:
        click(chat, press);
        return true;
    default:
        return false;
    }
}

/* Keys that open something, whatever stands in the composer. */
static bool opened(struct chat *chat, const struct press *press)
{
    struct tui *tui = chat->view.tui;

    if (press_is_ctrl(press, 't') && talk_id(chat->talk))
        tui_push(tui, tree_view_new(tui, talk_id(chat->talk)));
    else if (press_is_ctrl(press, 't'))
        tui_say(tui, "a conversation has a tree as soon as it has begun");
    else if (press_is_ctrl(press, 's'))
        tui_push(tui, sessions_view_new(tui));
    else if (press_is_ctrl(press, 'n'))
        chat_open(&chat->view, NULL, NULL, NULL);
    else if (press_is_ctrl(press, 'f'))
        chat_find_open(chat->find, NULL);
    else
        return false;
    return true;
}

static void composed(struct chat *chat, const struct press *press)
{
    struct tui *tui = chat->view.tui;

    switch (composer_press(chat->composer, press)) {
    case COMPOSER_TAKEN:
        break;
    case COMPOSER_SEND:
        say(chat);
        break;
    case COMPOSER_EDIT:
        edit_outside(chat);
        break;
    case COMPOSER_FULL:
        tui_fail_words(tui, "a message can be %d MiB long", COMPOSER_MAX / 1024 / 1024);
        break;
    case COMPOSER_NOTHING:
        if (press->kind == PRESS_TAB)
            chat->all_open = !chat->all_open;
        else if (press_is_ctrl(press, 'd') && composer_empty(chat->composer))
            tui_quit(tui);
        break;
    }
}

/*
 * A key with alt may be Esc and that key, sent as one. It is where Esc closes the find line, and
 * where it enters backtrack mode and the key means something there.
 */
static bool split(struct chat *chat, const struct press *press)
{
    struct press escape_press = {.kind = PRESS_ESCAPE, .at_ms = press->at_ms}, key = *press;

    bool finding = chat_find_is_open(chat->find);

    if (!press->alt || (!finding && (!may_enter(chat) || !backtrack_takes(press))))
        return false;
    key.alt = false;
    if (finding)
        chat_find_close(chat->find);
    else
        escape(chat, &escape_press);
    tui_press(chat->view.tui, &key);
    return true;
}

/* While words are looked for, what is not for the find line still scrolls. */
static void press_finding(struct chat *chat, const struct press *press)
{
    bool lines = press->kind == PRESS_UP || press->kind == PRESS_DOWN ||
                 press->kind == PRESS_HOME || press->kind == PRESS_END;

    if (lines || !scrolled(chat, press))
        chat_find_press(chat->find, press);
}

static void press(struct view *view, const struct press *press)
{
    struct chat *chat = (struct chat *)view;

    if (!press_is_ctrl(press, 'c'))
        chat->leave_ms = 0;
    if (split(chat, press))
        return;
    if (chat_find_is_open(chat->find))
        press_finding(chat, press);
    else if (press->kind == PRESS_ESCAPE)
        escape(chat, press);
    else if (press_is_ctrl(press, 'c'))
        interrupt(chat, press);
    else if (!opened(chat, press) && !scrolled(chat, press))
        composed(chat, press);
    chat_look_for_ask(chat); /* it waits until nobody is writing */
}

/* ---- what happens ---- */

static void wake_up(void *context) /* on any thread */
{
    struct chat *chat = context;

    chat->wake(chat->wake_context);
}

static void changed(void *context)
{
    struct chat *chat = context;

    chat_look_for_ask(chat);
    tui_dirty(chat->view.tui);
}

/* To the session that is talked with. */
static void happened_here(void *context, const struct happening *happening)
{
    struct chat *chat = context;
    const struct tine_event *event = happening->event;

    if (happening->kind != HAPPENED_EVENT)
        return;
    if (strcmp(event->type, "turn.ended") == 0 && event->turn_state &&
        strcmp(event->turn_state, "failed") == 0)
        tui_fail_words(chat->view.tui, "the turn failed: %s",
                       event->reason ? event->reason : "no reason is known");
    changed(chat);
}

/* To any session. */
static void happened(struct view *view, const struct happening *happening)
{
    sidebar_happened(((struct chat *)view)->sidebar, happening);
}

/* ---- a chat's life ---- */

static void chat_free(struct view *view)
{
    struct chat *chat = (struct chat *)view;

    errands_forget(tui_errands(view->tui), chat);
    errands_forget(tui_errands(view->tui), &chat->opened);
    chat_find_free(chat->find);
    sidebar_free(chat->sidebar);
    scroll_free(chat->scroll);
    composer_free(chat->composer);
    talk_free(chat->talk);
    free(chat->note);
    free(chat->agent);
    free(chat->title);
    free(chat->sending);
    free(chat->asked);
    free(chat);
}

static const struct view_ops ops = {draw, press, happened, chat_free};

struct view *chat_new(struct tui *tui, void (*wake)(void *context), void *context)
{
    const struct tui_options *options = tui_options(tui);
    struct chat *chat = calloc(1, sizeof(*chat));
    struct talk_options talk = {.errands = tui_errands(tui),
                                .door = &options->door,
                                .wake = wake_up,
                                .changed = changed,
                                .happened = happened_here,
                                .context = chat};

    if (!chat)
        abort();
    chat->view.ops = &ops;
    chat->view.tui = tui;
    chat->wake = wake;
    chat->wake_context = context;
    chat->talk = talk_new(&talk);
    chat->scroll = scroll_new(chat->talk);
    chat->composer = composer_new(options->history, slash_complete, chat);
    chat->sidebar = sidebar_new(tui);
    chat->find = chat_find_new(tui, chat->talk, chat->scroll);
    owned_set(&chat->agent, options->agent);
    return &chat->view;
}
