#include "json/json_in.h"

#include "base/escape.h"
#include "base/utf8.h"

#include <assert.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* ---- checking ---- */

struct check {
    const char *p;
    size_t n, at;
    const char *reason; /* of the first thing wrong, which is at `at` */
};

static bool wrong(struct check *check, const char *reason)
{
    check->reason = reason;
    return false;
}

/* The byte at hand; 0 at the end, where no rule allows a NUL either. */
static char here(const struct check *check)
{
    if (check->at >= check->n)
        return '\0';
    return check->p[check->at];
}

static void skip_blanks(struct check *check)
{
    while (check->at < check->n && is_blank(check->p[check->at]))
        check->at++;
}

static bool check_word(struct check *check, struct str word)
{
    if (check->n - check->at < word.n || memcmp(check->p + check->at, word.p, word.n) != 0)
        return wrong(check, "unexpected character");
    check->at += word.n;
    return true;
}

static bool check_digits(struct check *check)
{
    if (!is_digit(here(check)))
        return wrong(check, "a digit is missing");
    while (is_digit(here(check)))
        check->at++;
    return true;
}

static bool check_number(struct check *check)
{
    if (here(check) == '-')
        check->at++;
    if (here(check) == '0') {
        check->at++;
        if (is_digit(here(check)))
            return wrong(check, "a number begins with 0");
    } else if (!check_digits(check)) {
        return false;
    }
    if (here(check) == '.') {
        check->at++;
        if (!check_digits(check))
            return false;
    }
    if (here(check) == 'e' || here(check) == 'E') {
        check->at++;
        if (here(check) == '+' || here(check) == '-')
            check->at++;
        return check_digits(check);
    }
    return true;
}

static bool check_escape(struct check *check)
{
    char c;

    check->at++;
    c = here(check);
    if (c == '\0' || !strchr("\"\\/bfnrtu", c))
        return wrong(check, "unknown escape");
    check->at++;
    for (int i = 0; c == 'u' && i < 4; i++) {
        if (hex_digit(here(check)) < 0)
            return wrong(check, "\\u needs four hexadecimal digits");
        check->at++;
    }
    return true;
}

static bool check_string(struct check *check)
{
    if (here(check) != '"')
        return wrong(check, "a string is expected");
    check->at++;
    for (;;) {
        char c = here(check);

        if (check->at >= check->n)
            return wrong(check, "the string does not end");
        if ((unsigned char)c < 0x20)
            return wrong(check, "a control character in a string");
        if (c == '"') {
            check->at++;
            return true;
        }
        if (c != '\\')
            check->at++;
        else if (!check_escape(check))
            return false;
    }
}

static bool check_value(struct check *check, int depth);

static bool check_member(struct check *check, int depth)
{
    if (!check_string(check))
        return false;
    skip_blanks(check);
    if (here(check) != ':')
        return wrong(check, "a colon is expected");
    check->at++;
    return check_value(check, depth);
}

/* An object or an array, from its opening bracket on. */
static bool check_bracketed(struct check *check, int depth)
{
    bool object = here(check) == '{';
    char close = object ? '}' : ']';

    if (depth <= 0)
        return wrong(check, "nested too deep");
    check->at++;
    skip_blanks(check);
    if (here(check) == close) {
        check->at++;
        return true;
    }
    for (;;) {
        skip_blanks(check);
        if (!(object ? check_member(check, depth - 1) : check_value(check, depth - 1)))
            return false;
        skip_blanks(check);
        if (here(check) == close) {
            check->at++;
            return true;
        }
        if (here(check) != ',')
            return wrong(check, object ? "a comma or } is expected" : "a comma or ] is expected");
        check->at++;
    }
}

/* Recursion ends at the caller's depth. */
static bool check_value(struct check *check, int depth)
{
    skip_blanks(check);
    if (check->at >= check->n)
        return wrong(check, "it ends too early");
    switch (here(check)) {
    case '{':
    case '[':
        return check_bracketed(check, depth);
    case '"':
        return check_string(check);
    case 't':
        return check_word(check, STR("true"));
    case 'f':
        return check_word(check, STR("false"));
    case 'n':
        return check_word(check, STR("null"));
    default:
        if (here(check) == '-' || is_digit(here(check)))
            return check_number(check);
        return wrong(check, "unexpected character");
    }
}

static size_t bad_utf8_at(struct str s)
{
    size_t at = 0;

    while (at < s.n) {
        size_t from = at;

        utf8_next(s, &at);
        if (!utf8_valid((struct str){s.p + from, at - from}))
            return from;
    }
    return at;
}

static enum json_kind type_of(char c)
{
    switch (c) {
    case '{':
        return JSON_OBJECT;
    case '[':
        return JSON_ARRAY;
    case '"':
        return JSON_STRING;
    case 't':
    case 'f':
        return JSON_BOOL;
    case 'n':
        return JSON_NULL;
    default:
        return JSON_NUMBER;
    }
}

enum fault_code json_read(struct str bytes, int depth, const char *what, struct json_value *out,
                          struct fault *fault)
{
    struct check check = {.p = bytes.p, .n = bytes.n};
    size_t from, to;

    if (!utf8_valid(bytes))
        return fault_set(fault, FAULT_INVALID, "%s is not valid UTF-8 at byte %zu", what,
                         bad_utf8_at(bytes));
    skip_blanks(&check);
    from = check.at;
    if (!check_value(&check, depth))
        return fault_set(fault, FAULT_INVALID, "%s is not valid JSON: %s at byte %zu", what,
                         check.reason, check.at);
    to = check.at;
    skip_blanks(&check);
    if (check.at < check.n)
        return fault_set(fault, FAULT_INVALID,
                         "%s is not valid JSON: something follows its end at byte %zu", what,
                         check.at);
    *out = (struct json_value){type_of(bytes.p[from]), {bytes.p + from, to - from}};
    return FAULT_OK;
}

/* ---- walking what was checked ---- */

static struct str skip(struct str s, size_t n)
{
    assert(n <= s.n);
    return (struct str){s.p + n, s.n - n};
}

static struct str after_blanks(struct str s)
{
    size_t i = 0;

    while (i < s.n && is_blank(s.p[i]))
        i++;
    return skip(s, i);
}

/* Length of the string that s begins with, its quotes included. */
static size_t string_length(struct str s)
{
    size_t i = 1;

    while (i < s.n && s.p[i] != '"')
        i += s.p[i] == '\\' ? 2 : 1;
    return i < s.n ? i + 1 : s.n;
}

/* Length of the value that s begins with. */
static size_t value_length(struct str s)
{
    size_t i = 0, depth = 0;

    do {
        char c = s.p[i];

        if (c == '"') {
            i += string_length(skip(s, i));
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && depth > 0)
            depth--;
        else if (depth == 0)
            break;
        i++;
    } while (i < s.n && depth > 0);
    if (i > 0)
        return i;
    while (i < s.n && !is_blank(s.p[i]) && !strchr(",]}", s.p[i]))
        i++;
    return i;
}

void json_walk_begin(struct json_walk *walk, const struct json_value *value)
{
    assert(value->type == JSON_OBJECT || value->type == JSON_ARRAY);
    assert(value->raw.n >= 2);
    *walk = (struct json_walk){.rest = {value->raw.p + 1, value->raw.n - 1}};
}

bool json_walk_next(struct json_walk *walk)
{
    struct str s = after_blanks(walk->rest);
    size_t n;

    if (s.n && s.p[0] == ',')
        s = after_blanks(skip(s, 1));
    if (s.n == 0 || s.p[0] == '}' || s.p[0] == ']')
        return false;
    walk->key = STR_NONE;
    n = value_length(s);
    if (s.p[0] == '"') {
        struct str behind = after_blanks(skip(s, n));

        if (behind.n && behind.p[0] == ':') {
            walk->key = (struct str){s.p + 1, n - 2};
            s = after_blanks(skip(behind, 1));
            if (s.n == 0)
                return false;
            n = value_length(s);
        }
    }
    walk->value = (struct json_value){type_of(s.p[0]), {s.p, n}};
    walk->rest = skip(s, n);
    return n > 0;
}

static bool key_is(struct str key, const char *name)
{
    struct buf text;
    bool is;

    if (key.n == 0 || !memchr(key.p, '\\', key.n))
        return str_eq(key, str_of(name));
    buf_init(&text, key.n);
    unescape_json(&text, key);
    is = str_eq(buf_str(&text), str_of(name));
    buf_clear(&text);
    return is;
}

static const char *types_text(unsigned types)
{
    switch (types) {
    case JSON_STRING:
        return "a string";
    case JSON_NUMBER:
        return "a number";
    case JSON_BOOL:
        return "true or false";
    case JSON_ARRAY:
        return "an array";
    case JSON_OBJECT:
        return "an object";
    default:
        return "of another type";
    }
}

static enum fault_code member_take(struct json_member *member, const struct json_walk *walk,
                                   const char *in, const char *where, struct fault *fault)
{
    if (member->given)
        return fault_set(fault, FAULT_INVALID, "member \"%s\" stands twice%s%s", member->name, in,
                         where);
    if (!(member->types & walk->value.type))
        return fault_set(fault, FAULT_INVALID, "member \"%s\"%s%s must be %s", member->name, in,
                         where, types_text(member->types));
    member->given = true;
    member->value = walk->value;
    return FAULT_OK;
}

enum fault_code json_members(const struct json_value *object, const char *where,
                             struct json_member *members, size_t count, struct fault *fault)
{
    const char *in = where ? " in " : "";
    struct json_walk walk;

    where = where ? where : "";
    if (object->type != JSON_OBJECT)
        return fault_set(fault, FAULT_INVALID, "%s must be an object", *where ? where : "it");
    json_walk_begin(&walk, object);
    while (json_walk_next(&walk)) {
        enum fault_code code;
        size_t i = 0;

        while (i < count && !key_is(walk.key, members[i].name))
            i++;
        if (i == count)
            return fault_set(fault, FAULT_INVALID, "unknown member \"%.*s\"%s%s",
                             STR_ARG(utf8_cut(walk.key, 64)), in, where);
        code = member_take(&members[i], &walk, in, where, fault);
        if (code)
            return code;
    }
    for (size_t i = 0; i < count; i++)
        if (members[i].required && !members[i].given)
            return fault_set(fault, FAULT_INVALID, "member \"%s\" is missing%s%s", members[i].name,
                             in, where);
    return FAULT_OK;
}

/* ---- typed values ---- */

struct str json_inside(const struct json_value *string)
{
    assert(string->type == JSON_STRING && string->raw.n >= 2);
    return (struct str){string->raw.p + 1, string->raw.n - 2};
}

struct str json_unescape(struct str inside, struct arena *arena)
{
    struct buf text;

    if (inside.n == 0 || !memchr(inside.p, '\\', inside.n))
        return inside;
    buf_init(&text, inside.n);
    unescape_json(&text, inside);
    return buf_take(&text, arena);
}

struct str json_text(const struct json_value *string, struct arena *arena)
{
    return json_unescape(json_inside(string), arena);
}

bool json_true(const struct json_value *value)
{
    return value->type == JSON_BOOL && value->raw.p[0] == 't';
}

bool json_int(const struct json_value *number, int64_t min, int64_t max, int64_t *out)
{
    struct str s = number->raw;
    bool negative = s.n > 0 && s.p[0] == '-';
    int64_t value = 0;

    if (number->type != JSON_NUMBER)
        return false;
    for (size_t i = negative; i < s.n; i++) {
        int digit = s.p[i] - '0';

        if (!is_digit(s.p[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    /* Counted downwards, because the lowest number has no positive twin. */
    if (!negative && __builtin_sub_overflow((int64_t)0, value, &value))
        return false;
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

/* The exponent of a number, held within ±10,000: what is beyond is 0 or does not fit anyway. */
static int64_t exponent_of(struct str s)
{
    int64_t value = 0;
    bool negative = false;
    size_t i = 0;

    while (i < s.n && s.p[i] != 'e' && s.p[i] != 'E')
        i++;
    if (i == s.n)
        return 0;
    i++;
    if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
        negative = s.p[i++] == '-';
    for (; i < s.n; i++)
        if (value < 10000)
            value = value * 10 + (s.p[i] - '0');
    return negative ? -value : value;
}

bool json_cost(const struct json_value *number, int64_t *out)
{
    struct str s = number->raw;
    int64_t left, value = 0; /* `left`: digits, from the first one on, that stand for whole 1e-9 */
    size_t end = 0, dot;

    if (number->type != JSON_NUMBER || s.p[0] == '-')
        return false;
    while (end < s.n && s.p[end] != 'e' && s.p[end] != 'E')
        end++;
    for (dot = 0; dot < end && s.p[dot] != '.';)
        dot++;
    left = (int64_t)dot + 9 + exponent_of(s);
    for (size_t i = 0; i < end && left >= 0; i++) {
        if (i == dot)
            continue;
        if (left-- == 0) {
            value += s.p[i] >= '5';
            break;
        }
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, s.p[i] - '0', &value) || value == INT64_MAX)
            return false;
    }
    for (; left > 0 && value > 0; left--)
        if (__builtin_mul_overflow(value, 10, &value))
            return false;
    *out = value;
    return true;
}

bool json_hex(const struct json_value *string, struct arena *arena, struct str *out)
{
    struct str s = json_inside(string);
    char *bytes;

    if (s.n % 2)
        return false;
    bytes = arena_alloc(arena, s.n / 2 + 1);
    for (size_t i = 0; i < s.n; i += 2) {
        int high = hex_digit(s.p[i]), low = hex_digit(s.p[i + 1]);

        if (high < 0 || low < 0)
            return false;
        bytes[i / 2] = (char)(high * 16 + low);
    }
    *out = (struct str){bytes, s.n / 2};
    return true;
}
