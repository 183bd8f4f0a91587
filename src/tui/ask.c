#include "tui/choice.h"

#include "tui/bars.h"
#include "tui/box.h"
#include "tui/field.h"

#include <stdlib.h>

enum { ROWS = 3 /* the line, a blank one, keys */ };

struct ask {
    struct view view;
    char *title;
    struct field field;
    ask_call *call;
    void *context;
    bool told;
};

static void tell(struct ask *ask, const char *text)
{
    if (ask->told)
        return;
    ask->told = true;
    ask->call(ask->context, text);
}

static void draw(struct view *view, struct pane pane)
{
    struct ask *ask = (struct ask *)view;
    struct pane inside = box_draw(pane, ROWS, box_room(pane), ask->title);
    int sign = pane_text(inside, 0, 0, look(TONE_MARK), STR("> "));

    field_draw(&ask->field, pane_columns(pane_rows(inside, 0, 1), sign, inside.columns), NULL);
    bars_keys(inside, inside.rows - 1, "Enter: Done|Ctrl-U: Clear|Esc: Cancel");
}

static void press(struct view *view, const struct press *press)
{
    struct ask *ask = (struct ask *)view;

    tui_dirty(view->tui);
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c')) {
        tui_close(view->tui, view);
        tell(ask, NULL);
    } else if (press->kind == PRESS_ENTER) {
        tui_close(view->tui, view);
        tell(ask, field_text(&ask->field).p);
    } else {
        field_press(&ask->field, press);
    }
}

static void ask_free(struct view *view)
{
    struct ask *ask = (struct ask *)view;

    tell(ask, NULL);
    field_clear(&ask->field);
    free(ask->title);
    free(ask);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, ask_free};

struct view *ask_new(struct tui *tui, const char *title, const char *text, ask_call *call,
                     void *context)
{
    struct ask *ask = calloc(1, sizeof(*ask));

    if (!ask)
        abort();
    ask->view = (struct view){.ops = &ops, .tui = tui, .part = true};
    ask->title = strdup(title);
    if (!ask->title)
        abort();
    ask->call = call;
    ask->context = context;
    field_init(&ask->field);
    field_set(&ask->field, str_of(text));
    return &ask->view;
}
