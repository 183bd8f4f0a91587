#include "base/utf8.h"

#include <assert.h>

/* Length of the character that starts at p, 0 when it is none; its code point in *point. */
static size_t decode(const unsigned char *p, size_t n, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length;
    uint32_t c;

    if (p[0] < 0x80) {
        *point = p[0];
        return 1;
    }
    if ((p[0] & 0xe0) == 0xc0)
        length = 2, c = p[0] & 0x1f;
    else if ((p[0] & 0xf0) == 0xe0)
        length = 3, c = p[0] & 0x0f;
    else if ((p[0] & 0xf8) == 0xf0)
        length = 4, c = p[0] & 0x07;
    else
        return 0;
    if (length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *point = c;
    return length;
}

bool utf8_valid(struct str s)
{
    for (size_t i = 0; i < s.n;) {
        uint32_t point;
        size_t n = decode((const unsigned char *)s.p + i, s.n - i, &point);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

struct str utf8_cut(struct str s, size_t max)
{
    size_t n = max;

    if (s.n <= max)
        return s;
    while (n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return (struct str){s.p, n};
}

uint32_t utf8_next(struct str s, size_t *at)
{
    uint32_t point;
    size_t n;

    assert(*at < s.n);
    n = decode((const unsigned char *)s.p + *at, s.n - *at, &point);
    if (n == 0) {
        *at += 1;
        return 0xfffd;
    }
    *at += n;
    return point;
}

size_t utf8_encode(uint32_t point, char out[4])
{
    assert(point <= 0x10ffff);
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | point >> 6);
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | point >> 12);
        out[1] = (char)(0x80 | (point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | point >> 18);
    out[1] = (char)(0x80 | (point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

size_t utf8_clean(struct str s, char *out)
{
    size_t n = 0;

    for (size_t at = 0; at < s.n;)
        n += utf8_encode(utf8_next(s, &at), out + n);
    return n;
}
