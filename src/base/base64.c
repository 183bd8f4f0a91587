#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Up to three bytes as four characters. */
static void group_write(const unsigned char *in, size_t n, char out[4])
{
    uint32_t bits = (uint32_t)in[0] << 16;

    if (n > 1)
        bits |= (uint32_t)in[1] << 8;
    if (n > 2)
        bits |= in[2];
    for (unsigned i = 0; i < 4; i++)
        out[i] = (char)(i <= n ? digits[bits >> (18 - 6 * i) & 63] : '=');
}

void base64_add(struct buf *out, struct str bytes)
{
    const unsigned char *in = (const unsigned char *)bytes.p;
    char *to = buf_extend(out, bytes.n / 3 * 4 + (bytes.n % 3 ? 4 : 0));

    if (!to)
        return;
    for (size_t at = 0; at < bytes.n; at += 3, to += 4)
        group_write(in + at, bytes.n - at < 3 ? bytes.n - at : 3, to);
}

/* The value of a digit; 64: it is none. */
static unsigned digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (unsigned)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (unsigned)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Four characters as n bytes, of which the last 3 - n characters are padding. */
static bool group_read(const char in[4], size_t n, unsigned char *out)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < 4; i++) {
        unsigned value = i <= n ? digit_value(in[i]) : in[i] == '=' ? 0 : 64;

        if (value == 64)
            return false;
        bits = bits << 6 | value;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = (unsigned char)(bits >> (16 - 8 * i));
    return (bits & ((UINT32_C(1) << (24 - 8 * n)) - 1)) == 0;
}

bool base64_read(struct str text, struct arena *arena, struct str *out)
{
    size_t groups = text.n / 4, padding = 0, n;
    unsigned char *bytes;

    if (text.n % 4)
        return false;
    while (padding < 2 && padding < text.n && text.p[text.n - 1 - padding] == '=')
        padding++;
    n = groups * 3 - padding;
    bytes = arena_alloc(arena, n + 1);
    for (size_t i = 0; i < groups; i++)
        if (!group_read(text.p + 4 * i, i + 1 < groups ? 3 : 3 - padding, bytes + 3 * i))
            return false;
    *out = (struct str){(const char *)bytes, n};
    return true;
}
