/* The composer on the screen: a rule above it, a sign before its text, offers over it. */
#include "tui/composer_own.h"

enum { OFFER_WORD_MAX = 32 /* columns; the help stands behind */ };

static int text_height(const struct pane *pane)
{
    return pane->rows > 1 ? pane->rows - 1 : pane->rows;
}

int composer_rows(struct composer *composer, int columns, int most)
{
    size_t count;

    if (most < 2)
        return most < 0 ? 0 : most;
    composer_lay(composer, columns);
    count = text_rows_count(&composer->rows, composer_shown(composer), (size_t)most - 1);
    return (int)count + 1;
}

/* The part of the text that is seen has the cursor in it, and no empty rows while there is text. */
static size_t scroll(struct composer *composer, int height, int *column)
{
    struct str text = composer_shown(composer);
    size_t h = (size_t)height, count;
    size_t row = text_rows_find(&composer->rows, text, composer_cursor(composer), column);

    if (row < composer->top)
        composer->top = row;
    if (row >= composer->top + h)
        composer->top = row - h + 1;
    count = text_rows_count(&composer->rows, text, composer->top + h);
    if (count < composer->top + h)
        composer->top = count > h ? count - h : 0;
    return row;
}

/* One row; tabs are blanks, and blanks beyond the width are not drawn. */
static void draw_row(struct composer *composer, struct pane pane, int row, struct str bytes)
{
    struct look plain = look(composer->search.open ? TONE_FAINT : TONE_TEXT);
    size_t from = 0, at = 0;
    int column = 0, begin = 0;

    while (at < bytes.n) {
        bool tab = bytes.p[at] == '\t';
        size_t next = at;
        int columns = text_rows_step(bytes, &next, column);

        if (column + columns > composer->rows.width)
            break;
        if (tab && at > from)
            pane_text(pane, row, COMPOSER_PROMPT + begin, plain,
                      (struct str){bytes.p + from, at - from});
        column += columns;
        at = next;
        if (tab) {
            from = at;
            begin = column;
        }
    }
    if (at > from)
        pane_text(pane, row, COMPOSER_PROMPT + begin, plain,
                  (struct str){bytes.p + from, at - from});
}

/* The sign before the first row; before those at the edges, that there is more. */
static struct str sign(bool utf8, bool first, bool more_above, bool more_below)
{
    if (more_above)
        return utf8 ? STR("↑") : STR("^");
    if (more_below)
        return utf8 ? STR("↓") : STR("v");
    if (first)
        return utf8 ? STR("›") : STR(">");
    return STR_NONE;
}

static void draw_text(struct composer *composer, struct pane pane, bool active)
{
    bool utf8 = screen_utf8(pane.screen);
    struct look look_of_sign = look_with(active ? TONE_USER : TONE_FAINT, active ? LOOK_BOLD : 0);
    struct str text = composer_shown(composer), bytes;
    size_t start;

    for (int i = 0; i < pane.rows; i++) {
        size_t row = composer->top + (size_t)i;
        bool last = i + 1 == pane.rows, above = i == 0 && composer->top > 0;

        if (!text_rows_at(&composer->rows, text, row, &start, &bytes))
            break;
        pane_text(pane, i, 0, look_of_sign,
                  sign(utf8, row == 0, above,
                       last && text_rows_count(&composer->rows, text, row + 2) > row + 1));
        draw_row(composer, pane, i, bytes);
    }
}

static void draw_search(const struct composer *composer, struct pane pane)
{
    const struct composer_search *search = &composer->search;
    bool missing = search->words.n && search->found == history_count(composer->history);
    int column;

    column = pane_text(pane, 0, COMPOSER_PROMPT, look(missing ? TONE_WARN : TONE_HEADING),
                       missing ? STR(" not found: ") : STR(" search: "));
    column = pane_text(pane, 0, column, look(TONE_TEXT), buf_str(&search->words));
    pane_text(pane, 0, column, look(TONE_FAINT), STR("  Ctrl-R: older  Enter: take  Esc: leave "));
}

void composer_draw(struct composer *composer, struct pane pane, const char *hint, bool active)
{
    struct pane body = pane;
    size_t row;
    int column;

    if (pane.rows < 1)
        return;
    composer_lay(composer, pane.columns);
    if (pane.rows > 1) {
        body = pane_rows(pane, 1, pane.rows - 1);
        pane_rule(pane, 0, look(TONE_FAINT));
        if (composer->search.open)
            draw_search(composer, pane);
    }
    row = scroll(composer, text_height(&pane), &column);
    draw_text(composer, body, active);
    if (composer_shown(composer).n == 0 && hint && !composer->search.open)
        pane_text(body, 0, COMPOSER_PROMPT, look(TONE_FAINT), str_of(hint));
    if (active)
        pane_cursor(body, (int)(row - composer->top), COMPOSER_PROMPT + column);
}

/* ---- offers ---- */

int composer_offers(struct composer *composer, int columns, int most)
{
    size_t count = composer->offers.count;

    (void)columns; /* each is one row, however wide */
    if (!composer->offers.open || most < 1)
        return 0;
    return count < (size_t)most ? (int)count : most;
}

static int offer_columns(const struct composer *composer)
{
    struct composer_offer offer;
    int widest = 0;

    for (size_t i = 0; offers_at(&composer->offers, &composer->edit, i, &offer); i++) {
        int columns = cells_count(str_of(offer.word));

        if (columns > widest)
            widest = columns;
    }
    return widest < OFFER_WORD_MAX ? widest : OFFER_WORD_MAX;
}

static void draw_offer(void *context, struct pane pane, size_t index, bool marked)
{
    struct composer *composer = context;
    int bits = marked ? LOOK_MARKED : 0, words = offer_columns(composer);
    struct composer_offer offer;

    if (!offers_at(&composer->offers, &composer->edit, index, &offer))
        return;
    pane_text(pane_columns(pane, COMPOSER_PROMPT, words), 0, 0,
              look_with(TONE_USER, bits | (marked ? LOOK_BOLD : 0)), str_of(offer.word));
    if (offer.help)
        pane_text(pane, 0, COMPOSER_PROMPT + words + 2, look_with(TONE_FAINT, bits),
                  str_of(offer.help));
}

void composer_draw_offers(struct composer *composer, struct pane pane)
{
    if (!composer->offers.open)
        return;
    rows_count(&composer->offer_rows, composer->offers.count);
    rows_mark(&composer->offer_rows, composer->offers.marked);
    rows_draw(&composer->offer_rows, pane, draw_offer, composer, "");
}
