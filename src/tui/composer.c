#include "tui/composer_own.h"

#include "base/utf8.h"

#include <stdint.h>
#include <stdlib.h>

enum { COLUMNS_AT_FIRST = 80 /* until it is drawn */ };

struct composer *composer_new(const char *history, composer_complete *complete, void *context)
{
    struct composer *composer = calloc(1, sizeof *composer);

    if (!composer)
        abort();
    text_edit_init(&composer->edit, COMPOSER_MAX);
    buf_init(&composer->draft, COMPOSER_MAX);
    buf_init(&composer->search.words, COMPOSER_WORDS_MAX);
    composer->history = history_new(history);
    composer->offers = (struct offers){.complete = complete, .context = context};
    composer->goal = -1;
    composer_lay(composer, COLUMNS_AT_FIRST);
    return composer;
}

void composer_free(struct composer *composer)
{
    if (!composer)
        return;
    text_edit_clear(&composer->edit);
    text_rows_clear(&composer->rows);
    buf_clear(&composer->draft);
    buf_clear(&composer->search.words);
    history_free(composer->history);
    free(composer);
}

/* ---- what is in it ---- */

bool composer_empty(const struct composer *composer)
{
    return composer->edit.text.n == 0 && !composer->search.open;
}

struct str composer_text(const struct composer *composer)
{
    return text_edit_text(&composer->edit);
}

struct str composer_shown(const struct composer *composer)
{
    const struct composer_search *search = &composer->search;

    if (search->open && search->found < history_count(composer->history))
        return history_at(composer->history, search->found);
    return text_edit_text(&composer->edit);
}

size_t composer_cursor(const struct composer *composer)
{
    return composer->search.open ? composer_shown(composer).n : composer->edit.cursor;
}

void composer_lay(struct composer *composer, int columns)
{
    /* one column behind the text is for the cursor */
    text_rows_set_width(&composer->rows, columns - COMPOSER_PROMPT - 1);
    text_rows_stale(&composer->rows, composer->edit.stale);
    composer->edit.stale = SIZE_MAX;
}

/* Nothing is under way but the text itself. */
static void settle(struct composer *composer)
{
    if (composer->search.open)
        composer_search_end(composer, false);
    offers_close(&composer->offers);
    composer->offers.dismissed = false;
    composer->walked = composer->walking = composer->after_x = false;
    composer->goal = -1;
}

void composer_set(struct composer *composer, struct str text)
{
    settle(composer);
    (void)text_edit_set(&composer->edit, utf8_cut(text, COMPOSER_MAX));
}

struct str composer_take(struct composer *composer, struct arena *arena)
{
    struct str text = arena_dup(arena, composer_text(composer));

    settle(composer);
    history_add(composer->history, text, true);
    text_edit_forget(&composer->edit);
    return text;
}

void composer_escape(struct composer *composer)
{
    if (composer->search.open) {
        composer_search_end(composer, false);
    } else if (composer->offers.open) {
        offers_close(&composer->offers);
        composer->offers.dismissed = true;
    } else {
        history_add(composer->history, composer_text(composer), false);
        composer_set(composer, STR_NONE);
    }
}

/* ---- the history ---- */

static void walk_older(struct composer *composer)
{
    if (!composer->walked) {
        composer->walk = history_count(composer->history);
        buf_reset(&composer->draft);
        buf_add_str(&composer->draft, composer_text(composer));
        composer->walked = true;
    }
    if (composer->walk > 0)
        (void)text_edit_set(&composer->edit, history_at(composer->history, --composer->walk));
    composer->walking = true;
}

static void walk_newer(struct composer *composer)
{
    if (!composer->walked)
        return;
    composer->walking = true;
    if (composer->walk < history_count(composer->history))
        composer->walk++;
    if (composer->walk < history_count(composer->history)) {
        (void)text_edit_set(&composer->edit, history_at(composer->history, composer->walk));
    } else {
        (void)text_edit_set(&composer->edit, buf_str(&composer->draft));
        composer->walked = false;
    }
}

/* ---- keys ---- */

static enum composer_act typed(struct composer *composer, struct str text)
{
    if (!text_edit_insert(&composer->edit, text))
        return COMPOSER_FULL;
    offers_typed(&composer->offers, &composer->edit);
    return COMPOSER_TAKEN;
}

/* One change, whatever is typed before and behind it. */
static enum composer_act pasted(struct composer *composer, struct str text)
{
    struct text_edit *edit = &composer->edit;

    if (!text_edit_replace(edit, edit->cursor, edit->cursor, text))
        return COMPOSER_FULL;
    offers_typed(&composer->offers, edit);
    return COMPOSER_TAKEN;
}

static enum composer_act move(struct composer *composer, size_t to)
{
    if (composer->edit.text.n == 0)
        return COMPOSER_NOTHING;
    text_edit_move(&composer->edit, to);
    offers_close(&composer->offers);
    return COMPOSER_TAKEN;
}

static enum composer_act erase(struct composer *composer, size_t from, size_t to)
{
    if (from < to)
        (void)text_edit_replace(&composer->edit, from, to, STR_NONE);
    offers_typed(&composer->offers, &composer->edit);
    return COMPOSER_TAKEN;
}

static enum composer_act kill_text(struct composer *composer, size_t from, size_t to)
{
    text_edit_kill(&composer->edit, from, to);
    offers_typed(&composer->offers, &composer->edit);
    return COMPOSER_TAKEN;
}

static enum composer_act move_up(struct composer *composer)
{
    struct str text = composer_text(composer);
    bool walking = composer->walking;
    int column, goal = composer->goal;
    size_t row;

    composer_lay(composer, composer->rows.width + COMPOSER_PROMPT + 1);
    row = text_rows_find(&composer->rows, text, composer->edit.cursor, &column);
    if (row == 0 || (walking && composer->walked)) {
        walk_older(composer);
        return COMPOSER_TAKEN;
    }
    composer->goal = goal < 0 ? column : goal;
    return move(composer, text_rows_place(&composer->rows, text, row - 1, composer->goal));
}

static enum composer_act move_down(struct composer *composer)
{
    struct str text = composer_text(composer);
    bool walking = composer->walking;
    int column, goal = composer->goal;
    size_t row;

    composer_lay(composer, composer->rows.width + COMPOSER_PROMPT + 1);
    row = text_rows_find(&composer->rows, text, composer->edit.cursor, &column);
    if ((walking && composer->walked) ||
        text_rows_count(&composer->rows, text, row + 2) <= row + 1) {
        walk_newer(composer);
        return COMPOSER_TAKEN;
    }
    composer->goal = goal < 0 ? column : goal;
    return move(composer, text_rows_place(&composer->rows, text, row + 1, composer->goal));
}

static bool is_blank(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ' && text.p[i] != '\t' && text.p[i] != '\n')
            return false;
    return true;
}

static enum composer_act press_enter(struct composer *composer, const struct press *press)
{
    struct text_edit *edit = &composer->edit;

    if (press->alt || press->shift || press->ctrl)
        return typed(composer, STR("\n"));
    if (edit->cursor > 0 && edit->text.p[edit->cursor - 1] == '\\')
        return text_edit_replace(edit, edit->cursor - 1, edit->cursor, STR("\n")) ? COMPOSER_TAKEN
                                                                                  : COMPOSER_FULL;
    if (edit->text.n && is_blank(text_edit_text(edit)))
        return COMPOSER_TAKEN; /* nothing that could be sent */
    return COMPOSER_SEND;
}

static enum composer_act press_control(struct composer *composer, uint32_t c)
{
    struct text_edit *edit = &composer->edit;
    size_t cursor = edit->cursor, end = text_edit_line_end(edit, cursor);

    switch (c) {
    case 'a':
        return move(composer, text_edit_line_begin(edit, cursor));
    case 'e':
        return move(composer, end);
    case 'b':
        return move(composer, text_edit_before(edit, cursor));
    case 'f':
        return move(composer, text_edit_after(edit, cursor));
    case 'd':
        if (edit->text.n == 0)
            return COMPOSER_NOTHING;
        return erase(composer, cursor, text_edit_after(edit, cursor));
    case 'h':
        return erase(composer, text_edit_before(edit, cursor), cursor);
    case 'j':
        return typed(composer, STR("\n"));
    case 'k': /* at the end of a line, the line break */
        return kill_text(composer, cursor, end > cursor ? end : text_edit_after(edit, cursor));
    case 'u':
        return kill_text(composer, text_edit_line_begin(edit, cursor), cursor);
    case 'w':
        return kill_text(composer, text_edit_blank_before(edit, cursor), cursor);
    case 'y':
        return text_edit_yank(edit) ? COMPOSER_TAKEN : COMPOSER_FULL;
    case '_':
    case '/':
        (void)text_edit_undo(edit);
        return COMPOSER_TAKEN;
    case 'r':
        composer_search_begin(composer);
        return COMPOSER_TAKEN;
    case 'o':
        return COMPOSER_EDIT;
    case 'x':
        composer->after_x = true;
        return COMPOSER_TAKEN;
    default:
        return COMPOSER_NOTHING;
    }
}

static enum composer_act press_meta(struct composer *composer, uint32_t c)
{
    struct text_edit *edit = &composer->edit;

    switch (c) {
    case 'b':
        return move(composer, text_edit_word_before(edit, edit->cursor));
    case 'f':
        return move(composer, text_edit_word_after(edit, edit->cursor));
    case 'd':
        return kill_text(composer, edit->cursor, text_edit_word_after(edit, edit->cursor));
    default:
        return COMPOSER_NOTHING;
    }
}

static enum composer_act press_char(struct composer *composer, const struct press *press)
{
    char c[4];

    if (press->ctrl && (!press->alt || press->c == 'j'))
        return press_control(composer, press->c);
    if (press->ctrl)
        return COMPOSER_NOTHING;
    if (press->alt)
        return press_meta(composer, press->c);
    return typed(composer, (struct str){c, utf8_encode(press->c, c)});
}

static enum composer_act press_backspace(struct composer *composer, const struct press *press)
{
    struct text_edit *edit = &composer->edit;

    if (press->alt || press->ctrl)
        return kill_text(composer, text_edit_word_before(edit, edit->cursor), edit->cursor);
    return erase(composer, text_edit_before(edit, edit->cursor), edit->cursor);
}

static enum composer_act press_delete(struct composer *composer, const struct press *press)
{
    struct text_edit *edit = &composer->edit;

    if (press->alt || press->ctrl)
        return kill_text(composer, edit->cursor, text_edit_word_after(edit, edit->cursor));
    return erase(composer, edit->cursor, text_edit_after(edit, edit->cursor));
}

static enum composer_act press_sideways(struct composer *composer, const struct press *press)
{
    struct text_edit *edit = &composer->edit;
    bool words = press->alt || press->ctrl;
    size_t at = edit->cursor;

    if (press->kind == PRESS_LEFT)
        return move(composer, words ? text_edit_word_before(edit, at) : text_edit_before(edit, at));
    return move(composer, words ? text_edit_word_after(edit, at) : text_edit_after(edit, at));
}

static enum composer_act press_end(struct composer *composer, const struct press *press)
{
    struct text_edit *edit = &composer->edit;

    if (press->kind == PRESS_HOME)
        return move(composer, press->ctrl ? 0 : text_edit_line_begin(edit, edit->cursor));
    return move(composer, press->ctrl ? edit->text.n : text_edit_line_end(edit, edit->cursor));
}

static enum composer_act press_tab(struct composer *composer, const struct press *press)
{
    if (press->shift || press->alt || press->ctrl ||
        !offers_ask(&composer->offers, &composer->edit))
        return COMPOSER_NOTHING;
    return COMPOSER_TAKEN;
}

static enum composer_act press_key(struct composer *composer, const struct press *press)
{
    bool bare = !press->ctrl && !press->alt && !press->shift;

    switch (press->kind) {
    case PRESS_CHAR:
        return press_char(composer, press);
    case PRESS_ENTER:
        return press_enter(composer, press);
    case PRESS_TAB:
        return press_tab(composer, press);
    case PRESS_BACKSPACE:
        return press_backspace(composer, press);
    case PRESS_DELETE:
        return press_delete(composer, press);
    case PRESS_UP:
        return bare ? move_up(composer) : COMPOSER_NOTHING;
    case PRESS_DOWN:
        return bare ? move_down(composer) : COMPOSER_NOTHING;
    case PRESS_LEFT:
    case PRESS_RIGHT:
        return press_sideways(composer, press);
    case PRESS_HOME:
    case PRESS_END:
        return press_end(composer, press);
    case PRESS_PASTE:
        return pasted(composer, press->text);
    default:
        return COMPOSER_NOTHING;
    }
}

/* What the key before has left does not count for this one, unless it is one that goes on. */
static enum composer_act press_next(struct composer *composer, const struct press *press)
{
    bool upright = press->kind == PRESS_UP || press->kind == PRESS_DOWN;
    enum composer_act act;

    if (composer->offers.open && offers_press(&composer->offers, &composer->edit, press))
        return COMPOSER_TAKEN;
    if (!upright)
        composer->goal = -1;
    act = press_key(composer, press);
    if (!upright && act != COMPOSER_NOTHING)
        composer->walking = false;
    return act;
}

enum composer_act composer_press(struct composer *composer, const struct press *press)
{
    bool after_x = composer->after_x;
    enum composer_act act;

    composer->after_x = false;
    if (composer->search.open && composer_search_press(composer, press, &act))
        return act;
    if (after_x && press_is_ctrl(press, 'e'))
        return COMPOSER_EDIT;
    return press_next(composer, press);
}
