#include "tui/field.h"

#include "base/utf8.h"

void field_init(struct field *field)
{
    *field = (struct field){0};
    buf_init(&field->text, FIELD_MAX);
}

void field_clear(struct field *field)
{
    buf_clear(&field->text);
    field_init(field);
}

struct str field_text(const struct field *field)
{
    return field->text.p ? buf_str(&field->text) : STR("");
}

/* Line breaks and tabs have no place in one line. */
static void flatten(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n' || text[i] == '\r' || text[i] == '\t')
            text[i] = ' ';
}

static bool insert(struct field *field, struct str text)
{
    size_t behind = field->text.n - field->at;

    text = utf8_cut(text, FIELD_MAX - field->text.n);
    if (text.n == 0 || !buf_extend(&field->text, text.n))
        return false;
    memmove(field->text.p + field->at + text.n, field->text.p + field->at, behind);
    memcpy(field->text.p + field->at, text.p, text.n);
    flatten(field->text.p + field->at, text.n);
    field->at += text.n;
    return true;
}

void field_set(struct field *field, struct str text)
{
    buf_reset(&field->text);
    field->at = 0;
    field->first = 0;
    insert(field, text);
}

static bool cut(struct field *field, size_t from, size_t to)
{
    if (from >= to)
        return false;
    memmove(field->text.p + from, field->text.p + to, field->text.n - to);
    field->text.n -= to - from;
    field->text.p[field->text.n] = '\0';
    field->at = from;
    return true;
}

static size_t behind(const struct field *field)
{
    struct cluster cluster;
    size_t at = field->at;

    if (at < field->text.n)
        cells_next(buf_str(&field->text), &at, &cluster);
    return at;
}

static size_t before(const struct field *field)
{
    return field->at ? cells_before(buf_str(&field->text), field->at) : 0;
}

static size_t word_before(const struct field *field)
{
    size_t at = field->at;

    while (at > 0 && field->text.p[at - 1] == ' ')
        at--;
    while (at > 0 && field->text.p[at - 1] != ' ')
        at--;
    return at;
}

static enum field_act changed(bool did)
{
    return did ? FIELD_CHANGED : FIELD_MOVED;
}

static enum field_act moved(struct field *field, size_t at)
{
    field->at = at;
    return FIELD_MOVED;
}

static enum field_act press_ctrl(struct field *field, uint32_t c)
{
    switch (c) {
    case 'a':
        return moved(field, 0);
    case 'e':
        return moved(field, field->text.n);
    case 'b':
        return moved(field, before(field));
    case 'f':
        return moved(field, behind(field));
    case 'd':
        return changed(cut(field, field->at, behind(field)));
    case 'h':
        return changed(cut(field, before(field), field->at));
    case 'u':
        return changed(cut(field, 0, field->at));
    case 'k':
        return changed(cut(field, field->at, field->text.n));
    case 'w':
        return changed(cut(field, word_before(field), field->at));
    default:
        return FIELD_NOTHING;
    }
}

static enum field_act press_char(struct field *field, const struct press *press)
{
    char bytes[4];

    if (press->alt)
        return FIELD_NOTHING;
    if (press->ctrl)
        return press_ctrl(field, press->c);
    if (press->c < ' ')
        return FIELD_NOTHING;
    return changed(insert(field, (struct str){bytes, utf8_encode(press->c, bytes)}));
}

enum field_act field_press(struct field *field, const struct press *press)
{
    switch (press->kind) {
    case PRESS_CHAR:
        return press_char(field, press);
    case PRESS_PASTE:
        return changed(insert(field, press->text));
    case PRESS_LEFT:
        return moved(field, before(field));
    case PRESS_RIGHT:
        return moved(field, behind(field));
    case PRESS_HOME:
        return moved(field, 0);
    case PRESS_END:
        return moved(field, field->text.n);
    case PRESS_BACKSPACE:
        return changed(cut(field, press->alt ? word_before(field) : before(field), field->at));
    case PRESS_DELETE:
        return changed(cut(field, field->at, behind(field)));
    default:
        return FIELD_NOTHING;
    }
}

void field_draw(struct field *field, struct pane pane, const char *hint)
{
    struct str text = field_text(field);
    int column = cells_count((struct str){text.p, field->at});

    /* the cursor is seen, and what is around it */
    if (column < field->first)
        field->first = column;
    if (column - field->first >= pane.columns)
        field->first = column - pane.columns + 1;
    if (text.n == 0 && hint)
        pane_text(pane, 0, 0, look(TONE_FAINT), str_of(hint));
    else
        pane_text(pane, 0, -field->first, look(TONE_TEXT), text);
    pane_cursor(pane, 0, column - field->first);
}
