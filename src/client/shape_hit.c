#include "client/shapes.h"

static bool match_rest(struct reader *reader, const struct json_value *value, void *out)
{
    int64_t *match = out;
    struct json_walk walk;
    size_t n = 0;

    if (!type_check(reader, value, JSON_ARRAY, "a match"))
        return false;
    json_walk_begin(&walk, value);
    while (json_walk_next(&walk))
        if (n < 2 && walk.value.type == JSON_NUMBER &&
            json_int(&walk.value, 0, INT64_MAX, &match[n]))
            n++;
    if (n == 2 && match[0] <= match[1])
        return true;
    return error_set(reader->error, 0, "protocol", "the reply makes no sense: a match is no pair");
}

static const struct shape shape_match = {
    .what = "a match", .bytes = sizeof(int64_t[2]), .rest = match_rest};

static const struct field fields[] = {
    FIELD("session", FIELD_TEXT, tine_hit, session),
    FIELD("title", FIELD_TEXT, tine_hit, title),
    FIELD("message", FIELD_TEXT, tine_hit, message),
    FIELD("role", FIELD_TEXT, tine_hit, role),
    FIELD("snippet", FIELD_TEXT, tine_hit, snippet),
    FIELD("created_at", FIELD_TIME, tine_hit, created_ms),
    FIELD("index", FIELD_INT, tine_hit, index),
    FIELD_ITEMS("matches", tine_hit, matches, match_count, &shape_match),
};

static const struct tine_hit fresh = {.session = "", .title = "", .snippet = "", .index = -1};

const struct shape shape_hit = {
    .what = "a hit",
    .bytes = sizeof(struct tine_hit),
    .fresh = &fresh,
    .fields = fields,
    .count = FIELD_COUNT(fields),
    .has_json = true,
    .json_at = offsetof(struct tine_hit, json),
};
