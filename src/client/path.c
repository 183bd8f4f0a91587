#include "client/path.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH_BYTES_MAX = 32 * 1024 };

void path_init(struct path *path)
{
    *path = (struct path){.has_query = false};
    buf_init(&path->text, PATH_BYTES_MAX);
}

void path_clear(struct path *path)
{
    buf_clear(&path->text);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

static void add_escaped(struct buf *out, const char *word)
{
    for (const char *p = word; *p; p++) {
        if (is_plain(*p))
            buf_add_char(out, *p);
        else
            buf_add_format(out, "%%%02X", (unsigned)(unsigned char)*p);
    }
}

void path_add(struct path *path, const char *words)
{
    buf_add_text(&path->text, words);
}

void path_word(struct path *path, const char *word)
{
    /* "." and ".." would be taken for steps, also when they are escaped. */
    if (!word || !*word || strcmp(word, ".") == 0 || strcmp(word, "..") == 0) {
        path->wrong = true;
        return;
    }
    buf_add_char(&path->text, '/');
    add_escaped(&path->text, word);
}

void path_query(struct path *path, const char *name, const char *value)
{
    if (!value)
        return;
    buf_add_format(&path->text, "%c%s=", path->has_query ? '&' : '?', name);
    add_escaped(&path->text, value);
    path->has_query = true;
}

void path_query_int(struct path *path, const char *name, int64_t value)
{
    char digits[32];

    if (value == 0)
        return;
    snprintf(digits, sizeof(digits), "%" PRId64, value);
    path_query(path, name, digits);
}
