#include "agent/clean.h"

#include "base/utf8.h"

/* How many bytes at the end are the beginning of a character that may go on. */
static size_t unfinished(struct str s)
{
    for (size_t k = 1; k <= 3 && k <= s.n; k++) {
        unsigned char c = (unsigned char)s.p[s.n - k];
        size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;

        if ((c & 0xc0) == 0x80)
            continue;
        return need > k ? k : 0;
    }
    return 0;
}

static void add_clean(struct str s, struct buf *out)
{
    size_t at = 0;

    if (utf8_valid(s)) {
        buf_add_str(out, s);
        return;
    }
    while (at < s.n) {
        char bytes[4];
        size_t n = utf8_encode(utf8_next(s, &at), bytes);

        buf_add(out, bytes, n);
    }
}

void clean_add(struct clean *clean, struct str bytes, struct buf *out)
{
    /* A character that was begun is finished byte by byte. */
    while (clean->n && bytes.n) {
        clean->held[clean->n++] = *bytes.p++;
        bytes.n--;
        if (!unfinished((struct str){clean->held, clean->n})) {
            add_clean((struct str){clean->held, clean->n}, out);
            clean->n = 0;
        }
    }
    if (bytes.n == 0)
        return;
    clean->n = unfinished(bytes);
    memcpy(clean->held, bytes.p + bytes.n - clean->n, clean->n);
    add_clean((struct str){bytes.p, bytes.n - clean->n}, out);
}

void clean_end(struct clean *clean, struct buf *out)
{
    add_clean((struct str){clean->held, clean->n}, out);
    clean->n = 0;
}

struct str clean_text(struct str bytes, size_t max, struct arena *arena)
{
    struct clean clean = {0};
    struct buf buf;
    struct str text;

    buf_init(&buf, 3 * bytes.n + 1);
    clean_add(&clean, bytes, &buf);
    clean_end(&clean, &buf);
    text = arena_dup(arena, utf8_cut(buf_str(&buf), max));
    buf_clear(&buf);
    return text;
}
