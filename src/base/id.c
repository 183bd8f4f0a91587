#include "base/id.h"

#include "base/hex.h"

struct id id_make(int64_t ms, unsigned counter, const unsigned char random[8])
{
    struct id id;

    for (int i = 0; i < 6; i++)
        id.b[i] = (unsigned char)((uint64_t)ms >> (40 - 8 * i));
    id.b[6] = (unsigned char)(0x70 | ((counter >> 8) & 0x0f));
    id.b[7] = (unsigned char)counter;
    memcpy(id.b + 8, random, 8);
    id.b[8] = (unsigned char)(0x80 | (id.b[8] & 0x3f));
    return id;
}

static bool hyphen_at(size_t place)
{
    return place == 8 || place == 13 || place == 18 || place == 23;
}

void id_format(const struct id *id, char text[ID_TEXT + 1])
{
    hex_write(id->b, 4, text);
    hex_write(id->b + 4, 2, text + 9);
    hex_write(id->b + 6, 2, text + 14);
    hex_write(id->b + 8, 2, text + 19);
    hex_write(id->b + 10, 6, text + 24);
    text[8] = text[13] = text[18] = text[23] = '-';
    text[ID_TEXT] = '\0';
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

bool id_range(struct str start, struct id *first, struct id *last)
{
    size_t nibble = 0;

    if (start.n == 0 || start.n > ID_TEXT)
        return false;
    memset(first->b, 0x00, ID_BYTES);
    memset(last->b, 0xff, ID_BYTES);
    for (size_t place = 0; place < start.n; place++) {
        int value;
        unsigned shift;

        if (hyphen_at(place)) {
            if (start.p[place] != '-')
                return false;
            continue;
        }
        value = digit_value(start.p[place]);
        if (value < 0)
            return false;
        shift = nibble % 2 ? 0 : 4;
        first->b[nibble / 2] = (unsigned char)(first->b[nibble / 2] | (value << shift));
        last->b[nibble / 2] =
            (unsigned char)((last->b[nibble / 2] & ~(15U << shift)) | ((unsigned)value << shift));
        nibble++;
    }
    return true;
}

bool id_parse(struct str text, struct id *out)
{
    struct id last;

    return text.n == ID_TEXT && id_range(text, out, &last);
}
