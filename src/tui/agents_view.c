#include "tui/agents_view.h"

#include "base/array.h"
#include "tui/bars.h"
#include "tui/field.h"
#include "tui/found.h"
#include "tui/rows.h"

#include <stdlib.h>

enum { HEAD_ROWS = 3, SIDE = 2, NAME_COLUMNS = 26, KIND_COLUMNS = 10, GAP = 2 };

struct agents_view {
    struct view view;
    agent_call *call;
    void *context;
    bool told;
    struct tine_result *result; /* NULL: not read yet */
    const struct tine_agent **shown;
    size_t room;
    struct rows rows;
    struct field field;
    bool failed;
    struct tine_error error;
};

static void tell(struct agents_view *self, const char *agent)
{
    if (self->told)
        return;
    self->told = true;
    self->call(self->context, agent);
}

/* ---- which are shown ---- */

static bool has_words(const struct tine_agent *agent, struct str words)
{
    const char *const texts[] = {agent->id, agent->kind, agent->model, agent->description};
    struct str found;

    if (words.n == 0)
        return true;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (found_next(str_of(texts[i]), 0, words, &found))
            return true;
    return false;
}

static void narrow(struct agents_view *self)
{
    size_t count = 0;

    for (size_t i = 0; self->result && i < self->result->agent_count; i++) {
        const struct tine_agent *agent = &self->result->agents[i];

        if (!has_words(agent, field_text(&self->field)))
            continue;
        self->shown =
            array_more(self->shown, count, &self->room, sizeof(const struct tine_agent *));
        self->shown[count++] = agent;
    }
    rows_count(&self->rows, count);
}

/* The one that new sessions have is marked first. */
static void mark_default(struct agents_view *self)
{
    for (size_t i = 0; i < self->rows.count; i++)
        if (self->shown[i]->is_default)
            rows_mark(&self->rows, i);
}

struct reading_agents {
    struct errand errand;
    struct agents_view *self;
};

static bool run(struct errand *errand, struct tine *tine)
{
    return tine_agents(tine, &errand->result, &errand->error);
}

static void done(struct errand *errand)
{
    struct agents_view *self = ((struct reading_agents *)errand)->self;

    self->failed = !errand->ok;
    self->error = errand->error;
    self->result = errand->result;
    errand->result = NULL;
    narrow(self);
    mark_default(self);
    tui_dirty(self->view.tui);
}

/* ---- drawing ---- */

static void draw_agent(void *context, struct pane pane, size_t index, bool marked)
{
    const struct agents_view *self = context;
    const struct tine_agent *agent = self->shown[index];
    int bits = marked ? LOOK_MARKED : 0, column = SIDE + NAME_COLUMNS + GAP;

    if (agent->is_default)
        pane_text(pane, 0, 0, look_with(TONE_MARK, bits), STR("*"));
    pane_text(pane_columns(pane, SIDE, NAME_COLUMNS), 0, 0, look_with(TONE_TEXT, bits | LOOK_BOLD),
              str_of(agent->id));
    pane_text(pane_columns(pane, column, KIND_COLUMNS), 0, 0, look_with(TONE_TOOL, bits),
              str_of(agent->kind));
    pane = pane_columns(pane, column + KIND_COLUMNS + GAP,
                        pane.columns - column - KIND_COLUMNS - GAP - 1);
    column = agent->model && *agent->model
                 ? pane_text(pane, 0, 0, look_with(TONE_CODE, bits), str_of(agent->model)) + GAP
                 : 0;
    pane_text(pane, 0, column, look_with(TONE_FAINT, bits), str_of(agent->description));
}

static const char *empty_words(const struct agents_view *self)
{
    if (self->failed)
        return self->error.detail;
    return self->result ? "no agent has these words" : "reading …";
}

static void draw(struct view *view, struct pane pane)
{
    struct agents_view *self = (struct agents_view *)view;
    struct pane filter = pane_rows(pane, 1, 1);
    int column;

    pane_fill(pane, look(TONE_TEXT));
    bars_title(pane, 0, "Agents", "* new sessions have this one");
    rows_draw(&self->rows, pane_rows(pane, HEAD_ROWS, pane.rows - HEAD_ROWS - 1), draw_agent, self,
              empty_words(self));
    bars_keys(pane, pane.rows - 1, "↑↓: Mark|Enter: Choose|type: Narrow|Esc: Cancel");
    column = pane_text(filter, 0, 1, look(TONE_MARK), STR("Find: "));
    field_draw(&self->field, pane_columns(filter, column, filter.columns),
               "name, kind, model, description");
}

/* ---- keys ---- */

static void leave(struct agents_view *self, const char *agent)
{
    tui_close(self->view.tui, &self->view);
    tell(self, agent);
}

static void press(struct view *view, const struct press *press)
{
    struct agents_view *self = (struct agents_view *)view;

    tui_dirty(view->tui);
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c')) {
        leave(self, NULL);
    } else if (press->kind == PRESS_ENTER) {
        if (self->rows.count)
            leave(self, self->shown[self->rows.marked]->id);
    } else if (!rows_press(&self->rows, press) &&
               field_press(&self->field, press) == FIELD_CHANGED) {
        narrow(self);
        rows_mark(&self->rows, 0);
    }
}

static void agents_view_free(struct view *view)
{
    struct agents_view *self = (struct agents_view *)view;

    tell(self, NULL);
    errands_forget(tui_errands(view->tui), self);
    tine_result_free(self->result);
    field_clear(&self->field);
    free(self->shown);
    free(self);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, agents_view_free};

struct view *agents_view_new(struct tui *tui, agent_call *call, void *context)
{
    struct agents_view *self = calloc(1, sizeof(*self));
    struct reading_agents *asked;

    if (!self)
        abort();
    self->view = (struct view){.ops = &ops, .tui = tui};
    self->call = call;
    self->context = context;
    field_init(&self->field);
    asked = errand_new(sizeof(*asked), run, done, self);
    asked->self = self;
    errands_send(tui_errands(tui), LANE_LOOK, &asked->errand);
    return &self->view;
}
