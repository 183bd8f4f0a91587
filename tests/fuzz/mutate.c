#include "mutate.h"

#include "base/buf.h"

#include <stdbool.h>
#include <stdlib.h>

struct damage {
    struct str in;
    struct buf out;
    unsigned seed;
};

static size_t draw(struct damage *damage, size_t below)
{
    damage->seed = damage->seed * 1664525U + 1013904223U;
    return below ? (damage->seed >> 8) % below : 0;
}

/* ---- lines ---- */

static size_t line_count(struct str text)
{
    size_t lines = 0;

    for (size_t i = 0; i < text.n; i++)
        lines += text.p[i] == '\n';
    return lines;
}

/* With its line feed; empty behind the last one. */
static struct str line_at(struct str text, size_t number)
{
    size_t from = 0;

    for (; number > 0 && from < text.n; from++)
        number -= text.p[from] == '\n';
    for (size_t i = from; i < text.n; i++)
        if (text.p[i] == '\n')
            return (struct str){text.p + from, i + 1 - from};
    return (struct str){text.p + from, text.n - from};
}

/* Each line as it is, but at one place another, once more, or none. */
static void lines_shuffle(struct damage *damage)
{
    size_t lines = line_count(damage->in), a = draw(damage, lines), b = draw(damage, lines);
    size_t way = draw(damage, 3);

    for (size_t i = 0; i < lines; i++) {
        if (way == 0) /* exchanged */
            buf_add_str(&damage->out, line_at(damage->in, i == a ? b : i == b ? a : i));
        else if (way == 1 || i != a) /* doubled, or left out */
            buf_add_str(&damage->out, line_at(damage->in, i));
        if (way == 1 && i == b)
            buf_add_str(&damage->out, line_at(damage->in, a));
    }
}

/* ---- what stands in a line ---- */

struct piece {
    size_t from, length;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The n-th number that is a value of its own; its length is 0 when there is none. */
static struct piece number_find(struct str text, size_t n)
{
    for (size_t i = 1; i < text.n; i++) {
        size_t end = i;

        while (end < text.n && is_digit(text.p[end]))
            end++;
        if (end > i && memchr(":[,", text.p[i - 1], 3) && n-- == 0)
            return (struct piece){i, end - i};
        i = end;
    }
    return (struct piece){text.n, 0};
}

/* The n-th `"name":value,` whose value has no comma or bracket in it. */
static struct piece member_find(struct str text, size_t n)
{
    for (size_t i = 1; i < text.n; i++) {
        size_t end = i;

        if (text.p[i] != '"' || !memchr("{,", text.p[i - 1], 2))
            continue;
        while (end < text.n && !memchr(",{}\n", text.p[end], 4))
            end++;
        if (end < text.n && text.p[end] == ',' && n-- == 0)
            return (struct piece){i, end + 1 - i};
    }
    return (struct piece){text.n, 0};
}

static size_t pieces_count(struct str text, struct piece (*find)(struct str, size_t))
{
    size_t count = 0;

    while (count < text.n && find(text, count).length > 0)
        count++;
    return count;
}

static void piece_replace(struct damage *damage, struct piece piece, struct str by)
{
    size_t behind = piece.from + piece.length;

    buf_add(&damage->out, damage->in.p, piece.from);
    buf_add_str(&damage->out, by);
    buf_add(&damage->out, damage->in.p + behind, damage->in.n - behind);
}

static void number_change(struct damage *damage)
{
    static const char *const numbers[] = {"0", "1", "2",  "3",          "4",
                                          "5", "7", "99", "2147483648", "9007199254740992"};
    size_t count = pieces_count(damage->in, number_find);
    struct piece piece = number_find(damage->in, draw(damage, count));

    piece_replace(damage, piece, str_of(numbers[draw(damage, sizeof(numbers) / sizeof(*numbers))]));
}

/* A member is left out, doubled, or has another of the file in its place. */
static void member_change(struct damage *damage)
{
    size_t count = pieces_count(damage->in, member_find);
    struct piece piece = member_find(damage->in, draw(damage, count));
    struct piece other = member_find(damage->in, draw(damage, count));
    struct str by = {damage->in.p + other.from, other.length};

    switch (draw(damage, 3)) {
    case 0:
        by.n = 0;
        break;
    case 1:
        piece.length = 0;
        break;
    default:
        break;
    }
    piece_replace(damage, piece, by);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct damage damage = {.in = {(const char *)data, size}, .seed = seed};
    size_t rounds, way = draw(&damage, 4);

    if (way == 0 || size == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (rounds = 1 + draw(&damage, 3); rounds > 0; rounds--) {
        buf_init(&damage.out, max_size);
        damage.in = (struct str){(const char *)data, size};
        if (way == 1)
            lines_shuffle(&damage);
        else if (way == 2)
            number_change(&damage);
        else
            member_change(&damage);
        if (!damage.out.full && damage.out.n > 0) {
            memcpy(data, damage.out.p, damage.out.n);
            size = damage.out.n;
        }
        buf_clear(&damage.out);
        way = 1 + draw(&damage, 3);
    }
    return size;
}
