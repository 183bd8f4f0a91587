#include "tui/choice.h"

#include "base/utf8.h"
#include "tui/bars.h"
#include "tui/box.h"
#include "tui/calm.h"
#include "tui/reading.h"
#include "tui/rows.h"

#include <stdlib.h>

#define KEYS      "Enter: Choose|↑↓: Mark|Esc: Cancel"
#define KEYS_LONG "Enter: Choose|↑↓: Mark|PgDn: Read on|Esc: Cancel"

enum { KEYS_ROWS = 2, KEYS_COLUMNS = 42, ANSWER_SIDE = 4 /* its key, and blanks around it */ };

struct choice {
    struct view view;
    struct choice_spec spec; /* its strings are copies in the arena */
    struct arena arena;      /* of the view */
    struct arena page;       /* of the text that is laid out */
    int width;               /* that it was laid out for */
    int text_columns;        /* of its longest line */
    struct reading reading;
    struct rows rows;
    struct calm calm;
    bool told;
};

static void tell(struct choice *choice, char key)
{
    if (choice->told)
        return;
    choice->told = true;
    choice->spec.call(choice->spec.context, key);
}

/* ---- drawing ---- */

static void lay(struct choice *choice, int width)
{
    struct flow *flow;
    struct laid laid;

    if (choice->width == width)
        return;
    choice->width = width;
    arena_clear(&choice->page);
    flow = flow_new(&choice->page, width);
    if (choice->spec.text)
        flow_text(flow, str_of(choice->spec.text), look(TONE_TEXT));
    laid = flow_end(flow);
    reading_set(&choice->reading, laid);
    choice->text_columns = 0;
    for (size_t i = 0; i < laid.count; i++)
        if (laid.lines[i].columns > choice->text_columns)
            choice->text_columns = laid.lines[i].columns;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int columns_wanted(const struct choice *choice)
{
    int columns = most(KEYS_COLUMNS, choice->text_columns + 2); /* the bar beside the text */

    columns = most(columns, cells_count(str_of(choice->spec.title)) + ANSWER_SIDE);
    for (size_t i = 0; i < choice->spec.count; i++)
        columns =
            most(columns, cells_count(str_of(choice->spec.answers[i].words)) + ANSWER_SIDE + 2);
    return columns;
}

static void draw_answer(void *context, struct pane pane, size_t index, bool marked)
{
    const struct choice *choice = context;
    const struct choice_answer *answer = &choice->spec.answers[index];
    int bits = marked ? LOOK_MARKED : 0;

    pane_format(pane, 0, 1, look_with(TONE_MARK, bits | LOOK_BOLD), "%c", answer->key);
    pane_text(pane, 0, ANSWER_SIDE, look_with(TONE_TEXT, bits), str_of(answer->words));
}

/* Is there more text than is seen? */
static bool is_long(const struct choice *choice)
{
    return choice->reading.laid.count > choice->reading.page;
}

/* From the bottom up: keys, answers, text; what there is no room for is scrolled. */
static void draw(struct view *view, struct pane pane)
{
    struct choice *choice = (struct choice *)view;
    int answers = (int)choice->spec.count, room = box_room(pane), text, columns;
    struct pane inside;

    calm_shown(&choice->calm);
    lay(choice, room > 2 ? room - 2 : 1);
    text = (int)choice->reading.laid.count;
    columns = columns_wanted(choice);
    inside = box_draw(pane, text + (text > 0) + answers + KEYS_ROWS,
                      columns < room ? columns : room, choice->spec.title);
    text = inside.rows - KEYS_ROWS - answers - (text > 0);
    if (text < 0) {
        answers += text;
        text = 0;
    }
    if (text)
        reading_draw(&choice->reading, pane_rows(inside, 0, text));
    rows_draw(&choice->rows,
              pane_rows(inside, inside.rows - KEYS_ROWS - most(answers, 1), most(answers, 1)),
              draw_answer, choice, "");
    bars_keys(inside, inside.rows - 1, is_long(choice) ? KEYS_LONG : KEYS);
}

/* ---- keys ---- */

static void choose(struct choice *choice, char key)
{
    tui_close(choice->view.tui, &choice->view);
    tell(choice, key);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The answer that a character stands for: its key, or its place counted from 1; 0: none. */
static char answer_of(const struct choice *choice, uint32_t c)
{
    for (size_t i = 0; i < choice->spec.count; i++)
        if ((uint32_t)(unsigned char)choice->spec.answers[i].key == c)
            return choice->spec.answers[i].key;
    if (c < 0x80)
        for (size_t i = 0; i < choice->spec.count; i++)
            if (lower(choice->spec.answers[i].key) == lower((char)c))
                return choice->spec.answers[i].key;
    if (c >= '1' && c <= '9' && c - '1' < choice->spec.count)
        return choice->spec.answers[c - '1'].key;
    return 0;
}

static bool press_text(struct choice *choice, const struct press *press)
{
    bool here = press->kind == PRESS_PAGE_UP || press->kind == PRESS_PAGE_DOWN ||
                press->kind == PRESS_WHEEL_UP || press->kind == PRESS_WHEEL_DOWN;

    return here && is_long(choice) && reading_press(&choice->reading, press, false);
}

static void press(struct view *view, const struct press *press)
{
    struct choice *choice = (struct choice *)view;
    bool plain = press->kind == PRESS_CHAR && !press->ctrl && !press->alt;
    char key = plain ? answer_of(choice, press->c) : 0;

    tui_dirty(view->tui);
    if (!calm_takes(&choice->calm, view, press))
        return;
    if (key)
        choose(choice, key);
    else if (press->kind == PRESS_ENTER)
        choose(choice, choice->spec.answers[choice->rows.marked].key);
    else if (press->kind == PRESS_ESCAPE || press_is(press, 'q') || press_is_ctrl(press, 'c'))
        choose(choice, 0);
    else if (press->kind == PRESS_TAB)
        rows_mark(&choice->rows, (choice->rows.marked + 1) % choice->spec.count);
    else if (!press_text(choice, press))
        rows_press(&choice->rows, press);
}

static void choice_free(struct view *view)
{
    struct choice *choice = (struct choice *)view;

    tell(choice, 0);
    reading_clear(&choice->reading);
    arena_clear(&choice->page);
    arena_clear(&choice->arena);
    free(choice);
}

static const struct view_ops ops = {draw, press, view_happened_ignore, choice_free};

static const char *copy(struct choice *choice, const char *text)
{
    return text ? arena_dup(&choice->arena, str_of(text)).p : NULL;
}

static const char *shortened(struct choice *choice, const char *text)
{
    struct str shown = utf8_cut(str_of(text ? text : ""), CHOICE_TEXT_MAX);

    if (!text || shown.n == strlen(text))
        return copy(choice, text);
    return arena_printf(&choice->arena, "%.*s\n… %zu KiB more", STR_ARG(shown),
                        (strlen(text) - shown.n) / 1024)
        .p;
}

struct view *choice_new(struct tui *tui, const struct choice_spec *spec)
{
    struct choice *choice = calloc(1, sizeof(*choice));
    struct choice_answer *answers;

    if (!choice)
        abort();
    assert(spec->count > 0);
    arena_init(&choice->arena);
    arena_init(&choice->page);
    reading_init(&choice->reading);
    choice->view = (struct view){.ops = &ops, .tui = tui, .part = true};
    choice->spec = *spec;
    choice->spec.title = copy(choice, spec->title);
    choice->spec.text = shortened(choice, spec->text);
    choice->calm.unasked = spec->unasked;
    answers = arena_array(&choice->arena, spec->count, sizeof(*answers));
    for (size_t i = 0; i < spec->count; i++)
        answers[i] =
            (struct choice_answer){spec->answers[i].key, copy(choice, spec->answers[i].words)};
    choice->spec.answers = answers;
    rows_count(&choice->rows, spec->count);
    return &choice->view;
}
