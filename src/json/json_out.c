#include "json/json_out.h"

#include "base/escape.h"
#include "base/hex.h"

#include <inttypes.h>

void json_out_init(struct json_out *out, struct buf *buf)
{
    *out = (struct json_out){.buf = buf};
}

void json_out_key(struct json_out *out, struct str key)
{
    if (out->comma)
        buf_add_char(out->buf, ',');
    buf_add_char(out->buf, '"');
    escape_json(out->buf, key);
    buf_add_text(out->buf, "\":");
    out->comma = false;
}

/*
 * What stands before a value: a comma when one is due, and the key when there is one. The keys that
 * the program itself has need no escaping.
 */
static void before(struct json_out *out, const char *key)
{
    struct str name = str_of(key);
    size_t comma = out->comma;
    char *p = buf_extend(out->buf, comma + (key ? name.n + 3 : 0));

    out->comma = true;
    if (!p)
        return;
    if (comma)
        *p++ = ',';
    if (key) {
        *p++ = '"';
        memcpy(p, name.p, name.n);
        p[name.n] = '"';
        p[name.n + 1] = ':';
    }
}

static void open_with(struct json_out *out, const char *key, char bracket)
{
    before(out, key);
    buf_add_char(out->buf, bracket);
    out->comma = false;
}

static void close_with(struct json_out *out, char bracket)
{
    buf_add_char(out->buf, bracket);
    out->comma = true;
}

void json_out_object(struct json_out *out, const char *key)
{
    open_with(out, key, '{');
}

void json_out_object_end(struct json_out *out)
{
    close_with(out, '}');
}

void json_out_array(struct json_out *out, const char *key)
{
    open_with(out, key, '[');
}

void json_out_array_end(struct json_out *out)
{
    close_with(out, ']');
}

void json_out_string(struct json_out *out, const char *key, struct str value)
{
    before(out, key);
    buf_add_char(out->buf, '"');
    if (value.n)
        escape_json(out->buf, value);
    buf_add_char(out->buf, '"');
}

void json_out_plain(struct json_out *out, const char *key, struct str value)
{
    char *p;

    before(out, key);
    p = buf_extend(out->buf, value.n + 2);
    if (!p)
        return;
    *p++ = '"';
    if (value.n)
        memcpy(p, value.p, value.n);
    p[value.n] = '"';
}

void json_out_int(struct json_out *out, const char *key, int64_t value)
{
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[24], *p = digits + sizeof(digits);

    do
        *--p = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (value < 0)
        *--p = '-';
    before(out, key);
    buf_add(out->buf, p, (size_t)(digits + sizeof(digits) - p));
}

void json_out_bool(struct json_out *out, const char *key, bool value)
{
    before(out, key);
    buf_add_text(out->buf, value ? "true" : "false");
}

void json_out_null(struct json_out *out, const char *key)
{
    before(out, key);
    buf_add_text(out->buf, "null");
}

void json_out_raw(struct json_out *out, const char *key, struct str json)
{
    before(out, key);
    buf_add_str(out->buf, json);
}

void json_out_name(struct json_out *out, const char *key, struct str value)
{
    if (value.n)
        json_out_string(out, key, value);
    else
        json_out_null(out, key);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void json_out_members(struct json_out *out, struct str object)
{
    size_t from = 0, to = object.n;

    while (from < to && is_blank(object.p[from]))
        from++;
    while (to > from && is_blank(object.p[to - 1]))
        to--;
    if (to - from < 2)
        return;
    for (from++, to--; from < to && is_blank(object.p[from]);)
        from++;
    if (from < to) {
        before(out, NULL);
        buf_add(out->buf, object.p + from, to - from);
    }
}

/* Digits of a number that has at most that many. */
static char *put_digits(char *p, int64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--, value /= 10)
        p[i] = (char)('0' + value % 10);
    return p + count;
}

/*
 * Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Years
 * are counted from March, so that the day which comes and goes is the last one.
 */
static void date_of(int64_t day, int64_t *year, int64_t *month, int64_t *of_month)
{
    int64_t shifted = day + 719468; /* from 0000-03-01 */
    int64_t era = shifted / 146097, in_era = shifted % 146097;
    int64_t of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * of_era + of_era / 4 - of_era / 100);
    int64_t from_march = (5 * in_year + 2) / 153;

    *of_month = in_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = era * 400 + of_era + (*month <= 2);
}

void json_out_time(struct json_out *out, const char *key, int64_t us)
{
    static const int64_t day_ms = 86400000, first = -719468,
                         last = 2932896; /* 0000-03-01, 9999-12-31 */
    int64_t ms = us / 1000 - (us % 1000 < 0);
    int64_t day = ms / day_ms - (ms % day_ms < 0), rest = ms - day * day_ms;
    int64_t year, month, of_month;
    char *p;

    if (day < first || day > last) {
        json_out_null(out, key);
        return;
    }
    before(out, key);
    p = buf_extend(out->buf, sizeof("\"2024-05-01T12:00:00.000Z\"") - 1);
    if (!p)
        return;
    date_of(day, &year, &month, &of_month);
    *p++ = '"';
    p = put_digits(p, year, 4);
    *p++ = '-';
    p = put_digits(p, month, 2);
    *p++ = '-';
    p = put_digits(p, of_month, 2);
    *p++ = 'T';
    p = put_digits(p, rest / 3600000, 2);
    *p++ = ':';
    p = put_digits(p, rest / 60000 % 60, 2);
    *p++ = ':';
    p = put_digits(p, rest / 1000 % 60, 2);
    *p++ = '.';
    p = put_digits(p, rest % 1000, 3);
    p[0] = 'Z';
    p[1] = '"';
}

void json_out_cost(struct json_out *out, const char *key, int64_t nano)
{
    uint64_t size = nano < 0 ? 0 - (uint64_t)nano : (uint64_t)nano;
    uint64_t fraction = size % 1000000000;
    int digits = 9;

    before(out, key);
    buf_add_format(out->buf, "%s%" PRIu64, nano < 0 ? "-" : "", size / 1000000000);
    if (fraction == 0)
        return;
    for (; fraction % 10 == 0; fraction /= 10)
        digits--;
    buf_add_format(out->buf, ".%0*" PRIu64, digits, fraction);
}

void json_out_hex(struct json_out *out, const char *key, const void *bytes, size_t n)
{
    char *to;

    before(out, key);
    to = buf_extend(out->buf, 2 * n + 2);
    if (!to)
        return;
    *to++ = '"';
    hex_write(bytes, n, to);
    to[2 * n] = '"';
}
