#include "tui/ask.h"

#include "base/utf8.h"
#include "tui/bars.h"
#include "tui/box.h"
#include "tui/calm.h"
#include "tui/field.h"
#include "tui/reading.h"

#include <stdlib.h>

enum { ROWS = 3 /* the line, a blank one, keys */ };

struct ask {
    struct view view;
    struct arena arena; /* of the view */
    struct arena page;  /* of the words that are laid out */
    const char *title, *words;
    int width; /* that they were laid out for */
    struct reading reading;
    struct field field;
    struct calm calm;
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

static void lay(struct ask *ask, int width)
{
    struct flow *flow;

    if (ask->width == width)
        return;
    ask->width = width;
    arena_clear(&ask->page);
    flow = flow_new(&ask->page, width);
    if (ask->words)
        flow_text(flow, str_of(ask->words), look(TONE_TEXT));
    reading_set(&ask->reading, flow_end(flow));
}

/* Words, a blank line, the line, keys; words that there is no room for are scrolled. */
static void draw(struct view *view, struct pane pane)
{
    struct ask *ask = (struct ask *)view;
    int room = box_room(pane), words, line, sign;
    struct pane inside;

    calm_shown(&ask->calm);
    lay(ask, room > 2 ? room - 2 : 1);
    words = (int)ask->reading.laid.count;
    inside = box_draw(pane, words + (words > 0) + ROWS, room, ask->title);
    line = inside.rows - ROWS > 0 ? inside.rows - ROWS : 0;
    if (line > 1)
        reading_draw(&ask->reading, pane_rows(inside, 0, line - 1));
    sign = pane_text(inside, line, 0, look(TONE_MARK), STR("> "));
    field_draw(&ask->field, pane_columns(pane_rows(inside, line, 1), sign, inside.columns), NULL);
    bars_keys(inside, inside.rows - 1,
              ask->reading.laid.count > ask->reading.page
                  ? "Enter: Done|PgDn: Read on|Ctrl-U: Clear|Esc: Cancel"
                  : "Enter: Done|Ctrl-U: Clear|Esc: Cancel");
}

static bool reads(const struct press *press)
{
    return press->kind == PRESS_PAGE_UP || press->kind == PRESS_PAGE_DOWN ||
           press->kind == PRESS_WHEEL_UP || press->kind == PRESS_WHEEL_DOWN;
}

static void press(struct view *view, const struct press *press)
{
    struct ask *ask = (struct ask *)view;

    tui_dirty(view->tui);
    if (!calm_takes(&ask->calm, view, press))
        return;
    if (press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c')) {
        tui_close(view->tui, view);
        tell(ask, NULL);
    } else if (press->kind == PRESS_ENTER) {
        tui_close(view->tui, view);
        tell(ask, field_text(&ask->field).p);
    } else if (reads(press)) {
        reading_press(&ask->reading, press, false);
    } else {
        field_press(&ask->field, press);
    }
}

static void ask_free(struct view *view)
{
    struct ask *ask = (struct ask *)view;

    tell(ask, NULL);
    field_clear(&ask->field);
    reading_clear(&ask->reading);
    arena_clear(&ask->page);
    arena_clear(&ask->arena);
    free(ask);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, ask_free};

struct view *ask_new(struct tui *tui, const struct ask_spec *spec)
{
    struct ask *ask = calloc(1, sizeof(*ask));

    if (!ask)
        abort();
    arena_init(&ask->arena);
    arena_init(&ask->page);
    reading_init(&ask->reading);
    ask->view = (struct view){.ops = &ops, .tui = tui, .part = true};
    ask->title = arena_dup(&ask->arena, str_of(spec->title)).p;
    if (spec->words)
        ask->words = arena_dup(&ask->arena, utf8_cut(str_of(spec->words), CHOICE_TEXT_MAX)).p;
    ask->calm.unasked = spec->unasked;
    ask->call = spec->call;
    ask->context = spec->context;
    field_init(&ask->field);
    field_set(&ask->field, str_of(spec->text ? spec->text : ""));
    return &ask->view;
}
