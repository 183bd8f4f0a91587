#include "base/escape.h"

#include "base/utf8.h"

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Is one of eight bytes zero? */
static bool has_zero(uint64_t eight)
{
    return ((eight - EACH(1)) & ~eight & EACH(0x80)) != 0;
}

/* How many bytes from `i` on stand for themselves, as far as eight at a time can tell. */
static size_t plain_run(struct str s, size_t i)
{
    size_t from = i;

    for (; i + 8 <= s.n; i += 8) {
        uint64_t eight;

        memcpy(&eight, s.p + i, 8);
        if (((eight - EACH(0x20)) & ~eight & EACH(0x80)) || has_zero(eight ^ EACH('"')) ||
            has_zero(eight ^ EACH('\\')))
            break;
    }
    return i - from;
}

void escape_json(struct buf *buf, struct str s)
{
    size_t from = 0, plain = plain_run(s, 0);

    /* Most strings need nothing; the last bytes of one are looked at with those before them. */
    if (s.n >= 8 && s.n - plain < 8 && plain_run((struct str){s.p + s.n - 8, 8}, 0) == 8)
        plain = s.n;
    for (size_t i = plain; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        buf_add(buf, s.p + from, i - from);
        from = i + 1;
        switch (c) {
        case '"':
            buf_add_text(buf, "\\\"");
            break;
        case '\\':
            buf_add_text(buf, "\\\\");
            break;
        case '\n':
            buf_add_text(buf, "\\n");
            break;
        case '\r':
            buf_add_text(buf, "\\r");
            break;
        case '\t':
            buf_add_text(buf, "\\t");
            break;
        default:
            buf_add_format(buf, "\\u%04x", (unsigned)c);
        }
    }
    if (from < s.n)
        buf_add(buf, s.p + from, s.n - from);
}

/* Four hexadecimal digits at p; -1 when they are not. */
static int32_t hex4(const char *p)
{
    int32_t value = 0;

    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int digit;

        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (c >= 'a' && c <= 'f')
            digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'F')
            digit = c - 'A' + 10;
        else
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* The character of \uXXXX at s.p[i] (a pair of surrogates is one); returns the bytes read. */
static size_t unescape_u(struct str s, size_t i, uint32_t *point)
{
    int32_t high = i + 6 <= s.n ? hex4(s.p + i + 2) : -1;
    int32_t low;

    if (high < 0)
        return 0;
    *point = (uint32_t)high;
    if (high < 0xd800 || high > 0xdfff)
        return 6;
    *point = 0xfffd;
    if (high >= 0xdc00 || i + 12 > s.n || s.p[i + 6] != '\\' || s.p[i + 7] != 'u')
        return 6;
    low = hex4(s.p + i + 8);
    if (low < 0xdc00 || low > 0xdfff)
        return 6;
    *point = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
    return 12;
}

void unescape_json(struct buf *buf, struct str s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    size_t kept = 0, i = 0;

    while (i + 1 < s.n) {
        const char *known;
        uint32_t point;
        size_t n;
        char bytes[4];

        if (s.p[i] != '\\') {
            i++;
            continue;
        }
        if (s.p[i + 1] == 'u' && (n = unescape_u(s, i, &point)) > 0) {
            buf_add(buf, s.p + kept, i - kept);
            buf_add(buf, bytes, utf8_encode(point, bytes));
        } else if (s.p[i + 1] != '\0' && (known = strchr(from, s.p[i + 1])) != NULL) {
            buf_add(buf, s.p + kept, i - kept);
            buf_add_char(buf, to[known - from]);
            n = 2;
        } else {
            i++;
            continue;
        }
        i += n;
        kept = i;
    }
    if (kept < s.n)
        buf_add(buf, s.p + kept, s.n - kept);
}
