#include "tui/typed.h"

#include "base/utf8.h"

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c & 0x80);
}

/* Inside quotes a star is one of the words. */
static bool is_quoted(struct str text)
{
    bool quoted = false;

    for (size_t i = 0; i < text.n; i++)
        quoted ^= text.p[i] == '"';
    return quoted;
}

/* Bytes of the word at the end. */
static size_t last_word(struct str text)
{
    size_t n = 0;

    while (n < text.n && is_word(text.p[text.n - 1 - n]))
        n++;
    return n;
}

struct str typed_words(struct str text, size_t max, struct arena *arena)
{
    text = utf8_cut(text, max - 1);
    while (text.n && text.p[0] == ' ') {
        text.p++;
        text.n--;
    }
    if (text.n && is_quoted(text))
        return arena_printf(arena, "%.*s\"", STR_ARG(text));
    if (last_word(text) >= TYPED_STAR)
        return arena_printf(arena, "%.*s*", STR_ARG(text));
    return arena_dup(arena, text);
}
