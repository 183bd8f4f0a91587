#include "json/json_out.h"

#include "base/escape.h"

#include <inttypes.h>
#include <time.h>

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

/* What stands before a value: a comma when one is due, and the key when there is one. */
static void before(struct json_out *out, const char *key)
{
    if (key)
        json_out_key(out, str_of(key));
    else if (out->comma)
        buf_add_char(out->buf, ',');
    out->comma = true;
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

void json_out_int(struct json_out *out, const char *key, int64_t value)
{
    before(out, key);
    buf_add_format(out->buf, "%" PRId64, value);
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

void json_out_time(struct json_out *out, const char *key, int64_t us)
{
    int64_t ms = us / 1000 - (us % 1000 < 0);
    int64_t part = (ms % 1000 + 1000) % 1000;
    time_t seconds = (time_t)((ms - part) / 1000);
    struct tm tm;
    char text[40] = "";

    if (!gmtime_r(&seconds, &tm) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0) {
        json_out_null(out, key);
        return;
    }
    before(out, key);
    buf_add_format(out->buf, "\"%s.%03dZ\"", text, (int)part);
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
    static const char digits[] = "0123456789abcdef";
    const unsigned char *p = bytes;

    before(out, key);
    buf_add_char(out->buf, '"');
    for (size_t i = 0; i < n; i++) {
        char pair[2] = {digits[p[i] >> 4], digits[p[i] & 15]};

        buf_add(out->buf, pair, 2);
    }
    buf_add_char(out->buf, '"');
}
