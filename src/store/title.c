#include "store/title.h"

#include "base/utf8.h"
#include "store/limits.h"

enum { SUFFIX_MAX = sizeof(" (fork 999999999)") - 1 };

struct title title_parse(struct str text)
{
    static const struct str open = {"(fork ", 6};
    struct title whole = {text, 0};
    size_t end = text.n, from;
    int64_t number = 0;

    if (end == 0 || text.p[end - 1] != ')')
        return whole;
    from = end - 1;
    while (from > 0 && text.p[from - 1] >= '0' && text.p[from - 1] <= '9')
        from--;
    if (end - 1 - from < 1 || end - 1 - from > 9 || from < open.n ||
        memcmp(text.p + from - open.n, open.p, open.n) != 0)
        return whole;
    for (size_t i = from; i < end - 1; i++)
        number = number * 10 + (text.p[i] - '0');
    end = from - open.n;
    while (end > 0 && text.p[end - 1] == ' ')
        end--;
    return (struct title){{text.p, end}, number};
}

struct str title_fork_base(struct str text)
{
    struct str base = utf8_cut(title_parse(text).base, LIMIT_TITLE_BYTES - SUFFIX_MAX);

    while (base.n > 0 && base.p[base.n - 1] == ' ')
        base.n--;
    return base;
}

struct str title_make(struct str base, int64_t number, struct arena *arena)
{
    return arena_printf(arena, "%.*s (fork %lld)", STR_ARG(base), (long long)number);
}
