#include "tui/sessions_view.h"

#include "tui/age.h"
#include "tui/bars.h"
#include "tui/choice.h"
#include "tui/field.h"
#include "tui/owned.h"
#include "tui/rows.h"
#include "tui/session_list.h"
#include "tui/session_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Letters are words to look for here, so what is done has other keys. */
#define KEYS                                                                         \
    "Enter: Open|Ctrl-N: New|Tab: Archived|Ctrl-A: Archive|Del: Delete|type: Narrow" \
    "|Esc: Close"

enum {
    PAGE = 50,
    HEAD_ROWS = 3, /* the title, the filter, the names of the columns */
    SIGN_COLUMNS = 4,
    AGENT_COLUMNS = 14,
    AGENT_COLUMNS_FEW = 9, /* … of a narrow row */
    MESSAGES_COLUMNS = 6,
    STATE_COLUMNS = 8,
    STATE_FROM = 72, /* columns of a row from which the state has words */
    PARENT_LEAST = 8 /* columns for a parent's title, or it is left out */
};

struct sessions_view {
    struct view view;
    struct session_list *list;
    struct rows rows;
    struct field field;
    enum tine_archived archived;
    char *marked;   /* id of the marked session, which stays marked wherever it goes */
    char *deleting; /* id of the one that a box asks about */
};

/* ---- the mark ---- */

static const struct tine_session *marked(const struct sessions_view *self)
{
    return self->rows.marked < session_list_count(self->list)
               ? session_list_at(self->list, self->rows.marked)
               : NULL;
}

static void mark_keep(struct sessions_view *self)
{
    const struct tine_session *session = marked(self);

    owned_set(&self->marked, session ? session->id : NULL);
}

static void list_changed(void *context)
{
    struct sessions_view *self = context;
    size_t count = session_list_count(self->list), at;

    at = session_list_find(self->list, self->marked);
    rows_count(&self->rows, count);
    if (at < count)
        rows_mark(&self->rows, at);
    if (session_list_is_current(self->list))
        mark_keep(self);
    tui_dirty(self->view.tui);
}

/* Other ones are wanted: those that come first are looked at first. */
static void narrow(struct sessions_view *self)
{
    owned_set(&self->marked, NULL);
    rows_mark(&self->rows, 0);
    session_list_ask(self->list, field_text(&self->field), self->archived);
}

/* ---- drawing ---- */

static const char *agent_name(const char *agent)
{
    const char *slash = strrchr(agent, '/');

    return slash ? slash + 1 : agent;
}

/* Where the columns stand, from the right edge on. */
struct columns {
    int agent, agent_columns, messages, state, age, title_end;
    bool has_state;
};

static struct columns columns_of(struct pane pane)
{
    struct columns at = {.has_state = pane.columns >= STATE_FROM};

    at.age = pane.columns - AGE_COLUMNS - 1;
    at.state = at.age - (at.has_state ? STATE_COLUMNS : 0);
    at.messages = at.state - MESSAGES_COLUMNS - 1;
    at.agent_columns = at.has_state ? AGENT_COLUMNS : AGENT_COLUMNS_FEW;
    at.agent = at.messages - at.agent_columns - 1;
    at.title_end = at.agent - 1;
    return at;
}

static void draw_right(struct pane pane, int column, int columns, struct look look,
                       const char *text)
{
    int used = cells_count(str_of(text));

    pane_text(pane_columns(pane, column, columns), 0, used < columns ? columns - used : 0, look,
              str_of(text));
}

static void draw_head(struct pane pane)
{
    struct columns at = columns_of(pane);
    struct look faint = look(TONE_FAINT);

    pane_text(pane, 0, SIGN_COLUMNS, faint, STR("Title"));
    if (at.title_end < SIGN_COLUMNS + PARENT_LEAST)
        return;
    pane_text(pane, 0, at.agent, faint, STR("Agent"));
    draw_right(pane, at.messages, MESSAGES_COLUMNS, faint, "Msgs");
    if (at.has_state)
        pane_text(pane, 0, at.state + 1, faint, STR("State"));
    draw_right(pane, at.age, AGE_COLUMNS, faint, "Age");
}

/* Behind the title: archived, and of which session it is a fork. */
static void draw_origin(struct pane pane, int column, const struct tine_session *session, int bits)
{
    if (session->archived)
        column = pane_text(pane, 0, column + 1, look_with(TONE_WARN, bits), STR("archived"));
    if (session->parent && pane.columns - column > PARENT_LEAST)
        pane_format(pane, 0, column + 1, look_with(TONE_FAINT, bits), "⑂ %s",
                    *session->parent->title ? session->parent->title : "Untitled");
}

static void draw_title(struct sessions_view *self, struct pane pane,
                       const struct tine_session *session, bool is_marked)
{
    const char *current = tui_session(self->view.tui);
    bool is_current = current && strcmp(current, session->id) == 0;
    int bits = is_marked ? LOOK_MARKED : 0, column;
    enum tone tone;
    struct str sign = session_row_sign(session, &tone);

    if (is_current)
        pane_text(pane, 0, 0, look_with(TONE_MARK, bits), STR("▸"));
    pane_text(pane, 0, 2, look_with(tone, bits), sign);
    column = pane_text(
        pane, 0, SIGN_COLUMNS,
        look_with(session->archived ? TONE_FAINT : TONE_TEXT, bits | (is_current ? LOOK_BOLD : 0)),
        session_row_title(session));
    draw_origin(pane, column, session, bits);
}

static void draw_row(void *context, struct pane pane, size_t index, bool is_marked)
{
    struct sessions_view *self = context;
    const struct tine_session *session = session_list_at(self->list, index);
    struct columns at = columns_of(pane);
    int bits = is_marked ? LOOK_MARKED : 0;
    struct look faint = look_with(TONE_FAINT, bits);
    char age[AGE_MAX], messages[24];
    enum tone tone;

    if (at.title_end < SIGN_COLUMNS + PARENT_LEAST) { /* no room for more */
        draw_title(self, pane, session, is_marked);
        return;
    }
    draw_title(self, pane_columns(pane, 0, at.title_end), session, is_marked);
    pane_text(pane_columns(pane, at.agent, at.agent_columns), 0, 0, faint,
              str_of(agent_name(session->agent)));
    snprintf(messages, sizeof(messages), "%" PRId64, session->messages);
    draw_right(pane, at.messages, MESSAGES_COLUMNS, faint, messages);
    if (at.has_state) {
        const char *state = session_row_state(session, &tone);

        pane_text(pane, 0, at.state + 1, look_with(tone, bits), str_of(state));
    }
    age_text(session->updated_ms, tui_wall_ms(), age);
    draw_right(pane, at.age, AGE_COLUMNS, faint, age);
}

static const char *empty_words(const struct sessions_view *self)
{
    const struct tine_error *error = session_list_error(self->list);

    if (error)
        return error->detail;
    if (!session_list_is_read(self->list))
        return "reading …";
    if (field_text(&self->field).n)
        return "no session has these words";
    if (self->archived == TINE_ONLY_ARCHIVED)
        return "no session is archived";
    return "no sessions yet: Ctrl-N begins one";
}

static void draw(struct view *view, struct pane pane)
{
    static const char *const which[] = {"", "archived", "also archived"};
    struct sessions_view *self = (struct sessions_view *)view;
    struct pane list = pane_rows(pane, HEAD_ROWS, pane.rows - HEAD_ROWS - 1);
    struct pane filter = pane_rows(pane, 1, 1);
    char right[64];
    int column;

    tui_due(view->tui, session_list_tend(self->list));
    pane_fill(pane, look(TONE_TEXT));
    snprintf(right, sizeof(right), "%s%s%zu%s", which[self->archived],
             *which[self->archived] ? " · " : "", session_list_count(self->list),
             session_list_has_more(self->list) ? "+" : "");
    bars_title(pane, 0, "Sessions", right);
    rows_draw(&self->rows, list, draw_row, self, empty_words(self));
    draw_head(pane_columns(pane_rows(pane, 2, 1), 0, pane.columns - ROWS_BAR));
    bars_keys(pane, pane.rows - 1, KEYS);
    column = pane_text(filter, 0, 1, look_with(TONE_MARK, 0), STR("Find: "));
    field_draw(&self->field, pane_columns(filter, column, filter.columns),
               "words in titles and messages");
    if (rows_at_end(&self->rows))
        session_list_more(self->list);
}

/* ---- what is done ---- */

struct act {
    struct errand errand;
    struct sessions_view *self;
    const char *session;
    bool archived;
};

static struct act *act_new(struct sessions_view *self, const char *session, errand_run *run,
                           errand_done *done)
{
    struct act *act = errand_new(sizeof(*act), run, done, self);

    act->self = self;
    act->session = arena_dup(&act->errand.arena, str_of(session)).p;
    return act;
}

static bool archive_run(struct errand *errand, struct tine *tine)
{
    struct act *act = (struct act *)errand;
    struct tine_update_options options = {.archived = &act->archived};

    return tine_update(tine, act->session, &options, &errand->result, &errand->error);
}

static void archive_done(struct errand *errand)
{
    struct act *act = (struct act *)errand;
    struct tui *tui = act->self->view.tui;

    if (!errand->ok) {
        tui_fail(tui, act->archived ? "cannot archive" : "cannot take it out of the archive",
                 &errand->error);
        return;
    }
    tui_say(tui, act->archived ? "Archived; Ctrl-A again takes it back" : "Not archived any more");
    session_list_put(act->self->list, errand->result);
    errand->result = NULL;
}

static void archive(struct sessions_view *self)
{
    const struct tine_session *session = marked(self);
    struct act *act;

    if (!session)
        return;
    act = act_new(self, session->id, archive_run, archive_done);
    act->archived = !session->archived;
    errands_send(tui_errands(self->view.tui), LANE_ACT, &act->errand);
}

static bool delete_run(struct errand *errand, struct tine *tine)
{
    return tine_delete(tine, ((struct act *)errand)->session, false, &errand->error);
}

static void delete_done(struct errand *errand)
{
    struct act *act = (struct act *)errand;
    struct tui *tui = act->self->view.tui;
    const char *current = tui_session(tui);

    if (!errand->ok)
        tui_fail(tui, "cannot delete", &errand->error);
    else if (current && strcmp(current, act->session) == 0)
        tui_open(tui, NULL, "The session that was open here has been deleted", NULL);
    else
        tui_say(tui, "Deleted");
}

static void delete_chosen(void *context, char key)
{
    struct sessions_view *self = context;

    if (key == 'd')
        errands_send(tui_errands(self->view.tui), LANE_ACT,
                     &act_new(self, self->deleting, delete_run, delete_done)->errand);
    owned_set(&self->deleting, NULL);
}

static void delete_ask(struct sessions_view *self)
{
    static const struct choice_answer answers[] = {{'k', "keep it"}, {'d', "delete it"}};
    const struct tine_session *session = marked(self);
    struct arena arena;
    const char *state;
    enum tone tone;

    if (!session || self->deleting)
        return;
    owned_set(&self->deleting, session->id);
    state = session_row_state(session, &tone);
    arena_init(&arena);
    tui_push(
        self->view.tui,
        choice_new(
            self->view.tui,
            &(struct choice_spec){
                .title = "Delete this session?",
                .text = arena_printf(&arena,
                                     "%.*s\n%" PRId64 " %s.%s Its forks keep what they "
                                     "have; everything else is gone for good.",
                                     STR_ARG(session_row_title(session)), session->messages,
                                     session->messages == 1 ? "message" : "messages",
                                     strcmp(state, "running") == 0 || strcmp(state, "waiting") == 0
                                         ? " Its turn is not over yet."
                                         : "")
                            .p,
                .answers = answers,
                .count = 2,
                .call = delete_chosen,
                .context = self}));
    arena_clear(&arena);
}

/* ---- keys ---- */

static void escape(struct sessions_view *self)
{
    if (field_text(&self->field).n) {
        field_set(&self->field, STR(""));
        narrow(self);
    } else {
        tui_close(self->view.tui, &self->view);
    }
}

static bool press_ctrl(struct sessions_view *self, const struct press *press)
{
    if (press_is_ctrl(press, 'n'))
        tui_open(self->view.tui, NULL, NULL, NULL);
    else if (press_is_ctrl(press, 'a'))
        archive(self);
    else if (press_is_ctrl(press, 'c') || press_is_ctrl(press, 's'))
        tui_close(self->view.tui, &self->view);
    else
        return false;
    return true;
}

static void open_marked(struct sessions_view *self)
{
    if (marked(self))
        tui_open(self->view.tui, marked(self)->id, NULL, NULL);
}

static void press(struct view *view, const struct press *press)
{
    struct sessions_view *self = (struct sessions_view *)view;

    tui_dirty(view->tui);
    if (press->kind == PRESS_ENTER) {
        open_marked(self);
    } else if (press->kind == PRESS_ESCAPE) {
        escape(self);
    } else if (press->kind == PRESS_TAB) {
        self->archived = (enum tine_archived)((self->archived + (press->shift ? 2 : 1)) % 3);
        narrow(self);
    } else if (press->kind == PRESS_DELETE) {
        delete_ask(self);
    } else if (rows_press(&self->rows, press)) {
        mark_keep(self);
    } else if (!press_ctrl(self, press) && field_press(&self->field, press) == FIELD_CHANGED) {
        narrow(self);
    }
}

static void happened(struct view *view, const struct happening *happening)
{
    session_list_happened(((struct sessions_view *)view)->list, happening);
}

static void sessions_view_free(struct view *view)
{
    struct sessions_view *self = (struct sessions_view *)view;

    errands_forget(tui_errands(view->tui), self);
    session_list_free(self->list);
    field_clear(&self->field);
    free(self->marked);
    free(self->deleting);
    free(self);
}

static const struct view_ops ops = {draw, press, happened, sessions_view_free};

struct view *sessions_view_new(struct tui *tui)
{
    struct sessions_view *self = calloc(1, sizeof(*self));

    if (!self)
        abort();
    self->view = (struct view){.ops = &ops, .tui = tui};
    field_init(&self->field);
    owned_set(&self->marked, tui_session(tui)); /* marked, if it is among the newest */
    self->list = session_list_new(&(struct session_list_options){
        .errands = tui_errands(tui), .page = PAGE, .changed = list_changed, .context = self});
    session_list_ask(self->list, STR(""), self->archived);
    return &self->view;
}
