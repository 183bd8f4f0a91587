/* JSON from outside: what passes the check is walked to its last value. */
#include "fuzz.h"

#include "base/utf8.h"
#include "json/json_in.h"
#include "json/json_out.h"
#include "store/limits.h"

#include <assert.h>

static void check_text(struct str text)
{
    struct json_value value;
    struct json_out out;
    struct arena arena;
    struct fault fault;
    struct buf buf;

    if (!utf8_valid(text))
        return;
    arena_init(&arena);
    buf_init(&buf, text.n * 6 + 2);
    json_out_init(&out, &buf);
    json_out_string(&out, NULL, text);
    assert(json_read(buf_str(&buf), 1, "text", &value, &fault) == FAULT_OK);
    assert(value.type == JSON_STRING && str_eq(json_text(&value, &arena), text));
    buf_clear(&buf);
    arena_clear(&arena);
}

static void check_string(const struct json_value *value, struct arena *arena)
{
    struct str inside = json_inside(value), text = json_text(value, arena), bytes;

    assert(inside.p == value->raw.p + 1 && inside.n + 2 == value->raw.n && text.n <= inside.n);
    assert(utf8_valid(text) && str_eq(text, json_unescape(inside, arena)));
    check_text(text);
    if (json_hex(value, arena, &bytes))
        assert(bytes.n * 2 == text.n);
}

static void check_number(const struct json_value *value)
{
    int64_t number;

    if (json_int(value, -1000, INT64_MAX, &number))
        assert(number >= -1000);
    if (json_cost(value, &number))
        assert(number >= 0);
}

static void walk(const struct json_value *value, struct arena *arena)
{
    struct json_walk walking;

    if (value->type == JSON_STRING)
        check_string(value, arena);
    if (value->type == JSON_NUMBER)
        check_number(value);
    if (value->type == JSON_BOOL)
        assert(json_true(value) == (value->raw.n == 4));
    if (!(value->type & (JSON_ARRAY | JSON_OBJECT)))
        return;
    for (json_walk_begin(&walking, value); json_walk_next(&walking);) {
        const char *end = value->raw.p + value->raw.n;

        assert(walking.value.raw.p > value->raw.p && walking.value.raw.n > 0 &&
               walking.value.raw.p + walking.value.raw.n < end);
        if (value->type == JSON_OBJECT)
            assert(utf8_valid(json_unescape(walking.key, arena)));
        walk(&walking.value, arena);
    }
}

/* What was passed is passed again without the white space around it, and at no less depth. */
static void check_again(const struct json_value *value)
{
    struct json_value again;
    struct fault fault;

    assert(json_read(value->raw, LIMIT_JSON_DEPTH, "it", &again, &fault) == FAULT_OK);
    assert(again.type == value->type && again.raw.p == value->raw.p && again.raw.n == value->raw.n);
}

static void check_members(const struct json_value *value)
{
    struct json_member members[] = {JSON_MUST("a", JSON_ANY), JSON_MAY("b", JSON_STRING),
                                    JSON_MAY("c", JSON_NUMBER | JSON_NULL)};
    struct fault fault;

    if (json_members(value, NULL, members, 3, &fault) == FAULT_OK)
        assert(value->type == JSON_OBJECT && members[0].given);
    else
        assert(fault.code == FAULT_INVALID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = {(const char *)data, size};
    struct json_value value;
    struct arena arena;
    struct fault fault;

    arena_init(&arena);
    if (json_read(bytes, LIMIT_JSON_DEPTH, "it", &value, &fault) == FAULT_OK) {
        assert(utf8_valid(bytes));
        check_again(&value);
        check_members(&value);
        walk(&value, &arena);
    } else {
        assert(fault.code == FAULT_INVALID && fault.message[0] != '\0');
    }
    check_text(bytes);
    arena_clear(&arena);
    return 0;
}
