#include "dialect/kagent/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOUBLE_DIGITS = 400 }; /* of the largest one, written out */

static struct json_value value_of(struct str raw)
{
    static const char first[] = "{[\"tfn";
    static const enum json_kind kinds[] = {JSON_OBJECT, JSON_ARRAY, JSON_STRING,
                                           JSON_BOOL,   JSON_BOOL,  JSON_NULL};
    const char *at = raw.n ? memchr(first, raw.p[0], sizeof(first) - 1) : NULL;

    return (struct json_value){at ? kinds[at - first] : JSON_NUMBER, raw};
}

/* ---- numbers ---- */

static bool has_fraction(struct str number)
{
    for (size_t i = 0; i < number.n; i++)
        if (number.p[i] == '.' || number.p[i] == 'e' || number.p[i] == 'E')
            return true;
    return false;
}

/* An integer in one way of writing: 0 has no sign. */
static struct str integer_of(struct str number)
{
    return str_eq(number, STR("-0")) ? STR("0") : number;
}

static double double_of(struct str number, struct arena *arena)
{
    return strtod(arena_dup(arena, number).p, NULL);
}

/* A whole number against one with a fraction: exactly, however large they are. */
static bool same_mixed(struct str whole, double other)
{
    char digits[DOUBLE_DIGITS];
    int n;

    if (!isfinite(other) || other != floor(other))
        return false;
    n = snprintf(digits, sizeof(digits), "%.0f", other);
    return str_eq(integer_of(whole), integer_of((struct str){digits, (size_t)n}));
}

static bool same_number(struct str a, struct str b, struct arena *arena)
{
    bool fa = has_fraction(a), fb = has_fraction(b);

    if (!fa && !fb)
        return str_eq(integer_of(a), integer_of(b));
    if (fa && fb)
        return double_of(a, arena) == double_of(b, arena);
    return fa ? same_mixed(b, double_of(a, arena)) : same_mixed(a, double_of(b, arena));
}

/* A bool is a number where it meets one. */
static struct json_value as_number(const struct json_value *value)
{
    if (value->type != JSON_BOOL)
        return *value;
    return (struct json_value){JSON_NUMBER, json_true(value) ? STR("1") : STR("0")};
}

/* ---- objects and arrays ---- */

struct member {
    struct str key;
    struct str value;
    size_t place;
};

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = str_cmp(x->key, y->key);

    return order ? order : x->place < y->place ? -1 : 1;
}

/* The members by key, each key once. */
static struct member *members_of(const struct json_value *object, struct arena *arena,
                                 size_t *count)
{
    struct json_walk walk;
    struct member *members;
    size_t n = 0, kept = 0;

    for (json_walk_begin(&walk, object); json_walk_next(&walk);)
        n++;
    members = arena_array(arena, n + 1, sizeof(*members));
    n = 0;
    for (json_walk_begin(&walk, object); json_walk_next(&walk); n++)
        members[n] = (struct member){json_unescape(walk.key, arena), walk.value.raw, n};
    qsort(members, n, sizeof(*members), by_key);
    for (size_t i = 0; i < n; i++) {
        if (kept && str_eq(members[kept - 1].key, members[i].key))
            kept--;
        members[kept++] = members[i];
    }
    *count = kept;
    return members;
}

static bool same_object(const struct json_value *a, const struct json_value *b, struct arena *arena)
{
    size_t na, nb;
    struct member *ma = members_of(a, arena, &na), *mb = members_of(b, arena, &nb);

    if (na != nb)
        return false;
    for (size_t i = 0; i < na; i++)
        if (!str_eq(ma[i].key, mb[i].key) || !json_same(ma[i].value, mb[i].value, arena))
            return false;
    return true;
}

static bool same_array(const struct json_value *a, const struct json_value *b, struct arena *arena)
{
    struct json_walk wa, wb;

    json_walk_begin(&wa, a);
    json_walk_begin(&wb, b);
    for (;;) {
        bool more_a = json_walk_next(&wa), more_b = json_walk_next(&wb);

        if (!more_a || !more_b)
            return more_a == more_b;
        if (!json_same(wa.value.raw, wb.value.raw, arena))
            return false;
    }
}

/* Recursion ends at the depth to which both were checked. */
bool json_same(struct str left, struct str right, struct arena *arena)
{
    struct json_value a = value_of(left), b = value_of(right);

    if (str_eq(left, right))
        return true;
    if (a.type != b.type) {
        a = as_number(&a);
        b = as_number(&b);
    }
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case JSON_NUMBER:
        return same_number(a.raw, b.raw, arena);
    case JSON_STRING:
        return str_eq(json_text(&a, arena), json_text(&b, arena));
    case JSON_ARRAY:
        return same_array(&a, &b, arena);
    case JSON_OBJECT:
        return same_object(&a, &b, arena);
    default:
        return false;
    }
}
