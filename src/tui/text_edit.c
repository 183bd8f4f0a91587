#include "tui/text_edit.h"

#include "base/array.h"
#include "base/utf8.h"
#include "tui/cells.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

/* At `at`, `added` bytes stand where `removed` stood. */
struct text_change {
    size_t at, added, cursor;
    struct str removed; /* owned */
};

void text_edit_init(struct text_edit *edit, size_t max_bytes)
{
    *edit = (struct text_edit){.stale = SIZE_MAX};
    buf_init(&edit->text, max_bytes);
    buf_init(&edit->killed, max_bytes);
}

static void drop_changes(struct text_edit *edit, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        edit->change_bytes -= edit->changes[i].removed.n;
        free((char *)edit->changes[i].removed.p);
    }
    edit->change_count -= count;
    if (edit->change_count)
        memmove(edit->changes, edit->changes + count, edit->change_count * sizeof *edit->changes);
}

void text_edit_clear(struct text_edit *edit)
{
    drop_changes(edit, edit->change_count);
    free(edit->changes);
    buf_clear(&edit->text);
    buf_clear(&edit->killed);
    *edit =
        (struct text_edit){.stale = 0, .text.max = edit->text.max, .killed.max = edit->killed.max};
}

struct str text_edit_text(const struct text_edit *edit)
{
    return buf_str(&edit->text);
}

/* ---- changes ---- */

static bool splice(struct text_edit *edit, size_t from, size_t to, struct str with)
{
    struct buf *text = &edit->text;
    size_t behind = text->n - to;

    assert(from <= to && to <= text->n);
    if (with.n > to - from && !buf_grow(text, with.n - (to - from))) {
        text->full = false;
        return false;
    }
    if (!text->p) /* nothing there, and nothing to be put there */
        return true;
    memmove(text->p + from + with.n, text->p + to, behind);
    if (with.n)
        memcpy(text->p + from, with.p, with.n);
    text->n = from + with.n + behind;
    text->p[text->n] = '\0';
    edit->cursor = from + with.n;
    if (from < edit->stale)
        edit->stale = from;
    return true;
}

static char *keep(const char *p, size_t n)
{
    char *copy = n ? malloc(n) : NULL;

    if (n && !copy)
        abort();
    if (n)
        memcpy(copy, p, n);
    return copy;
}

static void remember(struct text_edit *edit, struct text_change change)
{
    size_t drop = 0, bytes;

    edit->changes =
        array_more(edit->changes, edit->change_count, &edit->change_room, sizeof *edit->changes);
    edit->changes[edit->change_count++] = change;
    bytes = edit->change_bytes += change.removed.n;
    while (edit->change_count - drop > TEXT_EDIT_UNDO_MAX ||
           (bytes > TEXT_EDIT_UNDO_BYTES_MAX && drop < edit->change_count))
        bytes -= edit->changes[drop++].removed.n;
    drop_changes(edit, drop);
}

bool text_edit_replace(struct text_edit *edit, size_t from, size_t to, struct str with)
{
    struct text_change change = {from, with.n, edit->cursor, {NULL, to - from}};

    change.removed.p = keep(edit->text.p ? edit->text.p + from : "", to - from);
    if (!splice(edit, from, to, with)) {
        free((char *)change.removed.p);
        return false;
    }
    edit->typing = edit->killing = false;
    if (change.added || change.removed.n)
        remember(edit, change);
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Typed letters of one word are one change. */
static bool joins(const struct text_edit *edit, struct str text)
{
    const struct text_change *last;

    if (!edit->typing || !edit->change_count || text.n == 0 || text.n > 4)
        return false;
    last = &edit->changes[edit->change_count - 1];
    return last->added && last->at + last->added == edit->cursor &&
           !(is_blank(edit->text.p[edit->cursor - 1]) && !is_blank(text.p[0]));
}

bool text_edit_insert(struct text_edit *edit, struct str text)
{
    if (joins(edit, text)) {
        if (!splice(edit, edit->cursor, edit->cursor, text))
            return false;
        edit->changes[edit->change_count - 1].added += text.n;
        return true;
    }
    if (!text_edit_replace(edit, edit->cursor, edit->cursor, text))
        return false;
    edit->typing = true;
    return true;
}

bool text_edit_set(struct text_edit *edit, struct str text)
{
    if (str_eq(text_edit_text(edit), text)) {
        text_edit_move(edit, text.n);
        return true;
    }
    return text_edit_replace(edit, 0, edit->text.n, text);
}

void text_edit_forget(struct text_edit *edit)
{
    drop_changes(edit, edit->change_count);
    buf_clear(&edit->text);
    edit->cursor = edit->stale = 0;
    edit->typing = edit->killing = false;
}

void text_edit_kill(struct text_edit *edit, size_t from, size_t to)
{
    bool joined = edit->killing, backwards = to == edit->cursor;
    struct str removed;

    if (from == to)
        return;
    removed = (struct str){edit->text.p + from, to - from};
    if (!joined)
        buf_reset(&edit->killed);
    if (edit->killed.n + removed.n <= edit->killed.max) {
        buf_add_str(&edit->killed, removed);
        if (backwards && edit->killed.n > removed.n) {
            memmove(edit->killed.p + removed.n, edit->killed.p, edit->killed.n - removed.n);
            memcpy(edit->killed.p, removed.p, removed.n);
        }
    }
    (void)text_edit_replace(edit, from, to, STR_NONE); /* shorter: it fits */
    edit->killing = true;
}

bool text_edit_yank(struct text_edit *edit)
{
    return text_edit_replace(edit, edit->cursor, edit->cursor, buf_str(&edit->killed));
}

bool text_edit_undo(struct text_edit *edit)
{
    struct text_change last;

    if (!edit->change_count)
        return false;
    last = edit->changes[--edit->change_count];
    edit->change_bytes -= last.removed.n;
    if (splice(edit, last.at, last.at + last.added, last.removed))
        edit->cursor = last.cursor;
    free((char *)last.removed.p);
    edit->typing = edit->killing = false;
    return true;
}

/* ---- places ---- */

void text_edit_move(struct text_edit *edit, size_t to)
{
    assert(to <= edit->text.n);
    edit->cursor = to;
    edit->typing = edit->killing = false;
}

size_t text_edit_after(const struct text_edit *edit, size_t at)
{
    struct cluster cluster;

    if (at < edit->text.n)
        cells_next(text_edit_text(edit), &at, &cluster);
    return at;
}

size_t text_edit_before(const struct text_edit *edit, size_t at)
{
    return cells_before(text_edit_text(edit), at);
}

/* Everything beyond ASCII belongs to words. */
static bool is_word(char c)
{
    return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
}

static bool is_no_word(char c)
{
    return !is_word(c);
}

static bool is_no_blank(char c)
{
    return !is_blank(c);
}

/* By bytes, because a long run of them would be slow by characters. */
static size_t skip_after(const struct text_edit *edit, size_t at, bool (*skips)(char))
{
    while (at < edit->text.n && skips(edit->text.p[at]))
        at++;
    return at;
}

static size_t skip_before(const struct text_edit *edit, size_t at, bool (*skips)(char))
{
    while (at > 0 && skips(edit->text.p[at - 1]))
        at--;
    return at;
}

/* The beginning of the character in which `at` may stand: one with a mark behind it. */
static size_t whole_before(const struct text_edit *edit, size_t at)
{
    size_t behind = at;

    if (at == 0 || at == edit->text.n || (unsigned char)edit->text.p[at] < 0x80)
        return at;
    (void)utf8_next(text_edit_text(edit), &behind);
    behind = text_edit_before(edit, behind);
    return behind < at ? behind : at;
}

size_t text_edit_word_after(const struct text_edit *edit, size_t at)
{
    return skip_after(edit, skip_after(edit, at, is_no_word), is_word);
}

size_t text_edit_word_before(const struct text_edit *edit, size_t at)
{
    return whole_before(edit, skip_before(edit, skip_before(edit, at, is_no_word), is_word));
}

size_t text_edit_blank_before(const struct text_edit *edit, size_t at)
{
    return whole_before(edit, skip_before(edit, skip_before(edit, at, is_blank), is_no_blank));
}

size_t text_edit_line_begin(const struct text_edit *edit, size_t at)
{
    while (at > 0 && edit->text.p[at - 1] != '\n')
        at--;
    return at;
}

size_t text_edit_line_end(const struct text_edit *edit, size_t at)
{
    const char *end = at < edit->text.n ? memchr(edit->text.p + at, '\n', edit->text.n - at) : NULL;

    if (!end)
        return edit->text.n;
    at = (size_t)(end - edit->text.p);
    return at > 0 && edit->text.p[at - 1] == '\r' ? at - 1 : at;
}
