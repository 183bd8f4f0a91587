#include "tui/bars.h"

void bars_title(struct pane pane, int row, const char *title, const char *right)
{
    int columns = cells_count(str_of(right)), behind;

    pane_row(pane, row, look(TONE_BAR));
    behind = pane_text(pane_columns(pane, 1, pane.columns - 2), row, 0,
                       look_with(TONE_BAR, LOOK_BOLD), str_of(title));
    if (right && behind + columns + 4 <= pane.columns)
        pane_text(pane, row, pane.columns - columns - 1, look(TONE_BAR), str_of(right));
}

/* The key at the beginning of the list, which moves behind it. */
static bool next(struct str *keys, struct str *key)
{
    const char *end;

    if (keys->n == 0)
        return false;
    end = memchr(keys->p, '|', keys->n);
    *key = (struct str){keys->p, end ? (size_t)(end - keys->p) : keys->n};
    *keys = (struct str){keys->p + key->n, keys->n - key->n};
    if (end) {
        keys->p++;
        keys->n--;
    }
    return true;
}

static struct str last(struct str keys)
{
    struct str key = STR_NONE;

    while (next(&keys, &key))
        ;
    return key;
}

static int width(struct str key)
{
    return cells_count(key) + 2; /* its brackets */
}

static int draw(struct pane pane, int row, int column, struct str key)
{
    const char *colon = key.n ? memchr(key.p, ':', key.n) : NULL;
    size_t n = colon ? (size_t)(colon - key.p) : 0;

    column = pane_text(pane, row, column, look(TONE_FAINT), STR("["));
    column = pane_text(pane, row, column, look_with(TONE_TEXT, LOOK_BOLD), (struct str){key.p, n});
    column = pane_text(pane, row, column, look(TONE_FAINT), (struct str){key.p + n, key.n - n});
    column = pane_text(pane, row, column, look(TONE_FAINT), STR("]"));
    return column + 1;
}

void bars_keys(struct pane pane, int row, const char *keys)
{
    struct str rest = str_of(keys), end = last(rest), key;
    int column = 0, room = pane.columns - width(end);

    while (next(&rest, &key)) {
        if (rest.n && column + width(key) + 1 > room)
            continue;
        column = draw(pane, row, column, key);
    }
}
