/* The search of the history: typed words narrow it, Ctrl-R goes to the next older entry. */
#include "base/utf8.h"
#include "tui/composer_own.h"

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool has_at(struct str text, size_t at, struct str words)
{
    for (size_t i = 0; i < words.n; i++)
        if (lower(text.p[at + i]) != lower(words.p[i]))
            return false;
    return true;
}

static bool has(struct str text, struct str words)
{
    for (size_t at = 0; at + words.n <= text.n; at++)
        if (has_at(text, at, words))
            return true;
    return false;
}

/* The newest entry before `end` that has the words. */
static void find(struct composer *composer, size_t end)
{
    struct composer_search *search = &composer->search;
    size_t count = history_count(composer->history);

    search->found = count;
    if (search->words.n == 0)
        return;
    while (end > 0 && search->found == count)
        if (has(history_at(composer->history, --end), buf_str(&search->words)))
            search->found = end;
}

void composer_search_begin(struct composer *composer)
{
    offers_close(&composer->offers);
    composer->search.open = true;
    buf_reset(&composer->search.words);
    composer->search.found = history_count(composer->history);
    text_rows_stale(&composer->rows, 0);
}

void composer_search_end(struct composer *composer, bool take)
{
    struct composer_search *search = &composer->search;

    if (take && search->found < history_count(composer->history))
        (void)text_edit_set(&composer->edit, history_at(composer->history, search->found));
    search->open = false;
    composer->walked = false;
    text_rows_stale(&composer->rows, 0);
}

static void add_words(struct composer *composer, struct str words)
{
    struct buf *buf = &composer->search.words;

    if (words.n > buf->max - buf->n)
        return;
    buf_add_str(buf, words);
    find(composer, history_count(composer->history));
}

static void shorten(struct composer *composer)
{
    struct buf *words = &composer->search.words;

    if (words->n) {
        words->n = cells_before(buf_str(words), words->n);
        words->p[words->n] = '\0';
    }
    find(composer, history_count(composer->history));
}

static void older(struct composer *composer)
{
    size_t found = composer->search.found, count = history_count(composer->history);

    find(composer, found);
    if (composer->search.found == count) /* there is no older one: it stays */
        composer->search.found = found;
}

/* Keys that scroll or switch views leave the search as it is. */
static bool is_for_others(const struct press *press)
{
    return press->kind == PRESS_PAGE_UP || press->kind == PRESS_PAGE_DOWN ||
           press->kind >= PRESS_WHEEL_UP || press->kind == PRESS_FUNCTION ||
           press_is_ctrl(press, 'c');
}

bool composer_search_press(struct composer *composer, const struct press *press,
                           enum composer_act *act)
{
    bool plain = !press->ctrl && !press->alt;
    char c[4];

    text_rows_stale(&composer->rows, 0);
    *act = COMPOSER_TAKEN;
    if (is_for_others(press))
        *act = COMPOSER_NOTHING;
    else if (press->kind == PRESS_CHAR && plain)
        add_words(composer, (struct str){c, utf8_encode(press->c, c)});
    else if (press->kind == PRESS_PASTE)
        add_words(composer, press->text);
    else if (press->kind == PRESS_BACKSPACE || press_is_ctrl(press, 'h'))
        shorten(composer);
    else if (press_is_ctrl(press, 'r'))
        older(composer);
    else if (press->kind == PRESS_ESCAPE)
        composer_search_end(composer, false);
    else if ((press->kind == PRESS_ENTER || press->kind == PRESS_TAB) && plain)
        composer_search_end(composer, true);
    else {
        composer_search_end(composer, true);
        return false;
    }
    return true;
}
