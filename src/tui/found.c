#include "tui/found.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <wctype.h>

static wint_t lower(struct str text, size_t *at)
{
    return towlower((wint_t)utf8_next(text, at));
}

/* Do the words stand at `at`? Then *behind is where they end. */
static bool is_at(struct str text, size_t at, struct str words, size_t *behind)
{
    for (size_t i = 0; i < words.n;)
        if (at >= text.n || lower(text, &at) != lower(words, &i))
            return false;
    *behind = at;
    return true;
}

bool found_next(struct str text, size_t from, struct str words, struct str *out)
{
    size_t behind;

    if (words.n == 0)
        return false;
    while (from < text.n) {
        if (is_at(text, from, words, &behind)) {
            *out = (struct str){text.p + from, behind - from};
            return true;
        }
        utf8_next(text, &from);
    }
    return false;
}

static struct str text_of(const struct line *line, struct arena *arena)
{
    struct buf text;
    size_t bytes = 0;

    if (line->count == 1)
        return line->spans[0].text;
    for (size_t i = 0; i < line->count; i++)
        bytes += line->spans[i].text.n;
    buf_init(&text, bytes);
    for (size_t i = 0; i < line->count; i++)
        buf_add_str(&text, line->spans[i].text);
    return buf_take(&text, arena);
}

bool found_in_line(const struct line *line, struct str words, struct arena *arena)
{
    struct str found;

    return line->count && found_next(text_of(line, arena), 0, words, &found);
}

void found_draw(struct pane pane, int row, int column, const struct line *line, struct str words,
                struct look look)
{
    struct arena arena;
    struct str text, found;
    size_t from = 0;

    if (line->count == 0 || words.n == 0)
        return;
    arena_init(&arena);
    text = text_of(line, &arena);
    while (found_next(text, from, words, &found)) {
        size_t at = (size_t)(found.p - text.p);

        column += cells_count((struct str){text.p + from, at - from});
        column = pane_text(pane, row, column, look, found);
        from = at + found.n;
    }
    arena_clear(&arena);
}
