#include "tui/pager.h"

#include "tui/bars.h"
#include "tui/field.h"
#include "tui/markdown.h"
#include "tui/owned.h"
#include "tui/reading.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1 /* blank columns at the left */, BAR = 2 /* … and at the right, with the bar */ };

struct pager {
    struct view view;
    struct pager_spec spec;
    char *title, *keys;
    struct arena arena; /* of what is laid out */
    int width;          /* that it was laid out for; 0: it is to be laid out anew */
    struct reading reading;
    struct field field; /* words being typed */
    bool typing;
    bool missed; /* the words that were typed last do not stand there */
};

static void lay(struct pager *pager, int width)
{
    if (width == pager->width)
        return;
    arena_clear(&pager->arena);
    pager->width = width;
    reading_set(&pager->reading, pager->spec.lay(pager->spec.context, width, &pager->arena));
}

/* ---- drawing ---- */

static void draw_foot(struct pager *pager, struct pane pane, int row)
{
    struct arena arena;
    bool finds = pager->reading.words.n > 0;

    if (pager->typing) {
        pane_text(pane, row, 0, look_with(TONE_TEXT, LOOK_BOLD), STR("/"));
        field_draw(&pager->field, pane_columns(pane_rows(pane, row, 1), 1, pane.columns - 1),
                   "words to look for");
        return;
    }
    if (pager->missed) {
        pane_text(pane, row, 0, look(TONE_WARN), STR("not found"));
        pane = pane_columns(pane, sizeof("not found"), pane.columns);
    }
    arena_init(&arena);
    bars_keys(pane, row,
              arena_printf(&arena, "↑↓: Scroll|Space: Page|/: Search%s%s%s|q: Close",
                           finds ? "|n N: Next, before" : "", pager->keys ? "|" : "",
                           pager->keys ? pager->keys : "")
                  .p);
    arena_clear(&arena);
}

static void draw(struct view *view, struct pane pane)
{
    struct pager *pager = (struct pager *)view;
    struct pane text = pane_columns(pane_rows(pane, 1, pane.rows - 2), SIDE, pane.columns - SIDE);
    int width = text.columns - BAR;
    char percent[8];

    pane_fill(pane, look(TONE_TEXT));
    lay(pager, width > 1 ? width : 1);
    reading_draw(&pager->reading, text);
    snprintf(percent, sizeof(percent), "%d%%", reading_percent(&pager->reading));
    bars_title(pane, 0, pager->title, percent);
    draw_foot(pager, pane, pane.rows - 1);
}

/* ---- keys ---- */

static void press_field(struct pager *pager, const struct press *press)
{
    bool leave = press->kind == PRESS_ESCAPE || press_is_ctrl(press, 'c') ||
                 (press->kind == PRESS_BACKSPACE && field_text(&pager->field).n == 0);

    if (leave) {
        pager->typing = false;
    } else if (press->kind == PRESS_ENTER) {
        struct str words = field_text(&pager->field);

        pager->typing = false;
        pager->missed = !reading_find(&pager->reading, words) && words.n;
    } else {
        field_press(&pager->field, press);
    }
}

static bool press_search(struct pager *pager, const struct press *press)
{
    if (press_is(press, '/')) {
        pager->typing = true;
        field_set(&pager->field, STR(""));
    } else if (press_is(press, 'n') || press_is(press, 'N')) {
        pager->missed = !reading_again(&pager->reading, press->c == 'N');
    } else {
        return false;
    }
    return true;
}

static void press(struct view *view, const struct press *press)
{
    struct pager *pager = (struct pager *)view;

    tui_dirty(view->tui);
    if (pager->typing) {
        press_field(pager, press);
        return;
    }
    pager->missed = false;
    if (pager->spec.press && pager->spec.press(pager->spec.context, view, press))
        return;
    if (press->kind == PRESS_ESCAPE || press_is(press, 'q') || press_is_ctrl(press, 'c')) {
        tui_close(view->tui, view);
        return;
    }
    if (!press_search(pager, press))
        reading_press(&pager->reading, press, true);
}

static void pager_free(struct view *view)
{
    struct pager *pager = (struct pager *)view;

    if (pager->spec.free)
        pager->spec.free(pager->spec.context);
    arena_clear(&pager->arena);
    reading_clear(&pager->reading);
    field_clear(&pager->field);
    free(pager->title);
    free(pager->keys);
    free(pager);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, pager_free};

struct view *pager_new(struct tui *tui, const struct pager_spec *spec)
{
    struct pager *pager = calloc(1, sizeof(*pager));

    if (!pager)
        abort();
    pager->view = (struct view){.ops = &ops, .tui = tui};
    pager->spec = *spec;
    pager->title = owned_copy(spec->title);
    pager->keys = owned_copy(spec->keys);
    arena_init(&pager->arena);
    reading_init(&pager->reading);
    field_init(&pager->field);
    return &pager->view;
}

void pager_changed(struct view *view)
{
    struct pager *pager = (struct pager *)view;

    pager->width = 0;
    tui_dirty(view->tui);
}

size_t pager_top(const struct view *view)
{
    return ((const struct pager *)view)->reading.top;
}

void pager_go(struct view *view, size_t line)
{
    struct reading *reading = &((struct pager *)view)->reading;
    size_t last = reading->laid.count > reading->page ? reading->laid.count - reading->page : 0;

    reading->top = line < last ? line : last;
    tui_dirty(view->tui);
}

/* ---- of text that is there already ---- */

struct sheet {
    struct arena arena;
    struct str text;
    bool markdown;
};

static struct laid sheet_lay(void *context, int width, struct arena *arena)
{
    const struct sheet *sheet = context;
    struct flow *flow = flow_new(arena, width);

    if (sheet->markdown)
        markdown_lay(flow, sheet->text, look(TONE_TEXT));
    else
        flow_exact(flow, sheet->text, look(TONE_TEXT));
    return flow_end(flow);
}

static void sheet_free(void *context)
{
    struct sheet *sheet = context;

    arena_clear(&sheet->arena);
    free(sheet);
}

struct view *pager_text(struct tui *tui, const char *title, struct str text, bool markdown)
{
    struct sheet *sheet = calloc(1, sizeof(*sheet));

    if (!sheet)
        abort();
    arena_init(&sheet->arena);
    sheet->text = arena_dup(&sheet->arena, text);
    sheet->markdown = markdown;
    return pager_new(tui,
                     &(struct pager_spec){
                         .title = title, .lay = sheet_lay, .free = sheet_free, .context = sheet});
}
