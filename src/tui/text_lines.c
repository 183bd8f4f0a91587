#include "tui/text_lines.h"

bool text_lines_next(struct str *rest, struct str *line)
{
    const char *end;

    if (rest->n == 0)
        return false;
    end = memchr(rest->p, '\n', rest->n);
    *line = (struct str){rest->p, end ? (size_t)(end - rest->p) : rest->n};
    rest->p += line->n + (end != NULL);
    rest->n -= line->n + (end != NULL);
    return true;
}

size_t text_lines_count(struct str text)
{
    struct str line;
    size_t count = 0;

    while (text_lines_next(&text, &line))
        count++;
    return count;
}
