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

static void add_escaped(struct buf *out, struct str word)
{
    for (size_t i = 0; i < word.n; i++) {
        if (is_plain(word.p[i]))
            buf_add_char(out, word.p[i]);
        else
            buf_add_format(out, "%%%02X", (unsigned)(unsigned char)word.p[i]);
    }
}

void path_add(struct path *path, const char *words)
{
    buf_add_text(&path->text, words);
}

static void add_word(struct path *path, struct str word)
{
    /* "." and ".." would be taken for steps, also when they are escaped. */
    if (word.n == 0 || str_eq(word, STR(".")) || str_eq(word, STR(".."))) {
        path->wrong = true;
        return;
    }
    buf_add_char(&path->text, '/');
    add_escaped(&path->text, word);
}

void path_word(struct path *path, const char *word)
{
    add_word(path, str_of(word));
}

void path_steps(struct path *path, const char *file)
{
    const char *step = file ? file : "";
    size_t n;

    do {
        n = strcspn(step, "/");
        add_word(path, (struct str){step, n});
        step += n + 1;
    } while (step[-1]);
}

void path_query(struct path *path, const char *name, const char *value)
{
    if (!value)
        return;
    buf_add_format(&path->text, "%c%s=", path->has_query ? '&' : '?', name);
    add_escaped(&path->text, str_of(value));
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
